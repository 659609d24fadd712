// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The other side of an HTTP client's tests: listens on a free port of the loopback and runs a script, a coroutine, for
// each connection. It decides nothing about HTTP: what it is told to write goes out byte for byte.
//
//   asio::io_context io;
//   http_peer peer(io, [](peer_connection& c) -> asio::awaitable<void> {
//     auto request = co_await c.read_request();          // nothing once the client has closed
//     co_await c.write("HTTP/1.1 204 No Content\r\n\r\n");
//     co_await c.wait_for_close();
//   });
//   run(io, client_of(peer.url("/mcp")));                // as in support/transport_box.hpp
//
// A script may capture by reference what lives longer than the io_context's last run. It ends by returning, which
// closes its connection; with the io_context otherwise. Client and peer share one io_context; a client that blocks
// gets a threaded_http_peer.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>

#include <comcp/net/asio_compat.hpp>

namespace comcp_test {

/// A request as it came: header names in lower case, values without the blanks around them.
struct recorded_request {
  std::string method, target, version, body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string head;            ///< Its bytes up to the empty line and with it.
  std::size_t connection = 0;  ///< On which connection it came: 0 for the first that was accepted.

  /// The first value of that name (lower case), null where there is none.
  [[nodiscard]] std::string const* header(std::string_view name) const {
    for (auto const& [n, v] : headers) {
      if (n == name) return &v;
    }
    return nullptr;
  }
  [[nodiscard]] std::size_t count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::count_if(headers.begin(), headers.end(), [&](auto const& h) { return h.first == name; }));
  }
};

/// Something that one coroutine waits for and another one says. One executor only. It stays said.
class peer_signal {
 public:
  explicit peer_signal(asio::any_io_executor on) : timer_(on, asio::steady_timer::time_point::max()) {}
  void say() {
    said_ = true;
    timer_.cancel();
  }
  [[nodiscard]] bool said() const noexcept { return said_; }
  asio::awaitable<void> wait() {
    while (!said_) co_await timer_.async_wait(comcp::net::tuple_awaitable);
  }

 private:
  bool said_ = false;
  asio::steady_timer timer_;
};

namespace peer_detail {

/// Takes the head apart; trusts the client to send one.
inline recorded_request parse_head(std::string head) {
  recorded_request r;
  auto const take = [](std::string_view& rest, std::string_view end) {
    auto const at = rest.find(end);
    auto const out = std::string(rest.substr(0, at));
    rest.remove_prefix(at == rest.npos ? rest.size() : at + end.size());
    return out;
  };
  std::string_view rest = head;
  std::string const first = take(rest, "\r\n");
  std::string_view line = first;
  r.method = take(line, " ");
  r.target = take(line, " ");
  r.version = line;
  while (!rest.empty()) {
    std::string const text = take(rest, "\r\n");
    if (text.empty()) break;
    std::string_view field = text;
    std::string name = take(field, ":");
    std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 32) : c; });
    auto const start = field.find_first_not_of(" \t");
    auto const end = field.find_last_not_of(" \t");
    r.headers.emplace_back(std::move(name), start == field.npos ? "" : field.substr(start, end - start + 1));
  }
  r.head = std::move(head);
  return r;
}

}  // namespace peer_detail

/// One accepted connection over any stream of Asio's: the socket itself, or TLS on top of it (the script does the
/// handshake). `socket` is the one that close() and reset() act on; both outlive this.
template <class Stream>
class basic_peer_connection {
 public:
  basic_peer_connection(Stream& stream, asio::ip::tcp::socket& socket, std::size_t number,
                        std::function<void(recorded_request const&)> record = {})
      : stream_(&stream), socket_(&socket), number_(number), record_(std::move(record)) {}

  [[nodiscard]] Stream& stream() noexcept { return *stream_; }
  [[nodiscard]] asio::ip::tcp::socket& socket() noexcept { return *socket_; }
  /// 0 for the first that the peer accepted.
  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  /// Who hears of each request; for a connection on top of this one.
  [[nodiscard]] std::function<void(recorded_request const&)> const& record() const noexcept { return record_; }

  /// The next request with its body (by Content-Length), which is also recorded. Nothing once the client has closed or
  /// reset, also in the middle of a request.
  asio::awaitable<std::optional<recorded_request>> read_request() {
    auto head = co_await read_head();
    if (!head) co_return std::nullopt;
    std::size_t length = 0;
    if (auto const* text = head->header("content-length")) length = std::stoul(*text);
    while (buffer_.size() < length) {
      bool const more = co_await read_some();
      if (!more) co_return std::nullopt;
    }
    head->body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    if (record_) record_(*head);
    co_return std::move(head);
  }
  /// The same without the body: what follows the head stays where it is.
  asio::awaitable<std::optional<recorded_request>> read_head() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      bool const more = co_await read_some();
      if (!more) co_return std::nullopt;
    }
    auto out = peer_detail::parse_head(buffer_.substr(0, end + 4));
    out.connection = number_;
    buffer_.erase(0, end + 4);
    co_return std::move(out);
  }

  /// False when the client is gone.
  asio::awaitable<bool> write(std::string bytes) {
    auto [ec, n] = co_await asio::async_write(*stream_, asio::buffer(bytes), comcp::net::tuple_awaitable);
    co_return !ec;
  }
  /// Each byte in a write of its own (TCP may still join them).
  asio::awaitable<bool> write_bytewise(std::string bytes) {
    for (char const c : bytes) {
      bool const sent = co_await write(std::string(1, c));
      if (!sent) co_return false;
    }
    co_return true;
  }

  /// Orderly: what was written still arrives. A TLS stream gets no close_notify: that is a truncation.
  void close() {
    asio::error_code ignored;
    socket_->shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
    socket_->close(ignored);
  }
  /// RST: the client's next read or write fails.
  void reset() {
    asio::error_code ignored;
    socket_->set_option(asio::socket_base::linger(true, 0), ignored);
    socket_->close(ignored);
  }
  /// Until the client has closed or reset; what it sends until then is dropped.
  asio::awaitable<void> wait_for_close() {
    for (;;) {
      buffer_.clear();
      bool const more = co_await read_some();
      if (!more) co_return;
    }
  }

 private:
  asio::awaitable<bool> read_some() {
    char piece[4096];
    auto [ec, n] = co_await stream_->async_read_some(asio::buffer(piece), comcp::net::tuple_awaitable);
    buffer_.append(piece, n);
    co_return !ec;
  }

  Stream* stream_;
  asio::ip::tcp::socket* socket_;
  std::size_t number_;
  std::function<void(recorded_request const&)> record_;
  std::string buffer_;
};

using peer_connection = basic_peer_connection<asio::ip::tcp::socket>;
using peer_script = std::function<asio::awaitable<void>(peer_connection&)>;

/// Listens from its construction until stop() or its destruction, which reset its open connections.
class http_peer {
 public:
  http_peer(asio::io_context& io, peer_script script, std::string const& address = "127.0.0.1", std::uint16_t port = 0)
      : state_(std::make_shared<state>(io, std::move(script))) {
    asio::ip::tcp::endpoint const at(asio::ip::make_address(address), port);
    state_->host = at.address().is_v6() ? "[" + address + "]" : address;
    state_->acceptor.open(at.protocol());
    if (at.address().is_v6()) state_->acceptor.set_option(asio::ip::v6_only(true));
    state_->acceptor.set_option(asio::socket_base::reuse_address(true));
    state_->acceptor.bind(at);
    state_->acceptor.listen();
    state_->port = state_->acceptor.local_endpoint().port();
    asio::co_spawn(io, accept(state_), asio::detached);
  }
  http_peer(http_peer const&) = delete;
  http_peer& operator=(http_peer const&) = delete;
  ~http_peer() { stop(); }

  [[nodiscard]] std::uint16_t port() const noexcept { return state_->port; }
  /// "http://127.0.0.1:PORT" and the target behind it.
  [[nodiscard]] std::string url(std::string const& target = "/", std::string const& scheme = "http") const {
    return scheme + "://" + state_->host + ":" + std::to_string(state_->port) + target;
  }

  /// What was read so far, on all connections, in that order. From any thread.
  [[nodiscard]] std::vector<recorded_request> requests() const {
    std::lock_guard const lock(state_->mutex);
    return state_->requests;
  }
  /// How many connections were accepted. From any thread.
  [[nodiscard]] std::size_t connections() const {
    std::lock_guard const lock(state_->mutex);
    return state_->accepted;
  }
  /// How many scripts have ended. From any thread.
  [[nodiscard]] std::size_t finished() const {
    std::lock_guard const lock(state_->mutex);
    return state_->finished;
  }

  /// On the io_context's thread, or when it does not run.
  void stop() {
    asio::error_code ignored;
    state_->acceptor.close(ignored);
    for (auto const& weak : state_->sockets) {
      auto const socket = weak.lock();
      if (!socket || !socket->is_open()) continue;
      socket->set_option(asio::socket_base::linger(true, 0), ignored);
      socket->close(ignored);
    }
    state_->sockets.clear();
  }

 private:
  struct state {
    state(asio::io_context& io, peer_script s) : script(std::move(s)), acceptor(io) {}
    peer_script script;
    asio::ip::tcp::acceptor acceptor;
    std::string host;
    std::uint16_t port = 0;
    std::vector<std::weak_ptr<asio::ip::tcp::socket>> sockets;
    std::mutex mutex;
    std::vector<recorded_request> requests;
    std::size_t accepted = 0, finished = 0;
  };

  static asio::awaitable<void> accept(std::shared_ptr<state> s) {
    while (s->acceptor.is_open()) {
      auto socket = std::make_shared<asio::ip::tcp::socket>(s->acceptor.get_executor());
      auto [ec] = co_await s->acceptor.async_accept(*socket, comcp::net::tuple_awaitable);
      if (ec) co_return;
      socket->set_option(asio::ip::tcp::no_delay(true));
      s->sockets.push_back(socket);
      std::size_t number = 0;
      {
        std::lock_guard const lock(s->mutex);
        number = s->accepted++;
      }
      asio::co_spawn(s->acceptor.get_executor(), serve(s, socket, number), asio::detached);
    }
  }
  static asio::awaitable<void> serve(std::shared_ptr<state> s, std::shared_ptr<asio::ip::tcp::socket> socket,
                                     std::size_t number) {
    auto record = [s](recorded_request const& r) {
      std::lock_guard const lock(s->mutex);
      s->requests.push_back(r);
    };
    peer_connection connection(*socket, *socket, number, std::move(record));
    try {
      co_await s->script(connection);
    } catch (std::exception const&) {
      // Catch's own exceptions have told of the failure; Asio's mean that the client is gone.
    }
    connection.close();
    std::lock_guard const lock(s->mutex);
    ++s->finished;
  }

  std::shared_ptr<state> state_;
};

/// An http_peer on a thread of its own, for clients that block. Scripts run there: what they share with the test needs
/// a lock, and Catch's macros are not for them.
class threaded_http_peer {
 public:
  explicit threaded_http_peer(peer_script script) : peer_(io_, std::move(script)), thread_([this] { io_.run(); }) {}
  ~threaded_http_peer() {
    asio::post(io_, [this] { peer_.stop(); });
    thread_.join();
  }
  http_peer& operator*() noexcept { return peer_; }
  http_peer* operator->() noexcept { return &peer_; }

 private:
  asio::io_context io_{1};
  http_peer peer_;
  std::thread thread_;
};

/// A whole response with a Content-Length, and with `headers`, each with its CRLF.
inline std::string http_answer(int status, std::string_view body, std::string_view headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " Text\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}
/// The head of a chunked response, a chunk, and the last chunk.
inline std::string chunked_head(int status = 200, std::string_view headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " Text\r\n" + std::string(headers) +
         "Transfer-Encoding: chunked\r\n\r\n";
}
inline std::string chunk_of(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string size;
  for (auto n = bytes.size(); n != 0; n /= 16) size.insert(size.begin(), digits[n % 16]);
  return size + "\r\n" + std::string(bytes) + "\r\n";
}
inline std::string const last_chunk = "0\r\n\r\n";

}  // namespace comcp_test
