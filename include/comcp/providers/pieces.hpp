// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A tool's result as a row of texts and media, of which each provider takes what its shape has a place for.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/protocol/tools.hpp>

namespace comcp::providers::detail {

/// Text, or media if `mime_type` is set. Views refer to the result that it was made of.
struct piece {
  piece() = default;
  explicit piece(std::string words) : text(std::move(words)) {}
  piece(std::string_view type, std::string_view base64, std::string_view its_name)
      : mime_type(type), data(base64), name(its_name) {}

  std::string text;
  std::string_view mime_type;
  std::string_view data;  ///< Base64.
  std::string_view name;  ///< The uri of a resource; empty for others.

  [[nodiscard]] bool is_text() const noexcept { return mime_type.empty(); }
};

/// Whether a provider takes media of this type. The usual ones come in lower case and without parameters.
using media_filter = bool (*)(std::string_view mime_type) noexcept;

/// The pieces of the content, in order; media that `takes` refuses or that are no Base64 (for which providers refuse
/// the whole request), and content of unknown kinds, become texts that say what was left out. Blank texts are dropped
/// (Anthropic refuses them).
std::vector<piece> pieces_of(call_tool_result const& from, media_filter takes);

/// Whether some text of the content is the structured content as JSON, as the specification wants it to be.
bool says_structured(call_tool_result const& from);

/// pieces_of(), then the structured content as JSON text unless a piece says it already. An error without a word gets
/// one.
std::vector<piece> all_pieces_of(call_tool_result const& from, media_filter takes);

/// The texts, a newline between them.
std::string joined_text(std::vector<piece> const& pieces);

bool is_common_image(std::string_view mime_type) noexcept;  ///< PNG, JPEG, GIF and WebP.

/// "data:image/png;base64,...".
std::string data_url(piece const& media);

}  // namespace comcp::providers::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/providers/impl/pieces.ipp>
#endif
