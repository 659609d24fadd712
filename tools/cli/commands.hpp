// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the commands do once the connection is ready. They print, and give the exit code; they throw what the client
// throws, and usage_error.
#pragma once

#include <asio/awaitable.hpp>

#include "session.hpp"

namespace cli {

/// The command of the options.
asio::awaitable<int> run_command(session& s);
/// listen.cpp: both eras.
asio::awaitable<int> listen(session& s);

}  // namespace cli
