// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON-RPC messages to stdout, one line each. Safe from any thread.
#pragma once

#include <cstdint>
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

class channel {
 public:
  /// Writes the message and a newline. Ends the process when nobody reads any more.
  void send(std::string message);
  /// The same, but gives up when the reader is not keeping up.
  void send_if_idle(std::string message);

 private:
  static void write_all(std::string_view bytes);

  std::timed_mutex writing_;
};

}  // namespace demo
