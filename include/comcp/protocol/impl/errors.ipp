// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/protocol/errors.hpp>

namespace comcp {
namespace detail {

template <class T>
std::optional<T> data_for(error const& e, std::int64_t code, std::int64_t draft) {
  if (!e.peer() || (e.peer()->code != code && e.peer()->code != draft)) return {};
  return error_data<T>(e);
}

}  // namespace detail

COMCP_DECL std::string_view error_code_name(std::int64_t code) noexcept {
  switch (code) {
    case error_codes::parse_error: return "parse_error";
    case error_codes::invalid_request: return "invalid_request";
    case error_codes::method_not_found: return "method_not_found";
    case error_codes::invalid_params: return "invalid_params";
    case error_codes::internal_error: return "internal_error";
    case error_codes::resource_not_found: return "resource_not_found";
    case error_codes::url_elicitation_required: return "url_elicitation_required";
    case error_codes::header_mismatch: return "header_mismatch";
    case error_codes::missing_required_client_capability: return "missing_required_client_capability";
    case error_codes::unsupported_protocol_version: return "unsupported_protocol_version";
    default: return {};
  }
}

COMCP_DECL std::optional<unsupported_version_data> unsupported_version_of(error const& e) {
  return detail::data_for<unsupported_version_data>(e, error_codes::unsupported_protocol_version,
                                                    error_codes::draft_unsupported_protocol_version);
}

COMCP_DECL std::optional<missing_capability_data> missing_capability_of(error const& e) {
  return detail::data_for<missing_capability_data>(e, error_codes::missing_required_client_capability,
                                                   error_codes::draft_missing_required_client_capability);
}

COMCP_DECL std::optional<url_elicitation_required_data> url_elicitation_required_of(error const& e) {
  return detail::data_for<url_elicitation_required_data>(e, error_codes::url_elicitation_required,
                                                         error_codes::url_elicitation_required);
}

}  // namespace comcp
