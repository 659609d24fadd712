// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Elicitation at the terminal: a form is asked field by field, an address is shown and never opened. One dialog at
// a time; without a terminal everything is declined.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/protocol/elicitation.hpp>

#include "console.hpp"
#include "terminal.hpp"

namespace cli {

class dialogs {
 public:
  dialogs(asio::any_io_executor const& executor, console& err);

  asio::awaitable<comcp::elicit_result> form(comcp::elicit_params asked, std::string server);
  asio::awaitable<comcp::elicit_result> url(comcp::elicit_params asked, std::string server);

  /// Waits until the user says to have been at these pages, or the server has told so of each. False where the user did
  /// not go to one of them, gives up, or nobody sits at a terminal.
  asio::awaitable<bool> visited(std::vector<std::string> ids);
  /// The server says that this visit is complete.
  void complete(std::string const& id);

 private:
  class turn;
  enum class outcome { filled, again, decline, cancel };
  asio::awaitable<void> my_turn();
  asio::awaitable<outcome> fill(comcp::elicit_params const& asked, std::vector<comcp::form_field> const& fields,
                                std::string& content);
  asio::awaitable<outcome> fill_field(comcp::elicit_params const& asked, comcp::form_field const& field,
                                      std::string& text);
  asio::awaitable<outcome> confirm(std::string question, bool may_repeat);
  void introduce(std::string const& server, std::string const& message, std::string const& what);

  console& err_;
  std::unique_ptr<terminal> terminal_;
  asio::steady_timer queue_;  // expires never; cancelled when a dialog ends
  bool busy_ = false;
  // The pages that the user went to, those that the server called complete, and those that visited() waits for.
  static constexpr std::size_t most_pages = 1000;
  std::set<std::string> accepted_, completed_, awaited_;
};

}  // namespace cli
