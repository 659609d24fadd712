// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "support/oauth_talk.hpp"
#include "support/recorded_spans.hpp"

using namespace std::chrono_literals;
using comcp_test::oauth_talk;

TEST_CASE("oauth: a login is a span, its requests are below it, and so is a renewal", "[auth]") {
  oauth_talk t;
  comcp_test::recorded_spans spans;
  comcp::oauth auth(t.options().spans(spans.hook()));
  REQUIRE(t.ask(auth) == 200);
  auto const& login = spans.named("authorize");
  CHECK(login.start.layer == comcp::span_layer::authorization);
  CHECK(login.text("server.address") == "mcp.example");
  CHECK(login.events == std::vector<std::string>{"user"});
  CHECK((login.ended == 1 && login.failure.empty()));
  std::string trace;
  int posts = 0;
  for (auto const& s : spans.all()) {
    for (auto const& [key, value] : s->attributes) CHECK(value.find('?') == std::string::npos);
    if (s->start.layer != comcp::span_layer::http) continue;
    auto const above = comcp::trace_parent::parse(s->start.parent.traceparent);
    REQUIRE(above);
    if (trace.empty()) trace = above->trace_id;
    CHECK(above->trace_id == trace);
    posts += s->start.name == "POST";
  }
  CHECK(posts == 2);  // registration and tokens
  CHECK(spans.open() == 0);

  spans.clear();
  t.later(3545s);
  REQUIRE(t.ask(auth) == 200);
  CHECK(spans.named("refresh").failure.empty());
  CHECK(spans.named("POST").text("url.full") == "https://as.example/token");
  CHECK(spans.open() == 0);
}

TEST_CASE("oauth: a login that fails says so", "[auth]") {
  oauth_talk t;
  comcp_test::recorded_spans spans;
  comcp::oauth auth(t.without_user().spans(spans.hook()));
  CHECK_FALSE(t.get(auth.login(oauth_talk::server)));
  CHECK(spans.named("authorize").text("error.type") == "login_required");
  CHECK(spans.open() == 0);
}

TEST_CASE("oauth: no span has a token, a code or a verifier in it", "[auth]") {
  oauth_talk t;
  comcp_test::recorded_spans spans;
  comcp::oauth auth(t.options().spans(spans.hook()));
  REQUIRE(t.ask(auth) == 200);
  std::string all;
  for (auto const& s : spans.all()) {
    all += s->start.name + s->failure;
    for (auto const& [key, value] : s->attributes) all += value + '\n';
  }
  REQUIRE_FALSE(t.world->access.empty());
  REQUIRE_FALSE(t.world->refresh.empty());
  for (auto const& token : t.world->access) CHECK(all.find(token.first) == std::string::npos);
  for (auto const& token : t.world->refresh) CHECK(all.find(token.first) == std::string::npos);
}

TEST_CASE("oauth: the two halves of a login are spans, with their requests below", "[auth]") {
  oauth_talk t;
  comcp_test::recorded_spans spans;
  comcp::oauth auth(t.options().spans(spans.hook()));
  auto const started = t.get(auth.begin(oauth_talk::server, "http://127.0.0.1:1234/callback"));
  REQUIRE(started);
  CHECK(spans.named("begin").failure.empty());
  auto const registering = spans.named("POST").start.parent;
  CHECK(comcp::trace_parent::parse(registering.traceparent));
  CHECK_FALSE(t.get(auth.finish(started->state, comcp::secret("http://127.0.0.1:1234/callback?error=access_denied"))));
  CHECK_FALSE(spans.named("finish").failure.empty());
  CHECK(spans.open() == 0);
}
