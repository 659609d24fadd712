// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// All of comcp that needs no further library. Opt-in headers (adapters to other JSON libraries, engines that need
// TLS) are included by name.
#pragma once

#include <comcp/error.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>
