// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a server says about its skills, and whether a file is what was said. Which skills are loaded, and what may be done
// with them, is the host's decision. Spec: the extension io.modelcontextprotocol/skills (SEP-2640).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/protocol/codec.hpp>
#include <comcp/protocol/pagination.hpp>
#include <comcp/skills/frontmatter.hpp>

namespace comcp {

/// The name by which a server declares that it has skills.
inline constexpr std::string_view skills_extension = "io.modelcontextprotocol/skills";

/// One file of a skill.
struct skill_resource {
  skill_resource() = default;

  std::string uri;
  std::string digest;      ///< "sha256:" and 64 lower-case hexadecimal digits, of the file's bytes.
  std::uint64_t size = 0;  ///< Bytes.

  friend bool operator==(skill_resource const&, skill_resource const&) = default;
};
constexpr auto describe(std::type_identity<skill_resource>) {
  using t = skill_resource;
  return json::fields(json::field("uri", &t::uri), json::field("digest", &t::digest), json::field("size", &t::size));
}

/// A skill's entry, as skills/list and skills/get have it. Reading one checks what the specification demands of it: the
/// directory has the skill's name, SKILL.md is listed, every file is listed once, is inside the directory and has a
/// digest. Names that are not one file everywhere are refused: with escapes of escapes or of what needs none, with ':',
/// with a dot or blank at the end, in another normal form of Unicode, or twins but for capital letters. All of it is the server's word. The identity of a skill is its server and its uri, never its name.
struct skill {
  skill() = default;

  std::string uri;          ///< Of its SKILL.md.
  json::value frontmatter;  ///< An object with name and description; the rest is as the author wrote it.
  /// Every file, in the order of their uris. Nothing for a "dynamic" skill, whose content cannot be verified. An approval
  /// that is kept is bound to this: it ends when an entry has another set.
  std::optional<std::vector<skill_resource>> resources;
  json::value raw;

  [[nodiscard]] bool is_dynamic() const noexcept { return !resources; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string description() const;
  /// The uri of its directory, without a slash at the end.
  [[nodiscard]] std::string_view root() const noexcept;
  /// The file with exactly this uri, or null.
  [[nodiscard]] skill_resource const* find(std::string_view file) const noexcept;
  /// Whether this may be read as a file of the skill: it is listed, or inside the directory of a dynamic one.
  [[nodiscard]] bool has(std::string_view file) const;
  /// The sum of all sizes, 0 for a dynamic one; the largest number where it is larger.
  [[nodiscard]] std::uint64_t total_size() const noexcept;
  /// What a relative reference in SKILL.md means, such as "references/FORMS.md#fields", without its fragment.
  /// Errors: invalid_argument (not relative, or it leads out of the skill).
  [[nodiscard]] result<std::string> resolve(std::string_view reference) const;
};
template <>
struct json::codec<skill> {
  static bool read(view v, skill& out, read_error& e);
  static void write(writer& w, skill const& s);
};

struct list_skills_result {
  list_skills_result() = default;

  std::vector<skill> skills;
  std::vector<comcp::set_aside> set_aside;  ///< Entries that are invalid, which must not be loaded.
  std::optional<cursor> next_cursor;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<list_skills_result>) {
  using t = list_skills_result;
  return json::fields(json::field("resultType", &t::result_type), detail::definitions("skills", &t::skills),
                      json::field("nextCursor", &t::next_cursor), json::field("ttlMs", &t::ttl_ms),
                      json::field("cacheScope", &t::cache_scope), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct get_skill_result {
  get_skill_result() = default;

  comcp::skill skill;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<get_skill_result>) {
  using t = get_skill_result;
  return json::fields(json::field("resultType", &t::result_type), json::field("skill", &t::skill),
                      json::field("ttlMs", &t::ttl_ms), json::field("cacheScope", &t::cache_scope),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Whether these bytes are this file of the skill: its size, its digest and, for SKILL.md, its frontmatter, field by
/// field. Of a dynamic skill only the frontmatter can be checked. For bytes from a server or from a cache of the host;
/// without a reader the bundled one reads. Errors: verification_failed, also for a file that is not listed.
result<void> verify_skill_file(skill const& entry, std::string_view file, std::string_view bytes,
                               frontmatter_reader const& reader = frontmatter_reader());

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/skills/impl/skill.ipp>
#endif
