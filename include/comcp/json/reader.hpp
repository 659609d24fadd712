// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// On-demand reading of one object's or array's top level, without building a document: how envelopes are
// classified. What is skipped is not validated; parse() it before a user sees it.
#pragma once

#include <string_view>

#include <comcp/json/padded_text.hpp>
#include <comcp/result.hpp>

namespace comcp::json {

/// Told each member of an object: its unescaped key and the raw text of its value, in place.
class member_sink {
 public:
  /// False stops the scan. Both are valid until the next call; `raw` is a part of the scanned text. May scan
  /// another text.
  virtual bool on_member(std::string_view key, std::string_view raw) = 0;

 protected:
  ~member_sink() = default;
};

/// Scans the members of the object that `text` is. Errors: invalid_json (with what was told before staying
/// told), wrong_shape when the text is no object, out_of_memory.
result<void> scan_object(padded_text text, member_sink& sink);

/// Scans the elements of the array that `text` is; the keys given are empty.
result<void> scan_array(padded_text text, member_sink& sink);

/// The unescaped content of a raw JSON string such as "\"tools\\/call\"". Errors: invalid_json.
result<std::string> unescape(std::string_view raw_string);

}  // namespace comcp::json

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/json/impl/reader.ipp>
#endif
