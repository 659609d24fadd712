// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include "support/catch.hpp"

using cli::did_you_mean;

TEST_CASE("suggest: the nearest known name, and none where nothing is near", "[cli]") {
  std::vector<std::string> const known{"tools", "resources", "templates", "prompts", "call", "get_items", "getItem"};
  CHECK(did_you_mean("tolls", known) == "; did you mean 'tools'?");
  CHECK(did_you_mean("otols", known) == "; did you mean 'tools'?");
  CHECK(did_you_mean("TOOLS", known) == "; did you mean 'tools'?");
  CHECK(did_you_mean("res", known) == "; did you mean 'resources'?");
  CHECK(did_you_mean("get-items", known) == "; did you mean 'get_items'?");
  CHECK(did_you_mean("cal", known) == "; did you mean 'call'?");
  for (auto const* const distant : {"", "x", "npx", "./my-server", "zzzzzzzz"}) {
    CAPTURE(distant);
    CHECK(did_you_mean(distant, known).empty());
  }
  CHECK(did_you_mean("call", {}).empty());
}

TEST_CASE("suggest: names of any length and content are compared within bounds", "[cli]") {
  std::string const endless(1 << 20, 'a');
  CHECK(did_you_mean(endless, {endless + "b", "a"}).empty());
  CHECK(did_you_mean("a", std::vector<std::string>(100, endless)).empty());
  CHECK(did_you_mean(std::string(64, 'a'), {std::string(63, 'a')}).size() > 64);
  CHECK(did_you_mean("cal", {"ca\x1b"}).find('\x1b') == std::string::npos);
}
