// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// http_options().spans(hook): a span for each exchange over HTTP, below that of its call.
#pragma once

#include <memory>
#include <utility>

#include <comcp/http/any_engine.hpp>
#include <comcp/http/traced_engine.hpp>
#include <comcp/transport/http_options.hpp>

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/transport/impl/http_spans.ipp>
#endif
