// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Which server of a registry a call goes to, how long it waits for it, and what is subscribed there. On home only.
// Internal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <asio/awaitable.hpp>

#include <comcp/registry/member.hpp>

namespace comcp::detail {

class registry_calls {
 public:
  using member = std::shared_ptr<registry_member>;

  explicit registry_calls(registry_core& core) noexcept : core_(core) {}

  // Operations.
  COMCP_LAZY asio::awaitable<call_tool_result> call(std::string name, json::fragment arguments, call_options options);
  COMCP_LAZY asio::awaitable<read_resource_result> read(std::string server, std::string uri, call_options options);
  COMCP_LAZY asio::awaitable<get_prompt_result> prompt(std::string server, std::string name, json::fragment arguments,
                                                       call_options options);
  COMCP_LAZY asio::awaitable<void> subscribe(std::string server, std::string uri, updated_callback f,
                                             call_options options);
  COMCP_LAZY asio::awaitable<void> unsubscribe(std::string server, std::string uri, call_options options);

  /// At a client that is another one than before.
  COMCP_LAZY void subscribe_again(member const& m);
  COMCP_LAZY [[nodiscard]] patience patience_for(registry_member const& m, call_options const& o) const;
  /// Until something about the server changes. Throws where there is nothing to wait for, or no time left.
  COMCP_LAZY asio::awaitable<void> wait_for(member m, patience p);

 private:
  struct route;

  COMCP_LAZY [[nodiscard]] result<route> resolve(std::string_view name);
  COMCP_LAZY [[nodiscard]] result<route> resolve_bare(std::string_view name, error otherwise);
  COMCP_LAZY [[nodiscard]] result<route> resolve_at(member const& m, std::string_view tool);
  COMCP_LAZY [[nodiscard]] error cannot_wait(member const& m, patience const& p) const;
  COMCP_LAZY [[nodiscard]] call_options rest_of(call_options o, registry_member const& m, patience const& p) const;
  COMCP_LAZY asio::awaitable<client> ready(member m, patience p);
  /// Takes off the options' time what it waited.
  COMCP_LAZY asio::awaitable<client> ready_for(member m, call_options& options);
  COMCP_LAZY asio::awaitable<void> subscribe_once_more(member m, std::string uri, updated_callback f);

  registry_core& core_;
};

}  // namespace comcp::detail
