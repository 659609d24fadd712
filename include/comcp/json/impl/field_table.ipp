// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include <comcp/json/field_table.hpp>

namespace comcp::json::detail {

// Members mostly come in the order of the table: the search for each begins behind the one before.
COMCP_DECL bool read_fields(read_list const& list, value& (*raw)(void* object), view from, void* object, read_error& e) {
  if (!from.is_object()) return e.expected(from, "object");
  auto const fields = list.fields;
  std::uint64_t seen = 0;
  std::size_t next = 0;
  for (auto const m : from.members()) {
    for (std::size_t tried = 0; tried != fields.size(); ++tried) {
      auto const at = next;
      if (++next == fields.size()) next = 0;
      auto const& f = fields[at];
      if (!f.read || f.key != m.key) continue;
      auto const bit = std::uint64_t{1} << at;
      if (!(seen & bit) && !f.read(m.value, object, e)) return false;
      seen |= bit;
      break;
    }
  }
  if (raw) raw(object) = from.share();
  auto const missing = list.required & ~seen;
  return missing == 0 || e.missing(from, fields[static_cast<std::size_t>(std::countr_zero(missing))].key);
}

COMCP_DECL void write_fields(std::span<write_entry const> fields, value const& (*raw)(void const* object),
                             writer& w, void const* object) {
  static value const none;
  auto const& kept = raw ? raw(object) : none;
  w.begin_object();
  for (auto const& f : fields) {
    if (f.write) f.write(w, object, kept.view());
  }
  for (auto const m : kept.members()) {
    bool known = false;
    for (auto const& f : fields) known = known || (f.write && f.key == m.key);
    if (!known) w.key(m.key).value(m.value);
  }
  w.end_object();
}

COMCP_DECL bool read_tag(view from, std::string_view text, read_error& e) {
  return from.get_string() == text || e.expected(from, "\"" + std::string(text) + "\"");
}

COMCP_DECL bool was_absent(view raw, std::string_view key) {
  auto const came = raw.find(key);
  return !came || came->is_null();
}

}  // namespace comcp::json::detail
