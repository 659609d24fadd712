// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/transport/http_options.hpp>

namespace comcp {

COMCP_DECL http_options& http_options::header(std::string_view name, std::string_view value) {
  if (is_protocol_header(name)) {
    unusable_ = error(errc::invalid_argument, "a header that only comcp may set: " + std::string(name));
  } else if (auto const added = headers_.set(std::string(name), value); !added) {
    unusable_ = added.error();
  }
  return *this;
}

}  // namespace comcp
