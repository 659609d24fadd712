// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole use of skills, broken at each step, and given up.
#include <comcp/extensions/skills.hpp>

#include <string>

#include <comcp/hash/sha256.hpp>

#include "support/fail_at_each_step.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::script;

namespace {

std::string const text = "---\nname: a\ndescription: b\n---\nDo it.\n";
std::string const declared = R"({"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}})";

std::string entry() {
  auto const file = args("uri", "skill://a/SKILL.md", "digest", "sha256:" + to_hex(sha256(text)), "size", text.size());
  return R"({"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},"resources":[)" + file.text() + "]}";
}
std::string contents() {
  return R"({"contents":[{"uri":"skill://a/SKILL.md","text":)" + json::to_text(text) + "}]}";
}

script whole() {
  auto s = modern_script(declared);
  s.expect("skills/list").reply(R"({"skills":[],"nextCursor":"2"})");
  s.expect("skills/list").reply(R"({"skills":[)" + entry() + "]}");
  s.expect("skills/get").reply(R"({"skill":)" + entry() + "}");
  s.expect("resources/read").reply(contents());
  s.expect("resources/read").reply(contents());
  s.expect("resources/directory/read").reply(R"({"resources":[]})");
  return s;
}

asio::awaitable<void> use(client& c) {
  auto const all = co_await c.extension<skills>().list();
  auto const entry = co_await c.extension<skills>().get(all[0].uri);
  auto const loaded = co_await c.extension<skills>().load(entry);
  (void)co_await loaded.read(entry.uri);
  (void)co_await c.extension<skills>().read_directory(entry.root());
}

}  // namespace

TEST_CASE("skills: whatever breaks, each operation ends once, with a typed error", "[skills]") {
  fail_at_each_step(whole(), [](client& c) { return use(c); }, [](connect_options o) { return o.extension(skills()); });
}

TEST_CASE("skills: a load that is cancelled tells the server", "[skills]") {
  conversation t;
  auto s = modern_script(declared);
  s.expect("skills/get").reply(R"({"skill":)" + entry() + "}");
  s.expect("resources/read").expect("notifications/cancelled");
  auto const c = t.connect(s.transport(), t.options().extension(skills())).value();
  auto const found = t.finish(c.extension<skills>().get("skill://a/SKILL.md")).value();
  auto const load = t.start(c.extension<skills>().load(found));
  CHECK_FALSE(load->done());
  load->cancel();
  t.settle();
  CHECK(load->error() == errc::cancelled);
  CHECK(s.verdict() == all_well);
  CHECK(c.statistics().pending == 0);
}
