// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/json/describe.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/wire/modern.hpp>

namespace comcp::wire {

COMCP_DECL modern::modern(protocol_version v, implementation const* info, std::string capabilities) : version_(v) {
  standing_meta_ = R"("io.modelcontextprotocol/protocolVersion":")" + std::string(v.text()) + '"';
  if (info) standing_meta_ += R"(,"io.modelcontextprotocol/clientInfo":)" + json::to_text(*info);
  standing_meta_ += R"(,"io.modelcontextprotocol/clientCapabilities":)" + std::move(capabilities);
}

COMCP_DECL bool modern::offers(method const& m) const noexcept { return m.rules().in_modern; }

COMCP_DECL std::string modern::request(std::uint64_t id, std::string_view method, std::string_view params,
                                       request_meta const& meta) const {
  std::string extra;
  extra.reserve(standing_meta_.size() + 96);
  extra = standing_meta_;
  if (meta.level) {
    extra.append(R"(,"io.modelcontextprotocol/logLevel":")").append(enum_text(*meta.level)).append("\"");
  }
  if (meta.progress) {
    extra.append(R"(,"progressToken":)");
    jsonrpc::append_number(extra, id);
  }
  detail::append_user_meta(extra, meta);
  return detail::message_text(id, method, params, extra);
}

COMCP_DECL result<result_kind> modern::classify(method const& m, json::view result) const {
  if (!result.is_object()) return error(errc::protocol_violation, "the result is not an object");
  auto const type = result.find("resultType");
  if (!type) return result_kind::complete;
  auto const text = type->get_string().value_or("");
  if (text == "complete") return result_kind::complete;
  if (text != "input_required")
    return error(errc::protocol_violation, "unknown resultType \"" + std::string(text) + "\"");
  if (!m.rules().may_ask) return error(errc::protocol_violation, "input_required is not legal on " + m.text());
  return result_kind::input_required;
}

}  // namespace comcp::wire
