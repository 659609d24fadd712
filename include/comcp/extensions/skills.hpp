// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client's way to skills: to list them, to load one, and to read its files; nothing is given out that is not what the
// entry says, and nothing is fetched before it is asked for. Where skills go, who approves of them and what may be run
// is the host's decision: their text is a server's, a match of digests is no proof of trust, and `allowed-tools` grants
// nothing. Spec: the extension io.modelcontextprotocol/skills (SEP-2640).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/client.hpp>
#include <comcp/client/extension.hpp>
#include <comcp/client/listing.hpp>
#include <comcp/skills/skill.hpp>

namespace comcp {

/// What skill_operations::load() is told.
class skill_options {
 public:
  skill_options() {}
  /// Loads "dynamic" skills too, whose content nobody can verify (default: refuses them).
  skill_options& allow_dynamic(bool yes = true) { return allow_dynamic_ = yes, *this; }
  /// Who reads frontmatter in place of read_frontmatter().
  skill_options& reader(frontmatter_reader f) { return reader_ = std::move(f), *this; }
  /// The most files, and bytes of all of them, that a skill may have: 512 and 16 MiB, which every host must support.
  /// Where one message may not be so long (stdio: 16 MiB), a file cannot be either.
  skill_options& max_files(std::size_t n) { return max_files_ = n, *this; }
  skill_options& max_bytes(std::uint64_t n) { return max_bytes_ = n, *this; }

  [[nodiscard]] bool allows_dynamic() const noexcept { return allow_dynamic_; }
  [[nodiscard]] frontmatter_reader const& reader() const noexcept { return reader_; }
  [[nodiscard]] std::size_t max_files() const noexcept { return max_files_; }
  [[nodiscard]] std::uint64_t max_bytes() const noexcept { return max_bytes_; }

 private:
  frontmatter_reader reader_;
  std::size_t max_files_ = 512;
  std::uint64_t max_bytes_ = std::uint64_t{16} << 20;
  bool allow_dynamic_ = false;
};

namespace detail {
struct skill_session;
}

/// A skill whose SKILL.md was read and is what its entry says. Holds that entry and its client's connection, so that
/// its files come from the server that it came from, whatever other clients there are; it does not keep the connection
/// open. A handle: copies are the same skill.
class loaded_skill {
 public:
  explicit loaded_skill(std::shared_ptr<detail::skill_session> s) noexcept : session_(std::move(s)) {}

  COMCP_LAZY [[nodiscard]] skill const& entry() const noexcept;
  /// All of SKILL.md, and the part behind the frontmatter. Valid as long as a copy of this.
  COMCP_LAZY [[nodiscard]] std::string const& text() const noexcept;
  COMCP_LAZY [[nodiscard]] std::string_view instructions() const noexcept;
  /// False for a dynamic skill: only that the frontmatter is the entry's was checked.
  [[nodiscard]] bool verified() const noexcept { return !entry().is_dynamic(); }

  /// One file, by its uri (see skill::resolve()). A nested SKILL.md is a file like any other: to load that skill takes its
  /// own entry and its own approval.
  /// Errors: verification_failed (its content is not the entry's; or it is not listed, then nothing was sent),
  /// limit_exceeded (a dynamic skill gave more than skill_options().max_bytes()), and those of client.read_resource().
  COMCP_LAZY [[nodiscard]] asio::awaitable<resource_contents> read(std::string_view uri,
                                                                   call_options options = call_options()) const;

 private:
  std::shared_ptr<detail::skill_session> session_;
};

class skill_operations;

namespace detail {
char const* skills_missing(server_capabilities const& c);
char const* directories_missing(server_capabilities const& c);
}  // namespace detail

/// `connect_options().extension(skills())`.
struct skills {
  static constexpr std::string_view identifier = "io.modelcontextprotocol/skills";
  static constexpr std::array methods = {
      extension_method{.name = "skills/list", .missing = detail::skills_missing, .wants_sight = true},
      extension_method{.name = "skills/get", .missing = detail::skills_missing, .wants_sight = true},
      extension_method{.name = "resources/directory/read", .missing = detail::directories_missing, .wants_sight = true}};
  using operations = skill_operations;
};

/// `client.extension<skills>()`, of a server that declared them in a handshake (a connect_options().prior() without
/// `discovered` saw none).
class skill_operations {
 public:
  explicit skill_operations(extension_client c) noexcept : client_(std::move(c)) {}

  /// The entries of all skills that the server lists, which may be fewer than it has. Invalid ones are set aside. Several
  /// may have one name.
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<skill>> list(call_options options = call_options()) const;
  /// The entry of the skill whose SKILL.md has this uri, as it is now, listed or not. Errors: not_found,
  /// protocol_violation (an invalid entry).
  COMCP_LAZY [[nodiscard]] asio::awaitable<skill> get(std::string_view uri, call_options options = call_options()) const;
  /// Reads SKILL.md and verifies it. With a cache, bytes that are no longer the entry's are fetched again once. After
  /// verification_failed the entry may be outdated: get() has the current one, which wants approval anew.
  /// Errors: verification_failed, denied (a dynamic skill), limit_exceeded (the entry's files; nothing was sent), and those
  /// of client.read_resource(). `entry` is of this client's server.
  COMCP_LAZY [[nodiscard]] asio::awaitable<loaded_skill> load(skill const& entry, skill_options how = skill_options(),
                                                              call_options options = call_options()) const;
  /// The direct children of a directory, such as skill::root(), as the server sees them now; directories have the MIME
  /// type "inode/directory". This adds nothing to a loaded skill: what its entry does not list cannot be read.
  /// Errors: capability_missing where the server did not declare directoryRead; not_found.
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource>> read_directory(
      std::string_view uri, call_options options = call_options()) const;

 private:
  extension_client client_;
};

namespace detail {
template <>
struct list_traits<skill> {
  using page = list_skills_result;
  static constexpr auto const& method = skills::methods[0];
  static auto& items(page& p) { return p.skills; }
};
struct directory_child;
template <>
struct list_traits<directory_child> {
  using page = list_resources_result;
  static constexpr auto const& method = skills::methods[2];
  static auto& items(page& p) { return p.resources; }
};
}  // namespace detail

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/extensions/impl/skills.ipp>
#endif
