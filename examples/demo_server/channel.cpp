// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "channel.hpp"

#include <chrono>
#include <cstdlib>

#include "standard_streams.hpp"

namespace demo {

namespace {

json::writer start_message() {
  json::writer w;
  w.begin_object().plain_key("jsonrpc").raw("\"2.0\"");
  return w;
}

std::string finish_message(json::writer w) {
  w.end_object();
  return std::move(w).text();
}

}  // namespace

std::string request_text(json::fragment const& id, std::string_view method, json::fragment const& params) {
  auto w = start_message();
  w.plain_key("id").raw(id.text());
  w.plain_key("method").string(method);
  if (!params.empty()) w.plain_key("params").raw(params.text());
  return finish_message(std::move(w));
}

std::string notification_text(std::string_view method, json::fragment const& params) {
  auto w = start_message();
  w.plain_key("method").string(method);
  if (!params.empty()) w.plain_key("params").raw(params.text());
  return finish_message(std::move(w));
}

std::string result_text(json::fragment const& id, json::object const& result) {
  auto w = start_message();
  w.plain_key("id").raw(id.text());
  w.plain_key("result").raw(result.text());
  return finish_message(std::move(w));
}

std::string error_text(json::fragment const& id, rpc_error const& error) {
  auto w = start_message();
  if (!id.empty()) w.plain_key("id").raw(id.text());
  w.plain_key("error").begin_object();
  w.plain_key("code").integer(error.code);
  w.plain_key("message").string(error.message);
  if (!error.data.empty()) w.plain_key("data").raw(error.data.text());
  w.end_object();
  return finish_message(std::move(w));
}

void stdout_channel::send(std::string message) {
  message += '\n';
  std::lock_guard const lock(writing_);
  write_all(message);
}

void stdout_channel::send_if_idle(std::string message) {
  message += '\n';
  std::unique_lock const lock(writing_, std::chrono::milliseconds(50));
  if (lock && stdout_is_idle()) write_all(message);
}

void stdout_channel::write_all(std::string_view bytes) {
  if (!write_stdout(bytes)) std::_Exit(0);
}

}  // namespace demo
