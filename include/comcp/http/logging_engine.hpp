// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An engine around an engine: tells a sink of each exchange, without its secrets. It changes nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/http/engine.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// One exchange that has ended. It holds no body, no query, and no value of a header that may be secret.
class http_log {
 public:
  http_log() = default;

  std::string method;
  std::string url;                       ///< Origin and path.
  http_headers sent, received;           ///< Values that are not known to be harmless are ***.
  int status = 0;                        ///< 0 where no response came.
  std::uint64_t bytes_out = 0;           ///< Of the request's body.
  std::uint64_t bytes_in = 0;            ///< Of the response's body, without its transfer encoding.
  std::chrono::nanoseconds head_time{};  ///< Until the head of the response came, or what failed before it.
  std::chrono::nanoseconds body_time{};  ///< From then until the end; the time that the reader took is in it.
  error failure;  ///< None where the body came to its end. errc::cancelled as well where the response was dropped.
};

/// Called once for each exchange, on the executor of the exchange, from within its last next(), or from the destructor
/// of a response that was dropped. It does not wait. What it throws is dropped.
using http_log_sink = std::function<void(http_log const&)>;

/// The headers with *** for every value but those of a short list: types, lengths, dates, versions. Authorization,
/// Cookie, Mcp-Session-Id and whatever comcp does not know are not on it.
http_headers without_secrets(http_headers const& headers);

namespace http_detail {

http_log begun_log(http_request const& request);

/// Gathers one log, and tells it once: at the latest when it goes. What never started is no exchange.
class exchange_recorder {
 public:
  exchange_recorder(http_request const& request, std::shared_ptr<http_log_sink const> sink,
                    std::shared_ptr<time_source> time)
      : sink_(std::move(sink)), time_(std::move(time)), log_(begun_log(request)) {}
  exchange_recorder(exchange_recorder const&) = delete;
  exchange_recorder& operator=(exchange_recorder const&) = delete;
  ~exchange_recorder() { tell(error(errc::cancelled, "the exchange was dropped before its end")); }

  void start() {
    pending_ = true;
    since_ = time_->now();
  }
  void head(http_response_head const& h) {
    log_.status = h.status;
    log_.received = without_secrets(h.headers);
    log_.head_time = lap();
  }
  void piece(result<std::string_view> const& p) {
    if (!p) return tell(p.error());
    if (p->empty()) return tell(error());
    log_.bytes_in += p->size();
  }
  void tell(error failure) noexcept;

 private:
  std::chrono::nanoseconds lap() noexcept {
    auto const before = std::exchange(since_, time_->now());
    return since_ - before;
  }

  std::shared_ptr<http_log_sink const> sink_;
  std::shared_ptr<time_source> time_;
  time_source::time_point since_;
  http_log log_;
  bool pending_ = false;
};

}  // namespace http_detail

/// Wraps any engine: `logging_engine(asio_engine(), sink)`. Exchanges and errors are the inner engine's.
template <class Engine>
class logging_engine {
  static_assert(engine<Engine>, "comcp: this type is no engine: see comcp/http/engine.hpp");

 public:
  class response {
   public:
    [[nodiscard]] http_response_head const& head() const noexcept { return inner_.head(); }
    [[nodiscard]] asio::awaitable<result<std::string_view>> next() { return recorded(inner_.next(), recorder_); }

   private:
    friend logging_engine;
    response(typename Engine::response inner, std::shared_ptr<http_detail::exchange_recorder> recorder)
        : recorder_(std::move(recorder)), inner_(std::move(inner)) {}

    // The response may be gone when the piece comes.
    static asio::awaitable<result<std::string_view>> recorded(asio::awaitable<result<std::string_view>> coming,
                                                              std::shared_ptr<http_detail::exchange_recorder> by) {
      auto piece = co_await std::move(coming);
      by->piece(piece);
      co_return std::move(piece);
    }

    std::shared_ptr<http_detail::exchange_recorder> recorder_;  // goes last, so that it tells of what is over
    typename Engine::response inner_;
  };

  logging_engine(Engine inner, http_log_sink sink, std::shared_ptr<time_source> time = steady_time())
      : inner_(std::move(inner)),
        sink_(std::make_shared<http_log_sink const>(std::move(sink))),
        time_(std::move(time)) {}

  [[nodiscard]] asio::awaitable<result<response>> open(http_request request) {
    auto recorder = std::make_shared<http_detail::exchange_recorder>(request, sink_, time_);
    return run(inner_.open(std::move(request)), std::move(recorder));
  }

 private:
  static asio::awaitable<result<response>> run(asio::awaitable<result<typename Engine::response>> opening,
                                               std::shared_ptr<http_detail::exchange_recorder> recorder) {
    recorder->start();
    auto inner = co_await std::move(opening);
    if (!inner) {
      recorder->tell(inner.error());
      co_return inner.error();
    }
    recorder->head(inner->head());
    co_return response(std::move(*inner), std::move(recorder));
  }

  Engine inner_;
  std::shared_ptr<http_log_sink const> sink_;
  std::shared_ptr<time_source> time_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/logging_engine.ipp>
#endif
