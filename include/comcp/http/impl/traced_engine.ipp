// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <comcp/http/traced_engine.hpp>

namespace comcp::http_detail {

COMCP_DECL comcp::detail::open_span begin_span(span_hook const& hook, http_request& request) {
  span_start s(span_layer::http, span_kind::client, request.method);
  s.attributes.emplace_back("http.request.method", request.method);
  s.attributes.emplace_back("url.full", request.url.origin() + request.url.path());  // a query may hold secrets
  s.attributes.emplace_back("server.address", std::string(request.url.host_name()));
  s.attributes.emplace_back("server.port", std::int64_t{request.url.port()});
  auto const said = [&request](char const* name) {
    auto const* const value = request.headers.find(name);
    return value ? *value : std::string();
  };
  s.parent = trace_context(said("traceparent"), said("tracestate"), said("baggage")).well_formed();
  comcp::detail::open_span of(hook, std::move(s));
  auto const carry = [&request](char const* name, std::string const& text) {
    if (text.empty()) request.headers.remove(name);
    else (void)request.headers.set(name, text);
  };
  carry("traceparent", of.context().traceparent);
  carry("tracestate", of.context().tracestate);
  carry("baggage", of.context().baggage);
  return of;
}

COMCP_DECL void end_span(comcp::detail::open_span& of, int status) {
  if (status < 400) return of.end();
  auto const code = std::to_string(status);
  of.set("error.type", code);
  of.end("HTTP " + code);
}

COMCP_DECL void fail_span(comcp::detail::open_span& of, error const& why) noexcept {
  why == errc::cancelled ? of.end() : of.fail(why);
}

COMCP_DECL bool ends_at_head(http_response_head const& head, bool is_get) {
  auto const* const type = head.headers.find("Content-Type");
  return is_get && head.status < 300 && type && type->starts_with("text/event-stream");
}

}  // namespace comcp::http_detail
