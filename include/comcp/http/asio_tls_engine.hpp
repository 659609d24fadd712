// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The default engine with TLS: http and https on OpenSSL.
#pragma once

#include <comcp/http/asio_engine.hpp>
#include <comcp/http/tls_connector.hpp>

namespace comcp {

/// As asio_engine, for https URLs too.
using asio_tls_engine = basic_asio_engine<tls_connector>;

static_assert(engine<asio_tls_engine>);

}  // namespace comcp
