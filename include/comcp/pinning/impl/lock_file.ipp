// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <comcp/pinning/lock_file.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/system.hpp>

namespace comcp {

COMCP_DECL result<tool_pins> read_lock_file(std::filesystem::path const& file) {
  auto const from = detail::open_regular(file);
  if (!from) return from.error();
  auto const text = detail::read_rest(*from, json::parse_options().max_bytes(), file);
  if (!text) return text.error();
  return tool_pins::parse(*text, detail::text_of_path(file));
}

COMCP_DECL result<void> write_lock_file(tool_pins const& pins, std::filesystem::path const& file) {
  std::string text;
  try {
    text = pins.to_text();
  } catch (exception const& e) {  // a name that is no UTF-8
    return e.error();
  }
  return detail::replace_file(file, text, 0644);
}

}  // namespace comcp
