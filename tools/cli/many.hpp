// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands over all servers of a configuration at once.
#pragma once

#include <memory>

#include <asio/awaitable.hpp>

#include "handler.hpp"

namespace cli {

/// The command of the options for all of options::servers; gives the exit code. Servers that are lost meanwhile are
/// started again. Throws comcp::exception and usage_error.
asio::awaitable<int> run_many(std::shared_ptr<surroundings> around);

}  // namespace cli
