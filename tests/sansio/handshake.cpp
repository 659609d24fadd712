// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/handshake.hpp>

#include "support/catch.hpp"

using namespace comcp;
using namespace std::chrono_literals;
using sansio::handshake;
using sansio::handshake_mode;
using sansio::handshake_options;
using sansio::handshake_step;
using action = sansio::handshake_step::action;

namespace {

std::chrono::system_clock::time_point const today{std::chrono::hours(24 * 20000)};

handshake_options pinned(protocol_version v) {
  handshake_options o;
  o.mode = handshake_mode::pinned;
  o.allowed = {v};
  return o;
}
handshake_options allowing(std::vector<protocol_version> v) {
  handshake_options o;
  o.allowed = std::move(v);
  return o;
}
handshake_options with_prior(era e, std::vector<protocol_version> v, std::chrono::hours age = 1h) {
  handshake_options o;
  era_verdict prior;
  prior.era = e;
  prior.versions = std::move(v);
  prior.date = today - age;
  o.prior = prior;
  return o;
}
error refused(std::int64_t code, std::string data = {}) { return error::from_peer({code, "no", std::move(data)}); }
error unsupported(std::string const& list) {
  return refused(-32022, R"({"supported":[)" + list + R"(],"requested":"2026-07-28"})");
}

}  // namespace

TEST_CASE("handshake: automatic asks with server/discover first, and its answer decides", "[sansio]") {
  handshake h(handshake_options(), today);
  auto const first = h.start();
  CHECK(first.what == action::discover);
  CHECK(first.version == version::v2026_07_28);
  auto const then = h.discovered({"2030-01-01", "2026-07-28"});
  CHECK(then.what == action::ready);
  CHECK(then.version == version::v2026_07_28);
  CHECK(h.closed(errc::transport_failed).what == action::wait);
}

TEST_CASE("handshake: any error that is not a recognized modern one is legacy", "[sansio]") {
  auto const code = GENERATE(-32601, -32600, -32602, -32603, -32700, -32000, -32001, -32002, -1, 0, 42);
  handshake h(handshake_options(), today);
  (void)h.start();
  auto const step = h.discover_failed(refused(code, code == -32001 ? R"({"supported":["2026-07-28"]})" : ""));
  CHECK(step.what == action::initialize);
  CHECK(step.version == version::v2025_11_25);
}

TEST_CASE("handshake: the drafts' numbers are modern only with modern data, -32001 never", "[sansio]") {
  CHECK_FALSE(sansio::modern_versions(refused(-32003)));
  CHECK_FALSE(sansio::modern_versions(refused(-32004, R"({"other":1})")));
  CHECK_FALSE(sansio::modern_versions(refused(-32001, R"({"supported":["2026-07-28"]})")));
  CHECK_FALSE(sansio::modern_versions(refused(-32022)));
  CHECK_FALSE(sansio::modern_versions(error(errc::timeout)));
  CHECK(sansio::modern_versions(refused(-32004, R"({"supported":["2026-07-28"]})")) ==
        std::vector<std::string>{"2026-07-28"});
  CHECK(sansio::modern_versions(refused(-32003, R"({"requiredCapabilities":{"sampling":{}}})")));
  CHECK(sansio::modern_versions(refused(-32020)));
  CHECK(sansio::modern_versions(refused(-32021, R"({"requiredCapabilities":{}})")));
}

TEST_CASE("handshake: silence past the probe timeout is legacy, and a late DiscoverResult decides for modern", "[sansio]") {
  handshake h(handshake_options(), today);
  (void)h.start();
  CHECK(h.probe_timed_out().what == action::initialize);
  CHECK(h.probe_timed_out().what == action::wait);
  auto const late = h.discovered({"2026-07-28"});
  CHECK(late.what == action::ready);
  CHECK(late.version == version::v2026_07_28);
  CHECK(h.initialized("2025-11-25").what == action::wait);
}

TEST_CASE("handshake: silence where nothing can be fallen back to is waited out", "[sansio]") {
  handshake pin(pinned(version::v2026_07_28), today);
  handshake modern_only(allowing({version::v2026_07_28}), today);
  for (auto* const h : {&pin, &modern_only}) {
    CHECK(h->start().what == action::discover);
    CHECK(h->probe_timed_out().what == action::wait);
    CHECK(h->discovered({"2026-07-28"}).what == action::ready);
  }
  handshake known(handshake_options(), today);  // its answer to the first probe was a modern one
  (void)known.start();
  CHECK(known.discover_failed(unsupported(R"("2026-07-28")")).what == action::discover);
  CHECK(known.probe_timed_out().what == action::wait);
}

TEST_CASE("handshake: of a failed discover and a refused initialize the first is reported", "[sansio]") {
  handshake h(handshake_options(), today);
  (void)h.start();
  CHECK(h.discover_failed(refused(-32603, R"({"first":true})")).what == action::initialize);
  handshake_step over;
  SECTION("asked again, as the refusal names the version") {
    CHECK(h.initialize_failed(unsupported(R"("2026-07-28")")).what == action::discover);
    over = h.discover_failed(refused(-32601));
  }
  SECTION("silent when asked again, which is waited out; then closed") {
    CHECK(h.initialize_failed(unsupported(R"("2026-07-28")")).what == action::discover);
    CHECK(h.probe_timed_out().what == action::wait);
    over = h.discover_failed(refused(-32603));
  }
  SECTION("the refusal names nothing") { over = h.initialize_failed(refused(-32022)); }
  REQUIRE(over.what == action::fail);
  REQUIRE(over.why.peer());
  CHECK(over.why.peer()->code == -32603);
  CHECK(over.why.peer()->data == R"({"first":true})");
}

TEST_CASE("handshake: a late error of the probe changes nothing", "[sansio]") {
  handshake h(handshake_options(), today);
  (void)h.start();
  (void)h.probe_timed_out();
  CHECK(h.discover_failed(refused(-32601)).what == action::wait);
  auto const end = h.initialized("2025-06-18");
  CHECK(end.what == action::ready);
  CHECK(end.version == version::v2025_06_18);
}

TEST_CASE("handshake: an initialize error that names modern versions turns the verdict round once", "[sansio]") {
  handshake h(handshake_options(), today);
  (void)h.start();
  (void)h.probe_timed_out();
  auto const turned = h.initialize_failed(unsupported(R"("2026-07-28")"));
  CHECK(turned.what == action::discover);
  CHECK(turned.version == version::v2026_07_28);
  CHECK(h.discover_failed(refused(-32601)).what == action::initialize);
  auto const again = h.initialize_failed(unsupported(R"("2026-07-28")"));
  CHECK(again.what == action::fail);
  CHECK(again.why == errc::no_common_version);
}

TEST_CASE("handshake: -32022 to the probe is followed once with a supported version, even the one just sent", "[sansio]") {
  handshake h(handshake_options(), today);
  (void)h.start();
  auto const again = h.discover_failed(unsupported(R"("2026-07-28")"));
  CHECK(again.what == action::discover);
  CHECK(again.version == version::v2026_07_28);
  auto const over = h.discover_failed(unsupported(R"("2026-07-28")"));
  CHECK(over.what == action::fail);
  CHECK(over.why == errc::no_common_version);
}

TEST_CASE("handshake: -32022 without a common version names both lists", "[sansio]") {
  handshake h(allowing({version::v2026_07_28}), today);
  (void)h.start();
  auto const over = h.discover_failed(unsupported(R"("2027-01-01","2028-02-02")"));
  REQUIRE(over.what == action::fail);
  CHECK(over.why == errc::no_common_version);
  CHECK_THAT(std::string(over.why.message()), match::contains("2027-01-01, 2028-02-02"));
  CHECK_THAT(std::string(over.why.message()), match::contains("2026-07-28"));
}

TEST_CASE("handshake: a discovered server that names legacy versions only is initialized", "[sansio]") {
  handshake h(handshake_options(), today);
  (void)h.start();
  CHECK(h.discovered({"2025-11-25"}).what == action::initialize);
  handshake none(handshake_options(), today);
  (void)none.start();
  auto const over = none.discovered({"2030-01-01"});
  CHECK(over.what == action::fail);
  CHECK(over.why == errc::no_common_version);
}

TEST_CASE("handshake: a modern error without versions fails instead of falling back", "[sansio]") {
  handshake h(handshake_options(), today);
  (void)h.start();
  auto const step = h.discover_failed(refused(-32021, R"({"requiredCapabilities":{"roots":{}}})"));
  CHECK(step.what == action::fail);
  CHECK(step.why.peer()->code == -32021);
}

TEST_CASE("handshake: a server that exits when probed is opened once more, legacy", "[sansio]") {
  handshake h(handshake_options(), today);
  (void)h.start();
  SECTION("while the probe is out") { CHECK(h.closed(errc::transport_failed).what == action::reopen); }
  SECTION("after the probe timed out") {
    (void)h.probe_timed_out();
    CHECK(h.closed(errc::transport_failed).what == action::reopen);
  }
  CHECK(h.reopened().what == action::initialize);
  auto const over = h.closed(error(errc::transport_failed, "exit 1"));
  CHECK(over.what == action::fail);
  CHECK(over.why == errc::transport_failed);
}

TEST_CASE("handshake: no reopening without a probe, nor when the version is pinned", "[sansio]") {
  handshake_options old;
  old.mode = handshake_mode::legacy;
  handshake h(old, today);
  CHECK(h.start().what == action::initialize);
  CHECK(h.closed(errc::transport_failed).what == action::fail);
  handshake p(pinned(version::v2026_07_28), today);
  CHECK(p.start().what == action::discover);
  CHECK(p.closed(errc::transport_failed).what == action::fail);
}

TEST_CASE("handshake: pinned fixes the era and the version", "[sansio]") {
  handshake modern(pinned(version::v2026_07_28), today);
  CHECK(modern.start().what == action::discover);
  auto const refusal = modern.discover_failed(refused(-32601));
  CHECK(refusal.what == action::fail);
  CHECK(refusal.why == errc::no_common_version);
  handshake old(pinned(version::v2025_03_26), today);
  auto const start = old.start();
  CHECK(start.what == action::initialize);
  CHECK(start.version == version::v2025_03_26);
  auto const other = old.initialized("2025-11-25");
  CHECK(other.what == action::fail);
  CHECK(other.why == errc::no_common_version);
}

TEST_CASE("handshake: the allowed set shapes what is asked and accepted", "[sansio]") {
  handshake modern(allowing({version::v2026_07_28}), today);
  (void)modern.start();
  CHECK(modern.discover_failed(refused(-32601)).why == errc::no_common_version);
  handshake old(allowing({version::v2024_11_05, version::v2025_06_18}), today);
  auto const start = old.start();
  CHECK(start.what == action::initialize);
  CHECK(start.version == version::v2025_06_18);
  CHECK(old.initialized("2024-11-05").what == action::ready);
  handshake none(allowing({}), today);
  CHECK(none.start().why == errc::invalid_argument);
}

TEST_CASE("handshake: an unsupported or missing version of initialize names both lists", "[sansio]") {
  for (std::string const named : {"1999-01-01", "", "2026-07-28"}) {
    handshake_options o;
    o.mode = handshake_mode::legacy;
    handshake h(o, today);
    (void)h.start();
    auto const over = h.initialized(named);
    REQUIRE(over.what == action::fail);
    CHECK(over.why == errc::no_common_version);
    CHECK_THAT(std::string(over.why.message()), match::contains(named.empty() ? "no version named" : named));
    CHECK_THAT(std::string(over.why.message()), match::contains("2024-11-05"));
  }
}

TEST_CASE("handshake: a modern prior skips the probe", "[sansio]") {
  handshake h(with_prior(era::modern, {version::v2026_07_28}, 24h * 400), today);
  auto const step = h.start();
  CHECK(step.what == action::ready);
  CHECK(step.version == version::v2026_07_28);
  CHECK(h.from_prior());
}

TEST_CASE("handshake: a modern prior without a common version fails before anything is sent", "[sansio]") {
  auto o = with_prior(era::modern, {version::v2025_11_25});
  handshake h(o, today);
  auto const step = h.start();
  CHECK(step.what == action::fail);
  CHECK(step.why == errc::no_common_version);
}

TEST_CASE("handshake: a legacy prior holds for 24 hours, and is asked about again when it fails", "[sansio]") {
  handshake fresh(with_prior(era::legacy, {}, 23h), today);
  CHECK(fresh.start().what == action::initialize);
  CHECK(fresh.from_prior());
  CHECK(fresh.initialize_failed(refused(-32601)).what == action::discover);
  handshake old(with_prior(era::legacy, {}, 25h), today);
  CHECK(old.start().what == action::discover);
  CHECK_FALSE(old.from_prior());
  auto longer = with_prior(era::legacy, {}, 25h);
  longer.legacy_verdict_age = 48h;
  CHECK(handshake(longer, today).start().what == action::initialize);
}

TEST_CASE("handshake: a prior is not believed by a mode that excludes its era", "[sansio]") {
  auto o = with_prior(era::modern, {version::v2026_07_28});
  o.mode = handshake_mode::legacy;
  handshake h(o, today);
  CHECK(h.start().what == action::initialize);
}
