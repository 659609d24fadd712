// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The least MCP server over HTTP that benchmarks can measure a client against: one thread, one epoll, one write for
// an answer. It looks for keys as text instead of parsing, so it trusts its client. It prints its port, and ends with
// its standard input. Tools: `echo` answers at once, `slow` after a second, `stream` with so many progress
// notifications as `count` says, `text` with 10 MB; the list is that of 1,000 tools. A connection that begins with
// "raw N M\n" gets M bytes for every N, unread.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "large_answers.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

struct connection {
  std::string in;
  std::size_t raw_in = 0;  // bytes for each answer; 0: HTTP
  std::string raw_out;
  std::size_t raw_got = 0;
};

struct promise {
  clock_type::time_point due;
  int socket;
  std::string id;
};

std::unordered_map<int, std::unique_ptr<connection>> connections;
std::deque<promise> promises;

void write_all(int socket, std::string_view bytes, int flags = 0) {
  while (!bytes.empty()) {
    auto const n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | flags);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd wait{socket, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

/// The raw value of the first `key` (with its quotes and colon), a number or a string.
std::string_view value_of(std::string_view text, std::string_view key) {
  auto const at = text.find(key);
  if (at == text.npos) return {};
  auto const from = at + key.size();
  auto const end = text[from] == '"' ? text.find('"', from + 1) + 1 : text.find_first_of(",}", from);
  return text.substr(from, end - from);
}

void answer_json(int socket, std::string_view id, std::string_view result, std::string_view header = {}) {
  static std::string out;
  auto const size = std::string_view(R"({"jsonrpc":"2.0","id":,"result":})").size() + id.size() + result.size();
  out = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  out.append(header).append("Content-Length: ").append(std::to_string(size));
  out.append("\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":").append(id).append(",\"result\":");
  if (result.size() < 65536) return write_all(socket, out.append(result).append("}"));
  write_all(socket, out, MSG_MORE);
  write_all(socket, result, MSG_MORE);
  write_all(socket, "}");
}

std::string chunk(std::string_view event) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", event.size());
  return size + std::string(event) + "\r\n";
}

/// In writes of 16 KiB or more.
void stream(int socket, std::string_view id, std::string_view body) {
  auto const count = std::atol(std::string(value_of(body, "\"count\":")).c_str());
  auto const head = R"(event: message
data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
                    std::string(value_of(body, "\"progressToken\":")) + ",\"progress\":";
  std::string out = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (long i = 1; i <= count; ++i) {
    out += chunk(head + std::to_string(i) + R"(,"message":"as it goes on"}})" "\n\n");
    if (out.size() < 16384) continue;
    write_all(socket, out);
    out.clear();
  }
  out += chunk("data: {\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) + R"(,"result":{"content":[]}})" "\n\n");
  out += "0\r\n\r\n";
  write_all(socket, out);
}

void answer(int socket, std::string_view head, std::string_view body) {
  static constexpr std::string_view echoed = R"({"content":[{"type":"text","text":"hello"}],"resultType":"complete"})";
  if (head.starts_with("GET")) return write_all(socket, "HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n");
  if (head.starts_with("DELETE")) return write_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  auto const id = value_of(body, "\"id\":");
  auto const method = value_of(body, "\"method\":");
  if (id.empty()) return write_all(socket, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n");
  if (method == "\"initialize\"") {
    return answer_json(socket, id,
                       R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
                       R"("serverInfo":{"name":"b","version":"1"}})",
                       "Mcp-Session-Id: 1868a90c-46fe-4eb3-8b3e-1c2f0b1e8d5a\r\n");
  }
  if (method == "\"server/discover\"") {
    return answer_json(socket, id,
                       R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},)"
                       R"("ttlMs":0,"cacheScope":"public",)"
                       R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"b","version":"1"}}})");
  }
  static std::string const tools = large::tools_result(), text = large::text_result();
  if (method == "\"tools/list\"") return answer_json(socket, id, tools);
  auto const params = body.substr(body.find("\"params\":"));
  auto const tool = value_of(params, "\"name\":");
  if (tool == "\"slow\"") {
    promises.push_back({clock_type::now() + std::chrono::seconds(1), socket, std::string(id)});
  } else if (tool == "\"stream\"") {
    stream(socket, id, params);
  } else if (tool == "\"text\"") {
    answer_json(socket, id, text);
  } else {
    answer_json(socket, id, echoed);
  }
}

void take_requests(int socket, connection& c) {
  std::string_view rest = c.in;
  for (;;) {
    auto const end = rest.find("\r\n\r\n");
    if (end == rest.npos) break;
    auto const head = rest.substr(0, end + 2);
    auto const at = head.find("Content-Length: ");
    std::size_t const length = at == head.npos ? 0 : std::strtoul(head.data() + at + 16, nullptr, 10);
    if (rest.size() < end + 4 + length) break;
    answer(socket, head, rest.substr(end + 4, length));
    rest.remove_prefix(end + 4 + length);
  }
  c.in.erase(0, c.in.size() - rest.size());
}

bool read_from(int socket, connection& c) {
  static char block[65536];
  auto const n = ::recv(socket, block, sizeof block, 0);
  if (n <= 0) return n < 0 && (errno == EAGAIN || errno == EINTR);
  if (c.raw_in == 0) {
    c.in.append(block, static_cast<std::size_t>(n));
    if (!c.in.starts_with("raw ")) return take_requests(socket, c), true;
    char* next = nullptr;
    c.raw_in = std::strtoul(c.in.c_str() + 4, &next, 10);
    c.raw_out.assign(std::strtoul(next, nullptr, 10), 'x');
    return true;
  }
  c.raw_got += static_cast<std::size_t>(n);
  for (; c.raw_got >= c.raw_in; c.raw_got -= c.raw_in) write_all(socket, c.raw_out);
  return true;
}

int listen_somewhere() {
  int const listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(listener, 65535) != 0) std::abort();
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size);
  std::printf("%u\n", static_cast<unsigned>(ntohs(at.sin_port)));
  std::fflush(stdout);
  return listener;
}

void watch(int poller, int file) {
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.fd = file;
  ::epoll_ctl(poller, EPOLL_CTL_ADD, file, &e);
}

void accept_all(int poller, int listener) {
  int const yes = 1;
  for (;;) {
    int const socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    connections[socket] = std::make_unique<connection>();
    watch(poller, socket);
  }
}

void keep_promises() {
  auto const now = clock_type::now();
  for (; !promises.empty() && promises.front().due <= now; promises.pop_front())
    answer_json(promises.front().socket, promises.front().id, R"({"content":[]})");
}

int wait_time() {
  if (promises.empty()) return -1;
  auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(promises.front().due - clock_type::now());
  return left.count() < 0 ? 0 : static_cast<int>(left.count()) + 1;
}

}  // namespace

int main() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  int const listener = listen_somewhere();
  int const poller = ::epoll_create1(EPOLL_CLOEXEC);
  watch(poller, listener);
  watch(poller, STDIN_FILENO);
  for (;;) {
    epoll_event events[64];
    int const n = ::epoll_wait(poller, events, 64, wait_time());
    for (int i = 0; i < n; ++i) {
      int const file = events[i].data.fd;
      if (file == STDIN_FILENO) return 0;
      if (file == listener) {
        accept_all(poller, listener);
      } else if (!read_from(file, *connections[file])) {
        connections.erase(file);
        ::close(file);
      }
    }
    keep_promises();
  }
}
