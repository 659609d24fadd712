// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <optional>

#include <asio/this_coro.hpp>

#include <comcp/auth/form.hpp>
#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace detail {

/// The one `state` of a query; nothing where there is none, or several.
COMCP_DECL std::optional<secret> state_of(std::string_view query) {
  auto const fields = form_fields::parse(query);
  if (!fields || fields->count("state") != 1 || fields->find("state")->empty()) return {};
  return secret(*fields->find("state"));
}

COMCP_DECL void print_login_url(http_url const& url) {
  std::fprintf(stderr, "To log in, open this page in a browser:\n\n  %s\n\n", url.text().c_str());
}

/// The port of a redirect URI that is like ours.
COMCP_DECL std::optional<std::uint16_t> known_port(std::string const& uri, net::loopback_place const& ours) {
  auto const url = http_url::parse(uri);
  if (!url || url->secure() || url->host() != ours.host() || url->path() != ours.path()) return {};
  if (url->query() || url->fragment()) return {};
  return url->port();
}

}  // namespace detail

COMCP_DECL loopback_redirect::visit_in_progress::visit_in_progress(net::loopback_listener listener,
                                                                   loopback_redirect const& how)
    : listener_(std::move(listener)), open_(how.open_), show_(how.show_) {}

COMCP_DECL std::string loopback_redirect::visit_in_progress::redirect_uri() const { return listener_.uri(); }

COMCP_DECL asio::awaitable<result<secret>> loopback_redirect::visit_in_progress::visit(http_url url) {
  return go(*this, std::move(url));
}

COMCP_DECL asio::awaitable<result<secret>> loopback_redirect::visit_in_progress::go(visit_in_progress self, http_url url) {
  auto const wanted = detail::state_of(url.query().value_or(""));
  if (!wanted) co_return error(errc::invalid_argument, "the authorization URL has no state, or several");
  try {
    if (self.show_) self.show_(url);
    if (self.open_) static_cast<void>(self.open_(url));
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

COMCP_DECL asio::awaitable<result<loopback_redirect::visit_in_progress>> loopback_redirect::start(
    std::vector<std::string> known) {
  return begin(*this, std::move(known));
}

COMCP_DECL asio::awaitable<result<loopback_redirect::visit_in_progress>> loopback_redirect::begin(
    loopback_redirect how, std::vector<std::string> known) {
  auto const executor = co_await asio::this_coro::executor;
  net::loopback_place place;
  place.port(how.port_).path(how.path_).host(how.host_);
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
