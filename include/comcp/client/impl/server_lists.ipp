// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/server_lists.hpp>

namespace comcp {
namespace detail {

template <class T>
watch_handle watch_list(std::shared_ptr<client_link> const& core, typename list_watcher<T>::listener f) {
  auto const watcher = std::make_shared<list_watcher<T>>(core, std::move(f));
  detail::dispatch(core->home(), [watcher, core] {
    if (watcher->stopped) return;
    watcher->handle = subscriptions_of<client_core>(*core).watch(
        std::string(list_traits<T>::kind), [watcher] { watcher->changed(); },
        [watcher](error const& why) { watcher->silent(why); });
  });
  return watch_handle([watcher, weak = std::weak_ptr(core)] {
    watcher->stopped = true;
    auto const alive = weak.lock();
    if (!alive) return;
    detail::dispatch(alive->home(), [watcher, alive] {
      if (watcher->handle) alive->subscriptions(nullptr).unwatch(watcher->handle);
    });
  });
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<listing<tool>> server_lists::list_tools(call_options options) const {
  return detail::list_all<tool>(core_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<listing<resource>> server_lists::list_resources(call_options options) const {
  return detail::list_all<resource>(core_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<listing<resource_template>> server_lists::list_resource_templates(
    call_options options) const {
  return detail::list_all<resource_template>(core_, std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<listing<prompt>> server_lists::list_prompts(call_options options) const {
  return detail::list_all<prompt>(core_, std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<list_tools_result> server_lists::list_tools_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<tool>(core_, std::move(from), std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<list_resources_result> server_lists::list_resources_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<resource>(core_, std::move(from), std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<list_resource_templates_result> server_lists::list_resource_templates_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<resource_template>(core_, std::move(from), std::move(options));
}
COMCP_LAZY_DECL asio::awaitable<list_prompts_result> server_lists::list_prompts_page(
    std::optional<std::string> from, call_options options) const {
  return detail::list_page<prompt>(core_, std::move(from), std::move(options));
}

COMCP_LAZY_DECL watch_handle server_lists::watch_tools(std::function<void(result<listing<tool>>)> f) const {
  return detail::watch_list<tool>(core(), std::move(f));
}
COMCP_LAZY_DECL watch_handle server_lists::watch_resources(std::function<void(result<listing<resource>>)> f) const {
  return detail::watch_list<resource>(core(), std::move(f));
}
COMCP_LAZY_DECL watch_handle server_lists::watch_prompts(std::function<void(result<listing<prompt>>)> f) const {
  return detail::watch_list<prompt>(core(), std::move(f));
}

}  // namespace comcp
