// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/call_life.hpp>

#include "support/catch.hpp"

using namespace comcp;
using action = sansio::call_action;
using comcp::sansio::call_facts;
using comcp::sansio::call_life;
using kind = comcp::wire::result_kind;

namespace {

error peer(int code) { return error::from_peer({code, "no", {}}); }

call_facts modern(bool http = false) {
  call_facts now;
  now.modern = true;
  now.http = http;
  return now;
}

}  // namespace

TEST_CASE("call_life: what is complete or has failed for good is delivered", "[sansio]") {
  call_life life(10);
  CHECK(life.answered(kind::complete, modern()) == action::deliver);
  CHECK(life.failed(peer(-32603), modern(true)) == action::deliver);
  CHECK(life.failed(error(errc::timeout), call_facts()) == action::deliver);
}

TEST_CASE("call_life: rounds are bounded, and none but the caller's where it says so", "[sansio]") {
  call_life life(2);
  CHECK(life.answered(kind::input_required, modern()) == action::answer);
  CHECK(life.answered(kind::input_required, modern()) == action::answer);
  CHECK(life.answered(kind::input_required, modern()) == action::too_many_rounds);
  auto by_hand = modern();
  by_hand.manual = true;
  CHECK(call_life(0).answered(kind::input_required, by_hand) == action::hand_over);
}

TEST_CASE("call_life: pages are shown once, and in the legacy era only", "[sansio]") {
  call_life life(10);
  CHECK(life.failed(peer(-32042), call_facts()) == action::show_pages);
  CHECK(life.failed(peer(-32042), call_facts()) == action::give_up_pages);
  CHECK(call_life(10).failed(peer(-32042), modern()) == action::deliver);
}

TEST_CASE("call_life: another version is followed once, in the modern era", "[sansio]") {
  call_life life(10);
  CHECK(life.failed(peer(-32022), modern()) == action::follow_version);
  CHECK(life.failed(peer(-32022), modern()) == action::deliver);
  CHECK(call_life(10).failed(peer(-32022), call_facts()) == action::deliver);
}

TEST_CASE("call_life: the tools are listed again once, for a tool's headers over HTTP", "[sansio]") {
  auto now = modern(true);
  CHECK(call_life(10).failed(peer(-32020), now) == action::deliver);
  now.is_tool = true;
  call_life life(10);
  CHECK(life.failed(peer(-32020), now) == action::list_again);
  CHECK(life.failed(peer(-32020), now) == action::deliver);
  now.http = false;
  CHECK(call_life(10).failed(peer(-32020), now) == action::deliver);
}

TEST_CASE("call_life: what was broken off is sent again three times at most", "[sansio]") {
  call_facts now;
  now.may_repeat = true;
  call_life life(10);
  for (int i = 0; i != 3; ++i) CHECK(life.failed(error(errc::transport_failed), now) == action::send_again);
  CHECK(life.failed(error(errc::transport_failed), now) == action::deliver);
}

TEST_CASE("call_life: an era in doubt is found out before anything else is made of an error", "[sansio]") {
  auto now = modern(true);
  now.era_in_doubt = now.is_tool = true;
  call_life life(10);
  for (auto const code : {-32601, -32020, -32022}) CHECK(life.failed(peer(code), now) == action::check_era);
  now.era_in_doubt = false;
  CHECK(life.failed(peer(-32020), now) == action::list_again);
}

TEST_CASE("call_life: a call waits for a new session once, and handshakes never", "[sansio]") {
  sansio::session_facts now;
  now.ready = true;
  CHECK(sansio::session_lost(now, false, false) == action::renew);
  CHECK(sansio::session_lost(now, false, true) == action::deliver);
  CHECK(sansio::session_lost(now, true, false) == action::deliver);
}

TEST_CASE("call_life: sessions are renewed twice in a row, and not while something else is done about them", "[sansio]") {
  sansio::session_facts now;
  CHECK_FALSE(sansio::may_renew(now));
  now.ready = true;
  now.renewals = 1;
  CHECK(sansio::may_renew(now));
  now.renewals = 2;
  CHECK_FALSE(sansio::may_renew(now));
  CHECK(sansio::session_lost(now, false, false) == action::deliver);
  now.ready = false;
  now.restarting = true;  // the new connection brings a new session
  CHECK(sansio::may_renew(now));
}
