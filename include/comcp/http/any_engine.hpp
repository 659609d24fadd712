// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Any engine behind one type, so that what speaks MCP over HTTP is no template.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <comcp/http/body.hpp>
#include <comcp/http/engine.hpp>
#include <comcp/http/request_writer.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// A response of any engine: one allocation.
class any_response {
 public:
  any_response() = default;  ///< None.
  template <class R>
    requires(!std::same_as<R, any_response>)
  explicit any_response(R r) : self_(std::make_unique<model<R>>(std::move(r))) {}

  explicit operator bool() const noexcept { return self_ != nullptr; }
  void reset() noexcept { self_.reset(); }

  // Precondition of all: there is one.
  [[nodiscard]] http_response_head const& head() const noexcept { return self_->head(); }
  [[nodiscard]] asio::awaitable<result<std::string_view>> next() { return self_->next(); }
  /// What of the body is here already goes behind `to`, up to `most` bytes in all, more being errc::limit_exceeded.
  /// Nothing where more is to come: read() waits for that.
  [[nodiscard]] std::optional<result<void>> take(http_body& to, std::size_t most) { return self_->take(to, most); }
  [[nodiscard]] asio::awaitable<result<void>> read(http_body& to, std::size_t most) { return self_->read(to, most); }

 private:
  struct base {
    virtual ~base() = default;
    [[nodiscard]] virtual http_response_head const& head() const noexcept = 0;
    virtual asio::awaitable<result<std::string_view>> next() = 0;
    virtual std::optional<result<void>> take(http_body& to, std::size_t most) = 0;
    virtual asio::awaitable<result<void>> read(http_body& to, std::size_t most) = 0;
  };
  template <class R>
  struct model;

  std::unique_ptr<base> self_;
};

namespace http_detail {

/// Who is told what came of a request that no coroutine waits for.
class response_sink {
 public:
  using response = any_response;
  static constexpr bool keeps_signal = true;  ///< That of its slot, like the request.

  /// Once, on the executor, never from inside start(); not where its io_context is destroyed first.
  virtual void came(result<any_response> r) = 0;
  /// Not once its slot was used: the exchange may have been between two operations then.
  [[nodiscard]] virtual bool is_waiting() const noexcept = 0;

 protected:
  ~response_sink() = default;
};

/// A sink that is a T: what of it is virtual is said here, so that a T is compiled by who makes one.
template <class T>
class response_sink_of : public response_sink {
  void came(result<any_response> r) override { static_cast<T&>(*this).has_come(std::move(r)); }
  [[nodiscard]] bool is_waiting() const noexcept override { return static_cast<T const&>(*this).awaits(); }
};

inline error body_too_long() { return error(errc::limit_exceeded, "the body is longer than http_options().max_body()"); }

/// What engines may have beyond their concept: responses that read a body to its place.
template <class R>
concept reads_whole = requires(R& r, http_body& to, std::size_t most) {
  { r.take(to, most) } -> std::same_as<std::optional<result<void>>>;
  { r.read(to, most) } -> std::same_as<asio::awaitable<result<void>>>;
};

template <class R>
asio::awaitable<result<void>> read_pieces(R& from, http_body& to, std::size_t most) {
  for (;;) {
    auto const piece = co_await from.next();
    if (!piece) co_return piece.error();
    if (piece->empty()) co_return result<void>();
    if (to.size() + piece->size() > most) co_return body_too_long();
    to.append(*piece);
  }
}

}  // namespace http_detail

template <class R>
struct any_response::model final : base {
  explicit model(R&& r) : of(std::move(r)) {}
  [[nodiscard]] http_response_head const& head() const noexcept override { return of.head(); }
  asio::awaitable<result<std::string_view>> next() override { return of.next(); }
  std::optional<result<void>> take(http_body& to, std::size_t most) override {
    if constexpr (http_detail::reads_whole<R>) return of.take(to, most);
    else return std::nullopt;
  }
  asio::awaitable<result<void>> read(http_body& to, std::size_t most) override {
    if constexpr (http_detail::reads_whole<R>) return of.read(to, most);
    else return http_detail::read_pieces(of, to, most);
  }
  R of;
};

/// Any engine, which others may share: one virtual call for each exchange. Satisfies `engine` itself.
class any_engine {
 public:
  using response = any_response;

  template <class E>
  explicit any_engine(std::shared_ptr<E> e) : self_(std::make_shared<model<E>>(std::move(e))) {}

  [[nodiscard]] asio::awaitable<result<any_response>> open(http_request r) { return self_->open(std::move(r), nullptr); }
  /// With fields that other requests have too, where the request has none of the same name: some engines write them once.
  [[nodiscard]] asio::awaitable<result<any_response>> open(http_request r, common_headers common) {
    return self_->open(std::move(r), std::move(common));
  }
  /// Begins the same on that executor, without a coroutine, where the engine can; otherwise false, and nothing has
  /// happened. The sink keeps the request and the slot's signal. The slot cancels, until the sink is told.
  [[nodiscard]] bool start(asio::any_io_executor const& on, http_request const& r, common_headers const& common,
                           asio::cancellation_slot slot, std::shared_ptr<http_detail::response_sink> to) {
    return self_->start(on, r, common, slot, std::move(to));
  }
  /// Closes kept connections, where the engine can: they would keep an io_context at work.
  void close_idle() { self_->close_idle(); }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<any_response>> open(http_request&&, common_headers&&) = 0;
    virtual bool start(asio::any_io_executor const&, http_request const&, common_headers const&,
                       asio::cancellation_slot, std::shared_ptr<http_detail::response_sink>&&) = 0;
    virtual void close_idle() = 0;
  };

  template <class E>
  struct model final : base {
    explicit model(std::shared_ptr<E> e) : of(std::move(e)) {}
    asio::awaitable<result<any_response>> open(http_request&& r, common_headers&& common) override {
      bool const differs = common && http_detail::have_name_in_common(*common, r.headers);
      if constexpr (requires { of->template open_as<any_response>(std::move(r), std::move(common)); }) {
        // No coroutine around its own.
        if (!differs) return of->template open_as<any_response>(std::move(r), std::move(common));
      }
      if (common) http_detail::put_below(*common, r.headers);
      return erased(of->open(std::move(r)));
    }
    bool start(asio::any_io_executor const& on, http_request const& r, common_headers const& common,
               asio::cancellation_slot slot, std::shared_ptr<http_detail::response_sink>&& to) override {
      if constexpr (requires { of->start(on, r, common, slot, std::move(to)); }) {
        if (common && http_detail::have_name_in_common(*common, r.headers)) return false;
        return of->start(on, r, common, slot, std::move(to));
      } else {
        return false;
      }
    }
    void close_idle() override {
      if constexpr (requires { of->close_idle(); }) of->close_idle();
    }
    static asio::awaitable<result<any_response>> erased(asio::awaitable<result<typename E::response>> opening) {
      auto opened = co_await std::move(opening);
      if (!opened) co_return opened.error();
      co_return any_response(std::move(*opened));
    }
    std::shared_ptr<E> of;
  };

  std::shared_ptr<base> self_;
};

static_assert(engine<any_engine>);

}  // namespace comcp
