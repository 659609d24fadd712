// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Servers over HTTP, beside all of comcp.hpp: comcp::http(url), credentials in headers, sessions that are saved. Apart,
// since it is a quarter of what a compiler would have to read.
#pragma once

#include <comcp/requirements.hpp>

#include <comcp/comcp.hpp>
#include <comcp/transport/http.hpp>
