// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <comcp/hash/sha256.hpp>
#include <comcp/skills/skill.hpp>
#include <comcp/visible.hpp>

namespace comcp {
namespace detail {

inline constexpr std::string_view skill_file = "/SKILL.md";
inline constexpr std::string_view digest_scheme = "sha256:";

COMCP_DECL bool is_skill_digest(std::string_view text) noexcept {
  return text.starts_with(digest_scheme) && text.size() == digest_scheme.size() + 64 &&
         text.find_first_not_of("0123456789abcdef", digest_scheme.size()) == std::string_view::npos;
}

// As the Agent Skills format has it.
COMCP_DECL bool is_skill_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 64 && !name.starts_with('-') && !name.ends_with('-') &&
         name.find("--") == std::string_view::npos &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

COMCP_DECL std::optional<char> unescaped(std::string_view& text) noexcept {
  constexpr std::string_view digits = "0123456789abcdef0123456789ABCDEF";
  char const c = text[0];
  if (c != '%') return text.remove_prefix(1), c;
  auto const high = text.size() < 3 ? digits.npos : digits.find(text[1]);
  auto const low = text.size() < 3 ? digits.npos : digits.find(text[2]);
  if (high == digits.npos || low == digits.npos) return {};
  text.remove_prefix(3);
  return static_cast<char>(high % 16 * 16 + low % 16);
}

inline bool is_unreserved(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

// Combining marks, conjoining jamo and compatibility ideographs: normal forms of Unicode write them in another way, so
// that two names might be one file.
COMCP_DECL bool has_unicode_twin(std::string_view name) noexcept {
  for (character_scan at(name); at.next();) {
    auto const c = at.code();
    if (!at.is_utf8() || (c >= 0x300 && c <= 0x36F) || (c >= 0x1100 && c <= 0x11FF) || c == 0x2126 || c == 0x212A ||
        c == 0x212B || c == 0x3099 || c == 0x309A || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F))
      return true;
  }
  return false;
}

// The name that a segment is once its escapes are undone; nothing where it is none, or another one if that is done twice,
// written in another way, or on another system.
COMCP_DECL std::optional<std::string> segment_name(std::string_view text) {
  if (text.find_first_of("?#\\:") != std::string_view::npos) return {};
  std::string name;
  while (!text.empty()) {
    bool const escaped = text[0] == '%';
    auto const c = unescaped(text);
    if (!c || static_cast<unsigned char>(*c) < 0x20 || *c == 0x7F || *c == '/' || *c == '\\' || *c == ':') return {};
    if (escaped && is_unreserved(*c)) return {};
    name += *c;
  }
  for (auto at = name.find('%'); at != name.npos; at = name.find('%', at + 1)) {
    auto rest = std::string_view(name).substr(at);
    if (unescaped(rest)) return {};
  }
  if (name.empty() || name.ends_with('.') || name.ends_with(' ') || has_unicode_twin(name)) return {};
  return name;
}

// What stays the same where a file system does not tell capital letters from small ones: pairs that stand side by side,
// or at a fixed distance, in the scripts that have them.
COMCP_DECL std::string without_case(std::string_view name) {
  std::string out;
  for (character_scan at(name); at.next();) {
    auto c = at.code();
    if ((c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3AB) ||
        (c >= 0x410 && c <= 0x42F)) {
      c += 0x20;
    } else if (c >= 0x400 && c <= 0x40F) {
      c += 0x50;
    } else if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E)) {
      c = (c + 1) & ~char32_t{1};
    } else if ((c >= 0x100 && c <= 0x24F) || (c >= 0x460 && c <= 0x52F) || (c >= 0x1E00 && c <= 0x1EFF)) {
      c |= 1;
    }
    out.append(code_point_name(c));
  }
  return out;
}

COMCP_DECL bool are_path_segments(std::string_view path) {
  for (;;) {
    auto const end = path.find('/');
    if (!segment_name(path.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

COMCP_DECL bool is_inside(std::string_view root, std::string_view file) {
  return !root.empty() && file.starts_with(root) && file.size() > root.size() && file[root.size()] == '/' &&
         are_path_segments(file.substr(root.size() + 1));
}

// scheme://a/b/name/SKILL.md; the authority may be empty.
COMCP_DECL bool is_skill_uri(std::string_view uri, std::string_view name) {
  auto const scheme = uri.substr(0, uri.find(':'));
  auto path = uri.substr(std::min(uri.size(), scheme.size() + 1));
  constexpr auto letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
  if (scheme.empty() || scheme.find_first_not_of(letters) != uri.npos) return false;
  bool const has_authority = path.starts_with("//") && !path.starts_with("///");
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  std::string names(path);
  auto const port = names.find(':'), end = names.find('/');
  if (has_authority && port < end && names.find_first_not_of("0123456789", port + 1) == end) names.erase(port, end - port);
  return are_path_segments(names) && ("/" + names).ends_with("/" + std::string(name) + std::string(skill_file));
}

COMCP_DECL bool read_member(json::view object, std::string_view key, std::string& out, json::read_error& e) {
  auto const found = object.find(key);
  return found ? json::codec<std::string>::read(*found, out, e) : e.missing(object, key);
}

COMCP_DECL bool read_skill_texts(json::view frontmatter, std::string_view uri, json::read_error& e) {
  if (!frontmatter.is_object()) return e.expected(frontmatter, "object");
  std::string name, description;
  if (!read_member(frontmatter, "name", name, e) || !read_member(frontmatter, "description", description, e)) return false;
  if (!is_skill_name(name)) return e.expected(*frontmatter.find("name"), "a skill's name");
  auto const tails = std::count_if(description.begin(), description.end(), [](char c) { return (c & 0xC0) == 0x80; });
  auto const length = description.size() - static_cast<std::size_t>(tails);
  if (length == 0 || length > 1024) return e.expected(*frontmatter.find("description"), "1 to 1024 characters");
  return is_skill_uri(uri, name) || e.expected(*frontmatter.find("name"), "the name of the skill's directory");
}

// Equal for two files where some file system takes them for one. Precondition: `file` is inside.
COMCP_DECL std::string file_identity(std::string_view root, std::string_view file) {
  std::string name;
  for (auto rest = file.substr(root.size()); !rest.empty();) name += *unescaped(rest);
  return without_case(name);
}

COMCP_DECL bool read_skill_files(json::view list, skill& out, json::read_error& e) {
  if (list.get_string() == "dynamic") return out.resources.reset(), true;
  if (!list.is_array()) return e.expected(list, "an array or \"dynamic\"");
  auto& files = out.resources.emplace();
  if (!json::codec<std::vector<skill_resource>>::read(list, files, e)) return false;
  for (auto const element : list.elements()) {
    auto const uri = *element.find("uri");
    auto const digest = *element.find("digest");
    if (!is_skill_digest(*digest.get_string())) return e.expected(digest, "a digest of SHA-256");
    if (!is_inside(out.root(), *uri.get_string())) return e.expected(uri, "a file in the skill's directory");
  }
  std::sort(files.begin(), files.end(), [](auto const& a, auto const& b) { return a.uri < b.uri; });
  std::set<std::string> names;
  for (auto const& file : files) {
    if (!names.insert(file_identity(out.root(), file.uri)).second) return e.expected(list, "every file once");
  }
  return out.find(out.uri) || e.expected(list, "SKILL.md among the files");
}

COMCP_DECL error unverified(skill const& entry, std::string_view why) {
  return {errc::verification_failed, "the skill " + entry.uri + ": " + std::string(why)};
}

COMCP_DECL result<json::value> frontmatter_of(std::string_view text, frontmatter_reader const& reader) {
  auto const parts = split_skill(text);
  if (!parts) return parts.error();
  try {
    return reader ? reader(parts->frontmatter) : read_frontmatter(parts->frontmatter);
  } catch (...) {
    return error(errc::wrong_shape, "the reader of the frontmatter threw");
  }
}

COMCP_DECL result<void> verify_frontmatter(skill const& entry, std::string_view text, frontmatter_reader const& reader) {
  auto const found = frontmatter_of(text, reader);
  if (!found) return unverified(entry, found.error().to_string());
  if (*found == entry.frontmatter) return {};
  std::map<std::string_view, json::view> own;  // the entry may name very many of them
  for (auto const& [key, value] : found->members()) own.emplace(key, value);
  for (auto const& [key, value] : entry.frontmatter.members()) {
    auto const at = own.find(key);
    if (at == own.end() || at->second != value)
      return unverified(entry, "\"" + std::string(key) + "\" in SKILL.md is not the entry's");
  }
  return unverified(entry, "SKILL.md has fields that the entry has not");
}

}  // namespace detail

COMCP_DECL bool json::codec<skill>::read(view v, skill& out, read_error& e) {
  if (!v.is_object()) return e.expected(v, "object");
  if (!unique_keys(v, e)) return false;
  auto const frontmatter = v.find("frontmatter"), files = v.find("resources");
  if (!comcp::detail::read_member(v, "uri", out.uri, e)) return false;
  if (!frontmatter) return e.missing(v, "frontmatter");
  if (!files) return e.missing(v, "resources");
  out.frontmatter = frontmatter->share();
  out.raw = v.share();
  return comcp::detail::read_skill_texts(*frontmatter, out.uri, e) && comcp::detail::read_skill_files(*files, out, e);
}

COMCP_DECL void json::codec<skill>::write(writer& w, skill const& s) {
  w.begin_object().key("uri").string(s.uri).key("frontmatter").value(s.frontmatter).key("resources");
  if (s.resources) {
    json::write(w, *s.resources);
  } else {
    w.string("dynamic");
  }
  for (auto const& [key, value] : s.raw.members()) {
    if (key != "uri" && key != "frontmatter" && key != "resources") w.key(key).value(value);
  }
  w.end_object();
}

COMCP_DECL std::string skill::name() const {
  auto const found = frontmatter.view().find("name");
  return std::string(found ? found->get_string().value_or("") : "");
}

COMCP_DECL std::string skill::description() const {
  auto const found = frontmatter.view().find("description");
  return std::string(found ? found->get_string().value_or("") : "");
}

COMCP_DECL std::string_view skill::root() const noexcept {
  std::string_view const whole = uri;
  return whole.ends_with(detail::skill_file) ? whole.substr(0, whole.size() - detail::skill_file.size()) : std::string_view();
}

COMCP_DECL skill_resource const* skill::find(std::string_view file) const noexcept {
  if (!resources) return nullptr;
  auto const at = std::find_if(resources->begin(), resources->end(), [file](auto const& f) { return f.uri == file; });
  return at == resources->end() ? nullptr : &*at;
}

COMCP_DECL bool skill::has(std::string_view file) const {
  return is_dynamic() ? detail::is_inside(root(), file) : find(file) != nullptr;
}

COMCP_DECL std::uint64_t skill::total_size() const noexcept {
  std::uint64_t sum = 0;
  if (!resources) return sum;
  for (auto const& f : *resources) {
    if (f.size > std::numeric_limits<std::uint64_t>::max() - sum) return std::numeric_limits<std::uint64_t>::max();
    sum += f.size;
  }
  return sum;
}

COMCP_DECL result<std::string> skill::resolve(std::string_view reference) const {
  auto const bad = [](char const* why) { return error(errc::invalid_argument, why); };
  reference = reference.substr(0, reference.find('#'));
  if (reference.empty() || reference[0] == '/') return bad("no relative reference to a file");
  std::vector<std::string_view> path;
  for (bool more = true; more;) {
    auto const end = reference.find('/');
    auto const segment = reference.substr(0, end);
    more = end != std::string_view::npos;
    if (more) reference.remove_prefix(end + 1);
    if (segment == ".") continue;
    if (segment != "..") {
      path.push_back(segment);
    } else if (path.empty()) {
      return bad("a reference that leads out of the skill");
    } else {
      path.pop_back();
    }
  }
  std::string out(root());
  for (auto const segment : path) out.append("/").append(segment);
  if (path.empty() || path[0].find(':') != std::string_view::npos || !detail::is_inside(root(), out))
    return bad("no relative reference to a file of the skill");
  return out;
}

COMCP_DECL result<void> verify_skill_file(skill const& entry, std::string_view file, std::string_view bytes,
                                          frontmatter_reader const& reader) {
  if (!entry.has(file)) return detail::unverified(entry, std::string(file) + " is not one of its files");
  if (auto const* const said = entry.find(file)) {
    if (auto const n = bytes.size(); n != said->size)
      return detail::unverified(entry, std::string(file) + " has " + std::to_string(n) + " bytes, not the entry's");
    if (said->digest != std::string(detail::digest_scheme) + to_hex(sha256(bytes)))
      return detail::unverified(entry, std::string(file) + " has another digest");
  }
  return file == entry.uri ? detail::verify_frontmatter(entry, bytes, reader) : result<void>();
}

}  // namespace comcp
