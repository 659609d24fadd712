// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The blocking half of httplib_engine: one thread for one exchange, one httplib client for one connection, and what
// cpp-httplib's answers mean. The only file that includes it.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <signal.h>

#include <httplib.h>

#include <comcp/http/impl/httplib_engine_exchange.hpp>
#include <comcp/http/message.hpp>
#include <comcp/http/request_writer.hpp>
#include <comcp/http/response_parser.hpp>
#include <comcp/net/resolver.hpp>

namespace comcp::httplib_detail {

/// A connection, or what will be one.
struct connection {
  std::unique_ptr<httplib::ClientImpl> client;
  socket_handle socket;
  time_point idle_since{};
};

struct engine_settings {
  http_timeouts timeouts;
  response_limits limits;
  std::size_t max_idle = 64;
  std::chrono::nanoseconds idle_expiry = std::chrono::seconds(90);
  std::function<void(httplib::ClientImpl&)> configure;
};

/// What outlives the engine as long as an exchange does: idle connections, and who is to be told of the engine's end.
class pool {
 public:
  explicit pool(engine_settings s) : settings_(std::move(s)) {}
  [[nodiscard]] engine_settings const& settings() const noexcept { return settings_; }

  connection take(std::string const& origin) {
    std::lock_guard const lock(mutex_);
    auto const now = std::chrono::steady_clock::now();
    auto& kept = idle_[origin];
    std::erase_if(kept, [&](connection const& c) { return now - c.idle_since > settings_.idle_expiry; });
    while (!kept.empty()) {
      auto out = std::move(kept.back());
      kept.pop_back();
      if (out.socket.quiet()) return out;  // else what it said would be taken for the next answer
    }
    return connection();
  }
  void give(std::string const& origin, connection c) {
    std::lock_guard const lock(mutex_);
    if (closed_ || idle_[origin].size() >= settings_.max_idle) return;
    c.idle_since = std::chrono::steady_clock::now();
    idle_[origin].push_back(std::move(c));
  }

  /// Runs it on a thread of its own. False where the engine is gone; throws where there are no more threads.
  bool start(std::shared_ptr<exchange> const& x, std::shared_ptr<pool> self, std::function<void()> work) {
    std::lock_guard const lock(mutex_);
    if (closed_) return false;
    std::erase_if(open_, [](auto const& w) { return w.expired(); });
    open_.push_back(x);
    ::sigset_t all, before;  // no signal of the program is for these threads, and SIGPIPE would end it
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    auto const restore = std::unique_ptr<::sigset_t, void (*)(::sigset_t*)>(
        &before, [](::sigset_t* mask) { ::pthread_sigmask(SIG_SETMASK, mask, nullptr); });
    auto run = [self = std::move(self), work = std::move(work)]() mutable {
      work();
      work = {};
      self->worker_ends();
    };
    std::thread(std::move(run)).detach();
    ++workers_;
    return true;
  }

  /// Ends every exchange and waits for the threads, which is short: their sockets are shut down. One that resolves a
  /// name cannot be woken; it is left behind after a second and touches nothing but what it owns.
  void close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    auto const open = std::exchange(open_, {});
    auto const idle = std::exchange(idle_, {});
    lock.unlock();
    for (auto const& weak : open) {
      if (auto const x = weak.lock()) x->stop(error(errc::closed, "the engine was destroyed"));
    }
    lock.lock();
    ended_.wait_for(lock, std::chrono::seconds(1), [&] { return workers_ == 0; });
  }

 private:
  void worker_ends() {
    std::lock_guard const lock(mutex_);
    --workers_;
    ended_.notify_all();
  }

  engine_settings const settings_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::map<std::string, std::vector<connection>> idle_;
  std::vector<std::weak_ptr<exchange>> open_;
  std::size_t workers_ = 0;
  bool closed_ = false;
};

/// Whole seconds and microseconds, at most twenty days: cpp-httplib counts in int milliseconds.
inline std::pair<time_t, time_t> httplib_time(std::chrono::nanoseconds d) {
  using namespace std::chrono;
  auto const bounded = std::clamp<nanoseconds>(d, milliseconds(1), hours(24 * 20));
  auto const whole = duration_cast<seconds>(bounded);
  return {whole.count(), duration_cast<microseconds>(bounded - whole).count()};
}

/// cpp-httplib's own texts say nothing of the request. Later versions have more of these names.
template <class Error>
error meaning_of(Error e, std::string const& origin) {
  auto const said = origin + ": " + httplib::to_string(e);
  if constexpr (requires { Error::ProxyConnection; }) {
    if (e == Error::ProxyConnection) return error(errc::proxy_failed, said);
  }
  if constexpr (requires { Error::SSLServerHostnameVerification; }) {
    if (e == Error::SSLServerHostnameVerification) return error(errc::tls_failed, said);
  }
  if constexpr (requires { Error::UnsupportedContentEncoding; }) {
    if (e == Error::UnsupportedContentEncoding) return error(errc::unsupported_encoding, said);
  }
  switch (e) {
    case Error::Connection:
    case Error::BindIPAddress: return error(errc::connect_failed, said);
    case Error::ConnectionTimeout: return error(errc::connect_timeout, said);
    case Error::SSLConnection:
    case Error::SSLLoadingCerts:
    case Error::SSLServerVerification: return error(errc::tls_failed, said);
    case Error::Compression: return error(errc::unsupported_encoding, said);
    default: return error(errc::transport_failed, said + ": the connection broke, or the response is no HTTP");
  }
}

inline result<http_response_head> head_of(httplib::Response const& r, response_limits const& limits) {
  if (r.status < 200) return error(errc::protocol_violation, "an interim response that cpp-httplib does not skip");
  http_response_head out;
  out.status = r.status;
  out.reason = r.reason;
  std::size_t size = 0;
  for (auto const& [name, value] : r.headers) {
    size += name.size() + value.size() + 4;
    if (out.headers.size() >= limits.headers() || size > limits.head())
      return error(errc::limit_exceeded, "the response has more headers than the limit allows");
    if (!out.headers.add(name, value)) return error(errc::protocol_violation, "the response has a malformed header");
  }
  return out;
}

/// One exchange, from the first byte to the last, on its own thread.
class worker {
 public:
  worker(std::shared_ptr<exchange> x, std::shared_ptr<pool> p, http_request r)
      : x_(std::move(x)),
        pool_(std::move(p)),
        request_(std::move(r)),
        origin_(request_.url.origin()),
        may_repeat_(request_.repeatable || is_idempotent(request_.method)) {}

  void run() noexcept {
    try {
      exchange_once(pool_->take(origin_));
    } catch (std::bad_alloc const&) {
      x_->failed(errc::out_of_memory);
    } catch (...) {
      x_->failed(error(errc::transport_failed, origin_ + ": cpp-httplib threw an exception"));
    }
    x_->give_socket();
  }

 private:
  void exchange_once(connection c) {
    bool const reused = c.client != nullptr;
    if (!reused) c.client = make_client();
    if (!c.client) return x_->failed(error(errc::tls_failed, "this cpp-httplib is built without TLS"));
    configure(*c.client);
    fresh_ = !reused;
    if (reused) {
      x_->keep_socket(std::move(c.socket));
      x_->sends();
    }
    auto const [ok, why] = perform(*c.client);
    if (!ok && !x_->stopped() && unanswered(why) && !fresh_ && may_repeat_) {
      repeated_ = true;
      return exchange_once(connection());
    }
    if (failure_) return x_->failed(std::move(*failure_));
    if (!ok && !complete_) return x_->failed(final_error(why));
    c.socket = x_->give_socket();
    if (ok && c.client->is_socket_open() && !x_->stopped()) pool_->give(origin_, std::move(c));
    x_->ended();
  }

  [[nodiscard]] bool unanswered(httplib::Error why) const {
    return why != httplib::Error::Canceled && !head_ && !failure_;
  }
  /// Where the request went out before, it may have arrived, whatever the second attempt met.
  [[nodiscard]] error final_error(httplib::Error why) const {
    auto out = meaning_of(why, origin_);
    return repeated_ && !leaves_outcome_open(out) ? out.with_code(errc::transport_failed) : out;
  }

  std::unique_ptr<httplib::ClientImpl> make_client() const {
    std::string const host(request_.url.host_name());
    if (!request_.url.secure()) return std::make_unique<httplib::ClientImpl>(host, request_.url.port());
#if defined(CPPHTTPLIB_OPENSSL_SUPPORT) || defined(CPPHTTPLIB_SSL_ENABLED)
    return std::make_unique<httplib::SSLClient>(host, request_.url.port());
#else
    return nullptr;
#endif
  }

  void configure(httplib::ClientImpl& c) {
    auto const& own = pool_->settings();
    // No name server is asked for a name that is this machine.
    std::string const host(request_.url.host_name());
    if (host != "localhost" && net::detail::is_local_name(host)) c.set_hostname_addr_map({{host, "127.0.0.1"}});
    c.set_keep_alive(true);
    c.set_tcp_nodelay(true);
    c.set_decompress(false);
    as_it_is(c);
    auto const connect = httplib_time(request_.timeouts.connect().value_or(http_timeouts::never));
    auto const never = httplib_time(http_timeouts::never);  // the executor's side keeps the time
    c.set_connection_timeout(connect.first, connect.second);
    c.set_read_timeout(never.first, never.second);
    c.set_write_timeout(never.first, never.second);
    c.set_socket_options([this](auto fd) {
      fresh_ = true;
      if (!x_->connects_with(fd)) no_connection(fd);
    });
    if (own.configure) own.configure(c);
  }
  /// Path and query go out unchanged, and no Expect is added, where the version knows how.
  template <class Client>
  void as_it_is(Client& c) {
    if constexpr (requires { c.set_path_encode(false); }) {
      c.set_path_encode(false);
    } else {
      c.set_url_encode(false);
    }
    auto write = [this](httplib::Stream& to, httplib::Headers& headers) {
      x_->sends();
      headers.erase("Expect");
      std::string text;
      for (auto const& [name, value] : headers) text.append(name).append(": ").append(value).append("\r\n");
      text.append("\r\n");
      return to.write(text.data(), text.size());
    };
    if constexpr (requires { c.set_header_writer(write); }) {
      c.set_header_writer(write);
      expect_nothing_ = true;
    }
  }
  /// Connecting cannot be refused from here, but a file that is no socket cannot connect.
  static void no_connection(int fd) {
    int const nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) return;
    ::dup3(nothing, fd, O_CLOEXEC);
    ::close(nothing);
  }

  httplib::Request make_request() {
    httplib::Request out;
    out.method = request_.method;
    out.path = request_.url.target();
    out.headers.emplace("Host", request_.url.authority());
    for (auto const& field : request_.headers) out.headers.emplace(field.name, field.value);
    if (expect_nothing_) out.headers.emplace("Expect", "nothing");  // else versions since 0.28 add one
    if (!request_.body.empty()) {
      out.content_length_ = request_.body.size();
      out.content_provider_ = [this](std::size_t at, std::size_t size, httplib::DataSink& sink) {
        if (at == 0 && std::exchange(body_sent_, true) && !may_repeat_) return false;
        x_->sends();
        return sink.write(request_.body.data() + at, size);
      };
    }
    out.response_handler = [this](httplib::Response const& r) { return take_head(r) && !complete_; };
    out.content_receiver = [this](char const* bytes, std::size_t size, auto, auto) { return take(bytes, size); };
    return out;
  }

  std::pair<bool, httplib::Error> perform(httplib::ClientImpl& c) {
    httplib::Response response;
    auto why = httplib::Error::Success;
    auto request = make_request();
    bool const ok = c.send(request, response, why);
    if (ok && !head_) take_head(response);  // 204 and answers to HEAD are not told to the handler
    return {ok && !failure_, why};
  }

  bool take_head(httplib::Response const& r) {
    auto head = head_of(r, pool_->settings().limits);
    if (!head) return failure_ = head.error(), false;
    head_ = true;
    complete_ = r.status == 304;  // cpp-httplib 0.11 would wait for a body
    endless_ = has_media_type(head->headers, "text/event-stream");
    return x_->head_came(std::move(*head));
  }
  bool take(char const* bytes, std::size_t size) {
    received_ += size;
    if (!endless_ && received_ > pool_->settings().limits.body()) {
      failure_ = error(errc::limit_exceeded, "the body is longer than the limit of " +
                                                 std::to_string(pool_->settings().limits.body()) + " bytes");
      return false;
    }
    return x_->piece_came(bytes, size);
  }

  std::shared_ptr<exchange> const x_;
  std::shared_ptr<pool> const pool_;
  http_request const request_;
  std::string const origin_;
  bool const may_repeat_;
  std::optional<error> failure_;
  std::uint64_t received_ = 0;
  bool fresh_ = true, head_ = false, complete_ = false, endless_ = false, body_sent_ = false, expect_nothing_ = false;
  bool repeated_ = false;
};

}  // namespace comcp::httplib_detail
