// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where validation meets the core: what client/validation.hpp fills in, so that a program without it compiles none of
// it. Internal.
#pragma once

#include <cstdint>
#include <memory>

#include <asio/awaitable.hpp>

#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {
class client_core;

namespace detail {
struct prepared_call;
class tool_checks;  // the one implementation

/// What one client knows about its server's schemas. On home only.
class call_checks {
 public:
  virtual ~call_checks() = default;
  /// Carries a call out, checking on both sides of it what is to be checked.
  virtual asio::awaitable<result<json::value>> perform(prepared_call& c) = 0;
  /// Taken before a tools/list is sent, for learn().
  [[nodiscard]] virtual std::uint64_t moment() const noexcept = 0;
  /// One page of its result. What changed since counts for nothing.
  virtual void learn(json::view page, std::uint64_t asked) = 0;
  /// The tools changed, or may have.
  virtual void forget() noexcept = 0;
};

/// What the user asked for; shared by clients.
class validation_plan {
 public:
  virtual ~validation_plan() = default;
  /// Null where calls are not checked at all.
  [[nodiscard]] virtual std::unique_ptr<call_checks> start(client_core& core) const = 0;
  /// An accepted form elicitation's content, defaults filled in.
  [[nodiscard]] virtual result<void> check_answer(json::view requested_schema, json::view content) const = 0;
  /// Whether one that does not pass goes out nevertheless.
  [[nodiscard]] virtual bool only_warns_of_answers() const noexcept = 0;
};

}  // namespace detail
}  // namespace comcp
