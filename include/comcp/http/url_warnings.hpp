// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a user is to be told of a URL before he agrees to open it, such as one of a server's elicitation. The URL is read
// as browsers read it, who repair more than http_url does. Whether it is opened is the host's decision, and his.
// Spec: https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation (Safe URL Handling)
#pragma once

#include <string_view>
#include <vector>

#include <comcp/version.hpp>

namespace comcp {

/// Something suspicious about a URL. The worst come first.
enum class url_warning {
  not_http,              ///< Another scheme, such as javascript: or file:. Nothing else is looked at but characters.
  malformed,             ///< No absolute URL, or one that a browser would have to repair: http_url refuses it too.
  credentials,           ///< A user name or password; what stands there often looks like a host.
  international_host,    ///< Punycode (xn--) or letters beyond ASCII in the host, which may look like others.
  invisible_characters,  ///< Controls, line breaks, text that runs backwards, characters that show nothing: see visible().
  this_machine,          ///< localhost or a loopback address, in any spelling.
  private_network,       ///< An address that is not public, in any spelling; a name without dots, or under .local, .internal
                         ///< or .home.arpa.
  plain_http,            ///< Not encrypted.
  too_long,              ///< More than 8192 bytes: no more than these were looked at.
};

/// A sentence for the user, in English, such as "The link is not encrypted.".
std::string_view to_text(url_warning w) noexcept;

/// Each warning once, in the order of the enumeration; none for a usual https URL. Any text may come: cost and memory are
/// bounded. A name is what it looks like: it is not resolved, and may well lead into a private network. To show the URL
/// itself, use visible().
std::vector<url_warning> url_warnings(std::string_view url);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/http/impl/url_warnings.ipp>
#endif
