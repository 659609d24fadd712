// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// When a server's lists are read: at once, gathered, one after the other.
#include <comcp/sansio/list_refresh.hpp>

#include "support/catch.hpp"

using comcp::sansio::list_refresh;
using next_step = list_refresh::want;

TEST_CASE("list_refresh: what is to be at once is read at once, and then nothing is left", "[sansio]") {
  list_refresh r;
  CHECK(r.touch(7, true));
  CHECK_FALSE(r.touch(1, false));  // somebody drives it already
  CHECK(r.next(true) == next_step::read);
  CHECK(r.take(1) == 7);
  CHECK_FALSE(r.is_current(1));
  r.finished();
  CHECK(r.next(true) == next_step::rest);
  CHECK(r.is_current(1));
  CHECK_FALSE(r.is_current(2));
  CHECK_FALSE(r.is_current(0));
  r.forget();
  CHECK_FALSE(r.is_current(1));
}

TEST_CASE("list_refresh: changes are gathered, once, until they are read", "[sansio]") {
  list_refresh r;
  CHECK(r.touch(1, false));
  CHECK(r.next(true) == next_step::gather);
  CHECK_FALSE(r.touch(2, false));
  CHECK(r.next(true) == next_step::read);
  CHECK(r.take(1) == 3);
}

TEST_CASE("list_refresh: what changes while lists are read is gathered and read afterwards", "[sansio]") {
  list_refresh r;
  (void)r.touch(7, true);
  (void)r.next(true);
  (void)r.take(1);
  CHECK_FALSE(r.touch(2, false));
  r.finished();
  CHECK_FALSE(r.is_current(1));
  CHECK(r.next(true) == next_step::gather);
  CHECK_FALSE(r.touch(4, true));
  CHECK(r.next(true) == next_step::read);
  CHECK(r.take(1) == 6);
  r.finished();
  CHECK(r.next(true) == next_step::rest);
  CHECK(r.is_current(1));
}

TEST_CASE("list_refresh: without a connection it rests, and forgets nothing", "[sansio]") {
  list_refresh r;
  (void)r.touch(1, true);
  CHECK(r.next(false) == next_step::rest);
  CHECK_FALSE(r.is_current(1));
  CHECK(r.touch(2, true));
  CHECK(r.next(true) == next_step::read);
  CHECK(r.take(2) == 3);
}

TEST_CASE("list_refresh: who asks is answered by a refresh that began afterwards", "[sansio]") {
  list_refresh r;
  auto const first = r.ask();
  (void)r.touch(7, true);
  (void)r.next(true);
  (void)r.take(1);
  auto const second = r.ask();
  (void)r.touch(7, true);
  r.finished();
  CHECK(r.has_answered(first));
  CHECK_FALSE(r.has_answered(second));
  CHECK(r.next(true) == next_step::read);
  (void)r.take(1);
  r.finished();
  CHECK(r.has_answered(second));
}
