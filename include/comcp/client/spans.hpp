// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Spans of a client: connect_options().spans(hook). Calls are told as OpenTelemetry's conventions for MCP want them: from
// the moment that they are asked for until their caller has the result, interceptors, rounds and repetitions included. A
// call's parent is what call_options().trace() or meta("traceparent", ...) said, and what it carries is its span's own
// context. A request of the server has the server's as its parent. The handshake is a connection's, and carries nothing.
// mcp.session.id is left out: here it is a secret.
#pragma once

#include <comcp/client/incoming.hpp>
#include <comcp/client/options.hpp>
#include <comcp/client/pipeline.hpp>
#include <comcp/trace/span.hpp>

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/spans.ipp>
#endif
