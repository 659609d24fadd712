// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The file system and the environment of this process, for read.hpp and expand.hpp.
#pragma once

#include <string>

#include <comcp/config/expand.hpp>
#include <comcp/config/read.hpp>

namespace comcp {

/// read_config() of a file, which names itself in problems unless the options name it. One that cannot be read gives a
/// problem with errc::not_found; so does what is no regular file (a FIFO, a device). Blocks while it reads.
[[nodiscard]] config_file load_config(std::string const& path, config_options options = {});

/// The environment, the current directory as workspace folder, the home directory, and regular files of at most 1 MiB. Inputs
/// have their defaults.
[[nodiscard]] config_variables process_variables();

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/config/impl/load.ipp>
#endif
