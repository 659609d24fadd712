// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// For sources that are given a client and use it: comcp::client, its operations and their types, without what connects.
// Header-only, those that subscribe, listen, watch a list or reconnect include comcp/comcp.hpp.
#pragma once

#include <comcp/requirements.hpp>

#include <comcp/client/client.hpp>
#include <comcp/error.hpp>
#include <comcp/json/build.hpp>
#include <comcp/json/describe.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>
