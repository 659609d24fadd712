// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/jsonrpc/encode.hpp>
#include <comcp/wire/legacy.hpp>

namespace comcp::wire {

COMCP_DECL bool legacy::offers(std::string_view method) const noexcept {
  if (method == "server/discover" || method == "subscriptions/listen") return false;
  if (method == "sampling/createMessage" || method == "roots/list" || method == "elicitation/create") return false;
  if (method.starts_with("tasks/")) return version_ >= version::v2025_11_25;
  return true;
}

COMCP_DECL std::string legacy::request(std::uint64_t id, std::string_view method, std::string_view params,
                                       request_meta const& meta) const {
  std::string extra;
  if (meta.progress) {
    extra = R"("progressToken":)";
    jsonrpc::append_number(extra, id);
  }
  detail::append_user_meta(extra, meta);
  return detail::message_text(id, method, params, extra);
}

COMCP_DECL result<result_kind> legacy::classify(std::string_view, json::view result) const {
  if (!result.is_object()) return error(errc::protocol_violation, "the result is not an object");
  return result_kind::complete;
}

}  // namespace comcp::wire
