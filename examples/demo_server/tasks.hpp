// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks: the tool `research` becomes one, for clients with the extension io.modelcontextprotocol/tasks (modern era) and for
// calls that ask for it (2025-11-25). A task goes one step on each time that somebody looks at it.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "call.hpp"

namespace demo {

inline constexpr auto tasks_extension = "io.modelcontextprotocol/tasks";

/// Of the whole process: they outlive a session. Safe from any thread.
class task_book {
 public:
  static task_book& shared();

  /// The tool.
  json::object begin(call& c);
  // tasks/get, tasks/result, tasks/cancel and tasks/list
  json::object get(call& c);
  json::object result(call& c);
  json::object cancel(call& c);
  json::object list(call& c);

 private:
  struct entry {
    std::string topic;
    std::int64_t wanted;  // looks
    std::int64_t looks = 0;
    bool is_cancelled = false;
  };

  entry& find(call& c, std::string const& id);
  static std::string status(entry const& e);
  static json::object state(call const& c, std::string const& id, entry const& e);

  std::mutex lock_;
  std::map<std::string, entry> all_;
};

}  // namespace demo
