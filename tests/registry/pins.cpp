// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Pinned tools in a registry: what is offered, what is held back, and how it gets through.
#include "registry/house.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {
struct pinned : house {
  std::shared_ptr<pin_guard> guard;
  std::vector<pin_finding> findings;

  explicit pinned(pin_policy policy = pin_policy()) : guard(std::make_shared<pin_guard>(tool_pins(), std::move(policy))) {}
  registry make_pinned() {
    return make(registry_options().pins(guard).on_finding([this](pin_finding const& f) { findings.push_back(f); }));
  }
};
}  // namespace

TEST_CASE("registry: a tool that changes after its approval is held back until it is approved", "[registry]") {
  pinned h;
  auto const s = h.server({"a=kind", "b"});
  auto r = h.make_pinned();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  CHECK(names(r.tools()) == strings{"x/a", "x/b"});
  CHECK(h.findings.empty());
  h.changes.clear();
  s.tools() = {"a=evil", "b"};
  REQUIRE(h.finish(r.refresh("x")));
  CHECK(names(r.tools()) == strings{"x/b"});
  REQUIRE(r.blocked().size() == 1);
  CHECK(r.blocked()[0].entry.name == "x/a");
  CHECK(r.blocked()[0].finding.state == pin_state::changed);
  REQUIRE(h.findings.size() == 1);
  REQUIRE(h.changes.size() == 1);
  CHECK(h.changes[0].removed == strings{"a"});
  CHECK(h.finish(r.call("x/a")).error() == errc::tool_blocked);
  CHECK(h.finish(r.call("a")).error() == errc::tool_blocked);
  CHECK(s.count("tools/call") == 0);
  REQUIRE(h.finish(r.refresh("x")));
  CHECK(h.findings.size() == 1);  // nothing new to tell

  h.guard->approve(r.blocked()[0].finding);
  CHECK(h.finish(r.call("x/a")));
  CHECK(names(r.tools()) == strings{"x/a", "x/b"});
  CHECK(r.blocked().empty());
}

TEST_CASE("registry: after an approval a refresh lets a tool through, too", "[registry]") {
  pinned h(pin_policy().unknown(pin_verdict::block));
  auto const s = h.server({"a"});
  auto r = h.make_pinned();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  CHECK(r.tools().empty());
  REQUIRE(r.blocked().size() == 1);
  h.guard->approve(r.blocked()[0].finding);
  REQUIRE(h.finish(r.refresh()));
  CHECK(names(r.tools()) == strings{"x/a"});
}

TEST_CASE("registry: a tool that is only warned of is offered and told", "[registry]") {
  pinned h(pin_policy().unknown(pin_verdict::warn));
  auto r = h.make_pinned();
  REQUIRE(h.finish(r.add("x", h.config(h.server({"a"})))));
  CHECK(names(r.tools()) == strings{"x/a"});
  REQUIRE(h.findings.size() == 1);
  CHECK(h.findings[0].verdict == pin_verdict::warn);
  CHECK(h.findings[0].name == "a");
  CHECK(h.finish(r.call("x/a")));
}

TEST_CASE("registry: a tool that a known server adds is told of, and offered unless the policy blocks it", "[registry]") {
  bool const blocks = GENERATE(false, true);
  pinned h(blocks ? pin_policy().added(pin_verdict::block) : pin_policy());
  auto const s = h.server({"a", "b"});
  auto r = h.make_pinned();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  CHECK(h.findings.empty());
  s.tools() = {"a", "b", "c"};
  REQUIRE(h.finish(r.refresh("x")));
  REQUIRE(h.findings.size() == 1);
  CHECK(h.findings[0].state == pin_state::added);
  CHECK(names(r.tools()) == (blocks ? strings{"x/a", "x/b"} : strings{"x/a", "x/b", "x/c"}));
  CHECK(h.finish(r.call("x/c")).has_value() == !blocks);
}

TEST_CASE("registry: a prompt that changes is held back until it is approved", "[registry]") {
  pinned h;
  auto s = h.server({});
  auto const text = std::make_shared<std::string>("kind");
  s.on("prompts/list", [text](comcp::test::fake_request const& r) {
    auto const one = json::object().set("name", "greet").set("description", *text);
    r.reply(json::object().set("prompts", json::array().add(one)));
  });
  s.answer("prompts/get", json::raw(R"({"messages":[]})"));
  auto r = h.make_pinned();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  CHECK(r.prompts().size() == 1);
  CHECK(h.finish(r.prompt("x", "greet")));
  *text = "evil";
  REQUIRE(h.finish(r.refresh("x")));
  CHECK(r.prompts().empty());
  REQUIRE(h.findings.size() == 1);
  CHECK(h.findings[0].kind == pin_kind::prompt);
  CHECK(h.finish(r.prompt("x", "greet")).error() == errc::tool_blocked);
  CHECK(s.count("prompts/get") == 1);
  h.guard->approve(h.findings[0]);
  CHECK(h.finish(r.prompt("x", "greet")));
  CHECK(r.prompts().size() == 1);
}

TEST_CASE("registry: instructions that change are held back until they are approved", "[registry]") {
  pinned h;
  auto s = h.server({});
  s.instructions("Be kind.");
  auto r = h.make_pinned();
  REQUIRE(h.finish(r.add("x", h.config(s))));
  CHECK(r.instructions("x").value() == "Be kind.");
  CHECK(r.instructions("y").error() == errc::unknown_server);
  s.instructions("Be evil.");
  REQUIRE(h.finish(r.reconnect("x")));
  CHECK(r.instructions("x").error() == errc::tool_blocked);
  REQUIRE(h.findings.size() == 1);
  CHECK(h.findings[0].kind == pin_kind::instructions);
  h.guard->approve(h.findings[0]);
  REQUIRE(h.finish(r.refresh("x")));
  CHECK(r.instructions("x").value() == "Be evil.");
}

TEST_CASE("registry: another server's tool does not take the bare name of one that is blocked", "[registry]") {
  pinned h(pin_policy().decide([](pin_finding const& f, json::view) {
    return f.server == "good" ? pin_verdict::block : pin_verdict::allow;
  }));
  auto r = h.make_pinned();
  REQUIRE(h.finish(r.add("good", h.config(h.server({"pay"})))));
  REQUIRE(h.finish(r.add("other", h.config(h.server({"pay"})))));
  CHECK(h.finish(r.call("pay")).error() == errc::ambiguous_name);
  CHECK(h.finish(r.call("other/pay")));
}

TEST_CASE("registry: what a removed or failed server had blocked is forgotten", "[registry]") {
  pinned h(pin_policy().unknown(pin_verdict::block));
  auto r = h.make_pinned();
  REQUIRE(h.finish(r.add("x", h.config(h.server({"a"})))));
  CHECK(r.blocked().size() == 1);
  REQUIRE(h.finish(r.remove("x")));
  CHECK(r.blocked().empty());
}
