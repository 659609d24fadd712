// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// stdin and stdout as bytes, unbuffered, whatever the system.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace demo {

/// To be called first: no line end is translated, on Windows either.
void use_plain_streams();
/// Waits for bytes; 0 at the end, and where reading fails.
std::size_t read_stdin(std::span<char> into);
/// False when nobody reads any more.
bool write_stdout(std::string_view bytes);
/// Whether a write would not wait now, as far as that is known.
bool stdout_is_idle();
bool stdin_is_terminal();

}  // namespace demo
