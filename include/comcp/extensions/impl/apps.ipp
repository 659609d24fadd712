// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <comcp/client/client.hpp>
#include <comcp/extensions/apps.hpp>
#include <comcp/protocol/base64.hpp>
#include <comcp/visible.hpp>

namespace comcp {
namespace detail {

inline constexpr std::string_view app_scheme = "ui://";

inline bool is_app_uri(std::string_view uri) noexcept {
  return uri.starts_with(app_scheme) && uri.size() > app_scheme.size();
}

inline bool is_one_of(std::string_view text, std::string_view more) noexcept {
  return std::all_of(text.begin(), text.end(), [more](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.find(c) != more.npos;
  });
}

// What can stand in a policy and is no more than an origin, perhaps with a path: no keyword, no scheme alone, no "*".
COMCP_DECL bool is_origin(std::string_view text) {
  auto const mark = text.find("://");
  if (mark == text.npos) return false;
  auto const scheme = text.substr(0, mark);
  if (scheme != "https" && scheme != "http" && scheme != "wss" && scheme != "ws") return false;
  auto const rest = text.substr(mark + 3);
  auto const end = std::min(rest.find('/'), rest.size());
  auto authority = rest.substr(0, end);
  if (authority.starts_with("*.")) authority.remove_prefix(2);
  auto const colon = authority.rfind(':');
  bool const has_port = colon != authority.npos && !authority.ends_with(']');
  auto const host = has_port ? authority.substr(0, colon) : authority;
  auto const port = has_port ? authority.substr(colon + 1) : std::string_view("0");
  bool const is_address = host.starts_with('[') && host.ends_with(']');
  bool const is_host = is_address ? is_one_of(host.substr(1, host.size() - 2), ":.") : is_one_of(host, "-._");
  return !host.empty() && host.find_first_not_of("-._[]:") != host.npos && is_host && !port.empty() &&
         port.find_first_not_of("0123456789") == port.npos && is_one_of(rest.substr(end), "/-._~%");
}

// " a b", the origins of one kind.
COMCP_DECL result<std::string> listed_origins(std::vector<std::string> const& all) {
  std::string out;
  for (auto const& one : all) {
    if (!is_origin(one)) return error(errc::denied, "an app's csp names what is no origin: " + visible(one.substr(0, 100)));
    out.append(" ").append(one);
  }
  return out;
}

// The HTML of the one content, decoded.
COMCP_DECL result<std::string> app_html(resource_contents& from, std::size_t max_bytes) {
  constexpr auto blanks = " \t\r\n\f";
  error const too_long(errc::limit_exceeded, "the app is longer than max_bytes");
  // Three bytes are four characters of Base64; what is longer is not decoded first.
  if (from.blob && from.blob->size() / 4 > max_bytes / 3 + 1) return too_long;
  std::string html;
  if (from.text) {
    html = *std::move(from.text);
  } else {
    auto const bytes = from.bytes();
    if (!bytes) return bytes.error().with_code(make_error_code(errc::protocol_violation));
    html.assign(reinterpret_cast<char const*>(bytes->data()), bytes->size());
  }
  if (html.size() > max_bytes) return too_long;
  character_scan at(html);
  while (at.next()) {
    if (!at.is_utf8()) return error(errc::protocol_violation, "the app is not UTF-8");
  }
  if (html.find_first_not_of(blanks) == html.npos) return error(errc::protocol_violation, "the app is blank");
  return html;
}

COMCP_DECL result<app_settings> read_app_settings(json::value const& meta, json::value const& listed) {
  auto ui = meta.find("ui");
  if (!ui || ui->is_null()) ui = listed.find("ui");
  if (!ui || ui->is_null()) return app_settings();
  json::read_error why(ui->view());
  app_settings out;
  if (!json::unique_keys(ui->view(), why) || !json::codec<app_settings>::read(ui->view(), out, why))
    return error(errc::protocol_violation, "the _meta.ui of the app: " + why.text());
  return out;
}

COMCP_DECL result<app_resource> checked_app(read_resource_result&& answer, std::string const& uri, json::value const& listed,
                                            std::size_t max_bytes) {
  auto* const only = answer.contents.size() == 1 ? &answer.contents[0] : nullptr;
  if (!only || only->uri != uri || only->text.has_value() == only->blob.has_value())
    return error(errc::protocol_violation, "resources/read gave no contents of " + visible(uri));
  if (only->mime_type != app_mime_type)
    return error(errc::protocol_violation, visible(uri) + " is not of the type " + std::string(app_mime_type));
  auto ui = read_app_settings(only->meta, listed);
  if (!ui) return ui.error();
  auto html = app_html(*only, max_bytes);
  if (!html) return html.error();
  app_resource out;
  out.uri = uri;
  out.html = *std::move(html);
  out.ui = *std::move(ui);
  return out;
}

COMCP_LAZY asio::awaitable<app_resource> read_app(std::shared_ptr<client_link> core, std::string uri, json::value listed,
                                                  std::size_t max_bytes, call_options options) {
  require(core);
  options.manual_input(false);
  auto reading = comcp::client(core, false).read_resource(uri, std::move(options));
  auto answer = co_await std::move(reading);
  auto app = checked_app(std::move(answer), uri, listed, max_bytes);
  if (!app) throw exception(app.error().with_outcome(call_outcome::known));
  co_return *std::move(app);
}

COMCP_LAZY asio::awaitable<app_resource> begin_app(extension_client const& c, std::string_view uri, json::value listed,
                                                   std::size_t max_bytes, call_options options) {
  if (!is_app_uri(uri))
    return failed<app_resource>(error(errc::invalid_argument, "an app's uri begins with ui://, not so " + visible(uri)));
  return read_app(c.core(), std::string(uri), std::move(listed), max_bytes, std::move(options));
}

}  // namespace detail

COMCP_DECL result<std::string> content_security_policy(std::optional<app_csp> const& csp) {
  auto const wanted = csp.value_or(app_csp());
  auto const connect = detail::listed_origins(wanted.connect_domains);
  auto const resources = detail::listed_origins(wanted.resource_domains);
  auto const frames = detail::listed_origins(wanted.frame_domains);
  auto const bases = detail::listed_origins(wanted.base_uri_domains);
  for (auto const* const kind : {&connect, &resources, &frames, &bases}) {
    if (!*kind) return kind->error();
  }
  std::string out = "default-src 'none'; object-src 'none'; script-src 'self' 'unsafe-inline'" + *resources;
  out += "; style-src 'self' 'unsafe-inline'" + *resources + "; img-src 'self' data:" + *resources;
  out += "; media-src 'self' data:" + *resources;
  if (csp) out += "; font-src 'self'" + *resources;
  out += "; connect-src" + (csp ? " 'self'" + *connect : " 'none'");
  out += "; frame-src" + (frames->empty() ? " 'none'" : *frames);
  return out + "; base-uri" + (bases->empty() ? " 'self'" : *bases);
}

COMCP_DECL std::string allow_attribute(app_permissions const& wanted) {
  std::string out;
  auto const grant = [&out](bool yes, char const* feature) {
    if (yes) out.append(out.empty() ? "" : "; ").append(feature);
  };
  grant(wanted.camera, "camera");
  grant(wanted.microphone, "microphone");
  grant(wanted.geolocation, "geolocation");
  grant(wanted.clipboard_write, "clipboard-write");
  return out;
}

COMCP_DECL json::fragment apps::settings() const { return args("mimeTypes", std::vector{app_mime_type}); }

COMCP_LAZY_DECL asio::awaitable<app_resource> app_operations::read(std::string_view uri, std::size_t max_bytes,
                                                                   call_options options) const {
  return detail::begin_app(client_, uri, json::value(), max_bytes, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<app_resource> app_operations::read(resource const& listed, std::size_t max_bytes,
                                                                   call_options options) const {
  return detail::begin_app(client_, listed.uri, listed.meta, max_bytes, std::move(options));
}

}  // namespace comcp
