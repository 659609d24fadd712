// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What oauth tells a tracing system: its work for one server, and the requests of it. Internal.
#pragma once

#include <memory>

#include <asio/awaitable.hpp>

#include <comcp/auth/oauth_http.hpp>
#include <comcp/trace/span.hpp>

namespace comcp::detail {

struct oauth_core;
struct oauth_session;

/// Below `above`.
COMCP_LAZY oauth_sender traced_sender(oauth_sender send, span_hook const& hook, trace_context const& above);

/// A span of work for a server, which its requests are given as theirs; none without a hook.
COMCP_LAZY open_span begin_work(oauth_core const& core, oauth_session const& s, char const* name);
/// Ends it with this, which it hands on.
template <class T>
result<T> ended(open_span& work, result<T> how) {
  how ? work.end() : work.fail(how.error());
  return how;
}

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/oauth_spans.ipp>
#endif
