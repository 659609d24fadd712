// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What oauth tells a tracing system: its work for one server, and the requests of it. Internal.
#pragma once

#include <memory>

#include <asio/awaitable.hpp>

#include <comcp/auth/oauth_http.hpp>
#include <comcp/auth/oauth_session.hpp>
#include <comcp/trace/span.hpp>

namespace comcp::detail {

/// Below `above`.
COMCP_LAZY oauth_sender traced_sender(oauth_sender send, span_hook const& hook, trace_context const& above);

/// A span of work for this server, to which its requests belong until it ends.
class oauth_work {
 public:
  COMCP_LAZY oauth_work(oauth_core const& core, session_ptr s, char const* name);
  oauth_work(oauth_work const&) = delete;
  oauth_work& operator=(oauth_work const&) = delete;
  ~oauth_work() { session_->trace = before_; }
  COMCP_LAZY void event(char const* name) { span_.event(name); }
  COMCP_LAZY result<void> ended(result<void> how);

 private:
  session_ptr session_;
  open_span span_;
  trace_context before_;
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/auth/impl/oauth_spans.ipp>
#endif
