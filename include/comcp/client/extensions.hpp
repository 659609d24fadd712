// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The extensions of a client, as the last step of a call's way asks them. Internal.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/extension_part.hpp>
#include <comcp/protocol/subscriptions.hpp>

namespace comcp {
class client_core;

namespace detail {

/// All of a client's. On home only.
class extensions {
 public:
  COMCP_LAZY explicit extensions(client_core& core);

  /// What a call of theirs, or any other, gets of them: the rules of its method, members of `_meta` and parameters. Whose
  /// the result is, where one has changed the parameters.
  COMCP_LAZY extension_part* prepare(prepared_call& c) const;
  /// Whose such a result is; null for nobody's.
  COMCP_LAZY [[nodiscard]] extension_part* claimant(std::string_view method, json::view result) const;
  /// Whether one of them tells servers of calls that ended before their time.
  COMCP_LAZY [[nodiscard]] bool abandon_calls() const noexcept;
  COMCP_LAZY asio::awaitable<reply> complete(extension_part& part, prepared_call const& c, json::value result) const;
  /// Its caller went away before the answer, which may be that the server has begun something for nobody. `part`: who
  /// changed its parameters, or null.
  COMCP_LAZY void left(request_id id, extension_part* part, prepared_call const& c) noexcept;
  /// For inbound.
  COMCP_LAZY void answered_late(request_id id, std::string_view result);
  COMCP_LAZY bool notified(std::string const& method, json::value const& params) const;
  COMCP_LAZY void listen(subscription_filter& wanted) const;

 private:
  struct left_call {
    extension_part* part;
    wire::method method;
    std::string params;
    std::stop_source heard_of;
  };
  COMCP_LAZY [[nodiscard]] bool add_params(extension_part const& part, prepared_call& c) const;
  COMCP_LAZY void abandon(extension_part& part, wire::method m, std::string params, json::value result) const;
  COMCP_LAZY static asio::awaitable<void> forget(std::shared_ptr<void> core, extensions& self, request_id id,
                                                 std::stop_token heard_of);

  client_core& core_;
  std::vector<std::unique_ptr<extension_part>> parts_;
  std::map<request_id, left_call> left_;
};

}  // namespace detail
}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/extensions.ipp>
#include <comcp/client/impl/completion.ipp>
#endif
