// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Extensions of the protocol: what one brings (settings, methods, result types, notifications, keys of a listen filter
// and of `_meta`) is said by one type, a user's own too, and registers where a call and what comes in pass by.
// Specification: 2026-07-28, basic (extension negotiation)
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/extension_part.hpp>
#include <comcp/client/link.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/client/options.hpp>
#include <comcp/client/prepared.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/input_required.hpp>
#include <comcp/protocol/progress.hpp>
#include <comcp/protocol/subscriptions.hpp>
#include <comcp/wire/method.hpp>

namespace comcp {

/// A method that an extension calls: its name, its eras, `missing` (undeclared<E> where the server has to have declared
/// it), and `subject`, the parameter that is its Mcp-Name where it `is_mirrored`.
using extension_method = wire::method_rules;

/// For extension_method::missing: the server did not declare E.
template <class E>
char const* undeclared(server_capabilities const& c) {
  static std::string const name(E::identifier);
  return c.supports(name) ? nullptr : name.c_str();
}

/// A call whose answer is of a type that an extension claims, as who completes it sees it. On the client's executor, in a
/// coroutine beside the call's: at its hard timeout, by its stop token, its cancellation or close() the call ends at once,
/// and that coroutine is cancelled. Errors end the call with call_outcome::open, as the server has begun to work on it.
class unfinished_call {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  unfinished_call(std::shared_ptr<detail::client_link> core, detail::prepared_call const& c, json::value result,
                  time_point end)
      : core_(std::move(core)), call_(c), result_(std::move(result)), end_(end) {
    call_.room = nullptr;  // the caller's
  }

  [[nodiscard]] std::string_view method() const noexcept { return call_.method; }
  [[nodiscard]] json::value params() const { return json::parse(call_.params.empty() ? "{}" : call_.params).value(); }
  [[nodiscard]] call_options const& options() const noexcept { return call_.options; }
  /// What the server answered.
  [[nodiscard]] json::value const& result() const noexcept { return result_; }

  [[nodiscard]] comcp::era era() const { return detail::era_of(*core_); }
  [[nodiscard]] time_point now() const { return core_->bounds({}).now; }

  /// A further request, of the extension's: part of this call, so that interceptors do not see it, and bounded by what is
  /// left of its hard timeout, whatever `options` say. Throws comcp::exception.
  template <json::readable T = json::value>
  [[nodiscard]] asio::awaitable<T> request(extension_method const& m, json::fragment params,
                                           call_options options = call_options()) const {
    if (is_over()) return detail::failed<T>(errc::cancelled);
    auto c = detail::extension_call(m, std::move(params),
                                    detail::within(*core_, call_.options, end_, std::move(options)));
    c.internal = !c.unusable;
    return detail::typed_call<T>(core_, std::move(c));
  }
  /// What the server asks for before it goes on, answered by the client's handler as a round of the call itself would
  /// be: an object with an answer for each key. Throws as such a call would end, limit_exceeded for more rounds than
  /// limits().input_rounds() among it.
  COMCP_LAZY [[nodiscard]] asio::awaitable<json::fragment> answer(input_requests asked);
  /// Waits, or until stop is requested of `wake`. Throws where the call is cancelled, its hard timeout is over, or the
  /// client closes before.
  COMCP_LAZY [[nodiscard]] asio::awaitable<void> wait(timespan d, std::stop_token wake = {}) const;
  /// To the caller's on_progress().
  COMCP_LAZY void progress(progress_notification p);
  /// What the caller heard last since the server's first answer, of the server's too; nothing yet: 0.
  [[nodiscard]] progress_notification const& last_progress() const noexcept { return progress_; }
  /// What listen() gives has changed.
  COMCP_LAZY void listen_again() const;
  /// Nothing of it is left at the server: abandon() is not called.
  void settled() noexcept { settled_ = true; }
  [[nodiscard]] bool is_settled() const noexcept { return settled_; }
  [[nodiscard]] server_capabilities capabilities() const { return core_->server()->capabilities; }
  /// The call has ended: nobody hears of it any more.
  [[nodiscard]] bool is_over() const noexcept { return waits_ && waits_->id == 0; }
  /// Internal.
  void waits_as(detail::pending_entry const& e) noexcept { waits_ = &e; }

 private:
  std::shared_ptr<detail::client_link> core_;
  detail::prepared_call call_;
  json::value result_;
  progress_notification progress_;
  time_point end_;
  detail::pending_entry const* waits_ = nullptr;  // of who waits for the call's end
  std::size_t rounds_ = 0;
  bool settled_ = false;
};

/// A call before it is sent.
class unsent_call {
 public:
  unsent_call(detail::prepared_call const& c, server_capabilities const& server, comcp::era era, comcp::task_support support) noexcept
      : call_(c), server_(server), era_(era), task_support_(support) {}

  [[nodiscard]] std::string_view method() const noexcept { return call_.method; }
  [[nodiscard]] comcp::era era() const noexcept { return era_; }
  /// Of extension_client::begin_tool().
  [[nodiscard]] bool is_begun_only() const noexcept { return call_.handed_over; }
  [[nodiscard]] server_capabilities const& capabilities() const noexcept { return server_; }
  /// Legacy era: what is known of the tool that is called.
  [[nodiscard]] comcp::task_support task_support() const noexcept { return task_support_; }

 private:
  detail::prepared_call const& call_;
  server_capabilities const& server_;
  comcp::era era_;
  comcp::task_support task_support_;
};

/// What the operations of an extension are made with: a client whose server declared it. A handle, which does not own
/// the connection.
class extension_client {
 public:
  explicit extension_client(std::shared_ptr<detail::client_link> core) noexcept : core_(std::move(core)) {}

  /// One request. Errors: as of client.request(), not_in_protocol, capability_missing.
  template <json::readable T = json::value>
  [[nodiscard]] asio::awaitable<T> call(extension_method const& m, json::fragment params = json::fragment(),
                                        call_options options = call_options()) const {
    return detail::typed_call<T>(core_, detail::extension_call(m, std::move(params), std::move(options)));
  }
  /// The first answer of a tool: its result, or what this extension would complete.
  COMCP_LAZY [[nodiscard]] asio::awaitable<json::value> begin_tool(std::string_view name, json::fragment arguments,
                                                                   call_options options) const;
  /// Goes on where a tool was begun, with all that completes a call; interceptors do not see it again. abandon() is not
  /// called.
  COMCP_LAZY [[nodiscard]] asio::awaitable<call_tool_result> finish_tool(std::string_view name,
                                                                         std::shared_ptr<detail::earlier_answer> first,
                                                                         call_options options) const;
  [[nodiscard]] std::shared_ptr<detail::client_link> const& core() const noexcept { return core_; }

 private:
  std::shared_ptr<detail::client_link> core_;
};

/// An extension is any type with an identifier. What else it brings, it says by having these members:
///
///     static constexpr std::string_view identifier = "com.example/jobs";
///     json::fragment settings() const;                        // in the client's capabilities; default {}
///     static constexpr std::array methods = {extension_method{...}};
///     bool claims(std::string_view method, std::string_view result_type) const;
///     asio::awaitable<json::value> complete(unfinished_call& c);    // of what it claims: the call's result, or throws
///     asio::awaitable<void> abandon(unfinished_call& c);      // the call ended before that, even before the server's first
///                                                             // answer, which may come later: tell the server. For 10 s
///     json::fragment params(unsent_call const& c) const;      // members for the parameters; that call's result is claimed
///     static bool is_offered(server_capabilities const& c);   // default: c.supports(identifier)
///     using notifications = std::tuple<job_done>;             // described types with a static `method`
///     void on(job_done const& n);                             // on the client's executor; handlers hear of it, too
///     subscription_filter listen() const;                     // modern era: what the shared stream shall bring
///     json::fragment meta(std::string_view method) const;     // members for `_meta` of each request; the caller's win
///     using operations = job_operations;                      // client.extension<E>(); made of an extension_client
///
/// Each connection has a copy of it.
template <class E>
concept client_extension = std::copy_constructible<E> && requires {
  { std::string_view(*&E::identifier) };  // a static one
};

namespace detail {

template <class E>
concept claims_results = requires(E const& e, std::string_view s) {
  { e.claims(s, s) } -> std::same_as<bool>;
};
template <class E>
concept completes_results = requires(E& e, unfinished_call& c) {
  { e.complete(c) } -> std::same_as<asio::awaitable<json::value>>;
};

template <class E>
class part_of final : public extension_part {
 public:
  explicit part_of(E e) : extension_(std::move(e)) {}

  [[nodiscard]] std::string_view identifier() const noexcept override { return E::identifier; }
  [[nodiscard]] extension_method const* method(std::string_view name) const noexcept override {
    if constexpr (requires { E::methods.begin(); }) {
      for (auto const& m : E::methods) {
        if (m.name == name) return &m;
      }
    }
    return nullptr;
  }
  [[nodiscard]] bool claims(std::string_view method, std::string_view result_type) const override {
    if constexpr (claims_results<E>) return extension_.claims(method, result_type);
    return false;
  }
  [[nodiscard]] json::fragment params(unsent_call const& c) const override {
    if constexpr (requires { extension_.params(c); }) return extension_.params(c);
    else return {};
  }
  [[nodiscard]] bool abandons() const noexcept override {
    return requires(E& e, unfinished_call& c) { e.abandon(c); };
  }
  asio::awaitable<void> abandon(unfinished_call& c) override {
    if constexpr (requires { extension_.abandon(c); }) return extension_.abandon(c);
    else return failed<void>(errc::not_in_protocol);
  }
  asio::awaitable<json::value> complete(unfinished_call& c) override {
    if constexpr (claims_results<E>) return extension_.complete(c);
    else return failed<json::value>(errc::protocol_violation);
  }
  void notified(std::string const& method, json::value const& params) override {
    if constexpr (requires { typename E::notifications; }) {
      std::apply([&](auto... kinds) { (tell<decltype(kinds)>(method, params), ...); }, typename E::notifications());
    }
  }
  [[nodiscard]] subscription_filter listen() const override {
    if constexpr (requires { extension_.listen(); }) return extension_.listen();
    else return {};
  }
  [[nodiscard]] json::fragment meta(std::string_view method) const override {
    if constexpr (requires { extension_.meta(method); }) return extension_.meta(method);
    else return {};
  }

 private:
  template <class N>
  void tell(std::string const& method, json::value const& params) {
    if (method != N::method) return;
    auto const n = json::read<N>(params.view());
    if (!n) throw exception(n.error());
    extension_.on(*n);
  }

  E extension_;
};

template <class E>
brought_extension bring(E e) {
  static_assert(client_extension<E>, "comcp: this type is no extension: it needs a static identifier, a text");
  static_assert(claims_results<E> == completes_results<E>,
                "comcp: an extension that claims result types completes them: bool claims(std::string_view method, "
                "std::string_view result_type) const and asio::awaitable<json::value> complete(unfinished_call&)");
  brought_extension out;
  out.name = std::string(std::string_view(E::identifier));
  if constexpr (requires { e.settings(); }) out.settings = e.settings();
  out.listens = requires { e.listen(); };
  out.claims = claims_results<E>;
  out.make = [e = std::move(e)]() -> std::unique_ptr<extension_part> { return std::make_unique<part_of<E>>(e); };
  return out;
}

COMCP_LAZY extension_client checked_extension(std::shared_ptr<client_link> const& core, std::string name, bool is_offered,
                                              bool claims);

template <class E>
extension_client negotiated(std::shared_ptr<client_link> const& core) {
  require(core);
  std::string name{std::string_view(E::identifier)};
  auto const server = core->server();
  bool is_offered = server->capabilities.supports(name);
  if constexpr (requires { E::is_offered(server->capabilities); }) is_offered = E::is_offered(server->capabilities);
  return checked_extension(core, std::move(name), is_offered, claims_results<E>);
}

}  // namespace detail

template <class E>
connect_options& connect_options::extension(E e) {
  detail::add_extension(settings_, detail::bring(std::move(e)));
  return *this;
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/extensions.ipp>
#endif
