// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tokens and keys are in the memory of this tool: neither a core dump nor another process of the user gets it.
#pragma once

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace cli {

/// Servers that are started have theirs as usual.
inline void keep_memory_out_of_core_dumps() noexcept {
#if defined(__linux__)
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

}  // namespace cli
