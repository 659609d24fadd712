// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include <comcp/protocol/content.hpp>

namespace comcp {

COMCP_DECL result<std::vector<std::byte>> resource_contents::bytes() const {
  if (blob) return from_base64(*blob);
  if (!text) return error(errc::wrong_shape, "the resource " + uri + " has neither text nor blob");
  auto const* const first = reinterpret_cast<std::byte const*>(text->data());
  return std::vector<std::byte>(first, first + text->size());
}

COMCP_DECL std::string text_of(std::vector<content_block> const& content) {
  std::string all;
  bool first = true;
  for (auto const& block : content) {
    auto const* const piece = std::get_if<text_content>(&block);
    if (!piece) continue;
    if (!first) all += '\n';
    first = false;
    all += piece->text;
  }
  return all;
}

}  // namespace comcp
