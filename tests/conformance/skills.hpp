// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host does with skills, as the sep-2640-client-* scenarios want it.
#pragma once

#include <comcp/comcp.hpp>

namespace conformance {

/// Lists the skills and reads none.
asio::awaitable<void> list_skills(comcp::client& client);

/// Loads the first skill and reads its files. Throws where it is not refused.
asio::awaitable<void> load_bad_skill(comcp::client& client);

}  // namespace conformance
