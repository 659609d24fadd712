// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/client/validation.hpp>

#include <comcp/json/build.hpp>

#include "support/validated.hpp"

using namespace comcp;
using namespace comcp_test;

TEST_CASE("validation: arguments that do not match are not sent", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    CHECK_FALSE(v.call("sum", args("a", 1, "b", 2)));
    CHECK(v.calls() == 1);
    auto const e = v.call("sum", args("a", "one"));
    CHECK(e == errc::validation_failed);
    CHECK(says(e, "the arguments of the tool sum"));
    CHECK(says(e, "has no member \"b\" (/required)"));
    CHECK(says(e, "/a: is not of type \"number\" (/properties/a/type)"));
    CHECK_FALSE(says(e, "one"));  // values stay out of errors
    CHECK(v.call("sum", json::fragment()) == errc::validation_failed);  // none are an empty object
    CHECK_FALSE(v.call("echo", json::fragment()) == errc::validation_failed);
    CHECK(v.calls() == 2);
    CHECK(v.c.faults.empty());
  }
}

TEST_CASE("validation: the text that a model wrote is checked like all else", "[client]") {
  validated v(era::modern);
  v.connect();
  CHECK_FALSE(v.call("sum", json::raw(R"( {"b":2.5, "a" : 1e3} )")));
  CHECK(v.call("sum", json::raw(R"({"a":1,"b":"2"})")) == errc::validation_failed);
  CHECK(v.call("sum", json::raw("[1,2]")) == errc::invalid_argument);
  CHECK(v.calls() == 1);
}

TEST_CASE("validation: nothing is checked without it, and nothing is listed", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.client = v.c.connect(v.server.transport()).value();
    v.result(R"({"content":[]})");
    CHECK_FALSE(v.call("sum", args("a", "one")));
    CHECK(v.lists() == 0);
    validated off(era);
    off.result(R"({"content":[]})");
    off.connect(validation_options().arguments(validation::off).output(validation::off));
    CHECK_FALSE(off.call("sum", args("a", "one")));
    CHECK(off.lists() == 0);
  }
}

TEST_CASE("validation: arguments may be warned of, or left alone", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect(validation_options().arguments(validation::warn));
    CHECK_FALSE(v.call("sum", args("a", 1)));
    REQUIRE(v.c.faults.size() == 1);
    CHECK(v.c.faults[0] == errc::validation_failed);
    validated off(era);
    off.connect(validation_options().arguments(validation::off));
    CHECK_FALSE(off.call("sum", args("a", 1)));
    CHECK(off.c.faults.empty());
    CHECK(v.calls() + off.calls() == 2);
  }
}

TEST_CASE("validation: structured content that does not match ends a strict call", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    v.result(R"({"content":[],"structuredContent":{"sum":"3"}})");
    auto const e = v.call("sum", args("a", 1, "b", 2));
    CHECK(e == errc::validation_failed);
    CHECK(says(e, "the tool sum was called"));
    CHECK(says(e, "/sum: is not of type \"number\""));
    CHECK_FALSE(is_retriable(e));
    CHECK(v.calls() == 1);
    v.result(R"({"content":[]})");
    auto const missing = v.call("sum", args("a", 1, "b", 2));
    CHECK(missing == errc::validation_failed);
    CHECK(says(missing, "there is no structuredContent"));
    CHECK_FALSE(v.call("echo", args("x", "y")));  // it has no outputSchema
  }
}

TEST_CASE("validation: structured content may be warned of, or left alone", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect(validation_options().output(validation::warn));
    v.result(R"({"content":[],"structuredContent":{}})");
    auto const r = v.c.finish(v.client.call_tool("sum", args("a", 1, "b", 2)));
    REQUIRE(r);
    CHECK(r->structured_content == json::parse("{}").value());
    REQUIRE(v.c.faults.size() == 1);
    CHECK(v.c.faults[0] == errc::validation_failed);
    validated off(era);
    off.connect(validation_options().output(validation::off));
    off.result(R"({"content":[],"structuredContent":{}})");
    CHECK_FALSE(off.call("sum", args("a", 1, "b", 2)));
    CHECK(off.c.faults.empty());
  }
}

TEST_CASE("validation: a result with isError is not checked", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    for (auto const* text : {R"({"content":[],"isError":true})",
                             R"({"content":[],"isError":true,"structuredContent":{"why":"no"}})"}) {
      v.result(text);
      auto const r = v.c.finish(v.client.call_tool("sum", args("a", 1, "b", 2)));
      REQUIRE(r);
      CHECK(r->is_error);
    }
    v.result(R"({"content":[],"isError":false})");
    CHECK(v.call("sum", args("a", 1, "b", 2)) == errc::validation_failed);
  }
}

TEST_CASE("validation: an error of the server stays what it is", "[client]") {
  validated v(era::modern);
  v.connect();
  v.server.on("tools/call", [](comcp::test::fake_request const& r) { r.fail(-32602, "Unknown tool"); });
  auto const e = v.call("sum", args("a", 1, "b", 2));
  REQUIRE(e.peer());
  CHECK(e.peer()->code == -32602);
}

TEST_CASE("validation: what an interceptor makes of the arguments is checked", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    interceptor i;
    i.before = [](outgoing_call& c) -> asio::awaitable<std::optional<json::value>> {
      if (c.method == "tools/call") c.params = args("name", "sum", "arguments", args("a", 1));
      co_return std::nullopt;
    };
    v.client = v.c.connect(v.server.transport(), v.c.options().validate(validation_options()).intercept(i)).value();
    CHECK(v.call("sum", args("a", 1, "b", 2)) == errc::validation_failed);
    CHECK(v.calls() == 0);
    CHECK(v.lists() == 1);
  }
}

TEST_CASE("validation: a tools/call by request() is checked, too", "[client]") {
  validated v(era::legacy);
  v.connect();
  auto const r = v.c.finish(v.client.request("tools/call", args("name", "sum", "arguments", args("a", 1))));
  CHECK(r.error() == errc::validation_failed);
  CHECK(v.calls() == 0);
}

TEST_CASE("validation: of a call in rounds the last result is checked, and one that was handed over is not", "[client]") {
  validated v(era::modern);
  v.connect();
  auto const asks = json::fragment::trusted(R"({"resultType":"input_required","requestState":"s"})");
  v.server.on("tools/call", [&](comcp::test::fake_request const& r) {
    if (r.params().contains("requestState"))
      r.reply(json::fragment::trusted(R"({"resultType":"complete","content":[],"structuredContent":{"sum":"x"}})"));
    else r.reply(asks);
  });
  auto const call = v.c.start(v.client.call_tool("sum", args("a", 1, "b", 2)));
  v.c.advance(std::chrono::milliseconds(50));  // state alone is paced
  CHECK(call->error() == errc::validation_failed);
  auto const stopped = v.c.finish(v.client.call_tool("sum", args("a", 1, "b", 2), call_options().manual_input()));
  REQUIRE(stopped);
  auto const resumed = v.c.finish(v.client.resume<call_tool_result>(stopped->raw, json::fragment::trusted("{}")));
  CHECK(resumed.error() == errc::validation_failed);
}

TEST_CASE("validation: a schema that cannot be used fails a strict call before it is sent", "[client]") {
  struct bad {
    std::string schema;
    errc code;
  };
  for (auto const era : both_eras) {
    for (auto const& [schema, code] :
         {bad{R"({"type":"nothing"})", errc::invalid_argument},
          bad{R"({"$schema":"http://json-schema.org/draft-04/schema#"})", errc::unsupported_dialect},
          bad{R"({"$ref":"https://example.org/elsewhere.json"})", errc::not_found},
          bad{R"({"properties":{"a":{"pattern":"(a)\\1"}}})", errc::invalid_argument}}) {
      for (std::string const where : {"inputSchema", "outputSchema"}) {
        validated v(era);
        auto const other = where == "inputSchema" ? std::string() : std::string(R"("inputSchema":{"type":"object"},)");
        v.list({R"({"name":"odd",)" + other + "\"" + where + "\":" + schema + "}", sum_tool});
        v.connect();
        auto const e = v.call("odd", args("a", 1));
        CHECK(e == code);
        CHECK(says(e, "the " + where + " of the tool odd"));
        CHECK(v.calls() == 0);
        CHECK_FALSE(v.call("sum", args("a", 1, "b", 2)));

        validated lax(era);
        lax.list({R"({"name":"odd",)" + other + "\"" + where + "\":" + schema + "}"});
        lax.connect(validation_options().arguments(validation::warn).output(validation::warn));
        CHECK_FALSE(lax.call("odd", args("a", 1)));
        CHECK(lax.c.faults.size() == 1);
        CHECK(lax.calls() == 1);
      }
    }
  }
}

TEST_CASE("validation: draft-07 where the schema says so", "[client]") {
  validated v(era::legacy);
  v.list({R"({"name":"old","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",)"
          R"("properties":{"pair":{"items":[{"type":"string"},{"type":"number"}]}}}})"});
  v.connect();
  CHECK_FALSE(v.call("old", json::raw(R"({"pair":["x",1]})")));
  CHECK(v.call("old", json::raw(R"({"pair":[1,"x"]})")) == errc::validation_failed);
}
