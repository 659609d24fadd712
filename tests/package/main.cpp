// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What every consumer project builds: uses comcp, from one translation unit or two.
#include <cstdio>
#include <string>

#include <comcp/comcp.hpp>

#if defined(COMCP_TWO_UNITS)
std::string text_from_the_other_unit();
#endif

int main() {
  comcp::error const e(comcp::errc::timeout, "after 5 s");
  if (e.to_string() != "timed out: after 5 s") return 1;
#if defined(COMCP_TWO_UNITS)
  if (text_from_the_other_unit() != e.to_string()) return 2;
#endif
  std::printf("comcp %s\n", COMCP_VERSION_STRING);
}
