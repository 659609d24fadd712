// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/json/reader.hpp>
#include <comcp/jsonrpc/decode.hpp>
#include <comcp/visible.hpp>

namespace comcp::jsonrpc {
namespace detail {

inline constexpr std::uint64_t largest_id = (std::uint64_t{1} << 53) - 1;

// An id of ours: an integer, or a string that holds just that integer.
COMCP_DECL std::optional<std::uint64_t> own_id(std::string_view raw) noexcept {
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') raw = raw.substr(1, raw.size() - 2);
  if (raw.empty() || raw.size() > 16 || (raw.size() > 1 && raw.front() == '0')) return {};
  std::uint64_t id = 0;
  for (char const c : raw) {
    if (c < '0' || c > '9') return {};
    id = 10 * id + static_cast<std::uint64_t>(c - '0');
  }
  if (id > largest_id) return {};
  return id;
}

struct envelope_reader final : json::member_sink {
  using result_type = comcp::result<json::value>;
  static constexpr char const* not_an_id = "the id is neither a string nor an integer";
  enum part : unsigned { version = 1, id = 2, method = 4, params = 8, result = 16, error = 32 };

  envelope out;
  unsigned seen = 0;
  bool versioned = false, fractional = false;

  static unsigned part_of(std::string_view key) noexcept {
    if (key == "jsonrpc") return version;
    if (key == "id") return id;
    if (key == "method") return method;
    if (key == "params") return params;
    if (key == "result") return result;
    if (key == "error") return error;
    return 0;
  }

  bool on_member(std::string_view key, std::string_view raw) override {
    auto const which = part_of(key);
    if (seen & which) out.reason = "duplicate key \"" + std::string(key) + "\"";
    seen |= which;
    switch (which) {
      case version: versioned = raw == "\"2.0\""; break;
      case id: read_id(raw); break;
      case method: read_method(raw); break;
      case params: out.params = raw; break;
      case result: out.result = raw; break;
      case error: out.error = raw; break;
      default: break;
    }
    return true;
  }

  void read_id(std::string_view raw) {
    if (raw == "null") return;
    bool const string = raw.front() == '"';
    bool const integer = raw.find_first_not_of("-0123456789") == raw.npos;
    out.raw_id = raw;
    if (string || integer) {
      out.id = own_id(raw);
      return;
    }
    // A peer that has no numbers but doubles may write 1.0.
    fractional = true;
    auto const number = raw.size() <= 32 ? json::parse(raw) : result_type(comcp::error(errc::wrong_shape));
    auto const whole = number ? number->view().get_uint64() : std::nullopt;
    if (whole && *whole <= largest_id) {
      out.id = *whole;
    } else {
      out.raw_id = {};
      out.reason = not_an_id;
    }
  }

  void read_method(std::string_view raw) {
    auto text = json::unescape(raw);
    if (text) {
      out.method = *std::move(text);
    } else {
      out.reason = "the method is not a string";
    }
  }

  void classify() {
    if (!out.reason.empty()) return;
    if (!versioned) {
      out.reason = "no \"jsonrpc\": \"2.0\"";
    } else if (seen & method) {
      classify_call();
    } else if ((seen & result) && (seen & error)) {
      out.reason = "both result and error";
    } else if (seen & result) {
      out.kind = message_kind::response;
      if (out.raw_id.empty()) fail("a result without id");
    } else if (seen & error) {
      out.kind = message_kind::error;
    } else {
      out.reason = "neither method, result nor error";
    }
  }

  void classify_call() {
    if (seen & (result | error)) return fail("both a method and an answer");
    if (!out.params.empty() && out.params.front() != '{' && out.params.front() != '[')
      return fail("params are neither an object nor an array");
    if ((seen & id) && out.raw_id.empty()) return fail("the id of a request is null");
    if (fractional) return fail(not_an_id);
    out.kind = out.raw_id.empty() ? message_kind::notification : message_kind::request;
  }

  void fail(char const* why) {
    out.kind = message_kind::invalid;
    out.reason = why;
  }
};

// Where the string that starts at `at` ends (behind its quote), or the end of the text.
inline std::size_t skip_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The id of an answer in text that cannot be parsed: cut off, not UTF-8, not quite JSON. Looks at the keys of the
// outermost object only.
COMCP_DECL std::optional<std::uint64_t> recover_id(std::string_view text) {
  std::optional<std::uint64_t> found;
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    char const c = text[i];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') {
      ++i;
      continue;
    }
    auto const end = skip_string(text, i);
    auto const key = text.substr(i, end - i);
    i = end;
    auto const colon = text.find_first_not_of(" \t\r\n", end);
    if (depth != 1 || colon == text.npos || text[colon] != ':') continue;
    if (key == "\"method\"") return {};
    if (key != "\"id\"") continue;
    auto const value = text.find_first_not_of(" \t\r\n", colon + 1);
    if (value == text.npos) return {};
    auto const stop = text[value] == '"' ? skip_string(text, value) : text.find_first_not_of("0123456789", value);
    if (stop != text.npos) found = own_id(text.substr(value, stop - value));
  }
  return found;
}

// The same JSON text, each escape of half a surrogate pair replaced by that of U+FFFD.
COMCP_DECL std::string without_halves(std::string_view raw) {
  std::string out;
  out.reserve(raw.size() + padded_text::spare);
  auto const is_half = [raw](std::size_t at, std::string_view kinds) {
    return at + 6 <= raw.size() && raw[at] == '\\' && raw[at + 1] == 'u' && (raw[at + 2] | 0x20) == 'd' &&
           kinds.find(raw[at + 3]) != kinds.npos;
  };
  for (std::size_t i = 0; i < raw.size();) {
    bool const high = is_half(i, "89abAB"), low = is_half(i, "cdefCDEF");
    bool const pair = high && is_half(i + 6, "cdefCDEF");
    std::size_t const n = pair ? 12 : high || low ? 6 : raw[i] == '\\' ? 2 : 1;
    out += (high || low) && !pair ? std::string_view("\\ufffd") : raw.substr(i, n);
    i += n;
  }
  return out;
}

// What is left of an error object that is not JSON throughout, or beyond a limit.
struct error_reader final : json::member_sink {
  std::optional<std::int64_t> code;
  std::optional<std::string> message;

  bool on_member(std::string_view key, std::string_view raw) override {
    if (key == "code" && !code && raw.size() <= 32) {
      auto const number = json::parse(raw);
      if (number) code = number->view().get_int64();
    }
    if (key == "message" && !message) {
      auto text = json::unescape(raw);
      if (text) message = *std::move(text);
    }
    return true;
  }
};

// Why text is no object: most often it is a line for people that went to stdout.
COMCP_DECL std::string no_message(padded_text text, comcp::error const& why) {
  if (why == errc::out_of_memory) return std::string(why.message());
  if (why != errc::wrong_shape) return "not JSON (" + std::string(why.message()) + ")";
  return json::parse(text) ? "no JSON object" : "not JSON";
}

}  // namespace detail

COMCP_DECL std::string shown(std::string_view text, std::size_t most) {
  constexpr std::string_view blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
  std::size_t kept = 0;
  for (comcp::detail::character_scan at(text); kept < most && at.next();) kept = at.start() + at.bytes().size();
  auto out = visible(text.substr(0, kept), line_breaks::blank);
  return kept < text.size() ? out + "..." : out;
}

COMCP_DECL envelope decode(padded_text text) {
  auto const view = text.view();
  auto const start = view.find_first_not_of(" \t\r\n");
  if (start != view.npos && view[start] == '[') {
    envelope batch;
    batch.kind = message_kind::batch;
    batch.text = view;
    return batch;
  }
  detail::envelope_reader reader;
  reader.out.text = view;
  auto const scanned = json::scan_object(text, reader);
  if (!scanned) {
    reader.out.kind = message_kind::invalid;
    reader.out.reason = detail::no_message(text, scanned.error());
    if (scanned.error() == errc::out_of_memory) reader.out.fault = errc::out_of_memory;
    if (!reader.out.id) reader.out.id = detail::recover_id(view);
    if (reader.seen & detail::envelope_reader::method) reader.out.id.reset();
    return std::move(reader.out);
  }
  reader.classify();
  if (reader.out.kind == message_kind::invalid && (reader.seen & detail::envelope_reader::method)) reader.out.id.reset();
  return std::move(reader.out);
}

COMCP_DECL std::optional<plain_result> find_result(std::string_view text) noexcept {
  constexpr std::string_view version = R"({"jsonrpc":"2.0","id":)", result = R"(,"result":)";
  constexpr std::string_view result_first = R"({"result":)", version_last = R"(,"jsonrpc":"2.0","id":)";
  if (text.empty() || text.back() != '}') return {};
  text.remove_suffix(1);
  std::string_view id, inner;
  if (text.starts_with(version)) {
    text.remove_prefix(version.size());
    auto const digits = std::min(text.find(','), text.size());
    id = text.substr(0, digits);
    inner = text.substr(digits);
    if (!inner.starts_with(result)) return {};
    inner.remove_prefix(result.size());
  } else if (text.starts_with(result_first)) {
    auto const digits = text.find_last_not_of("0123456789") + 1;
    id = text.substr(digits);
    inner = text.substr(0, digits);
    if (!inner.ends_with(version_last)) return {};
    inner.remove_suffix(version_last.size());
    inner.remove_prefix(std::min(result_first.size(), inner.size()));
  }
  auto const own = detail::own_id(id);
  if (!own || id.front() == '"' || inner.starts_with("\xEF")) return {};  // json::parse would let a byte order mark pass
  return plain_result{*own, inner};
}

COMCP_DECL comcp::error decode_error(std::string_view raw_error) {
  constexpr char const* no_code = "an answer's error has no integer code";
  auto text = detail::without_halves(raw_error);
  auto const parsed = json::parse(pad(text));
  peer_error peer;
  if (!parsed) {
    detail::error_reader left;
    (void)json::scan_object(pad(text), left);
    if (!left.code) return {errc::protocol_violation, no_code};
    peer.code = *left.code;
    peer.message = left.message.value_or("");
    return comcp::error::from_peer(std::move(peer));
  }
  auto const object = parsed->view();
  auto const code = object.find("code");
  auto const number = code ? code->get_int64() : std::nullopt;
  if (!number) return {errc::protocol_violation, no_code};
  peer.code = *number;
  if (auto const message = object.find("message")) peer.message = message->get_string().value_or("");
  if (auto const data = object.find("data")) peer.data = data->dump();
  return comcp::error::from_peer(std::move(peer));
}

}  // namespace comcp::jsonrpc
