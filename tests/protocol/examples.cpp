// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Every official example message goes through its neutral type and comes out as equal JSON.
#include <algorithm>
#include <filesystem>
#include <vector>

#include "protocol/definitions.hpp"
#include "support/catch.hpp"
#include "support/corpus.hpp"

namespace fs = std::filesystem;
using namespace comcp;

namespace {

std::vector<fs::path> sorted_entries(fs::path const& folder) {
  std::vector<fs::path> found;
  for (auto const& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

void check_example(definitions::entry const& definition, fs::path const& file) {
  INFO(file.string());
  auto const whole = json::parse(comcp_test::content_of(file));
  REQUIRE(whole.has_value());
  auto part = *whole;
  if (!definition.at.empty()) {
    auto const found = whole->find(definition.at);
    if (!found) {
      CHECK(definition.name == "ListRootsRequest");  // the one message whose example has no parameters
      return;
    }
    part = *found;
  }
  auto const text = definition.again(part);
  REQUIRE(text.has_value());
  INFO("decoded and encoded: " << *text);
  auto const again = json::parse(*text);
  REQUIRE(again.has_value());
  CHECK(*again == part);
}

std::size_t check_examples(fs::path const& root) {
  std::size_t files = 0;
  for (auto const& folder : sorted_entries(root)) {
    auto const* const definition = definitions::find(folder.filename().string());
    INFO(folder.filename().string() << " has no entry in definitions.hpp");
    CHECK(definition);
    if (!definition) continue;
    for (auto const& file : sorted_entries(folder)) {
      check_example(*definition, file);
      ++files;
    }
  }
  return files;
}

}  // namespace

TEST_CASE("examples: every official example of 2026-07-28 survives its neutral type", "[protocol]") {
  for (auto const& root : comcp_test::corpora("spec/2026-07-28/examples")) CHECK(check_examples(root) >= 100);
}

TEST_CASE("examples: what comcp does not know survives at every depth", "[protocol]") {
  auto const text = R"({"tools":[{"name":"a","inputSchema":{"type":"object","x":[1]},"vendor":{"deep":[1,2.5,null]},
    "annotations":{"readOnlyHint":false,"new":1},"icons":[{"src":"data:image/png;base64,","zoom":2}]}],
    "nextCursor":"","_meta":{},"later":true})";
  auto const v = json::parse(text).value();
  auto const list = v.as<list_tools_result>();
  CHECK(list.next_cursor == "");
  CHECK(json::to_value(list) == v);
}

TEST_CASE("examples: a changed member is written changed, a removed one not at all", "[protocol]") {
  auto t = json::parse(R"({"name":"a","title":"A","inputSchema":{},"x":1,"icons":[]})").value().as<tool>();
  t.name = "b";
  t.title.reset();
  CHECK(json::to_text(t) == R"({"name":"b","inputSchema":{},"icons":[],"x":1})");
}
