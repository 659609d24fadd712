// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/pool/pool.hpp>

#include "pool/crew.hpp"
#include "support/recorded_spans.hpp"

using namespace comcp;
using namespace comcp_test;

TEST_CASE("pool: a call is a span, which its member's server is told", "[pool]") {
  crew c;
  recorded_spans spans;
  auto const p = c.make(2, c.pooled().spans(spans.hook()));
  REQUIRE(c.finish(p.call_tool("a", {}, call_options().meta("tracestate", "a=1"))));
  auto const& s = spans.named("pool.call");
  CHECK(s.start.layer == span_layer::pool);
  CHECK(s.failure.empty());
  CHECK(s.start.parent.empty());  // a tracestate alone is none
  auto const meta = c.servers[0].last("tools/call")["_meta"];
  CHECK(trace_parent::parse(meta["traceparent"].as<std::string>()));
  REQUIRE(c.finish(p.close()));
  CHECK_FALSE(c.finish(p.call_tool("a")));
  CHECK(spans.last().text("error.type") == "connection_closed");
  CHECK(spans.open() == 0);
}
