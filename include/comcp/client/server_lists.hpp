// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The lists of a server: tools, resources, resource templates and prompts; whole, page by page, and kept current.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <asio/awaitable.hpp>

#include <comcp/client/call_options.hpp>
#include <comcp/client/client_base.hpp>
#include <comcp/client/initiate.hpp>
#include <comcp/client/listing.hpp>
#include <comcp/client/watch_handle.hpp>

namespace comcp {

/// What every client can do with the lists of its server; the rules for operations are those of comcp::client.
class server_lists : public client_base {
 public:
  using client_base::client_base;

  /// All tools, every page of them.
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<tool>> list_tools(call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource>> list_resources(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<resource_template>> list_resource_templates(
      call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<listing<prompt>> list_prompts(call_options options = call_options()) const;

  /// One page; an empty string is a cursor too.
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_tools_result> list_tools_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_resources_result> list_resources_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_resource_templates_result> list_resource_templates_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;
  COMCP_LAZY [[nodiscard]] asio::awaitable<list_prompts_result> list_prompts_page(
      std::optional<std::string> from = {}, call_options options = call_options()) const;

  // The same for any completion token; see comcp::client.
  template <class Token>
  auto async_list_tools(call_options options, Token&& token) const {
    return detail::async_walk<listing<tool>>(get_executor(), list_tools(std::move(options)),
                                             std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_resources(call_options options, Token&& token) const {
    return detail::async_walk<listing<resource>>(get_executor(), list_resources(std::move(options)),
                                                 std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_resource_templates(call_options options, Token&& token) const {
    return detail::async_walk<listing<resource_template>>(get_executor(), list_resource_templates(std::move(options)),
                                                          std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_prompts(call_options options, Token&& token) const {
    return detail::async_walk<listing<prompt>>(get_executor(), list_prompts(std::move(options)),
                                               std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_tools_page(std::optional<std::string> from, call_options options, Token&& token) const {
    return detail::async_walk<list_tools_result>(get_executor(), list_tools_page(std::move(from), std::move(options)),
                                                 std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_resources_page(std::optional<std::string> from, call_options options, Token&& token) const {
    return detail::async_walk<list_resources_result>(
        get_executor(), list_resources_page(std::move(from), std::move(options)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_resource_templates_page(std::optional<std::string> from, call_options options, Token&& token) const {
    return detail::async_walk<list_resource_templates_result>(
        get_executor(), list_resource_templates_page(std::move(from), std::move(options)), std::forward<Token>(token));
  }
  template <class Token>
  auto async_list_prompts_page(std::optional<std::string> from, call_options options, Token&& token) const {
    return detail::async_walk<list_prompts_result>(
        get_executor(), list_prompts_page(std::move(from), std::move(options)), std::forward<Token>(token));
  }

  /// Walks lazily: pages<tool>(), pages<resource>(), pages<resource_template>(), pages<prompt>().
  template <class T>
  [[nodiscard]] pager<T> pages(call_options options = call_options()) const {
    return pager<T>(core(), std::move(options));
  }

  /// Gives `f` the whole list after each change (one refresh in flight, one trailing, 300 ms debounce), on the
  /// client's executor, until the returned handle is destroyed; and an error where the server turns out not to tell of
  /// changes (errc::capability_missing) or cannot for now: the list comes again when it can.
  COMCP_LAZY [[nodiscard]] watch_handle watch_tools(std::function<void(result<listing<tool>>)> f) const;
  COMCP_LAZY [[nodiscard]] watch_handle watch_resources(std::function<void(result<listing<resource>>)> f) const;
  COMCP_LAZY [[nodiscard]] watch_handle watch_prompts(std::function<void(result<listing<prompt>>)> f) const;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/server_lists.ipp>
#endif
