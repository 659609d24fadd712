// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include <comcp/protocol/impl/content.ipp>
#include <comcp/protocol/sampling.hpp>

namespace comcp {
namespace detail {

/// The ids of the tool uses (or results) in a message; nothing when one occurs twice.
template <class Kind, class Id>
std::optional<std::set<std::string>> sampled_ids(sampling_message const& message, Id id) {
  std::set<std::string> ids;
  for (auto const& block : message.content) {
    auto const* const piece = std::get_if<Kind>(&block);
    if (piece && !ids.insert(piece->*id).second) return {};
  }
  return ids;
}

}  // namespace detail

COMCP_DECL std::string sampling_content::text() const& { return detail::text_of_blocks(blocks_); }
COMCP_DECL std::string sampling_content::text() && { return detail::text_of_blocks(std::move(blocks_)); }

COMCP_DECL result<void> create_message_params::check_tool_results() const {
  auto const refuse = [](std::size_t i, char const* why) {
    return error(errc::wrong_shape, "message " + std::to_string(i) + why);
  };
  std::set<std::string> open;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    auto const& message = messages[i];
    auto const answers = detail::sampled_ids<tool_result_content>(message, &tool_result_content::tool_use_id);
    if (!answers) return refuse(i, " answers a tool use twice");
    if (*answers != open) return refuse(i, " does not answer exactly the tool uses before it");
    if (!answers->empty() && (message.role != comcp::role::user || answers->size() != message.content.size()))
      return refuse(i, " mixes tool results with other content, or is not the user's");
    auto uses = detail::sampled_ids<tool_use_content>(message, &tool_use_content::id);
    if (!uses) return refuse(i, " uses one tool use id twice");
    if (!uses->empty() && message.role != comcp::role::assistant) return refuse(i, " uses tools, and is the user's");
    open = std::move(*uses);
  }
  if (!open.empty()) return error(errc::wrong_shape, "the last message's tool uses have no results");
  return {};
}

}  // namespace comcp
