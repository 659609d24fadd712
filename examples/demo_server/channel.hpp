// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The texts of JSON-RPC messages, and where they go.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include <comcp/json/build.hpp>

namespace demo {

namespace json = comcp::json;

/// Thrown by whatever handles a request; becomes the JSON-RPC error that answers it.
struct rpc_error {
  std::int64_t code;
  std::string message;
  json::fragment data = {};
};

inline constexpr std::int64_t invalid_request = -32600;
inline constexpr std::int64_t method_not_found = -32601;
inline constexpr std::int64_t invalid_params = -32602;
inline constexpr std::int64_t internal_error = -32603;

/// Each gives the text of one message; `id` is JSON.
std::string request_text(json::fragment const& id, std::string_view method, json::fragment const& params);
std::string notification_text(std::string_view method, json::fragment const& params);
std::string result_text(json::fragment const& id, json::object const& result);
/// An empty `id` is left out: the request could not be read.
std::string error_text(json::fragment const& id, rpc_error const& error);

/// The way to a client. Safe from any thread.
class channel {
 public:
  virtual ~channel() = default;
  virtual void send(std::string message) = 0;
  /// The same, but gives up when the reader is not keeping up.
  virtual void send_if_idle(std::string message) { send(std::move(message)); }
};
using channel_ptr = std::shared_ptr<channel>;

/// stdout, one line for each message. Ends the process when nobody reads any more.
class stdout_channel final : public channel {
 public:
  void send(std::string message) override;
  void send_if_idle(std::string message) override;

 private:
  static void write_all(std::string_view bytes);

  std::timed_mutex writing_;
};

}  // namespace demo
