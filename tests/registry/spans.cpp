// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "registry/house.hpp"

#include <comcp/client/spans.hpp>

#include "support/recorded_spans.hpp"

using namespace comcp;
using namespace comcp_test;

TEST_CASE("registry: a call is a span, and the client's is below it", "[registry]") {
  house h;
  recorded_spans spans;
  auto r = h.make(h.registry_options().spans(spans.hook()));
  auto const s = h.server();
  auto make = [&s] { return any_transport(s.transport()); };
  auto const config =
      server_config::from(make).options(connect_options().time(h.clock).spans(spans.hook()));
  REQUIRE(h.finish(r.add("a", config)));
  spans.clear();
  spans.context = trace_context("00-11111111111111111111111111111111-2222222222222222-01");
  REQUIRE(h.finish(r.call("a/echo")));
  auto const& above = spans.named("registry.call");
  auto const& below = spans.named("tools/call echo");
  CHECK(above.start.layer == span_layer::registry);
  CHECK(above.text("comcp.target") == "a/echo");
  CHECK(below.start.parent == spans.context);
  CHECK(above.failure.empty());
  CHECK(spans.open() == 0);
  spans.clear();
  CHECK_FALSE(h.finish(r.call("b/echo")));
  CHECK(spans.named("registry.call").text("error.type") == "unknown_server");
  CHECK_FALSE(h.finish(r.read("b", "x:y")));
  CHECK_FALSE(h.finish(r.prompt("b", "p")));
  CHECK_FALSE(h.finish(r.subscribe("b", "x:y", [](resource_updated const&) {})));
  CHECK_FALSE(h.finish(r.unsubscribe("b", "x:y")));
  CHECK(spans.all().size() == 5);
  CHECK(spans.open() == 0);
}

TEST_CASE("registry: with spans a call still waits for its server, within its timeout", "[registry]") {
  house h;
  recorded_spans spans;
  auto r = h.make(h.registry_options().spans(spans.hook()));
  auto s = h.server();
  bool broken = true;
  s.breaks_while(&broken);
  auto const adding = h.start(r.add("a", h.config(s).background()));
  auto const call = h.start(r.call("a/echo", {}, call_options().timeout(std::chrono::seconds(2))));
  CHECK(spans.open() == 1);
  h.advance(std::chrono::seconds(2));
  CHECK(call->done());
  CHECK(spans.named("registry.call").text("error.type") == "server_not_ready");
  CHECK(spans.open() == 0);
}
