// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs.hpp"

#include "subscriptions.hpp"
#include "tools.hpp"

namespace demo {

json::object jobs::run(call& c) {
  auto const text = c.text("text");
  if (!c.declares(jobs_extension)) return text_result(text);
  std::lock_guard const lock(lock_);
  if (all_.size() >= 1000) throw tool_failure{"there are too many jobs"};
  auto id = "job-" + std::to_string(all_.size() + 1);
  all_.emplace(id, entry{text});
  throw other_result{"job", json::object().set("jobId", id)};
}

json::object jobs::get(call& c) {
  auto const id = c.text_param("jobId");
  json::object job;
  {
    std::lock_guard const lock(lock_);
    auto const found = all_.find(id);
    if (found == all_.end()) throw rpc_error{invalid_params, "No such job: " + id};
    if (!std::exchange(found->second.looked_at, true)) return job.set("jobId", id).set("status", "working");
    job.set("jobId", id).set("status", "done").set("result", text_result(found->second.text));
  }
  subscribers_.job_done(id);
  return job;
}

}  // namespace demo
