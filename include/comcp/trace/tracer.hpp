// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The hook that sees every message as text, both ways: for `comcp --trace`, recordings and logs.
#pragma once

#include <functional>
#include <string_view>

namespace comcp {

enum class direction { sent, received };

/// Called on the client's executor with each message; the text is valid for the call only. What it
/// throws is dropped, and a fault for the observer. Empty: no cost.
using tracer = std::function<void(direction, std::string_view message)>;

}  // namespace comcp
