// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;
using namespace std::chrono_literals;

namespace {

struct wrong {
  char const* what;
  int status;
  std::vector<std::pair<char const*, std::string>> headers;
  char const* body;
  errc expected;
};

}  // namespace

TEST_CASE("http_answers: what is no answer is an error of its own, with status and snippet", "[transport]") {
  std::string const other = R"({"jsonrpc":"2.0","id":77,"result":{}})";
  std::vector<wrong> const all{
      {"HTML with 200", 200, {{"Content-Type", "text/html"}}, "<html>login</html>", errc::wrong_content_type},
      {"no content type", 200, {}, "{}", errc::wrong_content_type},
      {"an odd content type", 200, {{"Content-Type", "application/vnd.x"}}, "{}", errc::wrong_content_type},
      {"no media type", 200, {{"Content-Type", ";;"}}, "{}", errc::wrong_content_type},
      {"202", 202, {}, "", errc::missing_answer},
      {"204", 204, {}, "", errc::missing_answer},
      {"an empty body", 200, {{"Content-Type", "application/json"}}, "", errc::missing_answer},
      {"blanks", 200, {{"Content-Type", "application/json"}}, " \n ", errc::missing_answer},
      {"garbage", 200, {{"Content-Type", "application/json"}}, "{\"jsonrpc\":", errc::invalid_json},
      {"no message", 200, {{"Content-Type", "application/json"}}, R"({"hello":1})", errc::protocol_violation},
      {"another id", 200, {{"Content-Type", "application/json"}}, other.c_str(), errc::missing_answer},
      {"gzip", 200, {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}}, "\x1f\x8b", errc::unsupported_encoding},
      {"500 and HTML", 500, {{"Content-Type", "text/html"}}, "<h1>oops</h1>", errc::http_status},
      {"a gateway's 502", 502, {}, "bad gateway", errc::http_status},
      {"403", 403, {}, "no", errc::unauthorized},
      {"a redirect that changes the method", 302, {{"Location", "/other"}}, "", errc::redirect_refused},
      {"an empty stream", 200, {{"Content-Type", "text/event-stream"}}, "", errc::outcome_unknown},
      {"a stream of comments", 200, {{"Content-Type", "text/event-stream"}}, ": x\n\n", errc::outcome_unknown},
  };
  for (auto const& w : all) {
    INFO(w.what);
    http_talk t;
    auto c = t.modern();
    auto const call = t.start(c.call_tool("x"));
    t.take("tools/call")->status(w.status, w.headers, w.body);
    t.settle();
    REQUIRE(call->done());
    auto const e = call->error();
    INFO(e.to_string());
    CHECK(e == w.expected);
    CHECK(leaves_outcome_open(e) == (w.status < 300 || w.status >= 500));
    if (w.expected != errc::outcome_unknown) {
      REQUIRE(e.detail());
      CHECK(e.detail()->http_status == w.status);
    }
    if (std::string_view(w.what) == "HTML with 200") CHECK(e.detail()->snippet == "<html>login</html>");
    t.quiet();  // once, and never again
    auto const next = t.start(c.call_tool("y"));
    t.take("\"y\"")->result(tool_text);
    t.settle();
    CHECK(next->ok());
  }
}

TEST_CASE("http_answers: an exchange that brings noise fails its own call at most, never the client", "[transport]") {
  http_talk t;
  auto c = t.modern(t.options().limits(connection_limits().bad_lines(3)));
  for (int i = 0; i < 10; ++i) {
    auto const done = t.start(c.call_tool("x"));
    auto const x = t.take("tools/call");
    x->stream().event("[DONE]").result_event(tool_text).event("[DONE]").end();
    t.settle();
    CHECK(done->ok());
    auto const page = t.start(c.call_tool("y"));
    t.take("tools/call")->json("<html>Bad gateway</html>");
    t.settle();
    CHECK(page->error() == errc::invalid_json);
  }
  CHECK(c.status() == connection_status::ready);
  CHECK_THAT(std::string(t.faults.at(0).message()), match::starts_with("not JSON: [DONE]"));
}

TEST_CASE("http_answers: a body over the limit ends its call", "[transport]") {
  http_talk t;
  t.transport_options.max_body(1000);
  auto c = t.modern();
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  post->head(200, {{"Content-Type", "application/json"}}).piece(std::string(900, ' ')).piece(std::string(900, ' '));
  t.settle();
  CHECK(call->error() == errc::limit_exceeded);
  CHECK(leaves_outcome_open(call->error()));
  CHECK(post->abandoned);
}

TEST_CASE("http_answers: a JSON-RPC error without id belongs to its POST", "[transport]") {
  int const status = GENERATE(200, 400, 500);
  http_talk t;
  auto c = t.modern();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->json(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"inner"}})", status);
  t.settle();
  REQUIRE(call->error().peer());
  CHECK(call->error().peer()->message == "inner");
}

TEST_CASE("http_answers: Retry-After is obeyed for what may be repeated", "[transport]") {
  int const status = GENERATE(429, 503);
  http_talk t;
  auto c = t.modern();
  auto const list = t.start(c.list_tools());
  t.take("tools/list")->status(status, {{"Retry-After", "7"}});
  t.settle();
  t.advance(6999ms);
  t.quiet();
  t.advance(1ms);
  t.take("tools/list")->result(R"({"resultType":"complete","tools":[]})");
  t.settle();
  CHECK(list->ok());
  auto const idempotent = t.start(c.call_tool("x", args(), call_options().idempotent().timeout(5min)));
  for (int i = 0; i < 3; ++i) {
    t.take("tools/call")->status(status, {{"Retry-After", "999999999999999999999"}});  // clamped to a minute
    t.settle();
    t.advance(59s);
    t.quiet();
    t.advance(1s);
  }
  t.take("tools/call")->status(status, {{"Retry-After", "1"}});
  t.settle();
  CHECK(idempotent->error() == errc::http_status);  // no fourth time
}

TEST_CASE("http_answers: Retry-After is told for what may not be repeated", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(429, {{"Retry-After", "120"}}, "slow down");
  t.settle();
  REQUIRE(call->error() == errc::http_status);
  CHECK(call->error().detail()->retry_after == 60s);
  CHECK(call->error().detail()->snippet == "slow down");
  CHECK(is_retriable(call->error()));
  t.quiet();
}

TEST_CASE("http_answers: a wait ends with its call", "[transport]") {
  http_talk t;
  auto c = t.modern();
  auto const list = t.start(c.list_tools(call_options().timeout(2s)));
  t.take("tools/list")->status(503, {{"Retry-After", "30"}});
  t.settle();
  t.advance(2s);
  CHECK(list->error() == errc::timeout);
  t.advance(1min);
  t.quiet();
}

TEST_CASE("http_answers: redirects within the origin are followed, three at most", "[transport]") {
  int const status = GENERATE(307, 308);
  http_talk t;
  t.transport_options.header("Authorization", "Bearer kept");
  auto c = t.modern();
  auto const call = t.start(c.call_tool("x"));
  t.take("tools/call")->status(status, {{"Location", "/a?b=1"}});
  auto second = t.take("tools/call");
  CHECK(second->request.method == "POST");
  CHECK(second->request.url.target() == "/a?b=1");
  CHECK(second->header("Authorization") == "Bearer kept");
  SECTION("one") { second->result(tool_text); }
  SECTION("too many") {
    second->status(status, {{"Location", "/b"}});
    t.take("tools/call")->status(status, {{"Location", "http://server.test:80/c"}});
    t.take("tools/call")->status(status, {{"Location", "/d"}});
  }
  SECTION("to another origin") { second->status(status, {{"Location", "https://server.test/mcp"}}); }
  SECTION("to nowhere") { second->status(status); }
  t.settle();
  t.quiet();
  CHECK((call->ok() || call->error() == errc::redirect_refused));
}

TEST_CASE("http_answers: headers of the user go along, and cannot replace those of the protocol", "[transport]") {
  http_talk t;
  t.transport_options.header("X-Tenant", "a");
  auto c = t.legacy();
  CHECK(t.stream->header("X-Tenant") == "a");
  auto const call = t.start(c.call_tool("x"));
  auto const post = t.take("tools/call");
  CHECK(post->header("X-Tenant") == "a");
  post->result(tool_text);
  t.settle();
  auto const closing = t.start(c.close());
  CHECK(t.take()->header("X-Tenant") == "a");
  for (char const* name : {"mcp-session-id", "Mcp-Param-X", "Accept", "content-TYPE", "Host", "Last-Event-ID", "bad name"}) {
    INFO(name);
    http_talk other;
    other.transport_options.header(name, "x");
    CHECK(other.begin()->error() == errc::invalid_argument);
    other.quiet();
  }
}

TEST_CASE("http_answers: a url that is none fails when connecting", "[transport]") {
  http_talk t;
  auto const opening = t.start(conversation::connected(t.transport(no_auth(), "ftp://x"), no_handler(), t.options()));
  CHECK(opening->error() == errc::invalid_argument);
}
