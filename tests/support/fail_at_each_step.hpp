// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Replays a conversation so that it breaks at each step in turn, in each way that a server can break.
#pragma once

#include <functional>
#include <string>

#include "support/conversation.hpp"

namespace comcp_test {

/// Whether this is one of the errors that a user is promised: comcp's own, or the peer's.
inline bool is_typed(comcp::error const& e) {
  return &e.code().category() == &comcp::comcp_category() || &e.code().category() == &comcp::jsonrpc_category();
}

/// Plays `whole` unbroken first, in which `body` must succeed, then broken at every delivery in every way. `body` is
/// what the client does once it is connected, a function of a client. Each time connect and body together end
/// exactly once: well (where the broken part was not needed) or with a typed error; all that waits is waited for by
/// moving the clock; nothing is pending afterwards.
template <class Body, class Handler = comcp::no_handler>
void fail_at_each_step(comcp::test::script const& whole, Body const& body,
                       std::function<comcp::connect_options(comcp::connect_options)> const& change = {},
                       Handler const& handler = Handler()) {
  using comcp::test::breakage;
  auto const play = [&](comcp::test::script const& s, bool must_succeed) {
    conversation c;
    auto options = change ? change(c.options()) : c.options();
    comcp::statistics last;
    auto const all = [](comcp::test::scripted_transport t, comcp::connect_options o, Body const& what,
                        Handler h, comcp::statistics& counts) -> asio::awaitable<void> {
      auto client = co_await comcp::connect(std::move(t), std::move(h), std::move(o));
      auto const done = co_await comcp::as_result(what(client));
      co_await client.close();
      counts = client.statistics();
      done.value();
    };
    auto const o = c.start(all(s.transport(), std::move(options), body, handler, last));
    for (int waits = 0; !o->done() && waits < 1000; ++waits) {
      if (!c.clock->advance_to_next()) break;
      c.settle();
    }
    REQUIRE(o->times == 1);
    if (must_succeed) {
      INFO(o->error().to_string());
      CHECK(o->ok());
      CHECK(s.verdict() == all_well);
    } else if (!o->ok()) {
      INFO(o->error().to_string());
      CHECK(is_typed(o->error()));
    }
    CHECK(last.pending == 0);
    c.settle();
    CHECK(o->times == 1);
  };
  auto const steps = whole.deliveries();
  REQUIRE(steps > 0);
  for (std::size_t i = 0; i != steps; ++i) {
    for (auto const how : {breakage::connection_closes, breakage::error_answer, breakage::garbage_line}) {
      INFO("broken at delivery " << i << " in way " << static_cast<int>(how));
      play(whole.broken_at(i, how), false);
    }
  }
  play(whole, true);
}

}  // namespace comcp_test
