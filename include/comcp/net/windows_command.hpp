// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What Windows wants to be told of a command, as text: the command line, the block of variables, where a command is
// found. Decides and performs nothing, so that it is compiled and tested everywhere. All texts are UTF-8. Internal.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp::net::windows {

/// UTF-16 units, as CreateProcessW and cmd.exe take them, without the end.
inline constexpr std::size_t longest_command_line = 32766;
inline constexpr std::size_t longest_cmd_line = 8191;

/// One argument so that CommandLineToArgvW and the run-time libraries of C read it back as it is.
[[nodiscard]] std::string quoted_argument(std::string_view argument);

/// argv as one line. errc::invalid_argument, naming a position and never a text, where the command has a quotation mark,
/// where one is no UTF-8 or has a NUL, or where all are too long.
[[nodiscard]] result<std::u16string> command_line(std::vector<std::string> const& argv);

/// Whether Windows would run the file by cmd.exe: .bat or .cmd, whatever dots and blanks follow, which Windows drops.
[[nodiscard]] bool is_batch_file(std::string_view path);

/// The line for cmd.exe that runs a batch file with the arguments behind argv's first. As above, and also where one has
/// what cmd.exe would take for its own inside quotation marks, too: these, %, ! and controls (CVE-2024-24576).
[[nodiscard]] result<std::u16string> batch_line(std::string_view cmd, std::string_view script,
                                                std::vector<std::string> const& argv);

/// NAME=value strings. Names are the same whatever the case of their ASCII letters.
using variables = std::vector<std::string>;

/// The value; empty for one that is not there.
[[nodiscard]] std::string_view value_of(variables const& all, std::string_view name);
/// Replaces what has the same name.
void set_variable(variables& all, std::string_view name, std::string_view value);
/// errc::invalid_argument, naming a position and never a text, where a name is empty or has a '=', or either no UTF-8.
[[nodiscard]] result<void> check_variables(std::vector<std::pair<std::string, std::string>> const& users);
/// As CreateProcessW takes it: sorted by name, a NUL behind each and another one. Entries that cannot be in there are
/// left out: without a name, with a NUL, no UTF-8.
[[nodiscard]] std::u16string environment_block(variables const& all);

/// Whether a file is there that is no folder.
using file_test = std::function<bool(std::string const& path)>;

/// The file that a command means: with a folder it is that one, relative to `directory` (empty: where this process is);
/// else it is looked up in the PATH of `all`, never in the current folder. Without an extension of its own it gets those
/// of PATHEXT, as far as CreateProcessW and cmd.exe can run them: .com, .exe, .bat, .cmd; a file without one is passed
/// over, such as npm's shell script beside its npx.cmd.
[[nodiscard]] std::optional<std::string> find_command(std::string_view command, variables const& all,
                                                      std::string_view directory, file_test const& is_file);

}  // namespace comcp::net::windows

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/windows_command.ipp>
#include <comcp/net/impl/windows_lookup.ipp>
#endif
