// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the envelope of one message: what it is, whose it is, and where its parts lie. The parts stay raw;
// whoever uses one parses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/json/padded_text.hpp>
#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp::jsonrpc {

enum class message_kind { request, notification, response, error, batch, invalid };

/// One message, classified. The views point into the text that was decoded.
struct envelope {
  message_kind kind = message_kind::invalid;
  std::string method;                 ///< Requests and notifications.
  std::string_view raw_id;            ///< The id as it was written; empty where absent or null.
  std::optional<std::uint64_t> id;    ///< The id as a number of ours: an integer, also as 1.0, or the string of one.
  std::string_view params;            ///< Raw; empty where absent.
  std::string_view result;            ///< Raw.
  std::string_view error;             ///< Raw.
  std::string reason;                 ///< Why it is invalid. With an id, that call must fail with it.
  errc fault = errc::protocol_violation;  ///< The same as a code: that, or out_of_memory.
  std::string_view text;              ///< The whole message.
};

/// Classifies one message: exact keys, no duplicates of them, strict UTF-8. Never fails: what is no message is
/// `invalid`, with the id recovered where that is possible.
envelope decode(padded_text text);

/// The id and the raw result of an answer that is written in one of the two usual ways: nothing but the version, the
/// id and the result, in this order or with the result first.
struct plain_result {
  std::uint64_t id = 0;
  std::string_view result;
};
/// Looks at the start and the end of the text only: what lies between is the result if, and only if, it parses as one
/// value. Everything else is for decode().
std::optional<plain_result> find_result(std::string_view text) noexcept;

/// A stranger's text for people: on one line, without controls, cut after about `most` bytes.
std::string shown(std::string_view text, std::size_t most = 160);

/// The error object of an answer, or errc::protocol_violation when it is not one. Where it cannot be read whole, code and
/// message are what is left of it: JavaScript peers send halves of surrogate pairs, which become U+FFFD.
comcp::error decode_error(std::string_view raw_error);

}  // namespace comcp::jsonrpc

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/jsonrpc/impl/decode.ipp>
#endif
