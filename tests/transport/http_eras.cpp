// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

struct answer {
  char const* what;
  int status;
  char const* type;
  char const* body;
};

std::string const not_found = R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}})";

}  // namespace

TEST_CASE("http_eras: what shows a legacy server", "[transport]") {
  auto const a = GENERATE(answer{"no body", 400, "", ""}, answer{"text", 400, "text/plain", "bad request"},
                          answer{"-32000 without id", 400, "application/json",
                                 R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"not initialized"},"id":null})"},
                          answer{"404 and HTML", 404, "text/html", "<h1>Cannot POST</h1>"},
                          answer{"404 and -32601", 404, "application/json",
                                 R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}})"},
                          answer{"405", 405, "", ""}, answer{"422", 422, "application/json", "{}"},
                          answer{"an error in a 200", 200, "application/json",
                                 R"({"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}})"});
  INFO(a.what);
  http_talk t;
  auto const opening = t.begin();
  auto const probe = t.take("server/discover");
  if (*a.type) {
    probe->head(a.status, {{"Content-Type", a.type}}).piece(a.body).end();
  } else {
    probe->status(a.status);
  }
  t.answer_initialize("s");
  t.take("initialized")->status(202);
  t.answer_get(false);
  CHECK(t.done(opening).era() == era::legacy);
}

TEST_CASE("http_eras: an empty result, or none that a DiscoverResult is, is a legacy answer", "[transport]") {
  http_talk t;
  auto const opening = t.begin();
  t.take("server/discover")->result("{}", {{"Mcp-Session-Id", "too-early"}});
  auto const initialize = t.take("\"initialize\"");
  CHECK(initialize->header("Mcp-Session-Id").empty());
  initialize->result(initialize_text("2025-06-18"));
  t.take("initialized")->status(202);
  t.answer_get(false);
  CHECK(t.done(opening).protocol_version() == version::v2025_06_18);
}

TEST_CASE("http_eras: what shows nothing fails connect, and leaves no verdict", "[transport]") {
  int const status = GENERATE(401, 403, 407, 408, 429, 500, 502, 503);
  INFO(status);
  http_talk t;
  auto const cache = std::make_shared<era_cache>();
  auto const opening = t.begin(t.options().remember_eras(cache));
  t.take("server/discover")->status(status, {{"Content-Type", "application/json"}}, not_found);
  t.settle();
  REQUIRE(opening->done());
  CHECK(opening->error());
  REQUIRE(opening->error().detail());
  CHECK(opening->error().detail()->http_status == status);
  CHECK_FALSE(cache->find("http://server.test "));
  t.quiet();
}

TEST_CASE("http_eras: silence and broken connections are no verdict either", "[transport]") {
  http_talk t;
  auto const opening = t.begin(t.options().handshake_timeout(10s));
  auto const probe = t.take("server/discover");
  SECTION("silence") {
    t.advance(9s);
    CHECK_FALSE(opening->done());
    t.advance(1s);
    CHECK(opening->error() == errc::timeout);
  }
  SECTION("broken") {
    probe->fail(error(errc::transport_failed, "reset"));
    t.settle();
    CHECK(opening->error() == errc::transport_failed);
  }
  SECTION("refused") {
    probe->fail(error(errc::connect_failed, "refused"));
    t.settle();
    CHECK(opening->error() == errc::connect_failed);
  }
  SECTION("HTML with 200") {
    probe->status(200, {{"Content-Type", "text/html"}}, "<html>");
    t.settle();
    CHECK(opening->error() == errc::wrong_content_type);
  }
  t.quiet();
}

TEST_CASE("http_eras: modern errors are modern, whatever their status", "[transport]") {
  http_talk t;
  auto const opening = t.begin();
  t.take("server/discover")->error(400, -32021, "missing", R"({"requiredCapabilities":{"roots":{}}})");
  t.settle();
  REQUIRE(opening->error().peer());
  CHECK(opening->error().peer()->code == -32021);
  t.quiet();
}

TEST_CASE("http_eras: a wrong verdict does not make a call run twice", "[transport]") {
  http_talk t;
  era_verdict wrong;
  wrong.era = era::modern;
  wrong.versions.push_back(version::v2026_07_28);
  auto c = t.done(t.begin(t.options().prior(wrong)));
  auto const call = t.start(c.call_tool("x"));
  // A server that took the request for one of its own, ran the tool and failed then.
  t.take("tools/call")->error(500, -32603, "after the fact");
  t.take("server/discover")->status(404);
  t.answer_initialize("s");
  t.take("initialized")->status(202);
  t.answer_get(false);
  t.settle();
  REQUIRE(call->error().peer());
  CHECK(call->error().peer()->message == "after the fact");
  t.quiet();
}

TEST_CASE("http_eras: a wrong verdict that cannot be replaced yet leaves the client usable", "[transport]") {
  http_talk t;
  era_verdict wrong;
  wrong.era = era::modern;
  wrong.versions.push_back(version::v2026_07_28);
  auto c = t.done(t.begin(t.options().prior(wrong)));
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(404);
  auto const probe = t.take("server/discover");
  auto const waiting = t.start(c.call_tool("w"));
  t.quiet();
  probe->status(500);
  t.settle();
  CHECK(call->error() == errc::http_status);
  CHECK(waiting->error() == errc::http_status);
  CHECK(c.status() == connection_status::ready);
  auto const next = t.start(c.call_tool("y"));
  t.take("\"y\"")->result(tool_text);
  t.settle();
  CHECK(next->ok());
}

TEST_CASE("http_eras: a remembered verdict saves the probe", "[transport]") {
  auto const cache = std::make_shared<era_cache>();
  {
    http_talk t;
    t.modern(t.options().remember_eras(cache));
  }
  http_talk t;
  auto const opening = t.begin(t.options().remember_eras(cache));
  t.quiet();
  auto c = t.done(opening);
  CHECK(c.era() == era::modern);
  auto const call = t.start(c.call_tool("x"));
  auto const refused = t.take("tools/call");
  SECTION("which was right") {
    refused->result(tool_text);
    t.settle();
    CHECK(call->ok());
  }
  SECTION("which is out of date") {
    refused->status(404, {{"Content-Type", "text/html"}}, "<h1>no</h1>");
    t.take("server/discover")->status(404);
    t.answer_initialize("s");
    t.take("initialized")->status(202);
    t.answer_get(false);
    t.take("tools/call")->result(tool_text);
    t.settle();
    CHECK(call->ok());
    CHECK(c.era() == era::legacy);
    CHECK(cache->find("http://server.test ")->era == era::legacy);
  }
}

