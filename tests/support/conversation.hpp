// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// One client in one io_context under a manual clock, driven step by step: nothing here waits for real time, and what
// never ends is seen at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/client/connect.hpp>
#include <comcp/test/fake_server.hpp>
#include <comcp/test/manual_clock.hpp>
#include <comcp/test/scripted_transport.hpp>

#include "support/catch.hpp"

namespace comcp_test {

/// How an operation ended, and how often.
template <class T>
struct outcome {
  std::optional<comcp::result<T>> value;
  int times = 0;
  asio::cancellation_signal signal;

  [[nodiscard]] bool done() const noexcept { return times > 0; }
  [[nodiscard]] bool ok() const noexcept { return times == 1 && value->has_value(); }
  /// No error while it is not done or went well.
  [[nodiscard]] comcp::error error() const {
    return done() && !value->has_value() ? value->error() : comcp::error();
  }
  decltype(auto) operator*() { return value->value(); }
  auto* operator->() { return &value->value(); }
  void cancel() { signal.emit(asio::cancellation_type::terminal); }
};

template <class T>
using outcome_of = std::shared_ptr<outcome<T>>;

/// What client.closed() gives, in a type that a result can hold.
struct ending {
  comcp::error why;
};
inline asio::awaitable<ending> end_of(comcp::client const& c) {
  auto why = co_await c.closed();
  co_return ending{std::move(why)};
}

class conversation {
 public:
  std::shared_ptr<comcp::test::manual_clock> clock = std::make_shared<comcp::test::manual_clock>();
  std::vector<comcp::error> faults;
  std::vector<std::string> statuses;
  asio::io_context io{1};

  /// Options with the manual clock and an observer that keeps what it hears.
  comcp::connect_options options() {
    comcp::observer o;
    o.on_fault = [this](comcp::error const& e) { faults.push_back(e); };
    o.on_status = [this](comcp::connection_status s) { statuses.emplace_back(to_string(s)); };
    return comcp::connect_options().time(clock).observe(std::move(o));
  }

  /// Runs until nothing can go on without time passing. An endless exchange is a failure.
  void settle() {
    for (std::size_t handled = 0; handled < 200'000;) {
      io.restart();
      auto const n = io.poll();
      if (n == 0) return;
      handled += n;
    }
    FAIL("the conversation does not come to rest");
  }

  void advance(std::chrono::nanoseconds d) {
    clock->advance(std::chrono::duration_cast<comcp::test::manual_clock::duration>(d));
    settle();
  }

  template <class T>
  outcome_of<T> start(asio::awaitable<T> operation) {
    auto o = std::make_shared<outcome<T>>();
    asio::co_spawn(io, keep(o, std::move(operation)), asio::bind_cancellation_slot(o->signal.slot(), asio::detached));
    settle();
    return o;
  }

  /// The operation's outcome, which must come without time passing.
  template <class T>
  comcp::result<T> finish(asio::awaitable<T> operation) {
    auto const o = start(std::move(operation));
    REQUIRE(o->times == 1);
    return std::move(*o->value);
  }

  template <class Transport, class Handler = comcp::no_handler>
  comcp::result<comcp::client> connect(Transport transport, comcp::connect_options o, Handler handler = Handler()) {
    return finish(connected(std::move(transport), std::move(handler), std::move(o)));
  }
  template <class Transport>
  comcp::result<comcp::client> connect(Transport transport) {
    return connect(std::move(transport), options());
  }

  template <class Transport, class Handler>
  static asio::awaitable<comcp::client> connected(Transport transport, Handler handler, comcp::connect_options o) {
    auto c = co_await comcp::connect(std::move(transport), std::move(handler), std::move(o));
    co_return comcp::client(std::move(c));
  }

 protected:
  template <class T>
  static asio::awaitable<void> keep(outcome_of<T> o, asio::awaitable<T> operation) {
    auto r = co_await comcp::as_result(std::move(operation));
    o->value.emplace(std::move(r));
    ++o->times;
  }
};

/// What an error is compared with that is none.
inline std::error_code const all_well;

inline char const* const all_capabilities =
    R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
    R"("prompts":{"listChanged":true},"completions":{},"logging":{}})";

inline std::string initialize_text(std::string const& version, std::string const& capabilities = all_capabilities) {
  return R"({"protocolVersion":")" + version + R"(","capabilities":)" + capabilities +
         R"(,"serverInfo":{"name":"scripted","version":"1"}})";
}
inline std::string discover_text(std::string const& versions = R"("2026-07-28")",
                                   std::string const& capabilities = all_capabilities) {
  return R"({"resultType":"complete","supportedVersions":[)" + versions + R"(],"capabilities":)" + capabilities +
         R"(,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scripted","version":"1"}}})";
}

/// A script that begins with the handshake of one era.
inline comcp::test::script modern_script(std::string const& capabilities = all_capabilities) {
  comcp::test::script s;
  s.expect("server/discover").reply(discover_text(R"("2026-07-28")", capabilities));
  return s;
}
inline comcp::test::script legacy_script(std::string const& version = "2025-11-25",
                                         std::string const& capabilities = all_capabilities) {
  comcp::test::script s;
  s.expect("server/discover").fail(-32601, "Method not found");
  s.expect("initialize").reply(initialize_text(version, capabilities));
  s.expect("notifications/initialized");
  return s;
}

inline std::string const tool_text = R"({"content":[{"type":"text","text":"done"}]})";

}  // namespace comcp_test
