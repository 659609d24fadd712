// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/tools.hpp>

namespace comcp {

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
