// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Plays a script against a client with a handler, and looks at both verdicts: the test's and the script's.
#pragma once

#include <chrono>
#include <exception>
#include <string>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include <comcp/client/connect.hpp>
#include <comcp/test/scripted_transport.hpp>

#include "support/catch.hpp"

namespace comcp::test {

inline std::string discover_reply(std::string const& capabilities = R"({"tools":{},"prompts":{},"resources":{"subscribe":true}})") {
  return R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":)" + capabilities +
         R"(,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"1"}}})";
}

inline std::string initialize_reply(std::string const& version = "2025-11-25",
                                    std::string const& capabilities = R"({"tools":{},"resources":{"subscribe":true}})") {
  return R"({"protocolVersion":")" + version + R"(","capabilities":)" + capabilities +
         R"(,"serverInfo":{"name":"scripted","version":"1"}})";
}

inline script modern_script(std::string const& capabilities = R"({"tools":{},"prompts":{},"resources":{"subscribe":true}})") {
  script s;
  s.expect("server/discover").reply(discover_reply(capabilities));
  return s;
}

inline script legacy_script(std::string const& version = "2025-11-25") {
  script s;
  s.expect("server/discover").fail(-32601, "Method not found");
  s.expect("initialize").reply(initialize_reply(version)).expect("notifications/initialized");
  return s;
}

/// Connects, runs `body(client)`, and checks that neither it nor the script failed. `body` outlives the call.
template <class Handler, class Body>
void play(script const& s, Handler handler, connect_options options, Body const& body) {
  asio::io_context io(1);
  std::exception_ptr failure;
  bool finished = false;
  auto const conversation = [&]() -> asio::awaitable<void> {
    auto client = co_await connect(s.transport(), std::move(handler), std::move(options));
    co_await body(client);
    co_await client.close();
  };
  asio::co_spawn(io, conversation(), [&](std::exception_ptr e) {
    failure = e;
    finished = true;
    io.stop();
  });
  io.run_for(std::chrono::seconds(20));
  INFO("script: " << s.verdict().to_string());
  if (failure) std::rethrow_exception(failure);
  REQUIRE(finished);
  CHECK_FALSE(s.verdict());
}

/// The error that an operation ends with; fails the test when it has a value.
template <class T>
asio::awaitable<error> error_of(asio::awaitable<T> operation) {
  auto const outcome = co_await as_result(std::move(operation));
  REQUIRE_FALSE(outcome.has_value());
  co_return outcome.error();
}

}  // namespace comcp::test
