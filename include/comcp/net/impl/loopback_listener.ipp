// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <system_error>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/ip/address.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>

#include <comcp/net/asio_compat.hpp>
#include <comcp/net/gate.hpp>
#include <comcp/net/loopback_listener.hpp>
#include <comcp/net/socket.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/version.hpp>

namespace comcp::net {
namespace detail {

inline constexpr std::size_t loopback_connections = 64, loopback_head = 8192;
inline constexpr std::chrono::seconds loopback_patience{10};

/// The head of one request, as far as it matters here.
class loopback_request {
 public:
  loopback_request() = default;
  std::string_view method, path, query;
  std::optional<std::string_view> host;
};

COMCP_LAZY bool is_visible(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

COMCP_LAZY bool is_host_field(std::string_view name) noexcept {
  constexpr std::string_view host = "host";
  return std::equal(name.begin(), name.end(), host.begin(), host.end(), [](char a, char b) { return (a | 0x20) == b; });
}

COMCP_LAZY bool read_request_line(std::string_view line, loopback_request& out) {
  auto const first = line.find(' ');
  auto const last = line.rfind(' ');
  if (first == line.npos || first == last) return false;
  out.method = line.substr(0, first);
  auto const target = line.substr(first + 1, last - first - 1);
  auto const version = line.substr(last + 1);
  if (!is_visible(target) || !target.starts_with('/') || target.find('#') != target.npos) return false;
  auto const mark = target.find('?');
  out.path = target.substr(0, mark);
  if (mark != target.npos) out.query = target.substr(mark + 1);
  return !out.method.empty() && is_visible(out.method) && (version == "HTTP/1.1" || version == "HTTP/1.0");
}

/// `head` ends with the CRLF of its last line, and outlives what it is read into. Nothing for what is no request.
COMCP_LAZY std::optional<loopback_request> read_loopback_request(std::string_view head) {
  loopback_request out;
  bool first = true;
  while (!head.empty()) {
    auto const end = head.find("\r\n");
    auto const line = head.substr(0, end);
    head.remove_prefix(end + 2);
    bool const plain = std::none_of(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7F;
    });
    if (!plain) return {};
    if (std::exchange(first, false)) {
      if (!read_request_line(line, out)) return {};
      continue;
    }
    auto const colon = line.find(':');
    if (colon == line.npos || colon == 0 || !is_visible(line.substr(0, colon))) return {};
    if (!is_host_field(line.substr(0, colon))) continue;
    if (out.host) return {};
    auto value = line.substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    out.host = value;
  }
  return out;
}

COMCP_LAZY std::string loopback_page(std::string_view status, std::string_view title, std::string_view text,
                                     std::string_view location = {}) {
  std::string body = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>";
  body.append(title).append("</title><link rel=\"icon\" href=\"data:,\"></head><body><h1>").append(title);
  body.append("</h1><p>").append(text).append("</p></body></html>\n");
  std::string out = "HTTP/1.1 ";
  out.append(status).append("\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ");
  out.append(std::to_string(body.size()));
  out.append(
      "\r\nConnection: close\r\nCache-Control: no-store\r\nContent-Security-Policy: default-src 'none'\r\n"
      "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n");
  if (status.starts_with("405")) out.append("Allow: GET\r\n");
  if (!location.empty()) out.append("Location: ").append(location).append("\r\n");
  return out.append("\r\n").append(body);
}

COMCP_LAZY bool is_refusal(std::string_view query) noexcept {
  return query.starts_with("error=") || query.find("&error=") != query.npos;
}

COMCP_LAZY bool is_loopback_path(std::string_view path) noexcept {
  auto const fits = [](char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || std::string_view("-._~/").find(c) < 5;
  };
  if (!path.starts_with('/') || !std::all_of(path.begin(), path.end(), fits)) return false;
  for (std::string_view const dots : {"/.", "/.."}) {
    if (path.ends_with(dots) || path.find(std::string(dots) + "/") != path.npos) return false;
  }
  return true;
}

}  // namespace detail

struct loopback_listener::state {
  using tcp = asio::ip::tcp;
  state(asio::any_io_executor executor, loopback_place p) : acceptor(std::move(executor)), place(std::move(p)) {}

  [[nodiscard]] std::error_code listen() {
    std::error_code ec;
    tcp::endpoint const where(asio::ip::address_v4::loopback(), place.port());
    acceptor.open(tcp::v4(), ec);
    if (ec) return ec;
    keep_from_children(acceptor.native_handle());
    ec = claim_port(acceptor);
    if (!ec) acceptor.bind(where, ec);
    if (!ec) acceptor.listen(static_cast<int>(detail::loopback_connections), ec);
    if (ec) return ec;
    auto const bound = acceptor.local_endpoint(ec);
    if (!ec) place.port(bound.port());
    return ec;
  }

  [[nodiscard]] std::string authority() const { return place.host() + ":" + std::to_string(place.port()); }
  [[nodiscard]] std::string uri() const { return "http://" + authority() + place.path(); }
  [[nodiscard]] bool is_ours(std::optional<std::string_view> host) const {
    return host == authority() || (place.port() == 80 && host == place.host());
  }

  struct round;
  struct end_of_round;
  COMCP_LAZY static asio::awaitable<result<secret>> wait(std::shared_ptr<state> self,
                                                         std::function<bool(std::string_view)> accepts);
  COMCP_LAZY static asio::awaitable<void> accept_all(std::shared_ptr<round> r);
  COMCP_LAZY static asio::awaitable<void> serve(std::shared_ptr<round> r, std::shared_ptr<tcp::socket> socket);

  tcp::acceptor acceptor;
  loopback_place place;
  std::string lead_path, lead_to;
  bool led = false;
};

// What one wait and its connections share.
struct loopback_listener::state::round {
  round(std::shared_ptr<state> s, std::function<bool(std::string_view)> f)
      : of(std::move(s)), accepts(std::move(f)), finished(of->acceptor.get_executor()) {}

  void finish(result<secret> how) {
    if (!outcome) outcome.emplace(std::move(how));
    finished.open();
  }

  // The page for one request; one that is taken keeps its redirect.
  [[nodiscard]] std::string answer(std::string_view head) {
    auto const request = detail::read_loopback_request(head);
    if (!request || !of->is_ours(request->host)) return bad();
    bool const leads = !of->lead_path.empty() && comcp::detail::same_secret(request->path, of->lead_path);
    if (!leads && request->path != of->place.path()) {
      return detail::loopback_page("404 Not Found", "Nothing here", "There is no such page.");
    }
    if (request->method != "GET") {
      return detail::loopback_page("405 Method Not Allowed", "Not like this", "Only GET is answered.");
    }
    if (leads) return lead();
    if (taken || refused || !takes(request->query)) return bad();
    taken = secret(of->uri().append("?").append(request->query));
    if (detail::is_refusal(request->query)) {
      return detail::loopback_page("200 OK", "Not logged in",
                                   "Access was not granted. Go back to the program to see why; this page can be closed.");
    }
    return detail::loopback_page("200 OK", "Back to the program",
                                 "The program goes on from here. This page can be closed.");
  }

  [[nodiscard]] std::string lead() {
    if (!std::exchange(of->led, true)) return detail::loopback_page("302 Found", "To the login", "Go on there.", of->lead_to);
    refused = error(errc::denied, "the page that leads to the login was opened twice: somebody else may have read it");
    return detail::loopback_page("410 Gone", "Not again", "This page was opened before. Begin the login anew.");
  }

  [[nodiscard]] static std::string bad() {
    return detail::loopback_page("400 Bad Request", "Not expected", "This request belongs to no login that is under way.");
  }

  [[nodiscard]] bool takes(std::string_view query) const noexcept {
    try {
      return accepts(query);
    } catch (...) {
      return false;
    }
  }

  std::shared_ptr<state> of;
  std::function<bool(std::string_view)> accepts;
  comcp::detail::gate finished;
  std::optional<result<secret>> outcome;
  std::optional<secret> taken;
  std::optional<error> refused;
  std::deque<std::shared_ptr<tcp::socket>> sockets;  // the oldest first
  bool over = false;
};

// Ends the connections also when the coroutine that waits is destroyed.
struct loopback_listener::state::end_of_round {
  explicit end_of_round(std::shared_ptr<round> r) : of(std::move(r)) {}
  end_of_round(end_of_round const&) = delete;
  end_of_round& operator=(end_of_round const&) = delete;
  ~end_of_round() {
    of->over = true;
    std::error_code ignored;
    of->of->acceptor.cancel(ignored);
    for (auto const& socket : of->sockets) socket->close(ignored);
  }
  std::shared_ptr<round> of;
};

COMCP_LAZY_DECL asio::awaitable<result<secret>> loopback_listener::state::wait(
    std::shared_ptr<state> self, std::function<bool(std::string_view)> accepts) {
  auto const r = std::make_shared<round>(self, std::move(accepts));
  end_of_round const at_the_end(r);
  comcp::detail::spawn(self->acceptor.get_executor(), accept_all(r));
  co_await r->finished.wait();
  co_return std::move(*r->outcome);
}

// Whoever connects and says nothing keeps nobody out: the oldest goes where there are too many.
COMCP_LAZY_DECL asio::awaitable<void> loopback_listener::state::accept_all(std::shared_ptr<round> r) {
  auto& self = *r->of;
  std::error_code ignored;
  while (!r->over && !r->taken) {
    auto const socket = std::make_shared<tcp::socket>(self.acceptor.get_executor());
    auto const [failed] = co_await self.acceptor.async_accept(*socket, tuple_awaitable);
    if (r->over || r->taken) break;
    if (failed) {  // the machine has no descriptor left, or the peer is gone: not at full speed
      co_await comcp::detail::pause_until(self.place.time(), self.place.time()->now() + std::chrono::milliseconds(50));
      continue;
    }
    keep_from_children(socket->native_handle());
    if (r->sockets.size() == detail::loopback_connections) {
      r->sockets.front()->close(ignored);
      r->sockets.pop_front();
    }
    r->sockets.push_back(socket);
    comcp::detail::spawn(self.acceptor.get_executor(), serve(r, socket));
  }
}

COMCP_LAZY_DECL asio::awaitable<void> loopback_listener::state::serve(std::shared_ptr<round> r,
                                                                      std::shared_ptr<tcp::socket> socket) {
  auto const time = r->of->place.time();
  auto const alarm = time->make_deadline(socket->get_executor());
  std::function<void()> give_up = [socket] {
    std::error_code ignored;
    socket->close(ignored);
  };
  alarm->arm(time->now() + detail::loopback_patience, std::move(give_up));
  std::string head;
  std::array<char, 1024> part;
  auto end = head.npos;
  while (end == head.npos && head.size() <= detail::loopback_head) {
    auto const [failed, n] = co_await socket->async_read_some(asio::buffer(part), tuple_awaitable);
    if (failed) break;
    head.append(part.data(), n);
    end = head.find("\r\n\r\n");
  }
  bool const was_taken = r->taken.has_value();
  if (end == head.npos || end > detail::loopback_head) head.clear();
  std::string page;
  if (!r->over && socket->is_open()) page = r->answer(std::string_view(head).substr(0, end + 2));
  static_cast<void>(co_await asio::async_write(*socket, asio::buffer(page), tuple_awaitable));
  std::error_code ignored;
  socket->shutdown(tcp::socket::shutdown_send, ignored);
  socket->close(ignored);
  std::erase(r->sockets, socket);
  if (r->over) co_return;
  if (!was_taken && r->taken) r->finish(*r->taken);
  if (r->refused) r->finish(*r->refused);
}

COMCP_LAZY_DECL result<loopback_listener> loopback_listener::open(asio::any_io_executor executor,
                                                                  loopback_place place) {
  if (!detail::is_loopback_path(place.path())) return error(errc::invalid_argument, "not a path for a redirect: " + place.path());
  if (place.host() != "127.0.0.1" && place.host() != "localhost") {
    return error(errc::invalid_argument, "a listener for redirects is at 127.0.0.1 or localhost, not at " + place.host());
  }
  auto const wanted = place.port();
  auto s = std::make_shared<state>(std::move(executor), std::move(place));
  if (auto const failed = s->listen()) {
    return error(errc::connect_failed, "cannot listen on 127.0.0.1:" + std::to_string(wanted) + ": " + failed.message());
  }
  return loopback_listener(std::move(s));
}

COMCP_LAZY_DECL std::string loopback_listener::uri() const { return state_->uri(); }

COMCP_LAZY_DECL std::string loopback_listener::lead(std::string path, std::string where) {
  state_->lead_path = std::move(path);
  state_->lead_to = std::move(where);
  state_->led = false;
  return "http://" + state_->authority() + state_->lead_path;
}

COMCP_LAZY_DECL asio::awaitable<result<secret>> loopback_listener::wait(std::function<bool(std::string_view)> accepts) {
  return state::wait(state_, std::move(accepts));
}

}  // namespace comcp::net
