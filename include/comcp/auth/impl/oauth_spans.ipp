// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <comcp/auth/oauth_session.hpp>
#include <comcp/auth/oauth_spans.hpp>
#include <comcp/http/traced_engine.hpp>

namespace comcp::detail {
namespace oauth_detail {

COMCP_LAZY inline asio::awaitable<result<oauth_response>> send_traced(oauth_sender send, http_request r, open_span of) {
  auto sending = send(std::move(r));
  std::optional<result<oauth_response>> came;
  try {
    auto answer = co_await std::move(sending);
    came.emplace(std::move(answer));
  } catch (...) {
    http_detail::fail_span(of, current_error());
    throw;
  }
  auto& got = *came;
  if (!got) {
    http_detail::fail_span(of, got.error());
  } else {
    of.set("http.response.status_code", std::int64_t{got->status});
    http_detail::end_span(of, got->status);
  }
  co_return std::move(got);
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

COMCP_LAZY_DECL open_span begin_work(oauth_core const& core, oauth_session const& s, char const* name) {
  if (!core.options.spans()) return {};
  span_start start(span_layer::authorization, span_kind::internal, name);
  start.attributes.emplace_back("server.address", std::string(s.server.host_name()));
  return open_span(core.options.spans(), std::move(start));
}

}  // namespace comcp::detail
