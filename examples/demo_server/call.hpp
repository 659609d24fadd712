// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One request while it is being answered: its parameters, progress, log messages, cancellation, and questions to
// the client. Here the two eras become one for the tools.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "channel.hpp"

namespace demo {

/// Becomes a tool result with isError.
struct tool_failure {
  std::string message;
};
/// Ends a call that the client has cancelled; nothing is answered.
struct call_cancelled {};
/// Ends a call with what an extension answers in place of its result: of this resultType.
struct other_result {
  std::string type;
  json::object result;
};
/// Ends a modern call that needs input first; becomes the input_required result.
struct input_needed {
  json::object requests;
  std::string state;
};

/// A question to the client while a call runs.
struct question {
  std::string key;     ///< Its name among the inputRequests of a modern round.
  std::string method;  ///< elicitation/create, sampling/createMessage or roots/list.
  json::object params;
  std::string capability;  ///< The client capability that it needs...
  std::string mode = {};   ///< ...and its sub-capability, if any.
  std::string state = {};  ///< requestState of a modern round; empty sends none.
};

/// Index into debug ... emergency; nothing for an unknown level.
std::optional<int> log_level(std::string_view name);

class call;

/// The questions (legacy requests from the server) that wait for an answer, by id.
class question_book {
 public:
  std::string add(std::shared_ptr<call> asker);
  /// Nobody for an unknown id.
  std::shared_ptr<call> take(std::string const& id);

 private:
  std::mutex lock_;
  std::map<std::string, std::shared_ptr<call>> open_;
  int last_ = 0;
};

/// What a call knows of the one who asks.
struct caller {
  bool modern = false;
  json::value capabilities;            ///< The client's.
  std::optional<int> least_log_level;  ///< Nothing: send no log messages.
};

/// Made on the reading thread, may be run on another one.
class call : public std::enable_shared_from_this<call> {
 public:
  call(json::value message, caller from, channel_ptr out, question_book& questions);

  [[nodiscard]] bool modern() const noexcept { return from_.modern; }
  [[nodiscard]] std::string const& id() const noexcept { return id_.text(); }
  [[nodiscard]] std::string_view method() const { return method_; }
  [[nodiscard]] json::value const& params() const noexcept { return params_; }
  /// Whether the client declared this extension.
  [[nodiscard]] bool declares(std::string_view extension) const {
    auto const all = from_.capabilities.find("extensions");
    return all && all->contains(extension);
  }
  /// Where everything goes that this call says.
  [[nodiscard]] channel_ptr const& out() const noexcept { return out_; }

  /// Members of params; throw invalid_params when missing or of another kind.
  [[nodiscard]] std::string text_param(std::string_view key) const;
  /// Members of params.arguments; throw tool_failure when missing or of another kind.
  [[nodiscard]] std::string text(std::string_view key) const;
  [[nodiscard]] json::value number(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t fallback) const;
  [[nodiscard]] bool flag(std::string_view key) const;

  /// Sends nothing when the client gave no progressToken.
  void progress(double done, double total, std::string_view message);
  void log(std::string_view level, std::string_view message);
  /// Returns after `time`; throws call_cancelled.
  void pause(std::chrono::milliseconds time);
  /// Returns only by throwing call_cancelled.
  [[noreturn]] void wait_for_cancel();
  /// The client's answer. Legacy: sends the request and waits. Modern: takes the answer from the retried request,
  /// or throws input_needed.
  json::value ask(question const& q);

  /// At most one of the two answers, and none after cancel().
  void reply(json::object result);
  void fail(rpc_error const& error);

  void cancel(std::string reason);
  void answered(json::value message);
  [[nodiscard]] std::string cancel_reason() const;

 private:
  [[nodiscard]] std::optional<json::value> argument(std::string_view key) const;
  void require_capability(question const& q) const;
  json::value ask_in_round(question const& q) const;
  json::value ask_over_the_wire(question const& q);
  /// False when the call was cancelled, and nothing was sent.
  bool send(std::string message);

  json::value params_;
  caller from_;
  channel_ptr out_;
  question_book& questions_;
  json::fragment id_;
  std::string method_;

  mutable std::mutex lock_;
  std::condition_variable changed_;
  std::optional<std::string> cancelled_;  // the reason
  std::optional<json::value> answer_;
};

}  // namespace demo
