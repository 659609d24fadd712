// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include <comcp/http/address_reach.hpp>
#include <comcp/http/url.hpp>
#include <comcp/http/url_warnings.hpp>
#include <comcp/visible.hpp>

namespace comcp {
namespace detail {

/// Goes over one URL and collects.
class url_suspicions {
 public:
  void look_at(std::string_view url);
  [[nodiscard]] std::vector<url_warning> all() const;

 private:
  void look_at_authority(std::string_view authority);
  void look_at_host(std::string const& host);
  void look_at_name(std::string_view host);
  void look_for_invisible(std::string_view text);
  void warn(url_warning w) noexcept { found_ |= 1U << static_cast<unsigned>(w); }

  std::uint32_t found_ = 0;
};

COMCP_DECL std::string decoded_url_host(std::string_view text) {
  auto const digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    auto const lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10) : 16;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const escape = text[i] == '%' && text.size() - i > 2 && digit(text[i + 1]) < 16 && digit(text[i + 2]) < 16;
    out += escape ? static_cast<char>(digit(text[i + 1]) << 4 | digit(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return out;
}

/// As IDNA maps it, as far as that can lead back to ASCII: wide forms and dots, and nothing for what is invisible.
COMCP_DECL std::string folded_url_host(std::string_view host) {
  std::string out;
  for (character_scan at(host); at.next();) {
    auto const c = at.code();
    if (at.why()) continue;
    if (c >= 0xFF01 && c <= 0xFF5E) out += static_cast<char>(c - 0xFF01 + '!');
    else if (c == 0x3002 || c == 0xFF61) out += '.';
    else out += at.bytes();
  }
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

COMCP_DECL void url_suspicions::look_at(std::string_view url) {
  constexpr std::size_t longest = 8192;
  if (url.size() > longest) warn(url_warning::too_long);
  url = http_detail::without_blank_ends(url.substr(0, longest));
  look_for_invisible(url);
  std::string plain;  // browsers drop line breaks and tabs wherever they are
  std::copy_if(url.begin(), url.end(), std::back_inserter(plain), [](char c) { return c != '\t' && c != '\r' && c != '\n'; });
  auto const scheme = http_detail::scheme_of(plain);
  if (!scheme) return warn(url_warning::malformed);
  bool const secure = http_detail::is_scheme(*scheme, "https");
  if (!secure && !http_detail::is_scheme(*scheme, "http")) return warn(url_warning::not_http);
  if (!secure) warn(url_warning::plain_http);
  auto rest = std::string_view(plain).substr(scheme->size() + 1);
  auto const slashes = std::min(rest.find_first_not_of("/\\"), rest.size());
  rest.remove_prefix(slashes);
  auto const authority = rest.substr(0, rest.find_first_of("/\\?#"));
  look_at_authority(authority);
  // What was told already is no reason to call it malformed as well.
  std::string told(authority.substr(std::min(authority.rfind('@') + 1, authority.size())));
  for (char& c : told) {
    if (static_cast<unsigned char>(c) >= 0x80) c = 'x';
  }
  std::string text = "https:";
  text.append(slashes, '/').append(told).append(rest.substr(authority.size()));
  bool const backslash = rest.substr(0, rest.find_first_of("?#")).find('\\') != rest.npos;  // a slash for browsers
  if (backslash || !http_url::parse(text)) warn(url_warning::malformed);
}

COMCP_DECL void url_suspicions::look_for_invisible(std::string_view text) {
  for (character_scan at(text); at.next();) {
    auto const c = at.code();
    if (at.why() || c == '\t' || c == '\r' || c == '\n') return warn(url_warning::invisible_characters);
  }
}

COMCP_DECL void url_suspicions::look_at_authority(std::string_view authority) {
  auto const at = authority.rfind('@');
  if (at != authority.npos) {
    warn(url_warning::credentials);
    authority.remove_prefix(at + 1);
  }
  auto const host = decoded_url_host(authority);
  auto const colon = host.find(':', host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0);
  look_at_host(host.substr(0, colon));
}

COMCP_DECL void url_suspicions::look_at_host(std::string const& host) {
  look_for_invisible(host);
  bool const ascii = std::all_of(host.begin(), host.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (!ascii) warn(url_warning::international_host);
  auto const folded = folded_url_host(host);
  if (folded.starts_with("xn--") || folded.find(".xn--") != folded.npos) warn(url_warning::international_host);
  switch (reach_of(folded)) {
    case address_reach::loopback: return warn(url_warning::this_machine);
    case address_reach::private_network: return warn(url_warning::private_network);
    case address_reach::public_network: return look_at_name(folded);
  }
}

COMCP_DECL void url_suspicions::look_at_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty() || host.starts_with('[') || reach_of_literal(host)) return;
  bool local = host.find('.') == host.npos;
  for (auto const* const end : {".local", ".internal", ".home.arpa"}) local = local || host.ends_with(end);
  if (local) warn(url_warning::private_network);
}

COMCP_DECL std::vector<url_warning> url_suspicions::all() const {
  std::vector<url_warning> out;
  for (unsigned i = 0; i <= static_cast<unsigned>(url_warning::too_long); ++i) {
    if ((found_ >> i & 1U) != 0) out.push_back(static_cast<url_warning>(i));
  }
  return out;
}

}  // namespace detail

COMCP_DECL std::string_view to_text(url_warning w) noexcept {
  switch (w) {
    case url_warning::not_http: return "The link does not lead to a web page.";
    case url_warning::malformed: return "The link is not a proper web address.";
    case url_warning::credentials: return "The link has a user name or password before its host.";
    case url_warning::international_host: return "The link's host has international letters, which may look like others.";
    case url_warning::invisible_characters: return "The link has characters that are invisible or change its order.";
    case url_warning::this_machine: return "The link leads to a program on this machine.";
    case url_warning::private_network: return "The link leads into a private network.";
    case url_warning::plain_http: return "The link is not encrypted.";
    case url_warning::too_long: return "The link is too long to be looked at as a whole.";
  }
  return {};
}

COMCP_DECL std::vector<url_warning> url_warnings(std::string_view url) {
  detail::url_suspicions found;
  found.look_at(url);
  return found.all();
}

}  // namespace comcp
