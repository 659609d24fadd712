// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The contract of an era: which methods it has, what a request of it looks like, and what a result means.
// wire/legacy and wire/modern fulfil it; what an era does not have is absent from its codec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/json/value.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/protocol/logging.hpp>
#include <comcp/result.hpp>
#include <comcp/wire/method.hpp>

namespace comcp::wire {

/// What a request carries besides its parameters.
struct request_meta {
  request_meta() = default;
  std::vector<std::pair<std::string, std::string>> const* user = nullptr;  ///< keys and JSON texts, checked
  bool progress = false;                                                   ///< send a progressToken: the id
  std::optional<log_level> level;                                          ///< modern only
};

/// How a result is to be taken.
enum class result_kind { complete, input_required };

/// Whether a server may answer who declares this extension with results that are neither.
[[nodiscard]] constexpr bool has_result_types(std::string_view extension) noexcept {
  return extension == "io.modelcontextprotocol/tasks";
}

class codec {
 public:
  virtual ~codec() = default;

  [[nodiscard]] virtual protocol_version version() const noexcept = 0;
  [[nodiscard]] bool is_modern() const noexcept { return version().era() == era::modern; }
  /// Batches exist in 2025-03-26 alone.
  [[nodiscard]] bool has_batches() const noexcept { return version() == version::v2025_03_26; }
  /// Whether this client method may be sent. Methods that no version of MCP knows are the vendors' and may.
  [[nodiscard]] virtual bool offers(method const& m) const noexcept = 0;
  /// A whole request. `params` is an object's text or empty; a `_meta` in it joins the one that the request gets, in
  /// which a key of `meta` counts.
  [[nodiscard]] virtual std::string request(std::uint64_t id, std::string_view method, std::string_view params,
                                            request_meta const& meta) const = 0;
  /// A whole notification, with the meta of `meta.user` alone.
  [[nodiscard]] std::string notification(std::string_view method, std::string_view params,
                                         request_meta const& meta) const;
  /// Tells the server that a request is cancelled (byte streams in both eras, HTTP in the legacy one).
  [[nodiscard]] static std::string cancelled(std::uint64_t id, std::string_view reason);
  /// Errors: protocol_violation, for a kind that this era or this method does not have.
  [[nodiscard]] virtual result<result_kind> classify(method const& m, json::view result) const = 0;
};

namespace detail {
/// A whole request, or a notification without an id; `params` is an object's text or empty, `meta` the members of
/// its `_meta`, which one in `params` joins. What is empty is left out.
std::string message_text(std::optional<std::uint64_t> id, std::string_view method, std::string_view params,
                         std::string_view meta);
void append_user_meta(std::string& out, request_meta const& meta);
}  // namespace detail

}  // namespace comcp::wire

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/wire/impl/codec.ipp>
#endif
