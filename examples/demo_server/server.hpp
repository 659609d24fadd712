// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Takes one message after another and decides what is asked: the era, the method, who answers.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "jobs.hpp"
#include "options.hpp"
#include "tools.hpp"

namespace demo {

/// To be made by make_shared: slow tools keep it. Safe from any thread.
class server : public std::enable_shared_from_this<server> {
 public:
  /// What the client did not ask for goes to `unasked`: changes, in the legacy era.
  server(options o, channel_ptr unasked);

  /// One message; answers, and what belongs to them, go to `out`. Returns at once; slow tools go on in threads of
  /// their own.
  void receive(std::string_view text, channel_ptr const& out);
  void receive(json::value const& message, channel_ptr const& out);
  /// Nobody reads there any more: cancels what would be written there.
  void forget(channel const& out);
  /// stdin has ended: cancels what runs and ends the listen streams, within a fraction of a second. The process
  /// must exit afterwards.
  void on_end();

 private:
  void on_message(json::value const& message, channel_ptr const& out);
  void on_notification(std::string_view method, json::value const& message);
  void on_answer(json::value const& message);
  void on_request(std::shared_ptr<call> const& c);
  void on_cancelled(json::value const& message);
  bool handle_probe(std::string_view method);

  [[nodiscard]] bool is_modern_request(json::value const& message) const;
  /// Who asks. Throws what a modern request without proper _meta gets.
  [[nodiscard]] caller identify(json::value const& message) const;
  void check_modern_meta(json::value const& message) const;
  [[nodiscard]] rpc_error unsupported(std::string_view requested) const;

  void answer(std::shared_ptr<call> const& c);
  json::object answer_legacy_only(call& c);
  json::object answer_modern_only(call& c);
  json::object answer_common(call& c);
  void call_tool(std::shared_ptr<call> const& c);
  /// Runs `work` and sends its result or error.
  template <class Work>
  void finish(call& c, Work const& work);

  json::object initialize(call& c);
  json::object discover() const;
  json::object capabilities(std::string_view version) const;
  json::object page(call& c, std::string_view key, std::vector<json::fragment> const& all) const;
  json::object read_resource(call& c) const;

  void began(std::shared_ptr<call> const& c);
  void ended(call const& c);

  options options_;
  std::mutex turn_;  // one message at a time
  question_book questions_;
  subscriptions subscribers_;
  jobs jobs_{subscribers_};
  toolbox tools_{subscribers_, jobs_};

  bool initialized_ = false;  // by the legacy handshake
  caller legacy_client_;

  std::mutex lock_;
  std::vector<std::shared_ptr<call>> running_;  // slow calls, but those cancelled
  std::condition_variable all_ended_;
  int slow_calls_ = 0;  // those cancelled, too, until their threads end
};

}  // namespace demo
