// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of the tool: connects, runs the command, closes, and turns what happened into an exit code. Ctrl-C
// cancels the command, tells the server and closes; a second one ends at once, or within a second where the run is busy.
#pragma once

#include <memory>
#include <utility>

#include <comcp/client/connect.hpp>

#include "handler.hpp"
#include "options.hpp"

namespace cli {

/// What a command works with.
struct session {
  session(comcp::client c, std::shared_ptr<surroundings> s) noexcept : client(std::move(c)), around(std::move(s)) {}

  comcp::client client;
  std::shared_ptr<surroundings> around;

  [[nodiscard]] options const& opts() const noexcept { return around->opts; }
  /// Timeouts and the progress bar.
  [[nodiscard]] comcp::call_options call_options() const;
};

/// Everything; gives the exit code.
int run_session(options const& o);

}  // namespace cli
