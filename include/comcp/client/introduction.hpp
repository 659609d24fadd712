// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a client says of itself in a handshake. Internal.
#pragma once

#include <memory>
#include <string>

#include <comcp/client/handler.hpp>
#include <comcp/client/options.hpp>
#include <comcp/protocol/capabilities.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/wire/codec.hpp>

namespace comcp::detail {

class introduction {
 public:
  /// Throws errc::invalid_argument where the handler declares what it has no member for.
  COMCP_LAZY introduction(any_handler const& handler, connect_settings const& settings, transport_info const& about);

  [[nodiscard]] client_capabilities const& capabilities() const noexcept { return capabilities_; }
  COMCP_LAZY [[nodiscard]] std::unique_ptr<wire::codec> modern(protocol_version v) const;
  /// The parameters of the legacy era's initialize.
  COMCP_LAZY [[nodiscard]] std::string initialize(protocol_version v) const;

 private:
  implementation info_;
  bool anonymous_;
  client_capabilities capabilities_;
  std::string text_, modern_text_;  // of the capabilities
};

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/introduction.ipp>
#endif
