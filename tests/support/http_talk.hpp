// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A conversation over HTTP: a client, a manual clock and a server in memory, driven step by step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <comcp/auth/authenticator.hpp>
#include <comcp/transport/streamable_http.hpp>

#include "support/conversation.hpp"
#include "support/fake_http.hpp"

namespace comcp_test {

class http_talk : public conversation {
 public:
  using exchange = std::shared_ptr<fake_exchange>;

  fake_http http{io};
  comcp::http_options transport_options = comcp::http_options().time(clock);

  template <class Auth = comcp::no_auth>
  auto transport(Auth auth = Auth(), std::string const& url = "http://server.test/mcp") {
    return comcp::streamable_http<fake_http::engine, Auth>(url, http.make_engine(), std::move(auth), transport_options);
  }
  template <class Handler = comcp::no_handler>
  outcome_of<comcp::client> begin(comcp::connect_options o, Handler handler = Handler()) {
    return start(connected(transport(), std::move(handler), std::move(o)));
  }
  outcome_of<comcp::client> begin() { return begin(options()); }

  /// The next request; fails the test where there is none.
  exchange take(std::string const& says = {}) {
    settle();
    auto x = http.take();
    REQUIRE(x);
    INFO(x->request.method << " " << x->request.body);
    CHECK(x->says(says));
    return x;
  }
  /// That nothing was sent.
  void quiet() {
    settle();
    auto const x = http.take();
    INFO((x ? x->request.method + " " + x->request.body : std::string()));
    CHECK_FALSE(x);
  }

  template <class Handler = comcp::no_handler>
  comcp::client modern(comcp::connect_options o, Handler handler = Handler()) {
    auto const opening = begin(std::move(o), std::move(handler));
    take("server/discover")->result(discover_text());
    return done(opening);
  }
  comcp::client modern() { return modern(options()); }

  /// A legacy server; `get` says whether it has a stream for what it says unasked, which is kept in `stream`.
  template <class Handler = comcp::no_handler>
  comcp::client legacy(comcp::connect_options o, std::string const& session = "s-1", bool get = true,
                       Handler handler = Handler()) {
    auto const opening = begin(std::move(o).legacy(), std::move(handler));
    answer_initialize(session);
    take("notifications/initialized")->status(202);
    answer_get(get);
    return done(opening);
  }
  comcp::client legacy() { return legacy(options()); }

  void answer_initialize(std::string const& session) {
    auto const x = take("\"initialize\"");
    if (session.empty()) {
      x->result(initialize_text("2025-11-25"));
    } else {
      x->result(initialize_text("2025-11-25"), {{"Mcp-Session-Id", session}});
    }
    settle();
  }
  void answer_get(bool has_stream) {
    auto const x = take();
    CHECK(x->request.method == "GET");
    if (has_stream) {
      x->stream();
      stream = x;
    } else {
      x->status(405);
    }
    settle();
  }

  comcp::client done(outcome_of<comcp::client> const& opening) {
    settle();
    INFO(opening->error().to_string());
    REQUIRE(opening->ok());
    return std::move(**opening);
  }

  exchange stream;
};

}  // namespace comcp_test
