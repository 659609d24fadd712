// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <charconv>

#include <comcp/json/writer.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/wire/codec.hpp>

namespace comcp::wire {
namespace detail {

inline constexpr std::array<std::string_view, 22> known_methods = {
    "initialize",          "ping",
    "server/discover",     "tools/list",
    "tools/call",          "resources/list",
    "resources/read",      "resources/templates/list",
    "resources/subscribe", "resources/unsubscribe",
    "prompts/list",        "prompts/get",
    "completion/complete", "logging/setLevel",
    "subscriptions/listen", "tasks/get",
    "tasks/result",        "tasks/list",
    "tasks/cancel",        "sampling/createMessage",
    "roots/list",          "elicitation/create"};

// Appending a dozen short pieces to a string takes longer than all the rest of a request.
COMCP_DECL std::string message_text(std::optional<std::uint64_t> id, std::string_view method, std::string_view params,
                                    std::string_view meta) {
  params = params.size() > 2 ? params.substr(1, params.size() - 2) : std::string_view();
  std::string out;
  auto const most = 96 + method.size() + params.size() + meta.size();
  out.reserve(most + padded_text::spare);
  out.resize(most);
  char* to = out.data();
  auto const add = [&to](std::string_view piece) { to += piece.copy(to, piece.size()); };
  add(R"({"jsonrpc":"2.0",)");
  if (id) {
    add(R"("id":)");
    to = std::to_chars(to, to + 20, *id).ptr;
    add(",");
  }
  add(R"("method":")");
  add(method);  // methods are checked to need no escaping
  add("\"");
  if (!params.empty() || !meta.empty()) {
    add(R"(,"params":{)");
    add(params);
    if (!params.empty() && !meta.empty()) add(",");
    if (!meta.empty()) {
      add(R"("_meta":{)");
      add(meta);
      add("}");
    }
    add("}");
  }
  add("}");
  out.resize(static_cast<std::size_t>(to - out.data()));
  return out;
}

COMCP_DECL void append_user_meta(std::string& out, request_meta const& meta) {
  if (!meta.user) return;
  for (auto const& [key, text] : *meta.user) {
    if (!out.empty()) out += ',';
    json::detail::append_string(out, key);
    out.append(":").append(text);
  }
}

}  // namespace detail

COMCP_DECL bool is_known_method(std::string_view method) noexcept {
  return std::find(detail::known_methods.begin(), detail::known_methods.end(), method) != detail::known_methods.end();
}

COMCP_DECL std::string codec::notification(std::string_view method, std::string_view params,
                                           request_meta const& meta) const {
  std::string user;
  detail::append_user_meta(user, meta);
  return detail::message_text(std::nullopt, method, params, user);
}

COMCP_DECL std::string codec::cancelled(std::uint64_t id, std::string_view reason) {
  json::writer w;
  w.begin_object().plain_key("requestId").unsigned_integer(id);
  if (!reason.empty()) w.plain_key("reason").string(reason);
  w.end_object();
  return jsonrpc::notification("notifications/cancelled", w.text());
}

}  // namespace comcp::wire
