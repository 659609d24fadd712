// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <comcp/protocol/content.hpp>

namespace comcp {

COMCP_DECL result<std::vector<std::byte>> resource_contents::bytes() const {
  if (blob) return from_base64(*blob);
  if (!text) return error(errc::wrong_shape, "the resource " + uri + " has neither text nor blob");
  auto const* const first = reinterpret_cast<std::byte const*>(text->data());
  return std::vector<std::byte>(first, first + text->size());
}

namespace detail {
/// The texts that `text_in` finds in these pieces; the first of a temporary is moved.
template <class Pieces, class Find>
std::string joined_texts(Pieces&& pieces, Find text_in) {
  std::string all;
  bool first = true;
  for (auto& piece : pieces) {
    auto* const text = text_in(piece);
    if (!text) continue;
    if (first) {
      all = static_cast<std::conditional_t<std::is_lvalue_reference_v<Pieces>, decltype(*text), std::string&&>>(*text);
    } else {
      all.append(1, '\n').append(*text);
    }
    first = false;
  }
  return all;
}

template <class Blocks>
std::string text_of_blocks(Blocks&& blocks) {
  return joined_texts(std::forward<Blocks>(blocks), [](auto& block) {
    auto* const piece = std::get_if<text_content>(&block);
    return piece ? &piece->text : nullptr;
  });
}
}  // namespace detail

COMCP_DECL std::string text_of(std::vector<content_block> const& content) { return detail::text_of_blocks(content); }
COMCP_DECL std::string text_of(std::vector<content_block>&& content) {
  return detail::text_of_blocks(std::move(content));
}

}  // namespace comcp
