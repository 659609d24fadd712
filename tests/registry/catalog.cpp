// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalog alone, without servers.
#include <comcp/registry/catalog.hpp>

#include <chrono>

#include "support/catch.hpp"

using namespace comcp;
using strings = std::vector<std::string>;

namespace {

tool named(std::string name, std::string description = {}) {
  json::object o;
  o.set("name", name).set("description", description).set("inputSchema", json::object().set("type", "object"));
  return json::read<tool>(json::parse(o.text())->view()).value();
}

detail::shared_part<tool> part(std::string const& server, std::vector<tool> tools) {
  std::vector<catalog_fault> faults;
  auto made = detail::make_part<tool>(server, "/", std::move(tools), faults);
  CHECK(faults.empty());
  return made;
}

strings names(catalog_view<tool> const& all) {
  strings out;
  for (auto const& t : all) out.push_back(t.name);
  return out;
}

}  // namespace

TEST_CASE("catalog: entries stand by server, then by name, whatever came first", "[registry]") {
  catalog_view<tool> all;
  CHECK(all.empty());
  all = all.with("b", part("b", {named("z"), named("a")}));
  all = all.with("a", part("a", {named("m")}));
  CHECK(names(all) == strings{"a/m", "b/a", "b/z"});
  CHECK(all.size() == 3);
  CHECK(all[1].server_name == "b");
  CHECK(all[1].original_name == "a");
  CHECK(all[1].definition.name == "a");
}

TEST_CASE("catalog: by qualified and by bare name", "[registry]") {
  catalog_view<tool> all;
  all = all.with("a", part("a", {named("read"), named("x/y")})).with("b", part("b", {named("read"), named("only")}));
  REQUIRE(all.find("b/read"));
  CHECK(all.find("b/read")->server_name == "b");
  REQUIRE(all.find("a/x/y"));
  CHECK(all.find("a/x/y")->original_name == "x/y");
  CHECK(all.find("a/only") == nullptr);
  CHECK(all.find("c/read") == nullptr);
  CHECK(all.find("read") == nullptr);
  CHECK(all.find_all("read").size() == 2);
  CHECK(all.find_all("only").size() == 1);
  CHECK(all.find_all("none").empty());
}

TEST_CASE("catalog: a snapshot stays as it was, and other servers' parts are shared with the next one", "[registry]") {
  catalog_view<tool> before;
  before = before.with("a", part("a", {named("one")})).with("b", part("b", {named("two")}));
  auto const* const kept = &before[1];
  auto const after = before.with("a", part("a", {named("three")}));
  CHECK(names(before) == strings{"a/one", "b/two"});
  CHECK(names(after) == strings{"a/three", "b/two"});
  CHECK(&after[1] == kept);
  CHECK(names(after.with("a", nullptr)) == strings{"b/two"});
  CHECK(names(after.with("none", nullptr)) == names(after));
}

TEST_CASE("catalog: of a name that comes twice the first counts, and it is told", "[registry]") {
  std::vector<catalog_fault> faults;
  auto const made = detail::make_part<tool>("a", "/", {named("x", "first"), named("b"), named("x", "second")}, faults);
  REQUIRE(made->size() == 2);
  CHECK((*made)[1].definition.description == "first");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].kind == "tools");
  CHECK_THAT(std::string(faults[0].reason.message()), Catch::Contains("x comes twice"));
}

TEST_CASE("catalog: the difference names what came, went and changed", "[registry]") {
  auto const was = part("a", {named("gone"), named("kept"), named("other", "1")});
  auto const is = part("a", {named("fresh"), named("kept"), named("other", "2")});
  auto const c = detail::difference<tool>("a", was, is);
  CHECK(c.added == strings{"fresh"});
  CHECK(c.removed == strings{"gone"});
  CHECK(c.changed == strings{"other"});
  CHECK(c.server_name == "a");
  CHECK(c.kind == "tools");
  CHECK(detail::difference<tool>("a", is, is).empty());
  CHECK(detail::difference<tool>("a", nullptr, is).added == strings{"fresh", "kept", "other"});
  CHECK(detail::difference<tool>("a", was, nullptr).removed == strings{"gone", "kept", "other"});
}

TEST_CASE("catalog: resources go by their uri, templates by their pattern", "[registry]") {
  std::vector<catalog_fault> faults;
  auto const r = detail::make_part<resource>("a", "/", {resource("file:///x", "same"), resource("file:///a", "same")}, faults);
  CHECK(r->front().original_name == "file:///a");
  CHECK(r->front().name == "a/file:///a");
  auto const t = detail::make_part<resource_template>("a", "/", {resource_template("x/{y}", "n")}, faults);
  CHECK(t->front().original_name == "x/{y}");
  CHECK(faults.empty());
}
