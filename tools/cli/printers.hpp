// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What comes back, on stdout: readable, or with `json` as it came. Errors on stderr.
#pragma once

#include <string>
#include <vector>

#include <comcp/client/client.hpp>

#include "console.hpp"
#include "options.hpp"
#include "table.hpp"

namespace cli {

row row_of(comcp::tool const& t);
row row_of(comcp::resource const& r);
row row_of(comcp::resource_template const& t);
row row_of(comcp::prompt const& p);

void print_rows(std::vector<row> const& rows, char const* nothing);

void print_content(comcp::content_block const& block);
void print_result(comcp::call_tool_result const& r);
/// Binary contents are written as bytes unless stdout is a terminal.
void print_result(comcp::read_resource_result const& r);
void print_result(comcp::get_prompt_result const& r);
void print_result(comcp::complete_result const& r);
void print_info(comcp::client const& c);
void print_info_json(comcp::client const& c);
void print_notification(comcp::any_notification const& n, bool json);

/// The items as the server sent them, in one JSON array.
template <class T>
std::string items_json(comcp::listing<T> const& all) {
  comcp::json::array list;
  for (auto const& item : all) list.add(item.raw);
  return list.text();
}

/// A name of at most 12 columns, beside it a text in lines that fit.
void print_field(char const* name, std::string const& text);
/// An error of the library for users of the tool, who have no use for the name of an option in C++: "more pages than
/// limits().pages()" is "more pages than the limit of pages".
comcp::error in_words(comcp::error const& e);
/// A line for stderr: "comcp: TEXT", or with --json an object that has `exit` and `message`, and `server` where one is named.
std::string failure_text(options const& o, int code, std::string const& text, std::string const& server = {});
void print_error(console& err, comcp::error const& e, options const& o, int code);

}  // namespace cli
