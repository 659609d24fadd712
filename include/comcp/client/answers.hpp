// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is done to a handler's answer before the server sees it. Called by templates only, so that a program without
// elicitation does not compile the schema validator. Internal.
#pragma once

#include <comcp/client/context.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp::detail {

/// Content only on accept and in form mode: its omitted fields filled with the schema's defaults, then checked against
/// the schema as the client's options say. Errors: validation_failed.
result<json::fragment> complete_elicitation(context const& ctx, json::view request, json::fragment const& answered);

/// Roots are file:// uris with a normal path. Errors: invalid_argument.
result<void> check_roots(json::fragment const& answered);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/answers.ipp>
#endif
