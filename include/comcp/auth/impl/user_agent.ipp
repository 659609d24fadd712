// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>

#include <asio/error.hpp>

#include <comcp/auth/user_agent.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace detail {

COMCP_DECL asio::awaitable<result<secret>> call_browser(browser_callback::function f, http_url url) {
  try {
    auto asking = f(std::move(url));
    std::string redirect = co_await std::move(asking);
    co_return secret(std::move(redirect));
  } catch (exception const& e) {
    co_return e.error();
  } catch (std::system_error const& e) {
    if (e.code() == asio::error::operation_aborted) co_return error(errc::cancelled);
    co_return error(errc::unauthorized, "the browser callback failed");
  } catch (...) {
    co_return error(errc::unauthorized, "the browser callback failed");
  }
}

COMCP_DECL asio::awaitable<result<browser_callback::one_visit>> begin_visit(std::string uri, browser_callback::function f) {
  co_return browser_callback::one_visit(std::move(uri), std::move(f));
}

}  // namespace detail

COMCP_DECL asio::awaitable<result<secret>> browser_callback::one_visit::visit(http_url url) {
  return detail::call_browser(function_, std::move(url));
}

COMCP_DECL asio::awaitable<result<browser_callback::one_visit>> browser_callback::start(std::vector<std::string>) {
  return detail::begin_visit(uri_, function_);
}

}  // namespace comcp
