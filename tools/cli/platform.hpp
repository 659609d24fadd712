// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the systems do differently, as far as it is about the process: its arguments, streams, files and signals. One
// .cpp for each kind of system; the terminal's own are terminal, prompt_terminal and paste_input.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <asio/signal_set.hpp>

namespace cli {

inline constexpr int standard_input = 0, standard_output = 1, standard_error = 2;

/// Before anything else: texts are UTF-8, and what is written is not changed on its way. Undone with it.
class text_streams {
 public:
  text_streams();
  ~text_streams();
  text_streams(text_streams const&) = delete;
  text_streams& operator=(text_streams const&) = delete;

 private:
  [[maybe_unused]] unsigned input_ = 0, output_ = 0;  // code pages that were there before
};

/// The arguments of the process, in UTF-8.
std::vector<std::string> utf8_arguments(int argc, char const* const* argv);

/// Whether the stream leads to a terminal that does as escape sequences say, where the system decides that.
bool takes_escapes(int descriptor) noexcept;
/// The columns of the terminal; 0: unknown.
std::size_t window_columns(int descriptor) noexcept;
/// Two for wide letters, none for combining marks, one where nothing is known.
std::size_t letter_columns(char32_t letter) noexcept;

/// What was written to stdout failed since its reader has left.
bool reader_of_output_left() noexcept;
/// A closed stdout shows in the stream, and ends nothing.
void survive_broken_pipes() noexcept;
/// The signals that end a run.
void add_interrupts(asio::signal_set& signals);

/// A regular file of this user that others can read or write.
bool is_open_to_others(std::string const& file);
/// What makes a file private again, as a hint.
extern char const* const how_to_close;
/// Opens the file of a recording, which has names and contents even without secrets: the user's own, readable by nobody
/// else, and no link that somebody put there. Gives what appends a line. Throws usage_error.
std::function<void(std::string_view line)> open_trace_file(std::string const& file);
/// Whether a start would find this command; `path` is that of the child.
bool finds_command(std::string const& command, std::string const& folder, std::string const& path);
/// The PATH where none is set.
extern char const* const usual_path;

}  // namespace cli
