// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Apps: pages of HTML that a server has for the results of its tools. Here a client says that it shows them, reads one and
// checks it; what a page may reach becomes text for a browser. extensions/app_bridge.hpp is how the page talks; showing it
// is the host's. Spec: the extension io.modelcontextprotocol/ui, version 2026-01-26 (repository ext-apps).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call_options.hpp>
#include <comcp/client/extension.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/capabilities.hpp>
#include <comcp/protocol/codec.hpp>
#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/tool_ui.hpp>

namespace comcp {

/// The origins that an app wants to reach, as its server wrote them: untrusted until content_security_policy() took them.
struct app_csp {
  app_csp() = default;

  std::vector<std::string> connect_domains;   ///< For fetch, XMLHttpRequest and WebSocket.
  std::vector<std::string> resource_domains;  ///< For scripts, styles, images, fonts and media.
  std::vector<std::string> frame_domains;     ///< For frames inside the app.
  std::vector<std::string> base_uri_domains;  ///< For <base>.
  json::value raw;
};
constexpr auto describe(std::type_identity<app_csp>) {
  using t = app_csp;
  return json::fields(json::defaulted("connectDomains", &t::connect_domains),
                      json::defaulted("resourceDomains", &t::resource_domains),
                      json::defaulted("frameDomains", &t::frame_domains),
                      json::defaulted("baseUriDomains", &t::base_uri_domains), json::rest(&t::raw));
}

/// What an app asks of the browser; whether it gets it is the host's decision.
struct app_permissions {
  app_permissions() = default;

  bool camera = false;
  bool microphone = false;
  bool geolocation = false;
  bool clipboard_write = false;
  json::value raw;
};
constexpr auto describe(std::type_identity<app_permissions>) {
  using t = app_permissions;
  return json::fields(detail::presence("camera", &t::camera), detail::presence("microphone", &t::microphone),
                      detail::presence("geolocation", &t::geolocation),
                      detail::presence("clipboardWrite", &t::clipboard_write), json::rest(&t::raw));
}

/// `_meta.ui` of an app's resource.
struct app_settings {
  app_settings() = default;

  std::optional<app_csp> csp;  ///< Absent: the strictest policy.
  std::optional<app_permissions> permissions;
  std::optional<std::string> domain;   ///< The origin that it wants to have; what that means is the host's decision.
  std::optional<bool> prefers_border;  ///< Absent: as the host likes.
  json::value raw;
};
constexpr auto describe(std::type_identity<app_settings>) {
  using t = app_settings;
  return json::fields(json::field("csp", &t::csp), json::field("permissions", &t::permissions),
                      json::field("domain", &t::domain), json::field("prefersBorder", &t::prefers_border),
                      json::rest(&t::raw));
}

/// An app that was read. Its HTML is a stranger's: for a sandboxed frame of another origin than the host's, no other place.
struct app_resource {
  app_resource() = default;

  std::string uri;
  std::string html;  ///< UTF-8. Whether it is a valid document is the browser's to find out.
  app_settings ui;
};

/// The only MIME type of apps so far.
inline constexpr std::string_view app_mime_type = "text/html;profile=mcp-app";

/// The value of the header Content-Security-Policy under which an app runs: the specification's default where it says
/// nothing, else that with the origins that it names. Errors: denied, where one of them is no origin
/// (scheme://host[:port][/path] of http, https, ws or wss; a host may begin with "*."): it could be a policy of its own.
[[nodiscard]] result<std::string> content_security_policy(std::optional<app_csp> const& csp);

/// The value of the frame's `allow` attribute that grants all of these: "camera; clipboard-write". Empty where there are none.
[[nodiscard]] std::string allow_attribute(app_permissions const& wanted);

class app_operations;

/// `connect_options().extension(apps())`: the server is told that the host shows apps, so that its tools may have some.
struct apps {
  static constexpr std::string_view identifier = "io.modelcontextprotocol/ui";
  using operations = app_operations;

  [[nodiscard]] json::fragment settings() const;
  /// The specification has clients declare this; servers say it by their tools.
  static bool is_offered(server_capabilities const&) noexcept { return true; }
};

/// `client.extension<apps>()`.
class app_operations {
 public:
  explicit app_operations(extension_client c) noexcept : client_(std::move(c)) {}

  /// Reads an app, such as ui_of(tool)->resource_uri, and checks it: one content of this uri, of app_mime_type, with either
  /// text or Base64 of UTF-8, not blank, of at most `max_bytes` bytes (default 8 MiB). Errors: invalid_argument (the uri is
  /// no ui:// one; nothing was sent), protocol_violation, limit_exceeded, and those of client.read_resource().
  COMCP_LAZY [[nodiscard]] asio::awaitable<app_resource> read(std::string_view uri, std::size_t max_bytes = default_bytes,
                                                              call_options options = call_options()) const;
  /// The same of an entry of list_resources(), whose `_meta.ui` counts where the content has none.
  COMCP_LAZY [[nodiscard]] asio::awaitable<app_resource> read(resource const& listed, std::size_t max_bytes = default_bytes,
                                                              call_options options = call_options()) const;

  [[nodiscard]] extension_client const& client() const noexcept { return client_; }

 private:
  static constexpr std::size_t default_bytes = std::size_t{8} << 20;

  extension_client client_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/extensions/impl/apps.ipp>
#endif
