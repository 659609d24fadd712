// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/listing.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;
using comcp::test::script;

namespace {

std::string page_of(std::string const& names, std::string const& next = {}) {
  std::string out = R"({"tools":[)";
  for (char const n : names) {
    out += std::string(out.back() == '[' ? "" : ",") + R"({"name":")" + n + R"(","inputSchema":{"type":"object"}})";
  }
  return out + "]" + (next.empty() ? "" : R"(,"nextCursor":)" + next) + "}";
}

script::matcher cursor_is(std::string text) {
  return [text](json::value const& m) {
    auto const params = m.find("params");
    auto const cursor = params ? params->find("cursor") : std::nullopt;
    return cursor && cursor->as<std::string>() == text;
  };
}
bool no_cursor(json::value const& m) { return !m.contains("params") || !m["params"].contains("cursor"); }

}  // namespace

TEST_CASE("pager: every page of a list is walked, in order", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/list", no_cursor).reply(page_of("ab", "\"two\"")).expect("tools/list", cursor_is("two")).reply(page_of("c"));
  auto client = c.connect(s.transport());
  auto const tools = c.finish(client->list_tools());
  REQUIRE(tools);
  REQUIRE(tools->size() == 3);
  CHECK((*tools)[2].name == "c");
  CHECK(tools->find("b") == &(*tools)[1]);
  CHECK(tools->find("z") == nullptr);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("pager: an empty string is a cursor, null is none", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/list", no_cursor).reply(page_of("a", "\"\"")).expect("tools/list", cursor_is("")).reply(page_of("b", "null"));
  auto client = c.connect(s.transport());
  auto const tools = c.finish(client->list_tools());
  REQUIRE(tools);
  CHECK(tools->size() == 2);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("pager: a cursor that comes twice is an error, also when others came between", "[client]") {
  conversation c;
  auto s = legacy_script();
  for (auto const* const next : {"\"x\"", "\"y\"", "\"x\""}) s.expect("tools/list").reply(page_of("a", next));
  auto client = c.connect(s.transport());
  auto const tools = c.finish(client->list_tools());
  REQUIRE_FALSE(tools);
  CHECK(tools.error() == errc::protocol_violation);
  CHECK(s.verdict() == all_well);
}

TEST_CASE("pager: pages, items and total time are capped", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport(), c.options().limits(connection_limits().pages(3).items(5).list_bytes(3000)));
  SECTION("pages") {
    for (auto const* const next : {"\"1\"", "\"2\"", "\"3\""}) s.expect("tools/list").reply(page_of("a", next));
    auto const tools = c.finish(client->list_tools());
    REQUIRE_FALSE(tools);
    CHECK(tools.error() == errc::limit_exceeded);
    CHECK_THAT(std::string(tools.error().message()), match::contains("pages"));
  }
  SECTION("items") {
    s.expect("tools/list").reply(page_of("abc", "\"1\"")).expect("tools/list").reply(page_of("def"));
    auto const tools = c.finish(client->list_tools());
    REQUIRE_FALSE(tools);
    CHECK(tools.error() == errc::limit_exceeded);
    CHECK_THAT(std::string(tools.error().message()), match::contains("items"));
  }
  SECTION("bytes") {
    for (char const x : {'x', 'y'}) s.expect("tools/list").reply(page_of("a", '"' + std::string(2000, x) + '"'));
    auto const tools = c.finish(client->list_tools());
    REQUIRE_FALSE(tools);
    CHECK(tools.error() == errc::limit_exceeded);
    CHECK_THAT(std::string(tools.error().message()), match::contains("list_bytes"));
  }
  SECTION("time") {
    s.expect("tools/list").then([&] { c.clock->advance(6s); }).reply(page_of("a", "\"1\""));
    s.expect("tools/list").then([&] { c.clock->advance(6s); }).reply(page_of("b", "\"2\""));
    auto const tools = c.finish(client->list_tools(call_options().hard_timeout(10s)));
    REQUIRE_FALSE(tools);
    CHECK(tools.error() == errc::timeout);
  }
  CHECK(s.verdict() == all_well);
}

TEST_CASE("pager: one broken definition is set aside with its reason, the rest is delivered", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/list").reply(
      R"({"tools":[{"name":"good","inputSchema":{"type":"object"}},{"name":7},"no tool",)"
      R"({"name":"last","inputSchema":{"type":"object"}}]})");
  auto client = c.connect(s.transport());
  auto const tools = c.finish(client->list_tools());
  REQUIRE(tools);
  REQUIRE(tools->size() == 2);
  CHECK((*tools)[1].name == "last");
  REQUIRE(tools->set_aside().size() == 2);
  c.settle();
  CHECK(c.faults.size() == 2);  // the observer hears of them too
}

TEST_CASE("pager: it walks lazily, as far as the caller wants", "[client]") {
  conversation c;
  auto s = legacy_script();
  auto client = c.connect(s.transport());
  auto pages = client->pages<tool>();
  CHECK(s.sent().size() == 3);
  s.expect("tools/list").reply(page_of("ab", "\"n\""));
  auto first = c.finish(pages.next());
  REQUIRE(first);
  REQUIRE(*first);
  CHECK((*first)->tools.size() == 2);
  CHECK(s.verdict() == all_well);
  s.expect("tools/list", cursor_is("n")).reply(page_of(""));
  auto second = c.finish(pages.next());
  REQUIRE(*second);
  CHECK((*second)->tools.empty());
  CHECK_FALSE(*c.finish(pages.next()));
  CHECK_FALSE(*c.finish(pages.next()));
  CHECK(s.verdict() == all_well);
}

TEST_CASE("pager: one page from a cursor of the caller's", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/list", cursor_is("")).reply(page_of("a", "\"more\"")).expect("prompts/list", no_cursor).reply(R"({"prompts":[]})");
  auto client = c.connect(s.transport());
  auto const page = c.finish(client->list_tools_page(""));
  REQUIRE(page);
  CHECK(page->next_cursor == "more");
  CHECK(c.finish(client->list_prompts_page()));
  CHECK(s.verdict() == all_well);
}

TEST_CASE("pager: a page of another shape is a protocol violation", "[client]") {
  conversation c;
  auto s = legacy_script();
  s.expect("tools/list").reply(R"({"tools":{}})").expect("resources/list").reply("{}").expect("prompts/list").reply(R"({"prompts":[],"nextCursor":7})");
  auto client = c.connect(s.transport());
  CHECK(c.finish(client->list_tools()).error() == errc::protocol_violation);
  CHECK(c.finish(client->list_resources()).error() == errc::protocol_violation);
  CHECK(c.finish(client->list_prompts()).error() == errc::protocol_violation);
}

TEST_CASE("pager: a definition that cannot be parsed is set aside, the rest is delivered", "[client]") {
  auto const deep = [](std::size_t levels) {
    std::string text = R"({"name":"deep","inputSchema":{"type":"object","properties":)";
    for (std::size_t i = 0; i < levels; ++i) text += R"({"a":)";
    return text + "1" + std::string(levels, '}') + "}}";
  };
  for (auto const& [bad, why] : std::vector<std::pair<std::string, std::string>>{
           {deep(300), "max_depth"},
           {deep(20'000), "max_depth"},
           {R"({"name":"deep","description":"\ud83d","inputSchema":{"type":"object"}})", "escape"},
           {R"({"name":"deep","inputSchema":{"type":"object","maximum":1e999}})", "number"}}) {
    conversation c;
    auto s = legacy_script();
    s.expect("tools/list").reply(R"({"tools":[{"name":"good","inputSchema":{"type":"object"}},)" + bad +
                                 R"(,{"name":"last","inputSchema":{"type":"object"}}],"nextCursor":"n"})");
    s.expect("tools/list").reply(R"({"tools":[]})");
    auto client = c.connect(s.transport());
    auto const tools = c.finish(client->list_tools());
    REQUIRE(tools);
    REQUIRE(tools->size() == 2);
    CHECK((*tools)[1].name == "last");
    REQUIRE(tools->set_aside().size() == 1);
    CHECK(tools->set_aside()[0].index == 1);
    CHECK_THAT(tools->set_aside()[0].reason, match::contains(why));
    CHECK(tools->set_aside()[0].raw["name"].as<std::string>() == "deep");
  }
}
