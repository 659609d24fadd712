// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Trace context and baggage: what W3C allows is read and written back, and nothing else is sent on.
#include <comcp/trace/propagation.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using namespace comcp;

namespace {

std::string const trace(32, 'a');
std::string const span = "00f067aa0ba902b7";
std::string const parent = "00-" + trace + "-" + span + "-01";

std::string tracestate_of(std::string_view text) { return trace_context(parent, std::string(text)).well_formed().tracestate; }
std::string baggage_of(std::string_view text) { return trace_context("", "", std::string(text)).well_formed().baggage; }

std::string numbered(int count, std::string const& value) {
  std::string out;
  for (int i = 0; i != count; ++i) out += (i ? ",k" : "k") + std::to_string(i) + "=" + value;
  return out;
}

}  // namespace

TEST_CASE("propagation: a traceparent is read and written back", "[trace]") {
  auto const p = trace_parent::parse(parent).value();
  CHECK(p.trace_id == trace);
  CHECK(p.parent_id == span);
  CHECK((p.sampled && !p.random));
  CHECK(p.text() == parent);
  CHECK(trace_parent(trace, span, false, true).text() == "00-" + trace + "-" + span + "-02");
  CHECK(trace_parent::parse("00-" + trace + "-" + span + "-03").value() == trace_parent(trace, span, true, true));
}

TEST_CASE("propagation: flags that nobody knows are dropped, and a later version becomes 00", "[trace]") {
  CHECK(trace_parent::parse("00-" + trace + "-" + span + "-fd").value().text() == parent);
  for (auto const* const more : {"", "-", "-what.comes-later"})
    CHECK(trace_parent::parse("cc-" + trace + "-" + span + "-01" + more).value().text() == parent);
  CHECK(trace_parent::parse("01-" + trace + "-" + span + "-0" + "9-" + std::string(1 << 20, 'x')).value().text() == parent);
}

TEST_CASE("propagation: a malformed traceparent is refused", "[trace]") {
  std::string const upper(32, 'A'), none(32, '0');
  for (auto const& bad :
       {std::string(), std::string("00"), "00-" + trace + "-" + span, parent + "-", parent + " ", " " + parent, parent + "0",
        "ff-" + trace + "-" + span + "-01", "0-" + trace + "-" + span + "-001", "0G-" + trace + "-" + span + "-01",
        "00-" + upper + "-" + span + "-01", "00-" + none + "-" + span + "-01", "00-" + trace + "-0000000000000000-01",
        "00-" + trace + "-00F067AA0BA902B7-01", "00-" + trace + "-" + span + "-0x", "00_" + trace + "-" + span + "-01",
        "00-" + trace + "_" + span + "-01", "00-" + trace + "-" + span + "_01", "cc-" + trace + "-" + span + "-01x",
        "cc-" + trace + "-" + span + "-01-\r\nX: y", "cc-" + trace + "-" + span + "-01-" + std::string(1, '\0'),
        parent.substr(0, 54) + "\n", "00-" + trace.substr(1) + "-" + span + "-01-"}) {
    INFO(bad);
    CHECK_FALSE(trace_parent::parse(bad));
  }
  CHECK(trace_parent().text().empty());
  CHECK_FALSE(trace_parent(upper, span).valid());
  CHECK(trace_parent(trace, "0").text().empty());
}

TEST_CASE("propagation: a tracestate's members keep their order, their inner blanks, and the first of a key", "[trace]") {
  CHECK(parse_tracestate("").value().empty());
  CHECK(parse_tracestate(" ,\t,").value().empty());
  auto const all = parse_tracestate("rojo=00f067aa0ba902b7\t , congo= a b ,,1@_-*/@x=!#~,rojo=old").value();
  CHECK(all == std::vector<tracestate_member>{{"rojo", "00f067aa0ba902b7"}, {"congo", " a b"}, {"1@_-*/@x", "!#~"}});
  CHECK(tracestate_text(all) == "rojo=00f067aa0ba902b7,congo= a b,1@_-*/@x=!#~");
  CHECK(parse_tracestate(std::string(256, 'k') + "=" + std::string(256, 'v')).has_value());
  CHECK(parse_tracestate(numbered(32, "v") + ", ,").value().size() == 32);
}

TEST_CASE("propagation: a malformed tracestate is refused", "[trace]") {
  for (auto const& bad :
       {std::string("a"), std::string("=1"), std::string("a="), std::string("a= "), std::string("A=1"), std::string("a=1=2"),
        std::string("@a=1"), std::string("_a=1"), std::string("a =1"), std::string("a.b=1"), std::string("a=\n"),
        std::string("a=x\ty"), std::string("a=\x7F"), std::string("a=\xC3\xA9"), std::string("b=1,a;c=2"),
        std::string("a=\0", 3), std::string(257, 'k') + "=v", "k=" + std::string(257, 'v'), numbered(33, "v")}) {
    INFO(bad);
    CHECK_FALSE(parse_tracestate(bad));
    CHECK(tracestate_of(bad).empty());
  }
}

TEST_CASE("propagation: a tracestate of more than 512 characters loses long members, then the last ones", "[trace]") {
  std::string const fits(100, 'v'), too_long(150, 'v');
  auto const five = "a=" + fits + ",b=" + fits + ",c=" + fits + ",d=" + fits + ",e=" + fits;
  CHECK(five.size() == 514);
  CHECK(tracestate_of(five) == five.substr(0, 411));
  CHECK(tracestate_of("long=" + too_long + "," + five.substr(0, 411)) == five.substr(0, 411));
  CHECK(tracestate_of(five.substr(0, 512)) == five.substr(0, 512));
  CHECK(tracestate_of("a=" + std::string(256, 'v') + ",b=" + std::string(256, 'v')) == "a=" + std::string(256, 'v'));
  auto const whole = numbered(32, std::string(200, 'v'));
  CHECK(tracestate_of(whole) == whole.substr(0, 203 + 1 + 203));
  std::vector<tracestate_member> many;
  for (int i = 0; i != 40; ++i) many.emplace_back("k" + std::to_string(i), "v");
  many.insert(many.begin(), {{"Bad", "x"}, {"k0", "x"}, {"bad", "x,y"}, {"k0", "y"}});
  CHECK(parse_tracestate(tracestate_text(many)).value().size() == 32);
  CHECK(tracestate_text(many).substr(0, 10) == "k0=x,k1=v,");
}

TEST_CASE("propagation: baggage is read and written back", "[trace]") {
  auto const all = parse_baggage("userId=Am%C3%A9lie , server = DF%2028;p;q=1 ; r = a=b,k=,userId=%22%2c%5C%25").value();
  REQUIRE(all.size() == 4);
  CHECK(all[0] == baggage_member("userId", "Am\xC3\xA9lie"));
  CHECK(all[1].value == "DF 28");
  CHECK(all[1].properties == std::vector{baggage_property("p"), baggage_property("q", "1"), baggage_property("r", "a=b")});
  CHECK(all[2] == baggage_member("k", ""));
  CHECK(all[3] == baggage_member("userId", "\",\\%"));
  CHECK(baggage_text(all) == "userId=Am%C3%A9lie,server=DF%2028;p;q=1;r=a=b,k=,userId=%22%2C%5C%25");
  CHECK(parse_baggage(baggage_text(all)).value() == all);
}

TEST_CASE("propagation: every byte of a value is written so that it is read back, and what is no UTF-8 replaced", "[trace]") {
  std::string ascii;
  for (int c = 0; c != 128; ++c) ascii += static_cast<char>(c);
  baggage_member m("k", ascii);
  m.properties.emplace_back("p", ascii);
  m.properties.emplace_back("not a token");
  auto const back = parse_baggage(baggage_text({m, baggage_member("b\r\nad", "x")})).value();
  REQUIRE(back.size() == 1);
  CHECK(back[0].value == ascii);
  CHECK(back[0].properties == std::vector{baggage_property("p", ascii)});
  CHECK(parse_baggage("k=a%FFb%C3").value()[0].value == "a\xEF\xBF\xBD" "b\xEF\xBF\xBD");
  CHECK(parse_baggage("k=%ED%A0%80").value()[0].value == "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("propagation: malformed baggage is refused", "[trace]") {
  for (auto const& bad :
       {std::string(), std::string("a"), std::string("=1"), std::string("a=1,"), std::string(",a=1"), std::string("a b=1"),
        std::string("a=x y"), std::string("a=\"x\""), std::string("a=\\"), std::string("a=\xC3\xA9"), std::string("a=1;"),
        std::string("a=1;=2"), std::string("a=1;b c"), std::string("a=%"), std::string("a=%4"), std::string("a=%4g"),
        std::string("a=1;p=%zz"), std::string("a=\r\n"), std::string("a=\0", 3), std::string("(a)=1"), std::string("a;p=1")}) {
    INFO(bad);
    CHECK_FALSE(parse_baggage(bad));
    CHECK(baggage_of(bad).empty());
  }
  CHECK_FALSE(parse_baggage("a=" + std::string(8200, 'x')));
  CHECK_FALSE(parse_baggage(numbered(65, "v")));
}

TEST_CASE("propagation: baggage beyond 64 members or 8192 bytes loses whole members", "[trace]") {
  auto const whole = numbered(64, "v");
  CHECK(baggage_of(whole) == whole);
  CHECK(baggage_of(whole + ",more=v,or worse") == whole);
  CHECK(baggage_of("a=%41, b=2;p") == "a=%41,b=2;p");
  auto const half = std::string(4000, 'x');
  CHECK(baggage_of("a=" + half + ",b=" + half + ",c=" + half) == "a=" + half + ",b=" + half);
  CHECK(baggage_of("a=" + std::string(8191, 'x')).empty());
  CHECK(baggage_of("a=" + std::string(8190, 'x')).size() == 8192);
  std::vector<baggage_member> const many(70, baggage_member("k", std::string(200, '\n')));
  CHECK(baggage_text(many).size() == 602 + 12 * 603);
}

TEST_CASE("propagation: what is malformed is dropped, and a tracestate with its traceparent", "[trace]") {
  trace_context const good(parent, "a=1", "k=v");
  CHECK(good.well_formed() == good);
  CHECK(trace_context(parent, "A=1", "k=v").well_formed() == trace_context(parent, "", "k=v"));
  CHECK(trace_context(parent, "a=1", "k").well_formed() == trace_context(parent, "a=1"));
  CHECK(trace_context("00-x", "a=1", "k=v").well_formed() == trace_context("", "", "k=v"));
  CHECK(trace_context("", "a=1").well_formed().empty());
  CHECK(trace_context().empty());
}

TEST_CASE("propagation: the texts in a _meta", "[trace]") {
  auto const meta = json::parse(R"({"traceparent":")" + parent + R"(","tracestate":7,"baggage":"k=v","other":"x"})").value();
  CHECK(trace_context::of(meta) == trace_context(parent, "", "k=v"));
  auto const list = json::parse("[]").value();
  CHECK(trace_context::of(list).empty());
  CHECK(trace_context::of(json::view()).empty());
}
