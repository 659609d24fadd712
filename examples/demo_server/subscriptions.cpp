// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "subscriptions.hpp"

#include <algorithm>

#include "resources.hpp"

namespace demo {

json::object subscriptions::meta(stream const& s) {
  return json::object().set("io.modelcontextprotocol/subscriptionId", json::fragment::trusted(s.id));
}

std::string subscriptions::end_text(stream const& s) {
  return result_text(json::fragment::trusted(s.id), json::object().set("resultType", "complete").set("_meta", meta(s)));
}

void subscriptions::listen(std::string id, json::value const& filter, channel_ptr out) {
  stream s;
  s.id = std::move(id);
  s.out = std::move(out);
  json::object honoured;
  if (auto const tools = filter.find("toolsListChanged"); tools && tools->get<bool>().value_or(false)) {
    s.tools = true;
    honoured.set("toolsListChanged", true);
  }
  if (auto const jobs = filter.find("jobs"); jobs && jobs->get<bool>().value_or(false)) {
    s.jobs = true;
    honoured.set("jobs", true);
  }
  if (auto const uris = filter.find("resourceSubscriptions")) {
    auto wanted = uris->get<std::vector<std::string>>();
    if (!wanted) throw rpc_error{invalid_params, "resourceSubscriptions must be an array of strings"};
    std::erase_if(*wanted, [](std::string const& uri) { return !resource_exists(uri); });
    s.uris.insert(wanted->begin(), wanted->end());
    honoured.set("resourceSubscriptions", *wanted);
  }
  s.out->send(notification_text("notifications/subscriptions/acknowledged",
                                comcp::args("_meta", meta(s), "notifications", honoured)));
  streams_.push_back(std::move(s));
}

bool subscriptions::cancel(std::string const& id) {
  return std::erase_if(streams_, [&](stream const& s) { return s.id == id; }) != 0;
}

void subscriptions::forget(channel const& out) {
  std::erase_if(streams_, [&](stream const& s) { return s.out.get() == &out; });
}

void subscriptions::end_all(bool abruptly) {
  for (auto const& s : streams_) {
    s.out->send(abruptly ? notification_text("notifications/cancelled",
                                           comcp::args("requestId", json::fragment::trusted(s.id), "reason",
                                                       "the server tears this stream down"))
                       : end_text(s));
  }
  streams_.clear();
}

void subscriptions::end_all_at_exit() {
  for (auto const& s : streams_) s.out->send_if_idle(end_text(s));
  streams_.clear();
}

void subscriptions::tools_changed() {
  if (legacy_) unasked_->send(notification_text("notifications/tools/list_changed", {}));
  for (auto const& s : streams_) {
    if (s.tools) s.out->send(notification_text("notifications/tools/list_changed", comcp::args("_meta", meta(s))));
  }
}

void subscriptions::job_done(std::string const& id) {
  constexpr auto method = "notifications/jobs/done";
  if (legacy_) unasked_->send(notification_text(method, comcp::args("jobId", id)));
  for (auto const& s : streams_) {
    if (s.jobs) s.out->send(notification_text(method, comcp::args("_meta", meta(s), "jobId", id)));
  }
}

void subscriptions::resource_updated(std::string const& uri) {
  if (legacy_uris_.contains(uri))
    unasked_->send(notification_text("notifications/resources/updated", comcp::args("uri", uri)));
  for (auto const& s : streams_) {
    if (!s.uris.contains(uri)) continue;
    s.out->send(notification_text("notifications/resources/updated", comcp::args("_meta", meta(s), "uri", uri)));
  }
}

}  // namespace demo
