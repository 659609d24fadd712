// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A secret line of stdin, from a terminal (which does not show it), a pipe or a file. Nothing else waits meanwhile.
#pragma once

#include <chrono>
#include <string>

#include <asio/awaitable.hpp>

#include <comcp/secret.hpp>

#include "console.hpp"

namespace cli {

/// Shows the question on stderr, and gives the next line without blanks around it. Throws usage_error at the end of input
/// and for an endless line, comcp::exception (errc::timeout) after `most`. May be cancelled.
asio::awaitable<comcp::secret> read_secret_line(console& err, std::string question, std::chrono::milliseconds most);

}  // namespace cli
