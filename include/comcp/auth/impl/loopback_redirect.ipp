// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>

#include <asio/this_coro.hpp>

#include <comcp/auth/form.hpp>
#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/auth/pkce.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace detail {

/// The one `state` of a query; nothing where there is none, or several.
COMCP_LAZY std::optional<secret> state_of(std::string_view query) {
  auto const fields = form_fields::parse(query);
  if (!fields || fields->count("state") != 1 || fields->find("state")->empty()) return {};
  return secret(*fields->find("state"));
}

COMCP_DECL void print_login_url(http_url const& url) {
  std::fprintf(stderr, "To log in, open this page in a browser:\n\n  %s\n\n", url.text().c_str());
}

/// The port of a redirect URI that is like ours.
COMCP_LAZY std::optional<std::uint16_t> known_port(std::string const& uri, net::loopback_place const& ours) {
  auto const url = http_url::parse(uri);
  if (!url || url->secure() || url->host() != ours.host() || url->path() != ours.path()) return {};
  if (url->query() || url->fragment()) return {};
  return url->port();
}

}  // namespace detail

COMCP_LAZY_DECL loopback_redirect::visit_in_progress::visit_in_progress(net::loopback_listener listener,
                                                                        loopback_redirect const& how)
    : listener_(std::move(listener)), open_(how.open_), by_page_(how.by_page_), show_(how.show_) {}

COMCP_LAZY_DECL std::string loopback_redirect::visit_in_progress::redirect_uri() const { return listener_.uri(); }

COMCP_LAZY_DECL asio::awaitable<result<secret>> loopback_redirect::visit_in_progress::visit(http_url url) {
  return go(*this, std::move(url));
}

COMCP_LAZY_DECL void loopback_redirect::visit_in_progress::open(http_url const& url, secret const& state) {
  if (open_) static_cast<void>(open_(url));
  if (!by_page_) return;
  // As secret as the state, and says nothing of it.
  auto const path = "/" + pkce_challenge(secret("page for " + state.reveal()));
  auto const page = http_url::parse(listener_.lead(path, detail::browser_argument(url)));
  if (page) static_cast<void>(open_browser(*page));
}

COMCP_LAZY_DECL asio::awaitable<result<secret>> loopback_redirect::visit_in_progress::go(visit_in_progress self,
                                                                                         http_url url) {
  auto const wanted = detail::state_of(url.query().value_or(""));
  if (!wanted) co_return error(errc::invalid_argument, "the authorization URL has no state, or several");
  try {
    if (self.show_) self.show_(url);
    self.open(url, *wanted);
  } catch (...) {
    // As for its error: the URL may have been seen, and can be opened by hand.
  }
  std::function<bool(std::string_view)> accepts = [wanted = *wanted](std::string_view query) {
    auto const came = detail::state_of(query);
    return came && detail::same_secret(came->reveal(), wanted.reveal());
  };
  auto waiting = self.listener_.wait(std::move(accepts));
  auto redirect = co_await std::move(waiting);
  co_return redirect;
}

COMCP_LAZY_DECL asio::awaitable<result<loopback_redirect::visit_in_progress>> loopback_redirect::start(
    std::vector<std::string> known, std::string issuer) {
  return begin(*this, std::move(known), std::move(issuer));
}

COMCP_LAZY_DECL asio::awaitable<result<loopback_redirect::visit_in_progress>> loopback_redirect::begin(
    loopback_redirect how, std::vector<std::string> known, std::string issuer) {
  auto const executor = co_await asio::this_coro::executor;
  net::loopback_place place;
  place.port(how.port_).host(how.host_);
  if (how.path_) {
    place.path(*how.path_);
  } else if (!issuer.empty()) {
    place.path(place.path() + "/" + pkce_challenge(secret(std::move(issuer))).substr(0, 22));
  }
  for (auto const& uri : known) {
    auto const port = how.port_ == 0 ? detail::known_port(uri, place) : std::nullopt;
    if (!port) continue;
    auto there = place;
    auto taken = net::loopback_listener::open(executor, there.port(*port));
    if (taken) co_return visit_in_progress(std::move(*taken), how);
  }
  auto listener = net::loopback_listener::open(executor, place);
  if (!listener) co_return listener.error();
  co_return visit_in_progress(std::move(*listener), how);
}

}  // namespace comcp
