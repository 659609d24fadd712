// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The tools of the demo server. A tool that waits for anything is `slow` and gets a thread of its own; all others
// run on the reading thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "call.hpp"
#include "subscriptions.hpp"

namespace demo {

struct tool {
  std::string name;
  json::fragment definition;  ///< As tools/list shows it.
  bool slow = false;
  std::function<json::object(call&)> run;  ///< Gives the result, or throws what call.hpp names.
};

/// A result with one text block.
json::object text_result(std::string_view text);
/// A definition; `properties` is the JSON of the input schema's properties.
json::fragment define(std::string_view name, std::string_view description, std::string_view properties,
                      std::vector<std::string> const& required, std::string_view output_schema = {},
                      std::string_view task_support = {});

/// The tools that ask the client: ask_name, ask_login, summarize, list_my_roots.
std::vector<tool> asking_tools();

class jobs;

class toolbox {
 public:
  toolbox(subscriptions& subscribers, jobs& work);

  [[nodiscard]] std::vector<json::fragment> list() const;
  /// Nobody for an unknown name. Valid until the next tool is added.
  [[nodiscard]] tool const* find(std::string_view name) const;

 private:
  void add_plain_tools();
  void add_slow_tools();
  void add_tools_that_change_things(subscriptions& subscribers);
  void add_tools_that_go_wrong();
  void add(tool t) { tools_.push_back(std::move(t)); }

  std::vector<tool> tools_;
};

}  // namespace demo
