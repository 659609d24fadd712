// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/cache.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using sansio::cache_table;
using strings = std::vector<std::string>;

namespace {

using time_point = cached_result::time_point;
constexpr time_point start{1h};

json::value parsed(std::string const& text) { return json::parse(text).value(); }

cache_key key_of(std::string method, std::string params = {}, std::string audience = {}) {
  cache_key k;
  k.server = "server";
  k.method = std::move(method);
  k.params = std::move(params);
  k.audience = std::move(audience);
  return k;
}
cache_key read_of(std::string uri) {
  auto k = key_of("resources/read");
  k.uri = std::move(uri);
  return k;
}
cached_result kept(std::string const& text = "{}", std::chrono::nanoseconds ttl = 1min) {
  return {parsed(text), start, ttl};
}
cache_change changed(std::string method, std::string uri = {}, std::string server = "server") {
  cache_change c(std::move(method), std::move(uri));
  c.server = std::move(server);
  return c;
}
bool is_fresh(cache_table& t, cache_key const& k) {
  auto const found = t.find(k, start);
  return found && found->is_fresh(start);
}

}  // namespace

TEST_CASE("cache: a result is fresh until its time to live is over, and not at its end", "[sansio]") {
  auto const r = kept("{}", 5s);
  CHECK(r.is_fresh(start));
  CHECK(r.is_fresh(start + 5s - 1ns));
  CHECK_FALSE(r.is_fresh(start + 5s));
  CHECK_FALSE(kept("{}", 0s).is_fresh(start));
}

TEST_CASE("cache: hints of results", "[sansio]") {
  struct row {
    char const* result;
    std::chrono::milliseconds without;
    std::chrono::milliseconds ttl;
    bool is_public;
  };
  row const rows[] = {
      {R"({"ttlMs":1500,"cacheScope":"public"})", 0ms, 1500ms, true},
      {R"({"resultType":"complete","ttlMs":1500,"cacheScope":"private"})", 0ms, 1500ms, false},
      {R"({"ttlMs":1500})", 9s, 1500ms, false},
      {R"({"ttlMs":1500,"cacheScope":"PUBLIC"})", 0ms, 1500ms, false},
      {R"({"ttlMs":1500,"cacheScope":7})", 0ms, 1500ms, false},
      {R"({"ttlMs":0})", 9s, 0ms, false},
      {R"({"ttlMs":-5})", 9s, 0ms, false},
      {R"({"ttlMs":"5"})", 9s, 0ms, false},
      {R"({"ttlMs":1.5})", 9s, 0ms, false},
      {R"({"ttlMs":18446744073709551615})", 9s, 0ms, false},
      {R"({"ttlMs":1e3})", 0ms, 1s, false},
      {R"({"ttlMs":86400000})", 0ms, 24h, false},
      {R"({"ttlMs":9223372036854775807})", 0ms, 24h, false},
      {R"({})", 0ms, 0ms, false},
      {R"({})", 9s, 9s, false},
      {R"({"ttlMs":null})", 9s, 9s, false},
      {R"({"cacheScope":"public"})", 9s, 9s, true},
      {R"({})", -9s, 0ms, false},
      {R"({})", 48h, 24h, false},
  };
  for (auto const& r : rows) {
    INFO(r.result);
    auto const result = parsed(r.result);
    auto const hints = sansio::read_cache_hints(result.view(), r.without);
    REQUIRE(hints);
    CHECK(hints->time_to_live == r.ttl);
    CHECK((hints->scope == cache_scope::public_) == r.is_public);
  }
}

TEST_CASE("cache: what is no complete result has no hints", "[sansio]") {
  for (auto const* const text : {R"({"resultType":"input_required","ttlMs":5})", R"({"resultType":"task","ttlMs":5})",
                                 R"({"resultType":7,"ttlMs":5})", R"([{"ttlMs":5}])", "null", "5"}) {
    INFO(text);
    auto const result = parsed(text);
    CHECK_FALSE(sansio::read_cache_hints(result.view(), 5s));
  }
}

TEST_CASE("cache: the key of a request is what decides on its result", "[sansio]") {
  struct row {
    char const *method, *params, *canonical, *uri;
    bool cursor;
  };
  row const rows[] = {
      {"tools/list", "", "", "", false},
      {"tools/list", "{}", "", "", false},
      {"tools/list", R"({"_meta":{"progressToken":1}})", "", "", false},
      {"prompts/list", R"({"cursor":""})", R"({"cursor":""})", "", true},
      {"resources/list", R"({"x":{"b":1,"a":[{"d":1,"c":2}],"_meta":0},"cursor":"n"})",
       R"({"cursor":"n","x":{"_meta":0,"a":[{"c":2,"d":1}],"b":1}})", "", true},
      {"resources/templates/list", R"({"cursor":"\u0041"})", R"({"cursor":"A"})", "", true},
      {"server/discover", "", "", "", false},
      {"resources/read", R"({"_meta":{},"uri":"file:///a"})", R"({"uri":"file:///a"})", "file:///a", false},
  };
  for (auto const& r : rows) {
    INFO(r.method << ' ' << r.params);
    auto const q = sansio::read_cache_request(r.method, r.params);
    REQUIRE(q);
    CHECK(q->params == r.canonical);
    CHECK(q->uri == r.uri);
    CHECK(q->has_cursor == r.cursor);
  }
}

TEST_CASE("cache: other methods, rounds and what cannot be read are left alone", "[sansio]") {
  std::pair<char const*, char const*> const rows[] = {
      {"tools/call", R"({"name":"a"})"},
      {"prompts/get", R"({"name":"a"})"},
      {"completion/complete", "{}"},
      {"ping", ""},
      {"tools/listing", ""},
      {"resources/read", ""},
      {"resources/read", R"({"uri":5})"},
      {"resources/read", R"({"uri":"a","inputResponses":{}})"},
      {"resources/read", R"({"uri":"a","requestState":"s"})"},
      {"tools/list", R"({"requestState":null})"},
      {"tools/list", "[]"},
      {"tools/list", "{"},
  };
  for (auto const& [method, params] : rows) {
    INFO(method << ' ' << params);
    CHECK_FALSE(sansio::read_cache_request(method, params));
  }
}

TEST_CASE("cache: what a notification changes", "[sansio]") {
  auto const methods = [](std::string_view n, std::string const& params = "{}") {
    strings out;
    auto const told = parsed(params);
    for (auto const& c : sansio::read_cache_changes(n, told.view())) out.push_back(c.method + ' ' + c.uri);
    return out;
  };
  CHECK(methods("notifications/tools/list_changed") == strings{"tools/list "});
  CHECK(methods("notifications/prompts/list_changed") == strings{"prompts/list "});
  CHECK(methods("notifications/resources/list_changed") == strings{"resources/list ", "resources/templates/list "});
  CHECK(methods("notifications/resources/updated", R"({"uri":"x://a"})") == strings{"resources/read x://a"});
  CHECK(methods("notifications/resources/updated").empty());
  CHECK(methods("notifications/resources/updated", R"({"uri":7})").empty());
  CHECK(methods("notifications/message").empty());
  std::string const long_uri(5000, 'u');
  CHECK(methods("notifications/resources/updated", R"({"uri":")" + long_uri + R"("})") == strings{"resources/read "});
}

TEST_CASE("cache: an update of a part is one of the whole, but not the other way round", "[sansio]") {
  struct row {
    char const *updated, *read;
    bool covered;
  };
  row const rows[] = {
      {"file:///dir/a", "file:///dir/a", true},  {"file:///dir/a", "file:///dir", true},
      {"file:///dir/a", "file:///dir/", true},   {"file:///dir/a", "file:///", true},
      {"file:///dir/a", "file:///dir/a/", false}, {"file:///dir/a", "file:///dir/b", false},
      {"file:///dir/a", "file:///di", false},    {"file:///dirs/a", "file:///dir", false},
      {"file:///dir", "file:///dir/a", false},   {"x://a#part", "x://a", true},
      {"x://a?page=2", "x://a", true},           {"x://a?page=2", "x://a?page", false},
      {"", "x://a", true},
  };
  for (auto const& r : rows) {
    INFO(r.updated << " of " << r.read);
    CHECK(covers(changed("resources/read", r.updated), read_of(r.read)) == r.covered);
  }
  CHECK_FALSE(covers(changed("resources/read", "x://a", "another"), read_of("x://a")));
  CHECK_FALSE(covers(changed("resources/list"), read_of("x://a")));
}

TEST_CASE("cache: which failures are outages", "[sansio]") {
  transport_detail status;
  status.http_status = 503;
  auto const down = error(errc::http_status).with_detail(status);
  status.http_status = 404;
  auto const gone = error(errc::http_status).with_detail(status);
  CHECK(sansio::is_outage(down));
  CHECK_FALSE(sansio::is_outage(gone));
  for (auto const e : {errc::timeout, errc::transport_failed, errc::connect_failed, errc::idle_timeout}) {
    CHECK(sansio::is_outage(error(e)));
  }
  for (auto const e : {errc::cancelled, errc::closed, errc::denied, errc::unauthorized, errc::queue_full}) {
    CHECK_FALSE(sansio::is_outage(error(e)));
  }
  CHECK_FALSE(sansio::is_outage(error::from_peer({-32603, "internal", {}})));
  CHECK_FALSE(sansio::is_outage(down.with_peer({-32603, "internal", {}})));
}

TEST_CASE("cache: every part of a key counts", "[sansio]") {
  cache_table t;
  auto const k = read_of("x://a");
  CHECK(t.store(k, kept(R"({"a":1})"), t.ticket()));
  CHECK(t.find(k, start)->result == parsed(R"({"a":1})"));
  for (auto const part : {&cache_key::server, &cache_key::method, &cache_key::uri, &cache_key::version,
                          &cache_key::audience, &cache_key::params}) {
    auto other = k;
    other.*part += "x";
    CHECK_FALSE(t.find(other, start));
  }
}

TEST_CASE("cache: a change makes all pages for all audiences stale, and nothing else", "[sansio]") {
  cache_table t;
  auto elsewhere = key_of("tools/list");
  elsewhere.server = "another";
  auto newer = key_of("tools/list");
  newer.version = "2026-07-28";
  std::vector<cache_key> const lists{key_of("tools/list"), key_of("tools/list", R"({"cursor":"2"})"),
                                     key_of("tools/list", "", "identity a"), newer};
  std::vector<cache_key> const others{key_of("prompts/list"), key_of("tools/lists"), elsewhere, read_of("x://a")};
  for (auto const& k : lists) t.store(k, kept(), t.ticket());
  for (auto const& k : others) t.store(k, kept(), t.ticket());
  t.invalidate(changed("tools/list"));
  for (auto const& k : lists) CHECK_FALSE(is_fresh(t, k));
  for (auto const& k : lists) CHECK(t.find(k, start));  // stale is not gone
  for (auto const& k : others) CHECK(is_fresh(t, k));
}

TEST_CASE("cache: a result that a change overtook is not stored", "[sansio]") {
  cache_table t;
  auto const ticket = t.ticket();
  t.invalidate(changed("resources/read", "x://a"));
  CHECK_FALSE(t.store(read_of("x://a"), kept(), ticket));
  CHECK(t.store(read_of("x://b"), kept(), ticket));
  CHECK(t.store(read_of("x://a"), kept(), t.ticket()));
  SECTION("changes that were forgotten count for all") {
    for (int i = 0; i < 256; ++i) t.invalidate(changed("tools/list"));
    CHECK(t.store(read_of("x://c"), kept(), ticket + 1));
    CHECK_FALSE(t.store(read_of("x://c"), kept(), ticket));
  }
  SECTION("and so does clear()") {
    auto const before = t.ticket();
    t.clear();
    CHECK_FALSE(t.store(read_of("x://b"), kept(), before));
    CHECK_FALSE(t.find(read_of("x://b"), start));
    t.invalidate(changed("tools/list"));
    CHECK_FALSE(t.store(read_of("x://b"), kept(), before));
    CHECK(t.usage().results == 0);
    CHECK(t.usage().bytes == 0);
  }
}

TEST_CASE("cache: the least recently used goes first", "[sansio]") {
  auto const same = kept();  // another's document may lie in a larger buffer
  auto const one = [&] {
    cache_table t;
    t.store(read_of("x://0"), same, 0);
    return t.usage().bytes;
  }();
  cache_table t(cache_bounds().max_bytes(3 * one));
  for (auto const* const uri : {"x://1", "x://2", "x://3"}) CHECK(t.store(read_of(uri), same, 0));
  CHECK(t.find(read_of("x://1"), start));
  CHECK(t.store(read_of("x://4"), same, 0));
  CHECK(t.find(read_of("x://1"), start));
  CHECK_FALSE(t.find(read_of("x://2"), start));
  CHECK(t.find(read_of("x://3"), start));
  CHECK(t.usage().results == 3);
  CHECK(t.usage().evictions == 1);
  CHECK(t.usage().bytes == 3 * one);
  CHECK(t.store(read_of("x://4"), same, 0));  // in its own place
  CHECK(t.usage().bytes == 3 * one);
  t.erase(read_of("x://4"));
  CHECK(t.usage().bytes == 2 * one);
}

TEST_CASE("cache: what is too large is not stored, and replaces what was", "[sansio]") {
  cache_table t(cache_bounds().max_result_bytes(4000));
  auto const k = read_of("x://a");
  CHECK(t.store(k, kept(), 0));
  CHECK_FALSE(t.store(k, kept('"' + std::string(5000, 'a') + '"'), 0));
  CHECK_FALSE(t.find(k, start));
  CHECK(t.usage().results == 0);
}

TEST_CASE("cache: what is too old is gone", "[sansio]") {
  cache_table t(cache_bounds().max_age(1h));
  auto const k = read_of("x://a");
  t.store(k, kept("{}", 24h), 0);
  CHECK(t.find(k, start + 1h));
  CHECK_FALSE(t.find(k, start + 1h + 1ms));
  CHECK(t.usage().evictions == 1);
  CHECK_FALSE(t.find(k, start));
}
