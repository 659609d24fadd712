// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/jsonrpc/framing.hpp>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

using comcp::jsonrpc::framer;

namespace {

void feed(framer& f, std::string_view text) {
  auto const room = f.prepare(text.size());
  REQUIRE(room.size() >= text.size());
  std::memcpy(room.data(), text.data(), text.size());
  f.commit(text.size());
}

std::vector<std::string> lines(framer& f) {
  std::vector<std::string> out;
  while (auto line = f.next()) out.emplace_back(line->view());
  return out;
}

using strings = std::vector<std::string>;

}  // namespace

TEST_CASE("framing: each line is one message", "[jsonrpc]") {
  framer f;
  feed(f, "one\ntwo\nthr");
  CHECK(lines(f) == strings{"one", "two"});
  feed(f, "ee\n");
  CHECK(lines(f) == strings{"three"});
  CHECK_FALSE(f.finish());
  CHECK(f.statistics().messages == 3);
  CHECK(f.statistics().bytes == 14);
}

TEST_CASE("framing: any cut of the bytes gives the same lines", "[jsonrpc]") {
  std::string const text = "\xEF\xBB\xBF{\"a\":1}\r\n\n  \n{\"b\":\"x\\ny\"}\n\r\n{\"c\":3}";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    framer f;
    strings got;
    for (std::size_t at = 0; at < text.size(); at += step) {
      feed(f, std::string_view(text).substr(at, step));
      for (auto& line : lines(f)) got.push_back(line);
    }
    if (auto last = f.finish()) got.emplace_back(last->view());
    CHECK(got == strings{"{\"a\":1}", "{\"b\":\"x\\ny\"}", "{\"c\":3}"});
    CHECK(f.statistics().blank == 3);
  }
}

TEST_CASE("framing: a byte order mark is dropped before the first line alone", "[jsonrpc]") {
  framer f;
  feed(f, "\xEF\xBB\xBF" "a\n\xEF\xBB\xBF" "b\n");
  CHECK(lines(f) == strings{"a", "\xEF\xBB\xBF" "b"});
}

TEST_CASE("framing: a CR before the newline is dropped, another one is kept", "[jsonrpc]") {
  framer f;
  feed(f, "a\rb\r\r\n");
  CHECK(lines(f) == strings{"a\rb\r"});
}

TEST_CASE("framing: text after the last newline is delivered at the end, once", "[jsonrpc]") {
  framer f;
  feed(f, "a\nlast\r");
  CHECK(lines(f) == strings{"a"});
  auto const last = f.finish();
  REQUIRE(last);
  CHECK(last->view() == "last");
  CHECK_FALSE(f.finish());
}

TEST_CASE("framing: a blank end is no message", "[jsonrpc]") {
  framer f;
  feed(f, "a\n \t");
  CHECK(lines(f) == strings{"a"});
  CHECK_FALSE(f.finish());
  CHECK(f.statistics().blank == 1);
}

TEST_CASE("framing: spare bytes behind a line are readable", "[jsonrpc]") {
  framer f;
  auto room = f.prepare(1);
  std::memset(room.data(), 'x', room.size());
  room.back() = '\n';
  f.commit(room.size());
  auto const line = f.next();
  REQUIRE(line);
  unsigned sum = 0;  // the sanitizers see a read outside the buffer
  for (std::size_t i = 0; i != comcp::padded_text::spare; ++i) {
    sum += static_cast<unsigned char>(line->data()[line->size() + i]) & 1U;
  }
  CHECK(sum <= comcp::padded_text::spare);
}

TEST_CASE("framing: a line at the limit passes, one byte more fails and names the limit", "[jsonrpc]") {
  framer f(8);
  feed(f, "12345678\n");
  CHECK(lines(f) == strings{"12345678"});
  SECTION("with its newline") { feed(f, "123456789\nnext\n"); }
  SECTION("before its newline came") { feed(f, "123456789"); }
  CHECK(lines(f).empty());
  REQUIRE(f.failed());
  CHECK(f.failure() == comcp::errc::limit_exceeded);
  CHECK_THAT(std::string(f.failure().message()), match::contains("max_line (8 bytes)"));
  CHECK_FALSE(f.finish());
}

TEST_CASE("framing: the buffer shrinks again after a huge line", "[jsonrpc]") {
  framer f;
  std::string const huge(std::size_t{4} << 20, 'h');
  feed(f, huge);
  CHECK(lines(f).empty());
  feed(f, "\n");
  CHECK(lines(f) == strings{huge});
  CHECK(f.capacity() >= huge.size());
  for (int i = 0; i != 40; ++i) {
    feed(f, "small\n");
    CHECK(lines(f) == strings{"small"});
  }
  CHECK(f.capacity() <= 256 * 1024);
}

TEST_CASE("framing: lines of random length survive random cuts", "[jsonrpc]") {
  std::mt19937 random(7);
  std::string text;
  strings expected;
  for (int i = 0; i != 2000; ++i) {
    auto const size = 1 + random() % (i % 100 == 0 ? 200000U : 300U);
    expected.emplace_back(size, static_cast<char>('a' + i % 26));
    text += expected.back() + "\n";
  }
  framer f;
  strings got;
  for (std::size_t at = 0; at < text.size();) {
    auto const room = f.prepare();
    auto const n = std::min<std::size_t>({room.size(), text.size() - at, 1 + random() % 100000U});
    std::memcpy(room.data(), text.data() + at, n);
    f.commit(n);
    at += n;
    for (auto& line : lines(f)) got.push_back(std::move(line));
  }
  CHECK(got == expected);
}

TEST_CASE("framing: a long line comes with its memory, what is behind it stays", "[jsonrpc]") {
  framer f;
  for (int i = 0; i < 5; ++i) {
    bool const takes = i % 2 == 0;
    std::string const huge(300'000 + static_cast<std::size_t>(i), static_cast<char>('a' + i));
    feed(f, huge + "\nnext\nbegun");
    auto line = f.next();
    REQUIRE(line);
    REQUIRE(line->from());
    CHECK(line->view() == huge);
    comcp::text_buffer mine;
    if (takes) mine = std::move(*line->from());
    CHECK(lines(f) == strings{"next"});
    CHECK(f.unfinished() == "begun");
    feed(f, " and ended\n");
    CHECK(lines(f) == strings{"begun and ended"});
    if (takes) CHECK(std::string_view(mine.data() + (line->data() - mine.data()), huge.size()) == huge);
    feed(f, std::string(100'000, 'x') + "\n");
    auto const whole = f.next();
    REQUIRE(whole);
    CHECK(whole->from());
    CHECK_FALSE(f.next());
    feed(f, "small\n");
    auto const small = f.next();
    REQUIRE(small);
    CHECK_FALSE(small->from());
  }
  CHECK(f.statistics().messages == 25);
}
