// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An extension without an identifier has no place among the capabilities.
// EXPECT: comcp: this type is no extension: it needs a static identifier, a text
#include <comcp/client/extension.hpp>

struct jobs {
#if defined(COMCP_CONTROL)
  static constexpr std::string_view identifier = "com.example/jobs";
#else
  static constexpr std::string_view name = "com.example/jobs";
#endif
};

comcp::connect_options with_jobs() { return comcp::connect_options().extension(jobs()); }
