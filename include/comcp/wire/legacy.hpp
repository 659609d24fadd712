// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The legacy era on the wire: 2024-11-05 to 2025-11-25. A handshake has settled version and capabilities, so
// requests carry nothing but what the caller wants.
#pragma once

#include <comcp/wire/codec.hpp>

namespace comcp::wire {

class legacy final : public codec {
 public:
  explicit legacy(protocol_version v) noexcept : version_(v) {}
  [[nodiscard]] protocol_version version() const noexcept override { return version_; }
  [[nodiscard]] COMCP_DECL bool offers(method const& m) const noexcept override;
  [[nodiscard]] COMCP_DECL std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                               request_meta const& meta) const override;
  [[nodiscard]] COMCP_DECL result<result_kind> classify(method const& m, json::view result) const override;

 private:
  protocol_version version_;
};

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/wire/impl/legacy.ipp>
#endif
