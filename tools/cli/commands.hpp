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
/// The arguments of `call` as the schema says (null: nothing is known); what it does not name is told.
comcp::json::fragment call_arguments(surroundings& around, comcp::json::view schema);
/// Whether a call that failed in this way is to be sent again: the user went to the pages that the server wants to be
/// seen first (-32042), and says or the server tells that it is done.
asio::awaitable<bool> visited(std::shared_ptr<surroundings> around, comcp::error why);
/// listen.cpp: both eras.
asio::awaitable<int> listen(session& s);
/// tasks.cpp: of the options' action, and a call that is begun as a task.
asio::awaitable<int> tasks(session& s);
asio::awaitable<int> call_as_task(session& s, comcp::json::fragment arguments);

}  // namespace cli
