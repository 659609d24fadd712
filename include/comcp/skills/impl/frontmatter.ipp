// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <comcp/skills/frontmatter.hpp>
#include <comcp/skills/impl/yaml_reader.hpp>

namespace comcp {
namespace detail {

COMCP_DECL bool is_utf8(std::string_view text) {
  try {
    json::writer().string(text);
    return true;
  } catch (exception const&) {
    return false;
  }
}

// Without its line's end; `text` begins behind it then.
COMCP_DECL std::string_view take_line(std::string_view& text) {
  auto const end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

COMCP_DECL bool is_fence(std::string_view line) { return line.starts_with("---") && yaml_blank(line.substr(3)); }

}  // namespace detail

COMCP_DECL result<skill_parts> split_skill(std::string_view text) {
  if (!detail::is_utf8(text)) return error(errc::wrong_shape, "SKILL.md is not UTF-8");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (!detail::is_fence(detail::take_line(text))) return error(errc::wrong_shape, "SKILL.md has no frontmatter");
  skill_parts out;
  for (auto const from = text; !text.empty();) {
    auto const before = from.size() - text.size();
    if (!detail::is_fence(detail::take_line(text))) continue;
    out.frontmatter = from.substr(0, before);
    out.body = text;
    return out;
  }
  return error(errc::wrong_shape, "the frontmatter of SKILL.md does not end");
}

COMCP_DECL result<json::value> read_frontmatter(std::string_view yaml) {
  if (yaml.size() > detail::yaml_max_bytes) return error(errc::limit_exceeded, "the frontmatter is longer than 64 KiB");
  if (!detail::is_utf8(yaml)) return error(errc::wrong_shape, "the frontmatter is not UTF-8");
  auto text = detail::yaml_reader(yaml).to_json();
  if (!text) return text.error();
  auto value = json::parse(*text);
  if (!value) return value.error().with_code(make_error_code(errc::wrong_shape));  // a number that fits nothing
  if (!value->is_object()) return error(errc::wrong_shape, "the frontmatter is no mapping");
  return value;
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/skills/impl/yaml_blocks.ipp>
#include <comcp/skills/impl/yaml_flow.ipp>
#include <comcp/skills/impl/yaml_scalars.ipp>
#endif
