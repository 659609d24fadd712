// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a flow is decided by, without I/O: who the client is, which grant it uses, and what it refuses. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <comcp/auth/endpoint_policy.hpp>
#include <comcp/auth/metadata.hpp>
#include <comcp/auth/registration.hpp>

namespace comcp {

/// Chooses one of several authorization servers that a resource names: its index; nothing refuses them all.
using server_choice = std::function<std::optional<std::size_t>(protected_resource_metadata const&)>;

struct oauth_profile {
  enum class grant { authorization_code, client_credentials, jwt_bearer };

  oauth_profile() = default;

  grant kind = grant::authorization_code;
  std::vector<oauth_client> clients;  ///< Pre-registered.
  std::string client_metadata_url;    ///< https with a path; empty: none.
  client_metadata metadata;           ///< For dynamic registration.
  bool dynamic_registration = true;
  std::optional<std::string> scope;   ///< In place of what the server asks for; step-up still adds.
  std::optional<std::string> issuer;  ///< Pinned: any other is refused; also used where the server names none.
  std::optional<std::string> resource;  ///< Pinned.
  bool step_up = true;
  bool offline_access = true;         ///< Ask for it where it is offered.
  bool dpop = false;
  server_choice choose;               ///< By default the first.
  std::function<bool(std::string const& resource)> accept_wider;  ///< As oauth_options has it.
  endpoint_policy policy;
  bool legacy_fallback = true;        ///< 2025-03-26: metadata or default endpoints at the server's origin.
};

}  // namespace comcp
