// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include <comcp/comcp.hpp>

int main() {
  comcp::result<int> const nothing(comcp::errc::not_found);
  std::cout << "comcp " << COMCP_VERSION_STRING << ": " << nothing.error().to_string() << '\n';
  return nothing ? 1 : 0;
}
