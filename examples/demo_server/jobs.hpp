// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An extension of this server's own, com.example/jobs: its tool `job` answers who declared that with a job in place of a
// result ("resultType": "job"); jobs/get has the result at its second look, and notifications/jobs/done tells of it
// (modern era: to listen streams whose filter says "jobs": true).
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "call.hpp"

namespace demo {

inline constexpr auto jobs_extension = "com.example/jobs";

class subscriptions;

/// Safe from any thread.
class jobs {
 public:
  explicit jobs(subscriptions& subscribers) noexcept : subscribers_(subscribers) {}

  /// The tool.
  json::object run(call& c);
  /// jobs/get
  json::object get(call& c);

 private:
  struct entry {
    std::string text;
    bool looked_at = false;
  };

  subscriptions& subscribers_;
  std::mutex lock_;
  std::map<std::string, entry> all_;
};

}  // namespace demo
