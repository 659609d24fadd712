// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// oauth against a fake world, for tests: requests as a transport makes them, a clock that tests move, and what every
// error said, so that no secret is in any.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>

#include <comcp/auth/oauth.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/http/logging_engine.hpp>
#include <comcp/test/manual_clock.hpp>
#include <comcp/transport/http_fetch.hpp>

#include "support/catch.hpp"
#include "support/fake_authorization.hpp"

namespace comcp_test {

/// One test's world. Each check of a text for secrets is at the end.
class oauth_talk {
 public:
  static constexpr auto server = "https://mcp.example/mcp";
  static constexpr auto redirect_uri = "http://127.0.0.1:7777/callback";

  oauth_talk() {
    world->now = [t = today_] { return *t; };
    world->time = clock;
  }
  ~oauth_talk() {
    for (auto const& text : said) {
      for (auto const& hidden : world->secrets) {
        INFO(text);
        CHECK(text.find(hidden) == std::string::npos);
      }
    }
    world->before = nullptr;  // a bell in it is of the io_context, which ends before the world
  }

  std::shared_ptr<fake_world> world = std::make_shared<fake_world>();
  std::shared_ptr<comcp::test::manual_clock> clock = std::make_shared<comcp::test::manual_clock>();
  comcp::any_token_store store;
  std::vector<std::string> said;

  /// The time of day goes on.
  void later(std::chrono::seconds by) { *today_ += by; }

  /// Options with a browser in which the user consents at once.
  comcp::oauth_options options() {
    auto out = without_user();
    auto const w = world;
    auto visit = [w](comcp::http_url url) -> asio::awaitable<std::string> { co_return w->consent(url); };
    out.user(comcp::browser_callback(redirect_uri, std::move(visit)));
    return out;
  }
  comcp::oauth_options without_user() {
    comcp::oauth_options out;
    out.sender(sender()).store(store).time(clock);
    out.clock([t = today_] { return *t; });
    return out;
  }
  comcp::oauth_sender sender() {
    auto log = [this](comcp::http_log const& l) {
      said.push_back(l.method + l.url + l.failure.to_string());
      for (auto const& f : l.sent) said.push_back(f.name + f.value);
      for (auto const& f : l.received) said.push_back(f.name + f.value);
    };
    using logged = comcp::logging_engine<fake_authorization>;
    return comcp::send_with(std::make_shared<logged>(fake_authorization(world), std::move(log), clock));
  }

  /// Runs it until it is done, or nothing happens any more.
  template <class T>
  std::optional<comcp::result<T>> outcome(asio::awaitable<T> work) {
    auto const out = std::make_shared<std::optional<comcp::result<T>>>();
    comcp::detail::spawn(io.get_executor(), keep(std::move(work), out));
    settle();
    if (*out && !**out) said.push_back((*out)->error().to_string());
    return *out;
  }
  template <class T>
  comcp::result<T> get(asio::awaitable<T> work) {
    auto out = outcome(std::move(work));
    REQUIRE(out.has_value());
    return std::move(*out);
  }
  void settle() {
    io.restart();
    io.poll();
  }

  /// What came of one request to an MCP server: its status, or why there is none.
  struct answer {
    answer() = default;
    bool over = false;
    int status = 0;
    comcp::error failure;
  };
  std::shared_ptr<answer> start(comcp::oauth& auth, std::string const& url = server) {
    auto const out = std::make_shared<answer>();
    comcp::detail::spawn(io.get_executor(), request(this, out, auth, url));
    return out;
  }
  /// The status; 0 after a failure, which `last` has.
  int ask(comcp::oauth& auth, std::string const& url = server) {
    auto const out = start(auth, url);
    settle();
    REQUIRE(out->over);
    last = out->failure;
    return out->status;
  }
  comcp::error last;

 private:
  template <class T>
  static asio::awaitable<void> keep(asio::awaitable<T> work, std::shared_ptr<std::optional<comcp::result<T>>> out) {
    try {
      if constexpr (std::is_void_v<T>) {
        co_await std::move(work);
        out->emplace();
      } else {
        auto got = co_await std::move(work);
        out->emplace(std::move(got));
      }
    } catch (...) {
      out->emplace(comcp::detail::current_error());
    }
  }

  static asio::awaitable<void> request(oauth_talk* self, std::shared_ptr<answer> out, comcp::oauth auth, std::string url) {
    auto const where = comcp::http_url::parse(url).value();
    comcp::any_engine engine(std::make_shared<fake_authorization>(self->world));
    comcp::any_authenticator who(std::move(auth));
    comcp::detail::http_carrier carrier(std::move(engine), std::move(who), self->clock, where);
    comcp::detail::http_fetch fetch(carrier, where, "POST");
    fetch.request.body = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
    fetch.sent.request = true;
    co_await fetch.run();
    out->over = true;
    if (fetch.verdict.what == comcp::sansio::http_verdict::action::fail) {
      out->failure = fetch.verdict.why;
      self->said.push_back(out->failure.to_string());
      auto const* const detail = out->failure.detail();
      if (detail && detail->http_status && *detail->http_status >= 400) out->status = *detail->http_status;
    } else {
      out->status = 200;
    }
  }

  std::shared_ptr<comcp::token_set::time_point> today_ =
      std::make_shared<comcp::token_set::time_point>(std::chrono::sys_days{std::chrono::year(2026) / 11 / 1});

 public:
  asio::io_context io;  // goes first: what is under way then still tells the log
};

}  // namespace comcp_test
