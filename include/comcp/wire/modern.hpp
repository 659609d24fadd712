// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The modern era on the wire: 2026-07-28 and later. Every request carries version, client info and
// capabilities in `_meta`; results say what kind they are.
#pragma once

#include <comcp/protocol/capabilities.hpp>
#include <comcp/wire/codec.hpp>

namespace comcp::wire {

class modern final : public codec {
 public:
  /// `info` is left out where it is null; `capabilities` is the JSON text of what the client declares.
  modern(protocol_version v, implementation const* info, std::string capabilities);
  [[nodiscard]] protocol_version version() const noexcept override { return version_; }
  [[nodiscard]] COMCP_DECL bool offers(method const& m) const noexcept override;
  [[nodiscard]] COMCP_DECL std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                               request_meta const& meta) const override;
  [[nodiscard]] COMCP_DECL result<result_kind> classify(method const& m, json::view result) const override;

 private:
  protocol_version version_;
  std::string standing_meta_;  // the members of `_meta` that every request carries
};

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/wire/impl/modern.ipp>
#endif
