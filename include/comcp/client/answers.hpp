// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is done to a handler's answer before the server sees it. Instantiated only for handlers that give such
// answers, so that a program without elicitation does not compile the schema validator. Internal.
#pragma once

#include <asio/awaitable.hpp>

#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp::detail {

/// Form mode: content only on accept, its omitted fields filled with the schema's defaults, then checked against
/// the schema. Errors: validation_failed.
asio::awaitable<result<json::fragment>> completed_elicitation(json::value request,
                                                              asio::awaitable<result<json::fragment>> answer);

/// Roots are file:// uris. Errors: invalid_argument.
asio::awaitable<result<json::fragment>> checked_roots(asio::awaitable<result<json::fragment>> answer);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/answers.ipp>
#endif
