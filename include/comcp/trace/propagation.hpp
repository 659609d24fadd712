// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts that carry a trace from one program to the next: traceparent, tracestate and baggage, read, written and
// checked. Where they come from and where they go is others' business. Pure; every function is linear in its text.
// Spec: W3C Trace Context (https://www.w3.org/TR/trace-context-2/), W3C Baggage (https://www.w3.org/TR/baggage/), and
// for the keys in _meta https://modelcontextprotocol.io/seps/414-request-meta
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/value.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// A position in a trace, as a traceparent tells it. Regular.
struct trace_parent {
  trace_parent() = default;
  trace_parent(std::string trace, std::string parent, bool is_sampled = false, bool is_random = false)
      : trace_id(std::move(trace)), parent_id(std::move(parent)), sampled(is_sampled), random(is_random) {}

  std::string trace_id;   ///< 32 lower-case hexadecimal digits, not all zero.
  std::string parent_id;  ///< 16 of them: the caller's span.
  bool sampled = false;   ///< The caller may have recorded it.
  bool random = false;    ///< The last 7 bytes of trace_id were chosen at random.

  /// Version 00 is 55 characters; of a later one the part that 00 has is read. Unknown flags are dropped. Errors:
  /// invalid_argument, which says what is wrong.
  static result<trace_parent> parse(std::string_view text);
  [[nodiscard]] bool valid() const noexcept;  ///< Whether both ids are what they have to be.
  [[nodiscard]] std::string text() const;     ///< As version 00; "" unless it is valid().

  friend bool operator==(trace_parent const&, trace_parent const&) = default;
};

/// One tracing system's entry. Regular.
struct tracestate_member {
  tracestate_member() = default;
  tracestate_member(std::string its_key, std::string its_value) : key(std::move(its_key)), value(std::move(its_value)) {}

  std::string key;    ///< 1 to 256 of a-z, 0-9, "_-*/@", the first one a letter or a digit.
  std::string value;  ///< 1 to 256 printable ASCII characters without ',' and '='; no blank at the end.

  friend bool operator==(tracestate_member const&, tracestate_member const&) = default;
};

/// The members, newest first; empty ones are skipped, and of one key the first counts. Errors: invalid_argument for a
/// malformed member, or for more than 32 members.
result<std::vector<tracestate_member>> parse_tracestate(std::string_view text);
/// Without what is malformed, repeats a key, or is beyond 32 members. Of more than 512 characters members longer than
/// 128 go first, then the last ones.
std::string tracestate_text(std::vector<tracestate_member> const& members);

/// What is said about a member of baggage: a key, or a key and a value. Regular.
struct baggage_property {
  baggage_property() = default;
  explicit baggage_property(std::string its_key, std::optional<std::string> its_value = {})
      : key(std::move(its_key)), value(std::move(its_value)) {}

  std::string key;                   ///< An HTTP token.
  std::optional<std::string> value;  ///< Any UTF-8: escapes are decoded.

  friend bool operator==(baggage_property const&, baggage_property const&) = default;
};

/// What an application sends along with a trace. Regular.
struct baggage_member {
  baggage_member() = default;
  baggage_member(std::string its_key, std::string its_value) : key(std::move(its_key)), value(std::move(its_value)) {}

  std::string key;    ///< An HTTP token. Keys may come twice.
  std::string value;  ///< Any UTF-8: escapes are decoded, what they hold that is no UTF-8 is U+FFFD.
  std::vector<baggage_property> properties;

  friend bool operator==(baggage_member const&, baggage_member const&) = default;
};

/// At least one member. Errors: invalid_argument for a malformed member (an escape that is none, too), for more than 64
/// members or 8192 bytes.
result<std::vector<baggage_member>> parse_baggage(std::string_view text);
/// Values are escaped; members with a key that is no token are left out, and those behind the 64th or 8192nd byte.
std::string baggage_text(std::vector<baggage_member> const& members);

/// The three texts together, each empty where there is none. Regular. They may come from anywhere: what is sent on is
/// well_formed().
struct trace_context {
  trace_context() = default;
  explicit trace_context(std::string parent, std::string state = {}, std::string bag = {})
      : traceparent(std::move(parent)), tracestate(std::move(state)), baggage(std::move(bag)) {}

  std::string traceparent;
  std::string tracestate;
  std::string baggage;

  /// The texts of the keys "traceparent", "tracestate" and "baggage" in a `_meta`, unchecked; empty where there is no
  /// such string.
  static trace_context of(json::view meta);

  /// Without what is malformed: a bad traceparent takes tracestate with it, a bad tracestate or baggage goes alone. A
  /// later version of traceparent becomes 00, tracestate and baggage that are too long lose whole members.
  [[nodiscard]] trace_context well_formed() const;
  [[nodiscard]] bool empty() const noexcept { return traceparent.empty() && tracestate.empty() && baggage.empty(); }

  friend bool operator==(trace_context const&, trace_context const&) = default;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/trace/impl/propagation.ipp>
#endif
