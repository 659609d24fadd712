// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/json/build.hpp>
#include <comcp/json/impl/simdjson.hpp>
#include <comcp/json/impl/value.ipp>

namespace comcp::json {

COMCP_DECL fragment raw(std::string_view text, parse_options const& options) {
  (void)parse(text, options).value();
  text = detail::without_bom(text);
  std::string minified(text.size() + padded_text::spare, '\0');
  std::size_t size = 0;
  if (auto const code = simdjson::minify(text.data(), text.size(), minified.data(), size))
    throw exception(error(errc::invalid_json, detail::parse_failure(code)));
  minified.resize(size);
  return fragment::trusted(std::move(minified));
}

}  // namespace comcp::json
