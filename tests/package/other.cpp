// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The second translation unit of a consumer: whatever comcp defines twice fails to link.
#include <string>

#include <comcp/comcp.hpp>

std::string text_from_the_other_unit() { return comcp::error(comcp::errc::timeout, "after 5 s").to_string(); }
