// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/auth/oauth_spans.hpp>
#include <comcp/http/traced_engine.hpp>

namespace comcp::detail {
namespace oauth_detail {

COMCP_LAZY inline asio::awaitable<result<oauth_response>> send_traced(oauth_sender send, http_request r, open_span of) {
  auto sending = send(std::move(r));
  auto got = co_await std::move(sending);
  if (!got) {
    of.fail(got.error());
  } else {
    of.set("http.response.status_code", std::int64_t{got->status});
    http_detail::end_span(of, got->status);
  }
  co_return got;
}

}  // namespace oauth_detail

COMCP_LAZY_DECL oauth_sender traced_sender(oauth_sender send, span_hook const& hook, trace_context const& above) {
  return [send = std::move(send), hook, above](http_request r) {
    if (!above.traceparent.empty()) (void)r.headers.set("traceparent", above.traceparent);
    if (!above.tracestate.empty()) (void)r.headers.set("tracestate", above.tracestate);
    auto of = http_detail::begin_span(hook, r);
    return oauth_detail::send_traced(send, std::move(r), std::move(of));
  };
}

COMCP_LAZY_DECL oauth_work::oauth_work(oauth_core const& core, session_ptr s, char const* name)
    : session_(std::move(s)), before_(session_->trace) {
  if (!core.options.spans()) return;
  span_start start(span_layer::authorization, span_kind::internal, name);
  start.attributes.emplace_back("server.address", std::string(session_->server.host_name()));
  start.parent = before_;
  span_ = open_span(core.options.spans(), std::move(start));
  session_->trace = span_.context();
}

COMCP_LAZY_DECL result<void> oauth_work::ended(result<void> how) {
  how ? span_.end() : span_.fail(how.error());
  return how;
}

}  // namespace comcp::detail
