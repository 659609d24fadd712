// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp 0.1.0, a client for programs without coroutines. Written by tools/amalgamate: change the files under include/ instead.
//
// Header-only as it is. To compile comcp once, define COMCP_SEPARATE_COMPILATION in every source, and in one of them
// COMCP_IMPLEMENTATION before its first include of comcp: that source holds all of the single headers that it includes,
// and Asio's definitions too where ASIO_SEPARATE_COMPILATION is defined.
#if defined(COMCP_CLIENT_BLOCKING_CLIENT_HPP)
#if defined(COMCP_IMPLEMENTATION) && !defined(COMCP_IMPLEMENTED)
#error "comcp: this source included comcp before it defined COMCP_IMPLEMENTATION."
#endif
#else
#define COMCP_CLIENT_BLOCKING_CLIENT_HPP

#include <comcp/comcp.hpp>

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif

// client/blocking_client.hpp
#if !defined(COMCP_SINGLE_CLIENT_BLOCKING_CLIENT_HPP)
#define COMCP_SINGLE_CLIENT_BLOCKING_CLIENT_HPP
// A client for programs without coroutines and without an io_context: every function waits for its answer.

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>

// client/background.hpp
#if !defined(COMCP_SINGLE_CLIENT_BACKGROUND_HPP)
#define COMCP_SINGLE_CLIENT_BACKGROUND_HPP
// An io_context with a thread of its own, for callers that wait. Internal.

#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/use_future.hpp>

namespace comcp::detail {

class background {
 public:
  background() : work_(context_.get_executor()), thread_([this] { run(); }) {}
  background(background const&) = delete;
  background& operator=(background const&) = delete;
  ~background() {
    end([] {});
  }

  /// Calls `f` there, waits for the awaitable that it gives, and gives its value or throws. What was thrown there with
  /// nobody to catch it is thrown before. Errors: invalid_argument on that thread itself.
  template <class F>
  auto wait(F&& f) {
    using awaited = std::invoke_result_t<F&>;
    if (std::this_thread::get_id() == thread_.get_id())
      throw exception(error(errc::invalid_argument, "the thread that would have to do this cannot wait for it"));
    throw_uncaught();
    return asio::co_spawn(context_, [&]() -> awaited { return f(); }, asio::use_future).get();
  }

  /// Nothing runs there after `last`. Not on that thread itself.
  template <class F>
  void end(F last) {
    if (!thread_.joinable()) return;
    asio::post(context_, [this, &last] {
      last();
      context_.stop();
    });
    thread_.join();
  }

 private:
  void run() noexcept {
    while (!context_.stopped()) {
      try {
        context_.run();
      } catch (...) {
        std::lock_guard const lock(mutex_);
        if (!uncaught_) uncaught_ = std::current_exception();
      }
    }
  }
  void throw_uncaught() {
    std::unique_lock lock(mutex_);
    auto const thrown = std::exchange(uncaught_, nullptr);
    lock.unlock();
    if (thrown) std::rethrow_exception(thrown);
  }

  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::mutex mutex_;
  std::exception_ptr uncaught_;
  std::thread thread_;
};

}  // namespace comcp::detail
#endif

namespace comcp {

/// Owns a client, its io_context and one thread that runs it, so that pings, the server's own requests and callbacks go
/// on between calls; handlers and callbacks run on that thread. Move-only. Destroying it, which is not for that thread,
/// is abrupt, as with comcp::client, but waits for a handler or callback that runs just then; close() is graceful.
///
/// Its functions wait, throw comcp::exception, and may be called from any thread, several at once. A wait ends with the
/// call's timeouts, or by call_options().stop(). What a callback let out is thrown by the next of them, before it does
/// anything. Called on the client's own thread, by a handler or a callback, they would wait for themselves: that is
/// errc::invalid_argument.
class blocking_client {
 public:
  /// Connects. Errors as with connect().
  template <class Transport, handler Handler = no_handler>
    requires(!std::same_as<Transport, blocking_client> && transport<Transport>)
  explicit blocking_client(Transport transport, Handler handler = Handler(),
                           connect_options options = connect_options())
      : all_(std::make_unique<all>()) {
    auto const connecting = [&] { return connect(std::move(transport), std::move(handler), std::move(options)); };
    all_->of = all_->context.wait(connecting);
  }
  template <transport Transport>
  blocking_client(Transport transport, connect_options options)
      : blocking_client(std::move(transport), no_handler(), std::move(options)) {}

  /// Any operation: `f` is called with the client, on its thread, and gives the awaitable to wait for.
  template <class F>
  auto wait(F f) const {
    if (!all_) throw exception(detail::not_connected());
    return all_->context.wait([&] { return f(std::as_const(all_->of)); });
  }

  COMCP_LAZY [[nodiscard]] call_tool_result call_tool(std::string_view name,
                                                      json::fragment arguments = json::fragment(),
                                                      call_options options = call_options()) const;
  template <json::readable Out, json::writable In>
  [[nodiscard]] Out call_tool(std::string_view name, In const& in, call_options options = call_options()) const {
    return wait([&](client const& c) { return c.call_tool<Out>(name, in, std::move(options)); });
  }
  COMCP_LAZY [[nodiscard]] listing<tool> list_tools(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] listing<resource> list_resources(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] listing<resource_template> list_resource_templates(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] listing<prompt> list_prompts(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] read_resource_result read_resource(std::string_view uri,
                                                              call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] get_prompt_result get_prompt(std::string_view name,
                                                        json::fragment arguments = json::fragment(),
                                                        call_options options = call_options()) const;
  COMCP_LAZY void subscribe(std::string_view uri, updated_callback f, call_options options = call_options()) const;
  COMCP_LAZY void close() const;

 private:
  struct all {
    client of;
    detail::background context;  // goes first
    ~all() {
      context.end([this] { of = client(); });
    }
  };

  std::unique_ptr<all> all_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION) || defined(COMCP_IMPLEMENTATION)

// client/impl/blocking_client.ipp
#if !defined(COMCP_SINGLE_CLIENT_IMPL_BLOCKING_CLIENT_IPP)
#define COMCP_SINGLE_CLIENT_IMPL_BLOCKING_CLIENT_IPP

namespace comcp {

COMCP_LAZY_DECL call_tool_result blocking_client::call_tool(std::string_view name, json::fragment arguments,
                                                            call_options options) const {
  return wait([&](client const& c) { return c.call_tool(name, std::move(arguments), std::move(options)); });
}

COMCP_LAZY_DECL listing<tool> blocking_client::list_tools(call_options options) const {
  return wait([&](client const& c) { return c.list_tools(std::move(options)); });
}

COMCP_LAZY_DECL listing<resource> blocking_client::list_resources(call_options options) const {
  return wait([&](client const& c) { return c.list_resources(std::move(options)); });
}

COMCP_LAZY_DECL listing<resource_template> blocking_client::list_resource_templates(call_options options) const {
  return wait([&](client const& c) { return c.list_resource_templates(std::move(options)); });
}

COMCP_LAZY_DECL listing<prompt> blocking_client::list_prompts(call_options options) const {
  return wait([&](client const& c) { return c.list_prompts(std::move(options)); });
}

COMCP_LAZY_DECL read_resource_result blocking_client::read_resource(std::string_view uri, call_options options) const {
  return wait([&](client const& c) { return c.read_resource(uri, std::move(options)); });
}

COMCP_LAZY_DECL get_prompt_result blocking_client::get_prompt(std::string_view name, json::fragment arguments,
                                                              call_options options) const {
  return wait([&](client const& c) { return c.get_prompt(name, std::move(arguments), std::move(options)); });
}

COMCP_LAZY_DECL void blocking_client::subscribe(std::string_view uri, updated_callback f, call_options options) const {
  wait([&](client const& c) { return c.subscribe(uri, std::move(f), std::move(options)); });
}

COMCP_LAZY_DECL void blocking_client::close() const {
  wait([](client const& c) { return c.close(); });
}

}  // namespace comcp
#endif
#endif
#endif

#if defined(COMCP_IMPLEMENTATION) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif
