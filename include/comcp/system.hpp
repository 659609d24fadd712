// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What each system does in its own way before there is any I/O: the texts that it hands out, which are UTF-8 here, and
// chance that nobody guesses. Internal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <comcp/version.hpp>

namespace comcp::detail {

/// Nothing where it is not set.
std::optional<std::string> environment_variable(std::string_view name);

/// A file's name, as comcp's options and files have it, for the system. std::filesystem::path itself takes a
/// std::string for a text of the ANSI code page on Windows.
std::filesystem::path path_from_text(std::string_view text);
/// The other way round.
std::string text_of_path(std::filesystem::path const& path);

/// Bytes of the system's generator for secrets, in hexadecimal. std::exception where it has none.
std::string unguessable_hex(std::size_t bytes);

}  // namespace comcp::detail

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/impl/system_posix.ipp>
#include <comcp/impl/system_windows.ipp>
#endif
