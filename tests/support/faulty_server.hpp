// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole MCP server over HTTP, of either era, whose connections break at a given byte of what it writes or reads. It
// counts what it was asked to do. What a client must make of that is the test's.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/net/gate.hpp>
#include <comcp/test/manual_clock.hpp>

#include "support/conversation.hpp"
#include "support/http_peer.hpp"

namespace comcp_test {

enum class fault {
  close,       ///< An orderly end.
  reset,       ///< RST.
  half_close,  ///< The end of what it writes; it goes on to read, and to do what it is asked.
  stall,       ///< Nothing more, for ever.
  late,        ///< Nothing for longer than calls wait; then it goes on.
  lose,        ///< The rest of this write is missing, then it goes on.
};

struct fault_plan {
  enum class side { none, writes, reads };

  side where = side::none;
  std::size_t at = 0;  ///< Bytes written, or read, on all connections before it breaks.
  fault how = fault::close;
  bool lasting = false;  ///< Every connection breaks from then on, not only the one that was at work.
};

/// Tools: `stream` answers with an event stream, any other with JSON. The argument `key` names a call.
class faulty_server {
 public:
  static constexpr auto lateness = std::chrono::seconds(31);

  faulty_server(asio::io_context& io, std::shared_ptr<comcp::test::manual_clock> clock, bool modern, fault_plan plan)
      : clock_(std::move(clock)),
        modern_(modern),
        plan_(plan),
        stalled_(std::make_unique<peer_signal>(io.get_executor())),
        peer_(io, [this](peer_connection& c) { return serve(c); }) {}
  ~faulty_server() { stop(); }

  [[nodiscard]] std::string url() const { return peer_.url("/mcp"); }
  void stop() {
    peer_.stop();
    stalled_->say();
  }

  /// How often a call was read to its end, and so may have been carried out.
  std::map<std::string, int> executed;
  /// How often enough of it was read to know which one it is.
  std::map<std::string, int> begun;
  int sessions_ended = 0;
  int resumed = 0;
  /// What the client took back.
  int cancelled = 0;

  [[nodiscard]] std::size_t written() const noexcept { return written_; }
  [[nodiscard]] std::size_t read() const noexcept { return read_; }
  /// Where its writes and its reads began.
  std::set<std::size_t> write_starts, read_starts;

 private:
  struct link {
    explicit link(peer_connection& to) : c(to) {}
    peer_connection& c;
    std::string unread;
    bool due = false;     // it breaks before it does anything else
    bool broken = false;  // for ever
    bool mute = false;
  };

  asio::awaitable<void> serve(peer_connection& c) {
    link l(c);
    for (;;) {
      bool const whole = co_await have_request(l);
      if (!whole) co_return;
      auto request = take_request(l);
      bool const open = co_await answer(l, request);
      if (!open) co_return;
    }
  }

  // Reading.
  asio::awaitable<bool> have_request(link& l) {
    for (;;) {
      auto const head = l.unread.find("\r\n\r\n");
      bool const whole = head != l.unread.npos && l.unread.size() - head - 4 >= length_of(l.unread.substr(0, head + 2));
      if (whole) co_return true;
      auto const known = key_of(l.unread);
      bool const more = co_await read_some(l);
      if (known.empty() && !key_of(l.unread).empty()) ++begun[key_of(l.unread)];
      if (!more) co_return false;
    }
  }
  static std::size_t length_of(std::string const& head) {
    auto const at = head.find("Content-Length: ");
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
  }
  recorded_request take_request(link& l) {
    auto const end = l.unread.find("\r\n\r\n") + 4;
    auto request = peer_detail::parse_head(l.unread.substr(0, end));
    auto const length = length_of(l.unread.substr(0, end));
    request.body = l.unread.substr(end, length);
    l.unread.erase(0, end + length);
    if (auto const key = key_of(request.body); !key.empty()) ++executed[key];
    return request;
  }
  asio::awaitable<bool> read_some(link& l) {
    char piece[4096];
    std::size_t room = sizeof piece;
    if (breaks_at(fault_plan::side::reads)) room = std::min(room, plan_.at - read_);
    if (room == 0 || is_due(l)) {
      co_await break_off(l);
      room = sizeof piece;
    }
    if (l.broken) co_return false;
    read_starts.insert(read_);
    auto const [ec, n] = co_await l.c.socket().async_read_some(asio::buffer(piece, room), comcp::net::tuple_awaitable);
    l.unread.append(piece, n);
    read_ += n;
    if (breaks_at(fault_plan::side::reads) && plan_.at == read_) l.due = tripped_ = true;  // once this is looked at
    co_return !ec;
  }
  asio::awaitable<void> until_closed(link& l) {
    for (;;) {
      bool const more = co_await read_some(l);
      if (!more) co_return;
    }
  }

  // Writing.
  asio::awaitable<bool> write(link& l, std::string bytes) {
    write_starts.insert(written_);
    bool const now = breaks_at(fault_plan::side::writes) && written_ + bytes.size() > plan_.at;
    if (now || is_due(l)) {
      auto const before = now ? plan_.at - written_ : 0;
      bool const sent = co_await put(l, bytes.substr(0, before));
      bytes.erase(0, before);
      if (sent) co_await break_off(l);
      if (plan_.how == fault::lose) bytes.clear();
    }
    bool const done = co_await put(l, std::move(bytes));
    co_return done;
  }
  asio::awaitable<bool> put(link& l, std::string bytes) {
    if (l.broken) co_return false;
    written_ += bytes.size();
    if (l.mute) co_return true;
    bool const done = co_await l.c.write(std::move(bytes));
    co_return done;
  }

  // Breaking.
  [[nodiscard]] bool breaks_at(fault_plan::side where) const noexcept { return plan_.where == where && !tripped_; }
  [[nodiscard]] bool is_due(link const& l) const noexcept { return l.due || (tripped_ && plan_.lasting); }
  asio::awaitable<void> break_off(link& l) {
    tripped_ = true;
    l.due = false;
    if (plan_.how == fault::close) l.c.close();
    if (plan_.how == fault::reset) l.c.reset();
    if (plan_.how == fault::stall) co_await stalled_->wait();
    if (plan_.how == fault::late) co_await comcp::detail::pause_until(clock_, clock_->now() + lateness);
    if (plan_.how == fault::half_close) {
      asio::error_code ignored;
      l.c.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
      l.mute = true;
    }
    l.broken = plan_.how == fault::close || plan_.how == fault::reset || plan_.how == fault::stall;
  }

  // What it says.
  asio::awaitable<bool> answer(link& l, recorded_request const& r) {
    if (r.method == "GET") return listen(l, r);
    if (r.method == "DELETE") {
      ++sessions_ended;
      return write(l, http_answer(200, ""));
    }
    auto const method = text_of(r.body, "\"method\":\"");
    cancelled += method == "notifications/cancelled";
    if (method.starts_with("notifications/")) return write(l, http_answer(202, ""));
    if (method == "subscriptions/listen") return subscribe(l, r);
    if (method == "tools/call" && text_of(r.body, "\"name\":\"") == "stream") return stream(l, r);
    if (method == "server/discover" && !modern_) return write(l, http_answer(400, "no session"));
    std::string headers = "Content-Type: application/json\r\n";
    if (method == "initialize") headers += "Mcp-Session-Id: s-1\r\n";
    return write(l, http_answer(200, result(r.body, content_of(method)), headers));
  }
  [[nodiscard]] std::string content_of(std::string const& method) const {
    if (method == "initialize") return initialize_text("2025-11-25");
    if (method == "server/discover") return discover_text();
    std::string const head = modern_ ? R"({"resultType":"complete",)" : "{";
    if (method != "tools/list") return head + R"("content":[]})";
    return head + (modern_ ? R"("ttlMs":0,"cacheScope":"public",)" : "") + R"("tools":[]})";
  }
  asio::awaitable<bool> stream(link& l, recorded_request const& r) {
    auto const key = key_of(r.body);
    auto& events = streams_[key];
    events.clear();
    events.push_back("data:\n\n");
    events.push_back(R"(data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}

)");
    events.push_back("data: " + result(r.body, content_of("tools/call")) + "\n\n");
    return replay(l, key, 0);
  }
  asio::awaitable<bool> replay(link& l, std::string key, std::size_t from) {
    auto const events = streams_[key];
    bool open = co_await write(l, chunked_head(200, "Content-Type: text/event-stream\r\n"));
    for (auto i = from; open && i < events.size(); ++i) {
      auto const id = modern_ ? std::string() : "id: " + key + "/" + std::to_string(i) + "\n";
      open = co_await write(l, chunk_of(id + events[i]));
    }
    if (open) open = co_await write(l, last_chunk);
    co_return open;
  }
  asio::awaitable<bool> listen(link& l, recorded_request const& r) {
    if (auto const* const last = r.header("last-event-id"); last && !last->starts_with("get/")) {
      ++resumed;
      auto const slash = last->find('/');
      co_return co_await replay(l, last->substr(0, slash), std::stoul(last->substr(slash + 1)) + 1);
    }
    bool open = co_await write(l, chunked_head(200, "Content-Type: text/event-stream\r\n"));
    if (open) open = co_await write(l, chunk_of("id: get/1\nretry: 500\ndata:\n\n"));
    if (open) open = co_await write(l, chunk_of("id: get/2\ndata: " + changed({}) + "\n\n"));
    if (open) co_await until_closed(l);
    co_return false;
  }
  asio::awaitable<bool> subscribe(link& l, recorded_request const& r) {
    auto const mark = R"("_meta":{"io.modelcontextprotocol/subscriptionId":)" + id_of(r.body) + "}";
    bool open = co_await write(l, chunked_head(200, "Content-Type: text/event-stream\r\n"));
    std::string const acknowledged = R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",)"
                                     R"("params":{"notifications":{"toolsListChanged":true},)";
    if (open) open = co_await write(l, chunk_of("data: " + acknowledged + mark + "}}\n\n"));
    if (open) open = co_await write(l, chunk_of("data: " + changed(mark) + "\n\n"));
    if (open) co_await until_closed(l);
    co_return false;
  }

  static std::string changed(std::string const& mark) {
    return R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{)" + mark + "}}";
  }
  static std::string result(std::string const& request, std::string const& content) {
    return R"({"jsonrpc":"2.0","id":)" + id_of(request) + R"(,"result":)" + content + "}";
  }
  static std::string text_of(std::string_view body, std::string_view before) {
    auto const at = body.find(before);
    if (at == body.npos) return {};
    auto const end = body.find('"', at + before.size());
    return end == body.npos ? std::string() : std::string(body.substr(at + before.size(), end - at - before.size()));
  }
  static std::string key_of(std::string_view text) { return text_of(text, "\"key\":\""); }
  static std::string id_of(std::string const& body) {
    auto const at = body.find("\"id\":");
    return at == body.npos ? "null" : body.substr(at + 5, body.find_first_of(",}", at) - at - 5);
  }

  std::shared_ptr<comcp::test::manual_clock> clock_;
  bool modern_;
  fault_plan plan_;
  bool tripped_ = false;
  std::size_t written_ = 0, read_ = 0;
  std::map<std::string, std::vector<std::string>> streams_;
  std::unique_ptr<peer_signal> stalled_;
  http_peer peer_;
};

}  // namespace comcp_test
