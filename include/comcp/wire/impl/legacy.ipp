// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/jsonrpc/encode.hpp>
#include <comcp/wire/legacy.hpp>

namespace comcp::wire {

COMCP_DECL bool legacy::offers(method const& m) const noexcept {
  return m.rules().in_legacy && version_ >= m.rules().since;
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

COMCP_DECL result<result_kind> legacy::classify(method const&, json::view result) const {
  if (!result.is_object()) return error(errc::protocol_violation, "the result is not an object");
  return result_kind::complete;
}

}  // namespace comcp::wire
