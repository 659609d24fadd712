// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/pinning/guard.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using comcp::errc;
using comcp::pin_finding;
using comcp::pin_guard;
using comcp::pin_policy;
using comcp::pin_state;
using comcp::pin_verdict;
using comcp::tool_pins;

namespace {

comcp::tool tool(std::string description) {
  comcp::tool t;
  t.name = "read";
  t.description = std::move(description);
  t.input_schema = comcp::json::parse(R"({"type":"object"})").value();
  return t;
}

tool_pins approved(comcp::tool const& t) {
  tool_pins pins;
  pins.approve("files", t);
  return pins;
}

}  // namespace

TEST_CASE("guard: by default the first definition is trusted and a change is blocked", "[pinning]") {
  pin_guard guard;
  CHECK(guard.check("files", tool("Reads")).verdict == pin_verdict::allow);
  CHECK(guard.check("files", tool("Reads")).state == pin_state::unchanged);
  auto const found = guard.check("files", tool("Reads and sends"));
  CHECK(found.verdict == pin_verdict::block);
  CHECK(found.state == pin_state::changed);
  CHECK(found.approved == comcp::fingerprint(tool("Reads")));
  CHECK(guard.check("files", tool("Reads and sends")).verdict == pin_verdict::block);
  CHECK(guard.check("files", tool("Reads")).verdict == pin_verdict::allow);
}

TEST_CASE("guard: a blocked definition gets through once it is approved", "[pinning]") {
  pin_guard guard(approved(tool("Reads")));
  auto const found = guard.check("files", tool("Reads more"));
  REQUIRE(found.verdict == pin_verdict::block);
  guard.approve(found);
  CHECK(guard.check("files", tool("Reads more")).verdict == pin_verdict::allow);
  CHECK(guard.check("files", tool("Reads")).verdict == pin_verdict::block);
}

TEST_CASE("guard: approval is for what was found, not for what is offered by then", "[pinning]") {
  pin_guard guard(approved(tool("Reads")));
  auto const shown = guard.check("files", tool("Reads more"));
  (void)guard.check("files", tool("Evil"));
  guard.approve(shown);
  CHECK(guard.check("files", tool("Evil")).verdict == pin_verdict::block);
}

TEST_CASE("guard: a warning lets through and does not approve", "[pinning]") {
  pin_guard guard(approved(tool("Reads")), pin_policy().changed(pin_verdict::warn).unknown(pin_verdict::warn));
  CHECK(guard.check("files", tool("Reads more")).verdict == pin_verdict::warn);
  CHECK(guard.check("files", tool("Reads more")).verdict == pin_verdict::warn);
  CHECK(guard.check("other", tool("Reads")).verdict == pin_verdict::warn);
  CHECK(guard.pins() == approved(tool("Reads")));
  CHECK(!guard.unsaved());
}

TEST_CASE("guard: an allowed change is approved by that", "[pinning]") {
  pin_guard guard(approved(tool("Reads")), pin_policy().changed(pin_verdict::allow));
  CHECK(guard.check("files", tool("Reads more")).verdict == pin_verdict::allow);
  CHECK(guard.pins() == approved(tool("Reads more")));
}

TEST_CASE("guard: unknown tools can be kept out until approved", "[pinning]") {
  pin_guard guard(tool_pins(), pin_policy().unknown(pin_verdict::block));
  auto const found = guard.check("files", tool("Reads"));
  CHECK(found.verdict == pin_verdict::block);
  CHECK(found.approved.empty());
  CHECK(found.to_error() == errc::tool_blocked);
  guard.approve(found);
  CHECK(guard.check("files", tool("Reads")).verdict == pin_verdict::allow);
}

TEST_CASE("guard: hidden characters make a verdict stricter, never milder", "[pinning]") {
  auto const hidden = tool("Reads\u200b");
  pin_guard warns;
  auto const found = warns.check("files", hidden);
  CHECK(found.verdict == pin_verdict::warn);
  REQUIRE(found.suspicious.size() == 1);
  CHECK(found.suspicious[0].where == "/description");
  CHECK(warns.check("files", hidden).verdict == pin_verdict::warn);
  pin_guard blocks(tool_pins(), pin_policy().suspicious(pin_verdict::block));
  CHECK(blocks.check("files", hidden).verdict == pin_verdict::block);
  CHECK(blocks.check("files", tool("Reads")).verdict == pin_verdict::allow);
  pin_guard lax(tool_pins(), pin_policy().unknown(pin_verdict::block).suspicious(pin_verdict::allow));
  CHECK(lax.check("files", hidden).verdict == pin_verdict::block);
  pin_guard knows(approved(hidden), pin_policy().suspicious(pin_verdict::block));
  CHECK(knows.check("files", hidden).verdict == pin_verdict::allow);
}

TEST_CASE("guard: a function decides for each definition that is not approved", "[pinning]") {
  std::vector<pin_finding> asked;
  auto const decide = [&](pin_finding const& found, comcp::json::view definition) {
    CHECK(definition.find("name")->get_string() == found.name);
    asked.push_back(found);
    return found.server == "mine" ? pin_verdict::allow : found.verdict;
  };
  pin_guard guard(approved(tool("Reads")), pin_policy().unknown(pin_verdict::warn).decide(decide));
  CHECK(guard.check("files", tool("Reads")).verdict == pin_verdict::allow);
  CHECK(asked.empty());
  CHECK(guard.check("mine", tool("Reads")).verdict == pin_verdict::allow);
  CHECK(guard.check("other", tool("Reads")).verdict == pin_verdict::warn);
  CHECK(guard.check("files", tool("x")).verdict == pin_verdict::block);
  REQUIRE(asked.size() == 3);
  CHECK(asked[0].state == pin_state::unknown);
  CHECK(asked[0].verdict == pin_verdict::warn);
  CHECK(asked[2].state == pin_state::changed);
  CHECK(asked[2].verdict == pin_verdict::block);
}

TEST_CASE("guard: a function that throws blocks", "[pinning]") {
  pin_guard guard(tool_pins(), pin_policy().decide([](pin_finding const&, comcp::json::view) -> pin_verdict {
    throw std::runtime_error("no");
  }));
  CHECK(guard.check("files", tool("Reads")).verdict == pin_verdict::block);
}

TEST_CASE("guard: what a known server adds is a verdict of its own, by default a warning", "[pinning]") {
  auto const named = [](std::string name) {
    auto t = tool("Reads");
    t.name = std::move(name);
    return t;
  };
  pin_guard guard;
  CHECK(guard.check("files", named("a")).verdict == pin_verdict::allow);
  CHECK(guard.check("files", named("b")).verdict == pin_verdict::allow);  // one and the same first use
  guard.listed("files", comcp::pin_kind::tool);
  auto const found = guard.check("files", named("c"));
  CHECK(found.state == pin_state::added);
  CHECK(found.verdict == pin_verdict::warn);
  CHECK(guard.check("files", named("c")).verdict == pin_verdict::warn);
  CHECK(std::string(found.to_error().message()).find("tool \"c\" of \"files\" came later, and is not approved") == 0);
  guard.approve(found);
  CHECK(guard.check("files", named("c")).verdict == pin_verdict::allow);
  guard.listed("none", comcp::pin_kind::tool);
  CHECK(guard.check("none", named("a")).state == pin_state::added);

  pin_guard later(tool_pins::parse(guard.pins().to_text()).value());
  CHECK(later.check("files", named("d")).state == pin_state::added);
  CHECK(later.check("files", named("a")).verdict == pin_verdict::allow);
  CHECK(later.check("other", named("d")).verdict == pin_verdict::allow);
}

TEST_CASE("guard: what is added is never treated milder than what is unknown, unless somebody says so", "[pinning]") {
  auto const other = [] {
    auto t = tool("Reads");
    t.name = "other";
    return t;
  }();
  auto const verdict = [&](pin_policy policy) {
    return pin_guard(approved(tool("Reads")), std::move(policy)).check("files", other).verdict;
  };
  CHECK(verdict(pin_policy().unknown(pin_verdict::block)) == pin_verdict::block);
  CHECK(verdict(pin_policy().unknown(pin_verdict::block).added(pin_verdict::warn)) == pin_verdict::warn);
  CHECK(verdict(pin_policy().added(pin_verdict::block)) == pin_verdict::block);
  CHECK(verdict(pin_policy().added(pin_verdict::allow)) == pin_verdict::allow);
}

TEST_CASE("guard: prompts and instructions are pinned as tools are", "[pinning]") {
  comcp::prompt p;
  p.name = "greet";
  pin_guard guard;
  CHECK(guard.check("files", tool("Reads")).verdict == pin_verdict::allow);
  CHECK(guard.check("files", p).verdict == pin_verdict::allow);
  CHECK(guard.check_instructions("files", "Be kind.").verdict == pin_verdict::allow);
  p.description = "evil";
  CHECK(guard.check("files", p).verdict == pin_verdict::block);
  CHECK(guard.check("files", p).to_error().message().find("prompt \"greet\" of \"files\" is not what") == 0);
  auto const found = guard.check_instructions("files", "Be evil.");
  CHECK(found.verdict == pin_verdict::block);
  CHECK(found.to_error().message().find("the instructions of \"files\" are not what") == 0);
  CHECK(guard.check_instructions("files", "").verdict == pin_verdict::allow);
  CHECK(guard.check_instructions("files", "Be kind.").verdict == pin_verdict::allow);
  guard.approve(found);
  CHECK(guard.check_instructions("files", "Be evil.").verdict == pin_verdict::allow);
  CHECK(guard.check_instructions("hidden", "Be\u200b").verdict == pin_verdict::warn);
  CHECK(guard.check_instructions("none", "").verdict == pin_verdict::allow);
  CHECK(guard.check_instructions("none", "Now there are some.").state == pin_state::changed);
}

TEST_CASE("guard: it knows whether its pins were saved", "[pinning]") {
  pin_guard guard(approved(tool("Reads")));
  (void)guard.check("files", tool("Reads"));
  CHECK(!guard.unsaved());
  (void)guard.check("other", tool("Reads"));
  CHECK(guard.unsaved());
  guard.saved();
  CHECK(!guard.unsaved());
  CHECK(!guard.forget("none"));
  CHECK(!guard.unsaved());
  CHECK(guard.forget("files", "read"));
  CHECK(guard.unsaved());
  guard.saved();
  CHECK(guard.forget("other"));
  CHECK(guard.unsaved());
  CHECK(guard.pins().empty());
}

TEST_CASE("guard: the error tells what is the matter and cannot be abused for writing on a terminal", "[pinning]") {
  pin_guard guard(approved(tool("Reads")));
  auto t = tool("Reads\u200b\u200b");
  auto const changed = guard.check("files", t).to_error();
  CHECK(changed == errc::tool_blocked);
  auto const text = std::string(changed.message());
  CHECK(text.find("\"read\" of \"files\" is not what was approved") != std::string::npos);
  CHECK(text.find("/description, byte 5: U+200B (zero_width) and 1 more") != std::string::npos);
  t.name = "\x1b[31mread";
  auto const unknown = std::string(guard.check("files", t).to_error().message());
  CHECK(unknown.find("<U+001B>[31mread") != std::string::npos);
  CHECK(unknown.find("is not approved") != std::string::npos);
}
