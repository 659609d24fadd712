// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/http/message.hpp>

#include <chrono>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;

namespace {

using strings = std::vector<std::string>;

strings lines(http_headers const& headers) {
  strings out;
  for (auto const& [name, value] : headers) out.push_back(name + ": " + value);
  return out;
}

strings all(http_headers const& headers, std::string_view name) {
  auto const values = headers.all(name);
  return {values.begin(), values.end()};
}

std::chrono::sys_seconds at(int y, unsigned m, unsigned d, int h = 0, int min = 0, int s = 0) {
  using namespace std::chrono;
  return sys_days(year(y) / month(m) / day(d)) + hours(h) + minutes(min) + seconds(s);
}

auto const now = at(2026, 11, 22, 5, 0, 0);

std::int64_t retry_after(std::string_view text, std::chrono::seconds most = 1h) {
  auto const wait = parse_retry_after(text, now, most);
  return wait ? wait->count() : -1;
}

}  // namespace

TEST_CASE("headers: they keep order and case, and are found without case", "[http]") {
  http_headers h;
  REQUIRE(h.add("Accept", "application/json"));
  REQUIRE(h.add("X-A", "1"));
  REQUIRE(h.add("x-a", "2"));
  CHECK(h.size() == 3);
  CHECK(lines(h) == strings{"Accept: application/json", "X-A: 1", "x-a: 2"});
  REQUIRE(h.find("X-a") != nullptr);
  CHECK(*h.find("X-a") == "1");
  CHECK(all(h, "X-A") == strings{"1", "2"});
  CHECK(h.contains("ACCEPT"));
  CHECK_FALSE(h.contains("Accep"));
  CHECK(h.find("Accept2") == nullptr);
  CHECK(h.all("Host").empty());
}

TEST_CASE("headers: set() leaves one of its name, remove() none", "[http]") {
  http_headers h;
  REQUIRE(h.add("a", "1"));
  REQUIRE(h.add("b", "2"));
  REQUIRE(h.add("A", "3"));
  REQUIRE(h.set("A", "4"));
  CHECK(lines(h) == strings{"b: 2", "A: 4"});
  REQUIRE(h.set("c", "5"));
  CHECK(h.remove("B") == 1);
  CHECK(h.remove("B") == 0);
  CHECK(lines(h) == strings{"A: 4", "c: 5"});
  CHECK(h.remove(h.begin()->name) == 1);
  REQUIRE(h.set("C", *h.find("c")));
  CHECK(lines(h) == strings{"C: 5"});
  h.remove("c");
  CHECK(h.empty());
}

TEST_CASE("headers: blanks around a value are dropped, what is inside stays", "[http]") {
  http_headers h;
  REQUIRE(h.add("a", " \t x \t y\t "));
  REQUIRE(h.add("b", ""));
  REQUIRE(h.add("c", " \t"));
  REQUIRE(h.add("d", "\xC3\xBC\x01"));
  CHECK(lines(h) == strings{"a: x \t y", "b: ", "c: ", "d: \xC3\xBC\x01"});
}

TEST_CASE("headers: nothing that breaks out of its line comes in", "[http]") {
  http_headers h;
  REQUIRE(h.add("a", "1"));
  for (auto const value : {std::string_view("hunter2\r\nX: y"), std::string_view("hunter2\n"),
                           std::string_view("\rhunter2"), std::string_view("hunter2\0", 8)}) {
    for (auto const& refused : {h.add("a", value), h.set("a", value)}) {
      REQUIRE_FALSE(refused.has_value());
      CHECK(refused.error() == errc::invalid_argument);
      CHECK(refused.error().to_string().find("hunter2") == std::string::npos);
      CHECK_THAT(std::string(refused.error().message()), match::contains("header a "));
    }
  }
  for (auto const* name : {"",    " ",   "a b",   "a:",  "a\r\nb", "a\x80", "Authorization: hunter2",
                           "(a)", "a,b", "\"a\"", "a/b", "a\t",    "a@b",   "[a]",
                           "{a}", "a=b", "a;b",   "a?",  "a\\b",   "<a>",   "\x7F"}) {
    INFO(name);
    for (auto const& refused : {h.add(name, "x"), h.set(name, "x")}) {
      REQUIRE_FALSE(refused.has_value());
      CHECK(refused.error() == errc::invalid_argument);
      CHECK(refused.error().to_string().find("hunter2") == std::string::npos);
    }
  }
  CHECK(lines(h) == strings{"a: 1"});
  CHECK(is_http_token("!#$%&'*+-.^_`|~09azAZ"));
  CHECK_FALSE(is_http_token(std::string_view("a\0", 2)));
}

TEST_CASE("message: a request holds what an engine needs", "[http]") {
  auto url = http_url::parse("http://h/p?q");
  REQUIRE(url.has_value());
  http_request get(*url);
  CHECK(get.method == "GET");
  http_request post(std::move(*url), "POST");
  post.body = "{}";
  CHECK(post.method == "POST");
  CHECK(post.url.target() == "/p?q");
  CHECK(post.headers.empty());
  http_response_head head;
  CHECK(head.status == 0);
}

TEST_CASE("media type: case and parameters do not matter to is()", "[http]") {
  for (auto const* text :
       {"application/json", "Application/JSON", " application/json ", "application/json;charset=utf-8",
        "application/json ; charset=UTF-8", "application/json;", "application/json;;x"}) {
    INFO(text);
    auto const type = media_type::parse(text);
    REQUIRE(type.has_value());
    CHECK(type->essence() == "application/json");
    CHECK(type->is("application/json"));
    CHECK(type->is("APPLICATION/json"));
    CHECK_FALSE(type->is("application/jso"));
    CHECK_FALSE(type->is("text/event-stream"));
  }
  CHECK_FALSE(media_type::parse("application/json-rpc")->is("application/json"));
  CHECK(media_type::parse("text/event-stream;charset=utf-8")->is("text/event-stream"));
}

TEST_CASE("media type: what is no type and subtype is nothing", "[http]") {
  for (auto const* text : {"", " ", ";", "json", "/json", "application/", "application json", "a/b/c", "a /b", "a/ b",
                           "a/b, c/d", "a/b c", "charset=utf-8", "a/b\x80", "\"a/b\"", "a/b\n"}) {
    INFO(text);
    CHECK_FALSE(media_type::parse(text).has_value());
  }
}

TEST_CASE("media type: parameters, quoted or not; malformed and repeated ones are passed over", "[http]") {
  auto const parameter = [](char const* text, char const* name) {
    auto const type = media_type::parse(text);
    REQUIRE(type.has_value());
    auto const* const value = type->parameter(name);
    return value ? *value : std::string("absent");
  };
  CHECK(parameter("a/b; Charset=UTF-8", "charset") == "UTF-8");
  CHECK(parameter("a/b;x=1;charset=\"utf-8\"", "CHARSET") == "utf-8");
  CHECK(parameter("a/b;x=\"a;b\\\"c\\\\d=\";y=2", "x") == "a;b\"c\\d=");
  CHECK(parameter("a/b;x=\"a;b\\\"c\\\\d=\";y=2", "y") == "2");
  CHECK(parameter("a/b;x=\"\"", "x").empty());
  CHECK(parameter("a/b;x=1;x=2", "x") == "1");
  CHECK(parameter("a/b;x=;x=2", "x") == "2");
  CHECK(parameter("a/b;x;=1;y =2;z=3 4;w=5", "w") == "5");
  CHECK(parameter("a/b;x;=1;y=2", "x") == "absent");
  CHECK(parameter("a/b;x=3 4", "x") == "absent");
  CHECK(parameter("a/b;x=\"open", "x") == "absent");
  CHECK(parameter("a/b;x=\"open\\", "x") == "absent");
  CHECK(parameter("a/b;x=\"1\"2;y=3", "x") == "absent");
  CHECK(parameter("a/b;x=\"1\"2;y=3", "y") == "3");
  CHECK(parameter("a/b", "x") == "absent");
}

TEST_CASE("dates: the three forms of RFC 9110", "[http]") {
  auto const expected = at(1994, 11, 6, 8, 49, 37);
  CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", now) == expected);
  CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now) == expected);
  CHECK(parse_http_date("Sun Nov  6 08:49:37 1994", now) == expected);
  CHECK(parse_http_date("Wed Nov 16 08:49:37 1994", now) == at(1994, 11, 16, 8, 49, 37));
  CHECK(parse_http_date(" Thu, 29 Feb 2024 23:59:60 GMT\t", now) == at(2024, 3, 1));
  CHECK(parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT", now) == at(9999, 12, 31, 23, 59, 59));
}

TEST_CASE("dates: two digits mean the year that is at most fifty ahead", "[http]") {
  CHECK(parse_http_date("Sunday, 22-Nov-26 05:00:00 GMT", now) == now);
  CHECK(parse_http_date("Sunday, 22-Nov-76 05:00:00 GMT", now) == at(2076, 11, 22, 5));
  CHECK(parse_http_date("Monday, 22-Nov-77 05:00:00 GMT", now) == at(1977, 11, 22, 5));
  CHECK(parse_http_date("Monday, 01-Jan-01 00:00:00 GMT", at(2099, 12, 31)) == at(2101, 1, 1));
}

TEST_CASE("dates: anything else is nothing", "[http]") {
  for (auto const* text : {"",
                           "Sun",
                           "Sun, 06 Nov 1994 08:49:37",
                           "Sun, 06 Nov 1994 08:49:37 UTC",
                           "Sun, 06 Nov 1994 08:49:37 GMT+1",
                           "Sun, 6 Nov 1994 08:49:37 GMT",
                           "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Sun, 31 Nov 1994 08:49:37 GMT",
                           "Sun, 29 Feb 2023 08:49:37 GMT",
                           "Sun, 06 Now 1994 08:49:37 GMT",
                           "Sun, 06 Nov 94 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:00:00 GMT",
                           "Sun, 06 Nov 1994 08:60:00 GMT",
                           "Sun, 06 Nov 1994 08:49:61 GMT",
                           "06 Nov 1994 08:49:37 GMT",
                           "1994-11-06T08:49:37Z",
                           "Xun, 06 Nov 1994 08:49:37 GMT",
                           "Sun Nov 6 08:49:37 1994",
                           "Sun, 06-Nov-94 08:49:37 GMT",
                           "sun, 06 nov 1994 08:49:37 gmt",
                           "Sun, 06 Nov 1994 08:49:37 GMT x"}) {
    INFO(text);
    CHECK_FALSE(parse_http_date(text, now).has_value());
  }
}

TEST_CASE("retry-after: seconds, clamped whatever their size", "[http]") {
  CHECK(retry_after("0") == 0);
  CHECK(retry_after(" 120 ") == 120);
  CHECK(retry_after("0007") == 7);
  CHECK(retry_after("3600") == 3600);
  CHECK(retry_after("3601") == 3600);
  CHECK(retry_after("9223372036854775808") == 3600);
  CHECK(retry_after(std::string(10000, '9')) == 3600);
  CHECK(retry_after(std::string(10000, '9'), std::chrono::seconds::max()) > 0);
  CHECK(retry_after("5", 0s) == 0);
}

TEST_CASE("retry-after: dates, seen from now", "[http]") {
  CHECK(retry_after("Sun, 22 Nov 2026 05:01:00 GMT") == 60);
  CHECK(retry_after("Sun, 22 Nov 2026 05:00:00 GMT") == 0);
  CHECK(retry_after("Sun, 06 Nov 1994 08:49:37 GMT") == 0);
  CHECK(retry_after("Fri, 31 Dec 9999 23:59:59 GMT") == 3600);
  CHECK(parse_retry_after("Sun, 22 Nov 2026 05:01:00 GMT", now + 100ms, 1h) == 60s);
}

TEST_CASE("retry-after: anything else is nothing", "[http]") {
  for (auto const* text : {"", " ", "-1", "+1", "1.5", "1s", "soon", "1,2", "0x10", "1 2", "Sun, 22 Nov 2026"}) {
    INFO(text);
    CHECK(retry_after(text) == -1);
  }
}
