// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Protocol versions, who the two sides are, and what initialize and server/discover carry.
// Spec: basic/lifecycle (legacy), 2026-07-28 basic/versioning and server/discover.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/icon.hpp>
#include <comcp/protocol/pagination.hpp>

namespace comcp {

/// Legacy: initialize, sessions, requests from the server. Modern: no handshake, input rounds, listen streams.
enum class era { legacy, modern };

namespace detail {
struct version_row {
  std::string_view text;
  comcp::era era;
};
/// The protocol's versions, the oldest first: a new one is a line here, and in namespace version where it has a name.
inline constexpr std::array version_table = {
    version_row{"2024-11-05", era::legacy},
    version_row{"2025-03-26", era::legacy},
    version_row{"2025-06-18", era::legacy},
    version_row{"2025-11-25", era::legacy},
    version_row{"2026-07-28", era::modern},
};
}  // namespace detail

/// A protocol version that comcp speaks; ordered by age. Default: the newest.
class protocol_version {
 public:
  constexpr protocol_version() noexcept = default;

  /// The version of this text, if comcp speaks it.
  static constexpr std::optional<protocol_version> parse(std::string_view text) noexcept {
    for (std::size_t i = 0; i < detail::version_table.size(); ++i) {
      if (detail::version_table[i].text == text) return at(i);
    }
    return {};
  }
  /// The index-th version, the oldest being 0. Precondition: it exists.
  static constexpr protocol_version at(std::size_t index) noexcept {
    protocol_version v;
    v.index_ = static_cast<std::uint8_t>(index);
    return v;
  }
  /// The newest of an era.
  static constexpr protocol_version newest(comcp::era e) noexcept {
    auto i = detail::version_table.size() - 1;
    while (detail::version_table[i].era != e) --i;
    return at(i);
  }

  [[nodiscard]] constexpr std::string_view text() const noexcept { return detail::version_table[index_].text; }
  [[nodiscard]] constexpr comcp::era era() const noexcept { return detail::version_table[index_].era; }

  friend constexpr bool operator==(protocol_version, protocol_version) noexcept = default;
  friend constexpr auto operator<=>(protocol_version, protocol_version) noexcept = default;

 private:
  std::uint8_t index_ = detail::version_table.size() - 1;
};

namespace version {
inline constexpr auto v2024_11_05 = *protocol_version::parse("2024-11-05");
inline constexpr auto v2025_03_26 = *protocol_version::parse("2025-03-26");
inline constexpr auto v2025_06_18 = *protocol_version::parse("2025-06-18");
inline constexpr auto v2025_11_25 = *protocol_version::parse("2025-11-25");
inline constexpr auto v2026_07_28 = *protocol_version::parse("2026-07-28");
inline constexpr auto latest_legacy = protocol_version::newest(era::legacy);
inline constexpr auto latest = protocol_version();
}  // namespace version

/// Every version that comcp speaks, newest first.
constexpr auto supported_versions() noexcept {
  std::array<protocol_version, detail::version_table.size()> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = protocol_version::at(all.size() - 1 - i);
  return all;
}

/// Names a client or a server. Self-reported and unverified: to show, never to decide by.
struct implementation {
  implementation() = default;
  implementation(std::string its_name, std::string its_version)
      : name(std::move(its_name)), version(std::move(its_version)) {}

  std::string name;
  std::string version;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> website_url;
  std::vector<icon> icons;
  json::value raw;
};
constexpr auto describe(std::type_identity<implementation>) {
  using t = implementation;
  return json::fields(json::field("name", &t::name), json::field("version", &t::version),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("websiteUrl", &t::website_url), json::defaulted("icons", &t::icons),
                      json::rest(&t::raw));
}

struct initialize_params {
  initialize_params() = default;

  std::string protocol_version;
  client_capabilities capabilities;
  implementation client_info;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialize_params>) {
  using t = initialize_params;
  return json::fields(json::field("protocolVersion", &t::protocol_version),
                      json::field("capabilities", &t::capabilities), json::field("clientInfo", &t::client_info),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct initialize_result {
  initialize_result() = default;

  std::string protocol_version;  ///< As the server said it: maybe one that comcp does not speak.
  server_capabilities capabilities;
  implementation server_info;
  std::optional<std::string> instructions;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<initialize_result>) {
  using t = initialize_result;
  return json::fields(json::field("protocolVersion", &t::protocol_version),
                      json::field("capabilities", &t::capabilities), json::field("serverInfo", &t::server_info),
                      json::field("instructions", &t::instructions), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The answer to server/discover. The server's name is in `meta`: see result_meta.
struct discover_result {
  discover_result() = default;

  std::vector<std::string> supported_versions;
  server_capabilities capabilities;
  std::optional<std::string> instructions;
  std::optional<std::int64_t> ttl_ms;
  std::optional<comcp::cache_scope> cache_scope;
  std::optional<std::string> result_type;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<discover_result>) {
  using t = discover_result;
  return json::fields(json::field("resultType", &t::result_type),
                      json::field("supportedVersions", &t::supported_versions),
                      json::field("capabilities", &t::capabilities), json::field("instructions", &t::instructions),
                      json::field("ttlMs", &t::ttl_ms), json::field("cacheScope", &t::cache_scope),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

}  // namespace comcp
