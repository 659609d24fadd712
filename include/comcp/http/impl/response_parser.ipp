// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include <comcp/http/response_parser.hpp>

namespace comcp {
namespace http_detail::response_text {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr char lower_case(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

constexpr bool same_word(std::string_view a, std::string_view lower) noexcept {
  return a.size() == lower.size() &&
         std::equal(a.begin(), a.end(), lower.begin(), [](char x, char y) { return lower_case(x) == y; });
}

constexpr std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// A number of decimal digits alone; nothing where it is none or does not fit.
constexpr std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  if (text.empty()) return {};
  std::uint64_t out = 0;
  for (char const c : text) {
    if (!is_digit(c)) return {};
    auto const digit = static_cast<std::uint64_t>(c - '0');
    if (out > (std::numeric_limits<std::int64_t>::max() - digit) / 10) return {};
    out = out * 10 + digit;
  }
  return out;
}

/// Calls `each` with every element of a comma-separated list.
void for_each_element(std::string_view list, auto&& each) {
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    each(trimmed(list.substr(0, comma)));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

}  // namespace http_detail::response_text

COMCP_DECL response_parser::progress response_parser::fail(errc code, std::string text) {
  at_ = part::failed;
  failure_ = error(code, std::move(text));
  if (head_.status != 0) {
    transport_detail detail;
    detail.http_status = head_.status;
    failure_ = failure_.with_detail(std::move(detail));
  }
  return progress::failed;
}

COMCP_DECL response_parser::progress response_parser::next(std::string_view& bytes) {
  for (;;) {
    if (at_ == part::done) return progress::end;
    if (at_ == part::failed) return progress::failed;
    if (bytes.empty()) return progress::more;
    started_ = true;
    auto const told = step(bytes);
    if (told != progress::more) return told;
  }
}

COMCP_DECL response_parser::progress response_parser::finish() {
  if (at_ == part::until_close) at_ = part::done;
  if (at_ == part::done) return progress::end;
  if (at_ == part::failed) return progress::failed;
  if (!started_) return fail(errc::transport_failed, "the server closed the connection before its response");
  bool const in_head = at_ == part::status || at_ == part::fields;
  return fail(errc::transport_failed, in_head ? "the connection ended within the head of a response"
                                              : "the connection ended within the body of a response");
}

COMCP_DECL response_parser::progress response_parser::step(std::string_view& bytes) {
  switch (at_) {
    case part::known_length:
    case part::until_close:
    case part::chunk_data: return piece(bytes);
    case part::chunk_end: return chunk_end(bytes);
    default: break;
  }
  std::string_view text;
  if (!whole_line(bytes, text)) return at_ == part::failed ? progress::failed : progress::more;
  return line(text);
}

COMCP_DECL std::optional<std::string_view> http_detail::line_cutter::next(std::string_view& bytes) {
  auto const end = bytes.find('\n');
  auto const piece = bytes.substr(0, end);
  bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  if (end == bytes.npos) return held_ += piece, std::nullopt;
  if (held_.empty()) return piece;
  line_ = std::exchange(held_, {}).append(piece);
  return line_;
}

// A line that ends with LF alone is taken in heads, as RFC 9112 (section 2.2) allows, but not between chunks.
COMCP_DECL bool response_parser::whole_line(std::string_view& bytes, std::string_view& out) {
  auto const most = limits_.line() - lines_.held().size();
  if (bytes.size() > most && bytes.substr(0, most + 1).find('\n') == bytes.npos)
    return fail(errc::limit_exceeded, "a line of the response is longer than the limit of line bytes"), false;
  auto const line = lines_.next(bytes);
  if (at_ == part::status && !std::string_view("HTTP/").starts_with((line ? *line : lines_.held()).substr(0, 5)))
    return violation("what came is no HTTP response"), false;
  if (!line) return false;
  out = *line;
  bool const with_return = out.ends_with('\r');
  if (with_return) out.remove_suffix(1);
  if (!with_return && at_ == part::chunk_size) return violation("the line of a chunk size ends without CR"), false;
  if (out.find('\r') != out.npos) return violation("a line of the response has a CR inside"), false;
  if (at_ == part::chunk_size) return true;
  head_bytes_ += out.size() + 2;
  if (head_bytes_ > limits_.head())
    return fail(errc::limit_exceeded, "the head of the response is longer than the limit of head bytes"), false;
  return true;
}

COMCP_DECL response_parser::progress response_parser::line(std::string_view text) {
  switch (at_) {
    case part::status: return status_line(text);
    case part::chunk_size: return chunk_size_line(text);
    default: break;
  }
  if (!text.empty()) return field_line(text);
  if (at_ == part::fields) return end_of_head();
  at_ = part::done;
  return progress::end;
}

COMCP_DECL response_parser::progress response_parser::status_line(std::string_view text) {
  using http_detail::response_text::is_digit;
  bool const good = text.size() >= 12 && text.starts_with("HTTP/1.") && is_digit(text[7]) && text[8] == ' ' &&
                    is_digit(text[9]) && is_digit(text[10]) && is_digit(text[11]) &&
                    (text.size() == 12 || text[12] == ' ') && text.find('\0') == text.npos;
  if (!good) return violation("the status line is not one of HTTP/1.1");
  auto const status = (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
  if (status < 100 || status > 599) return violation("the status is not between 100 and 599");
  connection_.one_dot_zero = text[7] == '0';
  head_.status = status;
  head_.reason = text.substr(std::min<std::size_t>(13, text.size()));
  at_ = part::fields;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::field_line(std::string_view text) {
  if (++fields_ > limits_.headers())
    return fail(errc::limit_exceeded, "the response has more header fields than the limit of headers");
  if (text[0] == ' ' || text[0] == '\t') return violation("a header field goes on in a second line");
  auto const colon = text.find(':');
  if (colon == text.npos) return violation("a header field has no colon");
  auto const name = text.substr(0, colon);
  auto const value = text.substr(colon + 1);
  if (at_ == part::trailer) {
    if (is_http_token(name) && value.find('\0') == value.npos) return progress::more;
    return violation("a field of the trailer is malformed");
  }
  auto const added = head_.headers.add(std::string(name), value);
  if (!added) return violation("a header field is malformed");
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::end_of_head() {
  if (head_.status == 101) return violation("the server switched protocols, which nobody asked for");
  if (head_.status < 200) {
    head_ = http_response_head();
    at_ = part::status;
    return progress::more;
  }
  event_stream_ = has_media_type(head_.headers, "text/event-stream");
  connection_.read(head_.headers);
  auto const failed = choose_framing();
  return failed == progress::failed ? failed : progress::head;
}

COMCP_DECL void http_detail::connection_wishes::read(http_headers const& headers) {
  using namespace response_text;
  bool close = false, asked = false;
  for (auto const& field : headers) {
    if (same_word(field.name, "connection")) {
      for_each_element(field.value, [&](std::string_view word) {
        close = close || same_word(word, "close");
        asked = asked || same_word(word, "keep-alive");
      });
    } else if (same_word(field.name, "keep-alive")) {
      for_each_element(field.value, [&](std::string_view word) {
        if (word.size() < 8 || !same_word(word.substr(0, 8), "timeout=")) return;
        constexpr std::uint64_t longest = 1'000'000;
        if (auto const n = whole_number(word.substr(8))) keep_alive = std::chrono::seconds(std::min(*n, longest));
      });
    }
  }
  keep = !close && (!one_dot_zero || asked);
}

// RFC 9112, section 6.3. Two lengths are refused even where they are equal, as RFC 9110, section 8.6 allows.
COMCP_DECL response_parser::progress response_parser::choose_framing() {
  using http_detail::response_text::same_word;
  std::string const* length_text = nullptr;
  std::string const* coding = nullptr;
  bool several_lengths = false, several_codings = false;
  for (auto const& field : head_.headers) {
    if (same_word(field.name, "content-length")) several_lengths = std::exchange(length_text, &field.value) || several_lengths;
    if (same_word(field.name, "transfer-encoding")) several_codings = std::exchange(coding, &field.value) || several_codings;
  }
  if (coding && length_text) return violation("Content-Length and Transfer-Encoding in one response");
  if (several_lengths) return violation("more than one Content-Length");
  if (coding && (several_codings || !same_word(*coding, "chunked")))
    return violation("a Transfer-Encoding other than chunked");
  if (coding && connection_.one_dot_zero) return violation("Transfer-Encoding in a response of HTTP/1.0");
  if (length_text) {
    auto const length = http_detail::response_text::whole_number(*length_text);
    if (!length) return violation("a malformed Content-Length");
    left_ = *length;
  }
  if (without_body_ || head_.status == 204 || head_.status == 304) {
    at_ = part::done;
    // A 204 has no body; one that announces it may send it as well.
    if (head_.status == 204 && (left_ != 0 || coding)) connection_.keep = false;
  } else if (coding) {
    at_ = part::chunk_size;
    chunk_lines_ = limits_.head();
  } else if (length_text) {
    at_ = left_ == 0 ? part::done : part::known_length;
    return count_body(left_);
  } else {
    at_ = part::until_close;
    connection_.keep = false;
  }
  return progress::more;
}

COMCP_DECL std::uint64_t response_parser::certain() const noexcept {
  switch (at_) {
    case part::known_length: return left_;
    // What is not much is read with the sizes around it.
    case part::chunk_data: return left_ < (std::uint64_t{64} << 10) ? 0 : left_;
    case part::until_close: return body_bytes_;
    default: return 0;
  }
}

COMCP_DECL response_parser::progress response_parser::count_body(std::uint64_t more) {
  if (event_stream_) return progress::more;
  if (more > limits_.body() - body_bytes_)
    return fail(errc::limit_exceeded, "the body of the response is longer than the limit of body bytes");
  body_bytes_ += more;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::chunk_size_line(std::string_view text) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < text.size(); ++digits) {
    char const c = http_detail::response_text::lower_case(text[digits]);
    bool const letter = c >= 'a' && c <= 'f';
    if (!letter && !http_detail::response_text::is_digit(c)) break;
    if (size >> 59 != 0) return violation("a chunk size that is too large");
    size = size << 4 | static_cast<std::uint64_t>(letter ? c - 'a' + 10 : c - '0');
  }
  auto const rest = http_detail::response_text::trimmed(text.substr(digits));
  bool const extended = rest.starts_with(';') && rest.find('\0') == rest.npos;
  if (digits == 0 || (digits != text.size() && !extended)) return violation("a malformed chunk size");
  auto const overhead = text.size() + 4;
  if (overhead > chunk_lines_)
    return fail(errc::limit_exceeded, "sizes and extensions of chunks exceed head bytes and 16 for each byte of data");
  chunk_lines_ -= overhead;
  constexpr std::uint64_t plenty = std::uint64_t{1} << 32;  // and no overflow
  if (chunk_lines_ < plenty) chunk_lines_ += 16 * std::min(size, plenty);
  if (size == 0) return at_ = part::trailer, progress::more;
  at_ = part::chunk_data;
  left_ = size;
  return count_body(size);
}

COMCP_DECL response_parser::progress response_parser::chunk_end(std::string_view& bytes) {
  // left_ counts what is missing of CR LF.
  if (bytes[0] != (left_ == 2 ? '\r' : '\n')) return violation("a chunk does not end where its size says");
  bytes.remove_prefix(1);
  if (--left_ == 0) at_ = part::chunk_size;
  return progress::more;
}

COMCP_DECL response_parser::progress response_parser::piece(std::string_view& bytes) {
  if (at_ == part::until_close) {
    body_ = std::exchange(bytes, {});
    auto const counted = count_body(body_.size());
    return counted == progress::failed ? counted : progress::body;
  }
  body_ = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  bytes.remove_prefix(body_.size());
  left_ -= body_.size();
  if (left_ == 0 && at_ == part::chunk_data) {
    left_ = 2;
    at_ = part::chunk_end;
  } else if (left_ == 0) {
    at_ = part::done;
  }
  return progress::body;
}

}  // namespace comcp
