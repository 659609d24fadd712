// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who wants to hear of changes: the legacy connection and the modern listen streams. Used by one thread at a time.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "channel.hpp"

namespace demo {

class subscriptions {
 public:
  explicit subscriptions(channel_ptr unasked) : unasked_(std::move(unasked)) {}

  /// The legacy client hears of list changes from now on.
  void connect_legacy() { legacy_ = true; }
  void subscribe(std::string uri) { legacy_uris_.insert(std::move(uri)); }
  void unsubscribe(std::string const& uri) { legacy_uris_.erase(uri); }

  /// Opens a listen stream on this channel and acknowledges the part of `filter` that this server has: changes of the
  /// tools, and updates of the resources that exist.
  void listen(std::string id, json::value const& filter, channel_ptr out);
  /// The client cancelled a stream; false when `id` is none.
  bool cancel(std::string const& id);
  /// Nobody reads there any more.
  void forget(channel const& out);
  /// Ends every stream with its result, or (abruptly) with notifications/cancelled.
  void end_all(bool abruptly);
  /// As end_all(false), but never blocks: the process is about to exit.
  void end_all_at_exit();

  void tools_changed();
  void resource_updated(std::string const& uri);
  void job_done(std::string const& id);

 private:
  struct stream {
    std::string id;  // JSON
    channel_ptr out;
    bool tools = false;
    bool jobs = false;
    std::set<std::string> uris;
  };
  static json::object meta(stream const& s);
  static std::string end_text(stream const& s);

  channel_ptr unasked_;  // the legacy client's
  bool legacy_ = false;
  std::set<std::string> legacy_uris_;
  std::vector<stream> streams_;
};

}  // namespace demo
