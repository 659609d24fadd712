// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// stderr: lines, and on a terminal a progress bar that keeps out of their way.
#pragma once

#include <string>
#include <string_view>

#include <comcp/protocol/progress.hpp>

#include "text.hpp"

namespace cli {

class console {
 public:
  console();
  ~console();
  console(console const&) = delete;
  console& operator=(console const&) = delete;

  /// One line, or several.
  void line(server_text text);
  /// A bar on a terminal, a line elsewhere.
  void progress(comcp::progress_notification const& p);
  /// The server's stderr as it comes, in lines of any cut.
  void server_stderr(std::string_view piece);
  /// Takes the bar away; the next progress brings it back.
  void clear();
  /// Takes it away for good: the command was interrupted.
  void no_more_progress();

 private:
  bool terminal_;
  bool shows_progress_ = true;
  std::string bar_;         // as it is shown now
  std::string unfinished_;  // of the server's stderr
};

}  // namespace cli
