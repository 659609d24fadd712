// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From KEY=VALUE and KEY:=JSON to the arguments that are sent. Errors: usage_error.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>

namespace cli {

struct pair {
  std::string key;
  std::string value;
  bool is_json = false;
};

std::vector<pair> parse_pairs(std::vector<std::string> const& texts);

/// The members of --args that `schema` does not name, although it has a list: sent all the same.
std::vector<std::string> undeclared(std::string const& whole, comcp::json::view schema);

/// The members of `whole` (the text of --args, may be empty), then the pairs, read as `schema` says (null: strings). Pairs
/// that the schema does not know are an error.
comcp::json::fragment tool_arguments(std::vector<pair> const& pairs, std::string const& whole,
                                     comcp::json::view schema);

/// For prompts and completions: every value is a string.
std::map<std::string, std::string> string_arguments(std::vector<pair> const& pairs);

/// For uri templates: strings, or JSON.
comcp::json::fragment template_variables(std::vector<pair> const& pairs);

}  // namespace cli
