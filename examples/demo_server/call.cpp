// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <algorithm>
#include <array>

namespace demo {

namespace {

constexpr std::array<std::string_view, 8> levels{"debug", "info",     "notice", "warning",
                                                 "error", "critical", "alert",  "emergency"};

std::string string_of(std::optional<json::value> const& v, std::string_view otherwise) {
  return v && v->is_string() ? std::string(v->as_string()) : std::string(otherwise);
}

/// The answer that the client gave to a legacy request.
json::value answer_in(json::value const& message) {
  if (auto const result = message.find("result")) return *result;
  auto const error = message.find("error");
  auto const text = string_of(error && error->is_object() ? error->find("message") : std::nullopt, "no reason given");
  throw tool_failure{"the client refused: " + text};
}

}  // namespace

std::optional<int> log_level(std::string_view name) {
  auto const at = std::find(levels.begin(), levels.end(), name);
  if (at == levels.end()) return std::nullopt;
  return static_cast<int>(at - levels.begin());
}

std::string question_book::add(std::shared_ptr<call> asker) {
  std::lock_guard const lock(lock_);
  auto id = "\"ask-" + std::to_string(++last_) + '"';
  open_.emplace(id, std::move(asker));
  return id;
}

std::shared_ptr<call> question_book::take(std::string const& id) {
  std::lock_guard const lock(lock_);
  auto const at = open_.find(id);
  if (at == open_.end()) return nullptr;
  auto asker = std::move(at->second);
  open_.erase(at);
  return asker;
}

call::call(json::value message, caller from, channel_ptr out, question_book& questions)
    : params_(message.find("params").value_or(json::value())),
      from_(std::move(from)),
      out_(std::move(out)),
      questions_(questions),
      id_(json::fragment::trusted(message["id"].dump())),
      method_(message["method"].as<std::string>()) {}

std::string call::text_param(std::string_view key) const {
  auto const found = params_.find(key);
  if (!found || !found->is_string())
    throw rpc_error{invalid_params, "params." + std::string(key) + " must be a string"};
  return std::string(found->as_string());
}

std::optional<json::value> call::argument(std::string_view key) const {
  auto const arguments = params_.find("arguments");
  return arguments ? arguments->find(key) : std::nullopt;
}

std::string call::text(std::string_view key) const {
  auto const found = argument(key);
  if (!found || !found->is_string()) throw tool_failure{"the argument '" + std::string(key) + "' must be a string"};
  return std::string(found->as_string());
}

json::value call::number(std::string_view key) const {
  auto found = argument(key);
  if (!found || !found->is_number()) throw tool_failure{"the argument '" + std::string(key) + "' must be a number"};
  return *std::move(found);
}

std::int64_t call::integer(std::string_view key, std::int64_t fallback) const {
  auto const found = argument(key);
  if (!found) return fallback;
  auto const read = found->get<std::int64_t>();
  if (!read) throw tool_failure{"the argument '" + std::string(key) + "' must be an integer"};
  return *read;
}

bool call::flag(std::string_view key) const {
  auto const found = argument(key);
  return found && found->get<bool>().value_or(false);
}

void call::progress(double done, double total, std::string_view message) {
  auto const token = params_.pointer("/_meta/progressToken");
  if (!token) return;
  send(notification_text("notifications/progress",
                         comcp::args("progressToken", *token, "progress", done, "total", total, "message", message)));
}

void call::log(std::string_view level, std::string_view message) {
  auto const index = log_level(level);
  if (!index) throw tool_failure{"unknown level '" + std::string(level) + '\''};
  if (!from_.least_log_level || *index < *from_.least_log_level) return;
  send(notification_text("notifications/message", comcp::args("level", level, "logger", "demo", "data", message)));
}

void call::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(lock_);
  if (changed_.wait_for(lock, time, [this] { return cancelled_.has_value(); })) throw call_cancelled{};
}

void call::wait_for_cancel() {
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return cancelled_.has_value(); });
  throw call_cancelled{};
}

json::value call::ask(question const& q) {
  require_capability(q);
  return modern() ? ask_in_round(q) : ask_over_the_wire(q);
}

void call::require_capability(question const& q) const {
  auto const declared = from_.capabilities.find(q.capability);
  // An empty elicitation capability means form.
  bool const has_mode = declared && (q.mode.empty() || declared->contains(q.mode) ||
                                     (q.mode == "form" && declared->is_object() && declared->empty()));
  if (has_mode) return;
  auto const name = q.capability + (q.mode.empty() ? "" : '.' + q.mode);
  if (!modern()) throw tool_failure{"this tool needs the client capability " + name};
  json::object wanted;
  if (!q.mode.empty()) wanted.set(q.mode, json::object());
  throw rpc_error{-32021, "This tool needs the client capability " + name,
                  comcp::args("requiredCapabilities", json::object().set(q.capability, wanted))};
}

json::value call::ask_in_round(question const& q) const {
  auto const answers = params_.find("inputResponses");
  auto answer = answers ? answers->find(q.key) : std::nullopt;
  auto const state = params_.find("requestState");
  if (answers && state.has_value() != !q.state.empty())
    throw rpc_error{invalid_params, q.state.empty() ? "there was no requestState" : "the requestState is missing"};
  if (state && string_of(state, "") != q.state) throw rpc_error{invalid_params, "this is not the requestState given"};
  if (answer) return *std::move(answer);
  json::object requests;
  requests.set(q.key, json::object().set("method", q.method).set("params", q.params));
  throw input_needed{std::move(requests), q.state};
}

json::value call::ask_over_the_wire(question const& q) {
  auto const question_id = questions_.add(shared_from_this());
  bool const sent = send(request_text(json::fragment::trusted(question_id), q.method, q.params));
  std::unique_lock lock(lock_);
  changed_.wait(lock, [this] { return cancelled_ || answer_; });
  if (answer_) {
    auto const message = *std::exchange(answer_, std::nullopt);
    return answer_in(message);
  }
  lock.unlock();
  if (questions_.take(question_id) && sent) {
    auto const id = json::fragment::trusted(question_id);
    out_->send(notification_text("notifications/cancelled",
                                comcp::args("requestId", id, "reason", "the call that asked was cancelled")));
  }
  throw call_cancelled{};
}

void call::reply(json::object result) { send(result_text(id_, result)); }

void call::fail(rpc_error const& error) { send(error_text(id_, error)); }

bool call::send(std::string message) {
  std::lock_guard const lock(lock_);
  if (cancelled_) return false;
  out_->send(std::move(message));
  return true;
}

void call::cancel(std::string reason) {
  std::lock_guard const lock(lock_);
  cancelled_ = std::move(reason);
  changed_.notify_all();
}

void call::answered(json::value message) {
  std::lock_guard const lock(lock_);
  answer_ = std::move(message);
  changed_.notify_all();
}

std::string call::cancel_reason() const {
  std::lock_guard const lock(lock_);
  return cancelled_.value_or("");
}

}  // namespace demo
