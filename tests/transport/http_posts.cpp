// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>

#include "support/http_talk.hpp"

using namespace comcp;
using namespace comcp_test;

namespace {

constexpr std::size_t many = 30;

/// That many calls, begun in one turn.
struct crowd {
  explicit crowd(http_talk& talk) : t(talk) {}

  asio::awaitable<void> one(client const& c, std::size_t i) {
    auto const r = co_await as_result(c.call_tool("x" + std::to_string(i)));
    if (!r) ends[i] = r.error();
    ++ended;
  }
  void begin(client const& c) {
    for (std::size_t i = 0; i < many; ++i) asio::co_spawn(t.io, one(c, i), asio::detached);
  }

  http_talk& t;
  std::array<error, many> ends;
  std::size_t ended = 0;
};

}  // namespace

TEST_CASE("http_posts: many calls at once go out in their order", "[transport]") {
  http_talk t;
  auto c = t.legacy();
  crowd all(t);
  asio::post(t.io, [&] { all.begin(c); });
  for (std::size_t i = 0; i < many; ++i) t.take("\"x" + std::to_string(i) + '"')->result(tool_text);
  t.quiet();
  CHECK(all.ended == many);
  for (auto const& end : all.ends) CHECK_FALSE(end);
}

TEST_CASE("http_posts: a client may end before what was begun goes out", "[transport]") {
  http_talk t;
  std::optional<client> c(t.legacy());
  crowd all(t);
  asio::post(t.io, [&] {
    all.begin(*c);
    c.reset();
  });
  t.settle();
  CHECK(all.ended == many);
  for (auto const& end : all.ends) CHECK(end == errc::closed);
}
