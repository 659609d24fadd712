// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where validation meets a handler's answers: what client/validation.hpp fills in, so that a program without it
// compiles none of it. Internal.
#pragma once

#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {
namespace detail {

/// What the user asked for; shared by clients.
class validation_plan {
 public:
  virtual ~validation_plan() = default;
  /// An accepted form elicitation's content, defaults filled in.
  [[nodiscard]] virtual result<void> check_answer(json::view requested_schema, json::view content) const = 0;
  /// Whether one that does not pass goes out nevertheless.
  [[nodiscard]] virtual bool only_warns_of_answers() const noexcept = 0;
};

}  // namespace detail
}  // namespace comcp
