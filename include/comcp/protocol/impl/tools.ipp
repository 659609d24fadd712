// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/tools.hpp>

namespace comcp {

COMCP_DECL comcp::task_support tool::task_support() const noexcept {
  if (!execution || !execution->task_support) return comcp::task_support::forbidden;
  if (*execution->task_support == "required") return comcp::task_support::required;
  return *execution->task_support == "optional" ? comcp::task_support::optional : comcp::task_support::forbidden;
}

COMCP_DECL std::string const& tool::display_name() const noexcept {
  if (title) return *title;
  if (annotations && annotations->title) return *annotations->title;
  return name;
}

COMCP_DECL call_tool_result const& call_tool_result::or_throw() const& {
  if (is_error) {
    auto said = text();
    throw exception(error(errc::tool_failed, said.empty() ? std::string("the tool reported a failure") : said));
  }
  return *this;
}

COMCP_DECL call_tool_result call_tool_result::or_throw() && {
  std::as_const(*this).or_throw();
  return std::move(*this);
}

}  // namespace comcp
