// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The way out that needs no thread: for a run that is busy, or waits for somebody to read its output.
#pragma once

namespace cli {

/// While it lives, SIGINT and SIGTERM still go to whoever handled them before; the second one of them ends the process
/// within a second, whatever it is doing, and the third at once (exit status 128 + signal). A server process that is
/// left then sees the end of its stdin. On Windows they are Ctrl-C and Ctrl-Break. Made behind the handler that it goes on to, destroyed before that.
class last_resort {
 public:
  last_resort();
  ~last_resort();
  last_resort(last_resort const&) = delete;
  last_resort& operator=(last_resort const&) = delete;
};

}  // namespace cli
