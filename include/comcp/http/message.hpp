// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What an HTTP engine takes and gives: requests, the head of a response, their header fields, and how the values of
// Content-Type, Retry-After and dates are read. No bytes of the wire, no I/O, no clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/http/url.hpp>
#include <comcp/result.hpp>
#include <comcp/timespan.hpp>
#include <comcp/version.hpp>

namespace comcp {

namespace http_detail {
/// Without case, of ASCII alone.
bool same_name(std::string_view a, std::string_view b) noexcept;
}  // namespace http_detail

/// Whether this is a token (RFC 9110, section 5.6.2), as methods and header names are.
bool is_http_token(std::string_view text) noexcept;

/// Whether comcp alone may set this header: those of HTTP's framing and of MCP.
bool is_protocol_header(std::string_view name) noexcept;

struct http_field {
  std::string name, value;
  friend bool operator==(http_field const&, http_field const&) = default;
};

/// Header fields in the order in which they were added. Names are compared without case and keep the case they came
/// with. No name or value here can break out of its line, so an engine may write them as they are.
class http_headers {
 public:
  http_headers() = default;

  /// Adds a field behind the others. Spaces and tabs around the value are dropped. A name that is no token, or a value
  /// with CR, LF or NUL, is errc::invalid_argument and changes nothing; the error never quotes a value.
  result<void> add(std::string name, std::string_view value);
  /// The same, but in place of every field of that name.
  result<void> set(std::string name, std::string_view value);
  /// How many fields of that name there were.
  std::size_t remove(std::string_view name);

  /// The first value of that name; null where there is none. Valid until the next change.
  [[nodiscard]] std::string const* find(std::string_view name) const noexcept;
  [[nodiscard]] bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
  /// Every value of that name, in order. Valid until the next change.
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;

  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
  [[nodiscard]] auto end() const noexcept { return fields_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
  [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }

 private:
  std::vector<http_field> fields_;
};

/// How long the parts of an exchange may take. What is not set is the engine's default; never, or zero, says without
/// end.
class http_timeouts {
 public:
  static constexpr auto never = std::chrono::nanoseconds::max();

  http_timeouts() {}
  /// Until there is a connection: name, TCP, proxy, TLS. Its end is errc::connect_timeout.
  http_timeouts& connect(timespan d) { return connect_ = d.as_timeout(), *this; }
  /// From the sent request to the head of the response. Its end is errc::response_timeout.
  http_timeouts& response(timespan d) { return response_ = d.as_timeout(), *this; }
  /// Between two pieces of the body, while they are waited for. Its end is errc::idle_timeout.
  http_timeouts& idle(timespan d) { return idle_ = d.as_timeout(), *this; }
  /// The whole exchange, from open() to the end of the body; without meaning for event streams once their head came.
  /// Its end is errc::exchange_timeout.
  http_timeouts& total(timespan d) { return total_ = d.as_timeout(), *this; }

  [[nodiscard]] std::optional<std::chrono::nanoseconds> connect() const noexcept { return connect_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> response() const noexcept { return response_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> idle() const noexcept { return idle_; }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> total() const noexcept { return total_; }

 private:
  std::optional<std::chrono::nanoseconds> connect_, response_, idle_, total_;
};

/// One request, owned: an engine takes it over. The method is a token in capitals. An engine adds what the framing
/// needs (Host, Content-Length, Connection) and nothing else.
struct http_request {
  explicit http_request(http_url where, std::string how = "GET") : method(std::move(how)), url(std::move(where)) {}

  std::string method;
  http_url url;
  http_headers headers;
  std::string body;
  http_timeouts timeouts;
  bool repeatable = false;  ///< It may reach the server twice: an engine may repeat it on another connection, once.
};

/// What precedes the body of a response.
struct http_response_head {
  http_response_head() = default;

  int status = 0;      ///< 200 to 599 where an engine gives it.
  std::string reason;  ///< As the server worded it; often empty.
  http_headers headers;
  std::string address;  ///< The server's, where the engine knows it: it has connected to it itself, not to a proxy.
};

/// The value of a Content-Type header (RFC 9110, section 8.3).
class media_type {
 public:
  /// Nothing where the text is no `type/subtype`. A parameter that is malformed or came before is passed over.
  static std::optional<media_type> parse(std::string_view text);

  /// "application/json", in lower case.
  [[nodiscard]] std::string const& essence() const noexcept { return essence_; }
  /// Whether it is this type, without case and whatever the parameters are.
  [[nodiscard]] bool is(std::string_view essence) const noexcept;
  /// The value of a parameter such as "charset", unquoted, its case kept; null where there is none.
  [[nodiscard]] std::string const* parameter(std::string_view name) const noexcept;

 private:
  media_type() = default;

  std::string essence_;
  std::vector<http_field> parameters_;
};

/// Whether there is a Content-Type, and it is this type, whatever its parameters are.
bool has_media_type(http_headers const& headers, std::string_view essence) noexcept;

/// An HTTP date in any of the three forms of RFC 9110, section 5.6.7; nothing for anything else. `now` tells the
/// century of a year with two digits.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text,
                                                        std::chrono::system_clock::time_point now) noexcept;

/// How long a Retry-After value asks to wait: seconds or a date, from zero (dates that are past) to `most`, whatever
/// the server says. Nothing where it is neither.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view text, std::chrono::system_clock::time_point now,
                                                      std::chrono::seconds most) noexcept;

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/message.ipp>
#endif
