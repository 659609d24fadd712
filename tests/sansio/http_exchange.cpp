// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/http_exchange.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace comcp::sansio;
using action = http_verdict::action;

namespace {

http_response_head head(int status, std::vector<std::pair<char const*, char const*>> const& fields = {}) {
  http_response_head h;
  h.status = status;
  for (auto const& [name, value] : fields) REQUIRE(h.headers.add(name, value));
  return h;
}

http_url const at = http_url::parse("https://example.com/mcp").value();
std::chrono::system_clock::time_point const now{std::chrono::seconds(1'700'000'000)};

http_sent request() {
  http_sent s;
  s.request = true;
  return s;
}

http_verdict post(http_sent const& s, http_response_head const& h) { return judge_post(s, at, h, now); }

}  // namespace

TEST_CASE("http_exchange: what the answer to a request is", "[sansio]") {
  CHECK(post(request(), head(200, {{"Content-Type", "application/json; charset=utf-8"}})).what == action::json);
  CHECK(post(request(), head(200, {{"Content-Type", "Text/Event-Stream"}})).what == action::stream);
  CHECK(post(request(), head(201, {{"Content-Type", "application/json"}})).what == action::json);
  CHECK(post(request(), head(200, {{"Content-Type", "application/json"}, {"Content-Encoding", "identity"}})).what ==
        action::json);
  auto const odd = post(request(), head(200, {{"Content-Type", "application/problem+json"}}));
  CHECK(odd.what == action::fail);
  CHECK(odd.why == errc::wrong_content_type);
  CHECK(odd.why.detail()->http_status == 200);
}

TEST_CASE("http_exchange: a content type is told cut and in plain characters", "[sansio]") {
  http_response_head got;
  got.status = 200;
  (void)got.headers.add("Content-Type", "text/\x1b[31m\xc2\x9b\xe2\x80\xae" + std::string(1000, 'x'));
  http_sent sent;
  sent.request = true;
  auto const why = judge_post(sent, http_url::parse("https://a/").value(), got, {}).why;
  CHECK(why == errc::wrong_content_type);
  CHECK_THAT(std::string(why.message()), match::contains("\"text/?[31m?????xxx"));
  CHECK(why.message().size() < 120);
}

TEST_CASE("http_exchange: whatever a server says to a notification within 2xx is fine", "[sansio]") {
  for (int const status : {200, 201, 202, 204}) CHECK(post(http_sent(), head(status)).what == action::accepted);
  CHECK(post(http_sent(), head(400)).what == action::fail);
}

TEST_CASE("http_exchange: 404 is the end of a session only where there was one", "[sansio]") {
  auto s = request();
  CHECK(post(s, head(404)).what == action::fail);
  s.in_session = true;
  CHECK(post(s, head(404)).what == action::session_lost);
  CHECK(judge_get(s, at, head(404), now).what == action::session_lost);
  CHECK(judge_get(http_sent(), at, head(404), now).what == action::none);
}

TEST_CASE("http_exchange: credentials are asked for three times at most", "[sansio]") {
  auto s = request();
  for (int const status : {401, 403}) {
    s.challenges = 0;
    CHECK(post(s, head(status)).what == action::authorize);
    s.challenges = most_challenges;
    CHECK(post(s, head(status)).what == action::fail);
    CHECK(post(s, head(status)).why == errc::unauthorized);
  }
  CHECK(post(request(), head(407)).why == errc::proxy_failed);
}

TEST_CASE("http_exchange: a refusal says what its challenge says, printable and bounded", "[sansio]") {
  auto const why = [](int status, char const* challenge) {
    return std::string(post(request(), head(status, {{"WWW-Authenticate", challenge}})).why.message());
  };
  CHECK(why(401, "Bearer") == "from https://example.com");
  CHECK(why(401, "Basic realm=\"x\"") == "from https://example.com");
  CHECK(why(403, "Basic realm=\"x\", Bearer error=\"insufficient_scope\", scope=\"a b\"") ==
        "from https://example.com: insufficient_scope, wanted scope: a b");
  CHECK(why(401, "Bearer scope=\"a\"") == "from https://example.com: wanted scope: a");
  CHECK(why(401, "DPoP error=invalid_token, error_description=\"it is\told\"") ==
        "from https://example.com: invalid_token (it is old)");
  CHECK(why(404, "Bearer error=\"insufficient_scope\"") == "from https://example.com");
  auto const words = "Bearer error_description=\"" + std::string(250, 'x') + " half-of-this-is-nothing\"";
  CHECK(why(401, words.c_str()) == "from https://example.com (" + std::string(250, 'x') + "...)");
  auto const one_word = "Bearer scope=\"" + std::string(5000, 'x') + "\"";
  CHECK(why(403, one_word.c_str()) == "from https://example.com: wanted scope: ...");
}

TEST_CASE("http_exchange: Retry-After in seconds, as a date, and absurd", "[sansio]") {
  auto s = request();
  s.repeatable = true;
  auto const wait = [&s](char const* value) { return post(s, head(429, {{"Retry-After", value}})); };
  CHECK(wait("3").delay == std::chrono::seconds(3));
  CHECK(wait("Tue, 14 Nov 2023 22:13:25 GMT").delay == std::chrono::seconds(5));
  CHECK(wait("Tue, 14 Nov 2000 22:13:25 GMT").delay == std::chrono::seconds(0));
  CHECK(wait("86400000").delay == longest_retry_after);
  CHECK(wait("-1").what == action::fail);
  CHECK(wait("soon").what == action::fail);
  s.waits = most_waits;
  CHECK(wait("3").what == action::fail);
  CHECK(wait("3").why.detail()->retry_after == std::chrono::seconds(3));
  s.waits = 0;
  s.repeatable = false;
  CHECK(wait("3").what == action::fail);
}

TEST_CASE("http_exchange: redirects", "[sansio]") {
  auto const to = [](int status, char const* where) { return head(status, {{"Location", where}}); };
  auto const same = post(request(), to(307, "other?x#y"));
  REQUIRE(same.what == action::redirect);
  CHECK(same.where->target() == "/other?x");
  for (char const* where : {"http://example.com/mcp", "https://example.com:8443/", "//example.org/", "https://u:p@example.com/"})
    CHECK(post(request(), to(308, where)).why == errc::redirect_refused);
  for (int const status : {300, 301, 302, 303, 304}) CHECK(post(request(), to(status, "/a")).why == errc::redirect_refused);
  CHECK(judge_get(http_sent(), at, to(302, "/a"), now).what == action::redirect);
  CHECK(judge_get(http_sent(), at, to(302, "https://example.org"), now).why == errc::redirect_refused);
}

TEST_CASE("http_exchange: a failure says what its body says", "[sansio]") {
  auto const why = post(request(), head(500)).why;
  auto const rpc = with_body(why, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"inner"}})");
  REQUIRE(rpc.peer());
  CHECK(rpc.peer()->message == "inner");
  CHECK(rpc.detail()->http_status == 500);
  auto const text = with_body(why, "<h1>a\r\nb\x01</h1>");
  CHECK(text == errc::http_status);
  CHECK(text.detail()->snippet == "<h1>a  b </h1>");
  CHECK(with_body(why, {}).detail()->snippet.empty());
}

TEST_CASE("http_exchange: a snippet is short and whole", "[sansio]") {
  auto const why = post(request(), head(500)).why;
  std::string body(snippet_size - 1, 'x');
  body += "\xC3\xBC and more";
  auto const cut = with_body(why, body).detail()->snippet;
  CHECK(cut == std::string(snippet_size - 1, 'x'));
}

TEST_CASE("http_exchange: which failure of initialize may be a server of 2024-11-05", "[sansio]") {
  for (int const status : {400, 404, 405}) CHECK(may_be_http_sse(post(request(), head(status)).why));
  for (int const status : {401, 403, 406, 500}) CHECK_FALSE(may_be_http_sse(post(request(), head(status)).why));
  auto const modern = with_body(post(request(), head(400)).why,
                                R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"","data":{"supported":["2026-07-28"]}}})");
  CHECK_FALSE(may_be_http_sse(modern));
  CHECK_FALSE(may_be_http_sse(error(errc::connect_failed)));
}

TEST_CASE("http_exchange: what a session that was refused with 400 looks like", "[sansio]") {
  auto const refused = [](int status, char const* body) { return with_body(post(request(), head(status)).why, body); };
  char const* const text = R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null})";
  CHECK(means_session_lost(refused(400, text)));
  CHECK_FALSE(means_session_lost(refused(500, text)));
  CHECK_FALSE(means_session_lost(
      refused(400, R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Unsupported protocol version"},"id":null})")));
  CHECK_FALSE(means_session_lost(refused(400, "no valid session")));
}

TEST_CASE("http_exchange: session ids are visible ASCII", "[sansio]") {
  CHECK(is_session_id("1868a90c-~!"));
  for (char const* bad : {"", " ", "a b", "a\x7F", "\xC3\xBC"}) CHECK_FALSE(is_session_id(bad));
}
