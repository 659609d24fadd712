// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <variant>

#include <comcp/providers/pieces.hpp>

namespace comcp::providers::detail {

// The type as providers name it, where it is one that some provider takes; else as it came.
inline std::string_view usual_type(std::string_view type) noexcept {
  constexpr std::string_view known[] = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"};
  auto const bare = type.substr(0, type.find_first_of("; "));
  auto const same = [](std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y; });
  };
  if (same(bare, "image/jpg")) return "image/jpeg";
  for (auto const one : known) {
    if (same(bare, one)) return one;
  }
  return type;
}

// Turns each kind of content into a piece.
class piece_maker {
 public:
  piece_maker(std::vector<piece>& out, media_filter takes) : out_(out), takes_(takes) {}

  void operator()(text_content const& c) { say(c.text); }
  void operator()(image_content const& c) { media("image", c.mime_type, c.data, ""); }
  void operator()(audio_content const& c) { media("audio", c.mime_type, c.data, ""); }
  void operator()(resource_link const& c) {
    std::string text = "[resource link: " + c.uri + ", " + c.name;
    if (c.title) text += ", " + *c.title;
    if (c.mime_type) text += ", " + *c.mime_type;
    if (c.size) text += ", " + std::to_string(*c.size) + " bytes";
    text += ']';
    if (c.description) text += '\n' + *c.description;
    say(std::move(text));
  }
  void operator()(embedded_resource const& c) {
    auto const& r = c.resource;
    if (r.text) {
      say("[resource: " + r.uri + (r.mime_type ? ", " + *r.mime_type : std::string()) + "]\n" + *r.text);
    } else {
      media("resource", r.mime_type ? std::string_view(*r.mime_type) : "application/octet-stream",
            r.blob ? std::string_view(*r.blob) : std::string_view(), r.uri);
    }
  }
  void operator()(unknown_content const& c) { say("[left out: content of the unknown type \"" + c.type + "\"]"); }

 private:
  void say(std::string text) {
    if (text.find_first_not_of(" \t\r\n") != std::string::npos) out_.emplace_back(std::move(text));
  }
  void media(std::string_view what, std::string_view type, std::string_view data, std::string_view name) {
    auto const usual = usual_type(type);
    auto const bytes = from_base64(data);
    if (takes_(usual) && bytes && !bytes->empty()) {
      out_.emplace_back(usual, data, name);
      return;
    }
    std::string text = "[left out: " + std::string(what);
    if (!name.empty()) text.append(" ").append(name);
    text.append(", ").append(type).append(", ");
    say(text.append(bytes ? std::to_string(bytes->size()) + " bytes]" : std::string("no valid Base64]")));
  }

  std::vector<piece>& out_;
  media_filter takes_;
};

COMCP_DECL std::vector<piece> pieces_of(call_tool_result const& from, media_filter takes) {
  std::vector<piece> out;
  piece_maker maker(out, takes);
  for (auto const& block : from.content) std::visit(maker, block);
  return out;
}

COMCP_DECL bool says_structured(call_tool_result const& from) {
  return std::any_of(from.content.begin(), from.content.end(), [&](content_block const& block) {
    auto const* const text = std::get_if<text_content>(&block);
    if (!text) return false;
    auto const parsed = json::parse(text->text);
    return parsed && *parsed == from.structured_content;
  });
}

COMCP_DECL std::vector<piece> all_pieces_of(call_tool_result const& from, media_filter takes) {
  auto out = pieces_of(from, takes);
  if (!from.structured_content.is_null() && !says_structured(from)) out.emplace_back(from.structured_content.dump());
  if (from.is_error && out.empty()) out.emplace_back("the tool failed and said nothing");
  return out;
}

COMCP_DECL std::string joined_text(std::vector<piece> const& pieces) {
  std::string out;
  for (auto const& p : pieces) {
    if (!p.is_text()) continue;
    if (!out.empty()) out += '\n';
    out += p.text;
  }
  return out;
}

COMCP_DECL bool is_common_image(std::string_view mime_type) noexcept {
  return mime_type == "image/png" || mime_type == "image/jpeg" || mime_type == "image/gif" || mime_type == "image/webp";
}

COMCP_DECL std::string data_url(piece const& media) {
  return std::string("data:").append(media.mime_type).append(";base64,").append(media.data);
}

}  // namespace comcp::providers::detail
