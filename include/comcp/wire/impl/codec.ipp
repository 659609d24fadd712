// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstring>
#include <set>

#include <comcp/json/reader.hpp>
#include <comcp/json/writer.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/wire/codec.hpp>

namespace comcp::wire {
namespace detail {

// Takes `_meta` out of the params. Texts stay as they are: numbers keep their digits.
struct meta_splitter final : json::member_sink {
  bool on_member(std::string_view key, std::string_view raw) override {
    if (key == "_meta") {
      if (meta.empty()) meta = raw;
      return true;
    }
    rest += rest.empty() ? "{" : ",";
    json::detail::append_string(rest, key);
    rest.append(":").append(raw);
    return true;
  }
  std::string meta, rest;
};

// Those of its members whose key is not there yet.
struct meta_joiner final : json::member_sink {
  explicit meta_joiner(std::string& text) : to(text) {}
  bool on_member(std::string_view key, std::string_view raw) override {
    if (!keys.emplace(key).second || only_looks) return true;
    if (!to.empty()) to += ',';
    json::detail::append_string(to, key);
    to.append(":").append(raw);
    return true;
  }
  std::string& to;
  std::set<std::string, std::less<>> keys;
  bool only_looks = false;
};

// Moves the `_meta` of the params to the rest of it. False where there is none.
COMCP_DECL bool join_meta(std::string& params, std::string& meta) {
  meta_splitter split;
  if (!json::scan_object(pad(params), split) || split.meta.empty()) return false;
  auto known = "{" + meta + "}";
  meta_joiner join(meta);
  join.only_looks = true;
  (void)json::scan_object(pad(known), join);
  join.only_looks = false;
  (void)json::scan_object(pad(split.meta), join);
  params = split.rest.empty() ? std::string() : std::move(split.rest) + '}';
  return true;
}

// An escaped key may be `_meta` too; most texts have neither.
COMCP_DECL bool may_hold_meta(std::string_view params) noexcept {
  return params.find("_meta\"") != params.npos || params.find("\\u") != params.npos;
}

template <std::size_t N>
char* put(char* to, char const (&literal)[N]) noexcept {
  std::memcpy(to, literal, N - 1);
  return to + N - 1;
}
inline char* put(char* to, std::string_view piece) noexcept { return to + piece.copy(to, piece.size()); }

// Appending a dozen short pieces to a string takes longer than all the rest of a request.
COMCP_DECL std::string message_text(std::optional<std::uint64_t> id, std::string_view method, std::string_view params,
                                    std::string_view meta) {
  std::string own_params, own_meta;
  if (may_hold_meta(params) && join_meta(own_params = params, own_meta = meta)) {
    params = own_params;
    meta = own_meta;
  }
  params = params.size() > 2 ? params.substr(1, params.size() - 2) : std::string_view();
  std::string out(96 + method.size() + params.size() + meta.size() + padded_text::spare, '\0');
  char* to = put(out.data(), R"({"jsonrpc":"2.0",)");
  if (id) {
    to = put(to, R"("id":)");
    to = put(std::to_chars(to, to + 20, *id).ptr, ",");
  }
  to = put(to, R"("method":")");
  to = put(to, method);  // methods are checked to need no escaping
  to = put(to, "\"");
  if (!params.empty() || !meta.empty()) {
    to = put(put(to, R"(,"params":{)"), params);
    if (!params.empty() && !meta.empty()) to = put(to, ",");
    if (!meta.empty()) to = put(put(put(to, R"("_meta":{)"), meta), "}");
    to = put(to, "}");
  }
  to = put(to, "}");
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
