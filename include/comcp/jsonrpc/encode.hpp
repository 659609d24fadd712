// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes messages around parts that are JSON text already. Which parts belong in is wire's decision.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include <comcp/error.hpp>
#include <comcp/json/padded_text.hpp>
#include <comcp/json/writer.hpp>

namespace comcp::jsonrpc {

inline void append_number(std::string& out, std::uint64_t n) {
  char buffer[24];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, n).ptr;
  out.append(buffer, static_cast<std::size_t>(end - buffer));
}

/// Starts `{"jsonrpc":"2.0","id":N,"method":"M"` in a string with room for `more` bytes, a newline and padding.
inline std::string begin_request(std::uint64_t id, std::string_view method, std::size_t more) {
  std::string out;
  out.reserve(64 + method.size() + more + padded_text::spare);
  out += R"({"jsonrpc":"2.0","id":)";
  append_number(out, id);
  out += R"(,"method":")";
  out += method;  // methods are checked to need no escaping
  out += '"';
  return out;
}

/// A notification; `params` is an object's text or empty.
inline std::string notification(std::string_view method, std::string_view params) {
  std::string out;
  out.reserve(64 + method.size() + params.size() + padded_text::spare);
  out += R"({"jsonrpc":"2.0","method":")";
  out += method;
  out += '"';
  if (!params.empty()) out.append(R"(,"params":)").append(params);
  out += '}';
  return out;
}

/// The answer to a request with this raw id.
inline std::string response(std::string_view raw_id, std::string_view result) {
  std::string out;
  out.reserve(48 + raw_id.size() + result.size() + padded_text::spare);
  out.append(R"({"jsonrpc":"2.0","id":)").append(raw_id).append(R"(,"result":)").append(result).append("}");
  return out;
}

inline std::string error_response(std::string_view raw_id, peer_error const& e) {
  json::writer w;
  w.begin_object().plain_key("code").integer(e.code).plain_key("message").string(e.message);
  if (!e.data.empty()) w.plain_key("data").raw(e.data);
  w.end_object();
  std::string out;
  out.append(R"({"jsonrpc":"2.0","id":)").append(raw_id).append(R"(,"error":)").append(w.text()).append("}");
  return out;
}

/// Whether a method name can be written between quotes as it is (every name of MCP can).
inline bool is_plain_method(std::string_view method) noexcept {
  bool plain = !method.empty();
  for (char const c : method) plain &= c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
  return plain;
}

}  // namespace comcp::jsonrpc
