// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/protocol/roots.hpp>

#include "support/catch.hpp"

using namespace comcp;

TEST_CASE("roots: a root is a file uri whose path is normal", "[protocol]") {
  for (auto const* const good : {"file:///home/ada", "file:///", "file://host/a/..b/c..", "file:///a/.git/x", "file:///C:/a"})
    CHECK(check_root(root(good)).has_value());
  for (auto const* const bad : {"http://x/", "/home/ada", "file:///a/../b", "file:///a/..", "file:///a/./b", "file:///a/%2e%2E/b",
                                "file:///a/.%2e", "file:///a%2F..%2fb", "file:///a\\..\\b", "file:///a%5c..%5Cb"}) {
    INFO(bad);
    CHECK(check_root(root(bad)).error() == errc::invalid_argument);
  }
}
