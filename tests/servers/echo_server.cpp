// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The least MCP server that benchmarks can measure a client against: one thread, one write for all that one read
// brought. It looks for keys as text instead of parsing, so it trusts its client: minified JSON with the keys
// "id", "method" and "params" at the top level, as comcp writes it. With the arguments `raw N M` it gives M bytes for
// every N, unread; with `large` it has 1,000 tools, and `text` is 10 MB of it; with `stays` it heeds neither SIGTERM nor
// the end of its input.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "large_answers.hpp"
#include "streams.hpp"

namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;
constexpr std::string_view server_info = R"({"name":"echo_server","version":"1"})";
constexpr std::string_view tools =
    R"("tools":[{"name":"echo","description":"Gives back the text","inputSchema":{"type":"object",)"
    R"("properties":{"text":{"type":"string"}},"required":["text"]}}])";

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    auto const n = streams::write(bytes.data(), bytes.size());
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) std::_Exit(0);
  }
}

/// The end of the JSON string that starts at `from` with its quote: the place behind the closing quote.
std::size_t skip_string(std::string_view text, std::size_t from) {
  for (auto at = from + 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

/// The raw value of the first `"key":` at `from` or behind it, if it is a string or a number; else "".
std::string_view raw_value(std::string_view text, std::string_view quoted_key, std::size_t from) {
  auto const at = text.find(quoted_key, from);
  if (at == std::string_view::npos) return {};
  auto const start = at + quoted_key.size();
  if (start >= text.size()) return {};
  auto const end = text[start] == '"' ? skip_string(text, start) : text.find_first_of(",}", start);
  return end == std::string_view::npos ? std::string_view() : text.substr(start, end - start);
}

struct envelope {
  std::string_view id, method;  // raw; empty where absent
};

/// Walks the top level only, so that an "id" inside params is not taken for the request's.
envelope read_envelope(std::string_view line) {
  envelope e;
  int depth = 0;
  for (std::size_t at = 0; at < line.size() && (e.id.empty() || e.method.empty());) {
    char const c = line[at];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') {
      ++at;
      continue;
    }
    auto const end = skip_string(line, at);
    auto const token = line.substr(at, end - at);
    if (depth == 1 && token == "\"id\"") e.id = raw_value(line, "\"id\":", at);
    if (depth == 1 && token == "\"method\"") e.method = raw_value(line, "\"method\":", at);
    at = end;
  }
  return e;
}

bool is_modern(std::string_view line) {
  return line.find("io.modelcontextprotocol/protocolVersion") != std::string_view::npos;
}

void append_result(std::string& out, std::string_view line, std::string_view members) {
  out += members;
  out += is_modern(line) ? std::string_view(R"(,"resultType":"complete","ttlMs":0,"cacheScope":"public"}})")
                         : std::string_view("}}");
}

void answer_initialize(std::string& out, std::string_view line) {
  auto const version = raw_value(line, "\"protocolVersion\":", 0);
  out += R"("protocolVersion":)";
  out += version.empty() ? std::string_view("\"2025-11-25\"") : version;
  out += R"(,"capabilities":{"tools":{}},"serverInfo":)";
  out += server_info;
  out += "}}";
}

void answer_discover(std::string& out) {
  out += R"("resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,)";
  out += R"("cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":)";
  out += server_info;
  out += "}}}";
}

bool is_large = false;

/// What `out` begins goes in front of the result, where there is room, so that all of it is one write.
void answer_large(std::string& out, std::string_view method) {
  constexpr std::size_t room = 128;
  static std::string list = std::string(room, ' ') + large::tools_result() + "}\n";
  static std::string text = std::string(room, ' ') + large::text_result() + "}\n";
  auto& all = method == "\"tools/list\"" ? list : text;
  out += R"(,"result":)";
  auto const start = room - std::min(room, out.size());
  out.copy(all.data() + start, room);
  write_all(std::string_view(all).substr(start));
  out.clear();
}

void answer_echo(std::string& out, std::string_view line) {
  auto const text = raw_value(line, "\"text\":", line.find("\"arguments\""));
  out += R"("content":[{"type":"text","text":)";
  out += text.empty() ? std::string_view("\"\"") : text;
  out += is_modern(line) ? std::string_view(R"(}],"resultType":"complete"}})") : std::string_view("}]}}");
}

void answer(std::string& out, std::string_view line) {
  auto const [id, method] = read_envelope(line);
  if (id.empty() || method.empty()) return;
  out += R"({"jsonrpc":"2.0","id":)";
  out += id;
  if (is_large && method.starts_with("\"tools/")) return answer_large(out, method);
  auto const start_of_rest = out.size();
  out += R"(,"result":{)";
  if (method == "\"tools/call\"") {
    answer_echo(out, line);
  } else if (method == "\"tools/list\"") {
    append_result(out, line, tools);
  } else if (method == "\"initialize\"") {
    answer_initialize(out, line);
  } else if (method == "\"server/discover\"") {
    answer_discover(out);
  } else if (method == "\"ping\"") {
    out += "}}";
  } else {
    out.resize(start_of_rest);
    out += R"(,"error":{"code":-32601,"message":"Method not found"}})";
  }
  out += '\n';
}

std::size_t read_some(char* to, std::size_t size) {
  for (;;) {
    auto const n = streams::read(to, size);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) return 0;
  }
}

void give_bytes(std::size_t for_each, std::size_t given) {
  std::string block(block_size, '\0');
  std::string const answer(given, 'x');
  std::string some;
  std::size_t held = 0;
  while (auto const got = read_some(block.data(), block.size())) {
    held += got;
    some.clear();
    for (; held >= for_each; held -= for_each) {
      if (given >= block_size) write_all(answer);
      else some += answer;
    }
    write_all(some);
  }
}

void serve() {
  std::string in(block_size, '\0'), out;
  out.reserve(block_size);
  std::size_t held = 0;  // bytes of an unfinished line at the start of `in`
  for (;;) {
    if (held == in.size()) in.resize(in.size() * 2);
    auto const n = read_some(in.data() + held, in.size() - held);
    if (n == 0) return;
    std::string_view rest(in.data(), held + n);
    auto newline = rest.find('\n', held);
    while (newline != std::string_view::npos) {
      answer(out, rest.substr(0, newline));
      rest.remove_prefix(newline + 1);
      newline = rest.find('\n');
    }
    held = rest.size();
    if (held != 0 && rest.data() != in.data()) std::memmove(in.data(), rest.data(), held);
    write_all(out);
    out.clear();
  }
}

}  // namespace

int main(int argc, char** argv) {
  streams::use_plain();
  std::string_view const how(argc > 1 ? argv[1] : "");
  if (how == "raw") {
    give_bytes(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1, argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1);
    return 0;
  }
  is_large = how == "large";
  if (how == "stays") streams::ignore_term();
  serve();
  if (how == "stays") streams::wait_for_ever();
}
