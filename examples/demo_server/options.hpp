// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line decides about the demo server.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

/// What the server does with a server/discover that comes before `initialize`.
enum class on_probe { answer, exit, stay_silent };

struct options {
  std::vector<std::string> versions;  ///< Protocol versions on offer, newest first.
  on_probe probe = on_probe::answer;
  std::size_t page_size = 0;  ///< Entries on one page of a list; 0 puts all on one.
};

/// Dates compare as text.
inline bool is_modern(std::string_view version) { return version >= "2026-07-28"; }

inline bool offers_modern(options const& o) {
  return std::any_of(o.versions.begin(), o.versions.end(), [](auto const& v) { return is_modern(v); });
}

inline bool offers_legacy(options const& o) {
  return std::any_of(o.versions.begin(), o.versions.end(), [](auto const& v) { return !is_modern(v); });
}

}  // namespace demo
