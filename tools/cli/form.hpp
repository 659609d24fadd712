// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One field of a form: how it is asked for, and what a typed answer means. No input or output here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <comcp/protocol/elicitation.hpp>
#include <comcp/result.hpp>

namespace cli {

/// Its name, type, description and numbered choices, in lines.
std::string field_heading(comcp::form_field const& field);
/// The default as it would be typed; empty for none.
std::string field_default(comcp::form_field const& field);
/// The JSON text of an answer: a number or a text of a choice, a list with commas, yes or no, ...
/// Errors: validation_failed.
comcp::result<std::string> field_value(comcp::form_field const& field, std::string const& answer);
/// Whether the schema of the field takes this JSON text.
comcp::result<void> check_field(comcp::elicit_params const& form, comcp::form_field const& field,
                                std::string const& json_text);

/// The parts of a url that a user must see before going there.
struct url_parts {
  std::string scheme, user, host;
};
url_parts split_url(std::string_view url);
/// Why somebody might take this address for another one; empty: no reason found.
std::vector<std::string> url_warnings(std::string_view url);

}  // namespace cli
