// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Asking for the inputs of a configured server, before there is anything else to do.
#include <algorithm>
#include <string>

#include "configured.hpp"
#include "prompt_terminal.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::string question(comcp::config_input const& asked) {
  std::string text = printable(asked.description.empty() ? asked.id : asked.description);
  for (auto const& o : asked.options) text.append("\n  ").append(one_line(o));
  if (asked.default_value && !asked.password) text.append(" [").append(one_line(*asked.default_value)).append("]");
  return text + "\n> ";
}

}  // namespace

std::optional<bool> ask_yes(std::string_view question) {
  prompt_terminal const at;
  if (!at.is_open()) return {};
  auto const answer = at.ask(question, false);
  return answer == "y" || answer == "yes";
}

comcp::result<comcp::secret> ask_input(comcp::config_input const& asked) {
  prompt_terminal const at;
  while (at.is_open()) {
    auto answer = at.ask(question(asked), asked.password);
    if (!answer) return comcp::error(comcp::errc::cancelled, "it was not answered");
    if (answer->empty() && asked.default_value) answer = asked.default_value;
    auto const& allowed = asked.options;
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), *answer) != allowed.end())
      return comcp::secret(std::move(*answer));
    at.print("one of these, please\n");
  }
  if (asked.default_value) return comcp::secret(*asked.default_value);
  return comcp::error(comcp::errc::not_found, "nobody sits at a terminal to be asked");
}

}  // namespace cli
