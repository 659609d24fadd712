// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <span>

#include <comcp/http/impl/url.ipp>
#include <comcp/http/proxy.hpp>
#include <comcp/protocol/base64.hpp>
#include <comcp/system.hpp>

namespace comcp {
namespace http_detail {

/// With its %XX put right; nothing where one is broken.
COMCP_DECL std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex_value(text[i + 1]) > 15 || hex_value(text[i + 2]) > 15) return {};
    out += static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
    i += 2;
  }
  return out;
}

COMCP_DECL error bad_proxy(char const* why) { return {errc::invalid_argument, std::string("bad proxy: ") + why}; }

/// The bytes of an IP address without brackets; how many there are, 0 for anything else.
COMCP_DECL std::size_t address_bytes(std::string_view text, std::array<std::uint8_t, 16>& out) {
  if (text.find(':') != text.npos) {
    auto const v6 = parse_ipv6(text);
    for (std::size_t i = 0; v6 && i < 8; ++i) {
      out[2 * i] = static_cast<std::uint8_t>((*v6)[i] >> 8);
      out[2 * i + 1] = static_cast<std::uint8_t>((*v6)[i] & 255);
    }
    return v6 ? 16 : 0;
  }
  auto const v4 = text.empty() || !ends_in_number(text) ? std::nullopt : parse_ipv4(text);
  for (std::size_t i = 0; v4 && i < 4; ++i) out[i] = static_cast<std::uint8_t>(*v4 >> (24 - 8 * i) & 255);
  return v4 ? 4 : 0;
}

COMCP_DECL bool is_loopback(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::array<std::uint8_t, 16> address{};
  if (auto const length = address_bytes(host, address)) return length == 4 ? address[0] == 127 : host == "::1";
  return host == "localhost" || host.ends_with(".localhost");
}

/// A decimal number up to `most`.
COMCP_DECL std::optional<std::uint32_t> small_number(std::string_view text, std::uint32_t most) noexcept {
  std::uint32_t value = 0;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || value > most) return {};
  return value;
}

}  // namespace http_detail

COMCP_DECL result<proxy_route> proxy_route::parse(std::string_view text) {
  text = http_detail::without_blank_ends(text);
  auto const mark = text.find("://");
  auto const scheme = mark == text.npos ? std::string_view("http") : text.substr(0, mark);
  if (!http_detail::is_scheme(scheme, "http"))
    return http_detail::bad_proxy("only proxies that are spoken to over http:// are supported");
  if (mark != text.npos) text.remove_prefix(mark + 3);
  auto const authority = text.substr(0, text.find_first_of("/\\?#"));
  auto const at = authority.rfind('@');
  auto url = http_url::parse("http://" + std::string(at == text.npos ? text : text.substr(at + 1)));
  if (!url) return http_detail::bad_proxy("its host or port is malformed");
  proxy_route route(std::move(*url));
  if (at == text.npos) return route;
  auto const info = authority.substr(0, at);
  auto const colon = std::min(info.find(':'), info.size());
  auto const user = http_detail::unescaped(info.substr(0, colon));
  auto password = http_detail::unescaped(info.substr(std::min(colon + 1, info.size())));
  if (!user || !password) return http_detail::bad_proxy("its credentials have a malformed escape");
  return route.with_credentials(*user, secret(std::move(*password)));
}

COMCP_DECL result<proxy_route> proxy_route::with_credentials(std::string_view user, secret const& password) const {
  if (user.find(':') != user.npos) return http_detail::bad_proxy("its user has a colon");
  auto const pair = std::string(user) + ':' + password.reveal();
  if (std::any_of(pair.begin(), pair.end(), http_detail::is_control))
    return http_detail::bad_proxy("its credentials have a control character");
  proxy_route out = *this;
  out.authorization_ = secret("Basic " + to_base64(std::as_bytes(std::span(pair))));
  return out;
}

COMCP_DECL proxy_options proxy_options::from_environment(variables const& lookup) {
  auto const first = [&](std::initializer_list<std::string_view> names) {
    for (auto const name : names) {
      if (auto value = lookup(name); value && !value->empty()) return std::pair(name, std::move(*value));
    }
    return std::pair(std::string_view(), std::string());
  };
  auto const read = [&](std::initializer_list<std::string_view> names) {
    way out;
    out.spares_loopback = true;
    auto const [name, value] = first(names);
    if (name.empty()) return out;
    auto route = proxy_route::parse(value);
    if (route) {
      out.route = std::optional(std::move(*route));
    } else {
      out.route = route.error().with_message(std::string(name) + ": " + std::string(route.error().message()));
    }
    return out;
  };
  proxy_options out;
  out.http_ = read({"http_proxy", "all_proxy", "ALL_PROXY"});
  out.https_ = read({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  out.no_proxy(first({"no_proxy", "NO_PROXY"}).second);
  return out;
}

COMCP_DECL proxy_options proxy_options::from_environment() {
  return from_environment(comcp::detail::environment_variable);
}

COMCP_DECL proxy_options& proxy_options::http(proxy_route route) {
  http_ = way();
  http_.route = std::optional(std::move(route));
  return *this;
}

COMCP_DECL proxy_options& proxy_options::https(proxy_route route) {
  https_ = way();
  https_.route = std::optional(std::move(route));
  return *this;
}

COMCP_DECL proxy_options& proxy_options::all(proxy_route route) {
  http(route);
  return https(std::move(route));
}

COMCP_DECL proxy_options& proxy_options::no_proxy(std::string_view list) {
  direct_.clear();
  for (;;) {
    list.remove_prefix(std::min(list.find_first_not_of(", \t"), list.size()));
    if (list.empty()) return *this;
    auto const end = std::min(list.find_first_of(", \t"), list.size());
    if (auto rule = parse_rule(list.substr(0, end))) direct_.push_back(std::move(*rule));
    list.remove_prefix(end);
  }
}

COMCP_DECL std::optional<proxy_options::exception_rule> proxy_options::parse_rule(std::string_view text) {
  exception_rule out;
  if (auto const slash = text.find('/'); slash != text.npos) {
    out.length = http_detail::address_bytes(text.substr(0, slash), out.address);
    auto const bits = http_detail::small_number(text.substr(slash + 1), static_cast<std::uint32_t>(8 * out.length));
    if (out.length == 0 || !bits) return {};
    out.bits = *bits;
    return out;
  }
  bool const bracketed = text.starts_with('[');
  auto const colon = text.find(':', bracketed ? std::min(text.find(']'), text.size()) : 0);
  if (colon != text.npos && (bracketed || text.find(':', colon + 1) == text.npos)) {
    auto const port = http_detail::small_number(text.substr(colon + 1), 65535);
    if (!port || *port == 0) return {};
    out.port = static_cast<std::uint16_t>(*port);
    text = text.substr(0, colon);
  }
  if (bracketed) {
    if (!text.ends_with(']')) return {};
    text = text.substr(1, text.size() - 2);
  }
  out.length = http_detail::address_bytes(text, out.address);
  out.bits = 8 * out.length;
  if (out.length != 0) return out;
  if (text.starts_with("*.")) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty()) return {};
  out.name = text;
  for (char& c : out.name) c = http_detail::url_lower(c);
  return out;
}

COMCP_DECL bool proxy_options::matches(exception_rule const& rule, exception_rule const& host) noexcept {
  if (rule.port != 0 && rule.port != host.port) return false;
  if (rule.name == "*") return true;
  if (rule.length != host.length) return false;
  if (rule.length == 0) {
    std::string_view const name = host.name;
    return name.ends_with(rule.name) &&
           (name.size() == rule.name.size() || name[name.size() - rule.name.size() - 1] == '.');
  }
  for (std::size_t bit = 0; bit < rule.bits; ++bit) {
    if ((rule.address[bit / 8] ^ host.address[bit / 8]) >> (7 - bit % 8) & 1) return false;
  }
  return true;
}

COMCP_DECL result<std::optional<proxy_route>> proxy_options::proxy_for(http_url const& url) const {
  auto const& chosen = url.secure() ? https_ : http_;
  if (chosen.route && !*chosen.route) return chosen.route;
  if (chosen.spares_loopback && http_detail::is_loopback(url.host_name())) return std::optional<proxy_route>();
  exception_rule host;
  host.name = url.host_name();
  if (host.name.ends_with('.')) host.name.pop_back();
  host.length = http_detail::address_bytes(url.host_name(), host.address);
  host.port = url.port();
  for (auto const& rule : direct_) {
    if (matches(rule, host)) return std::optional<proxy_route>();
  }
  return chosen.route;
}

}  // namespace comcp
