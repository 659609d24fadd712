// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The bounds of parsing, at and above each; and that nothing behind the spare bytes is ever read.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <comcp/json/build.hpp>
#include <comcp/json/reader.hpp>
#include <comcp/json/value.hpp>

#include "support/catch.hpp"
#include "support/failing_new.hpp"

namespace {

namespace json = comcp::json;
using comcp::errc;

std::string nested(std::size_t depth, std::string const& innermost = "1") {
  return std::string(depth, '[') + innermost + std::string(depth, ']');
}

// Bytes that end where a page ends, with an unreadable page behind them: a read past them crashes, also in a
// library that no sanitizer has seen.
class guarded {
 public:
  explicit guarded(std::size_t size) : whole_((size / page + 1) * page) {
    start_ =
        static_cast<char*>(mmap(nullptr, whole_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(start_ != MAP_FAILED);
    REQUIRE(mprotect(start_ + whole_, page, PROT_NONE) == 0);
    bytes_ = start_ + whole_ - size;
  }
  guarded(guarded const&) = delete;
  guarded& operator=(guarded const&) = delete;
  ~guarded() { munmap(start_, whole_ + page); }
  [[nodiscard]] char* bytes() const { return bytes_; }

 private:
  static inline std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t whole_;
  char* start_;
  char* bytes_;
};

// Text with exactly the spare bytes that are promised, which hold what would continue the text.
class tight {
 public:
  tight(std::string const& text, char fill) : size_(text.size()), memory_(size_ + comcp::padded_text::spare) {
    std::memcpy(memory_.bytes(), text.data(), size_);
    std::memset(memory_.bytes() + size_, fill, comcp::padded_text::spare);
  }
  [[nodiscard]] comcp::padded_text text() const { return {memory_.bytes(), size_}; }

 private:
  std::size_t size_;
  guarded memory_;
};

struct no_sink final : json::member_sink {
  std::size_t seen = 0;
  bool on_member(std::string_view, std::string_view raw) override { return seen += raw.size(), true; }
};

}  // namespace

TEST_CASE("json limits: max_depth is exact", "[json]") {
  for (std::size_t const depth : {1U, 2U, 17U, 256U, 1000U}) {
    INFO(depth);
    auto const options = json::parse_options().max_depth(depth);
    CHECK(json::parse(nested(depth), options).has_value());
    auto const above = json::parse(nested(depth + 1), options);
    REQUIRE_FALSE(above);
    CHECK(above.error() == errc::limit_exceeded);
    CHECK_THAT(std::string(above.error().message()), match::contains("max_depth (" + std::to_string(depth) + ")"));
  }
  CHECK(json::parse(nested(256)).has_value());
  CHECK_FALSE(json::parse(nested(257)).has_value());
}

TEST_CASE("json limits: objects count as arrays do, scalars need no depth", "[json]") {
  CHECK(json::parse(R"({"a":{"b":1}})", json::parse_options().max_depth(2)).has_value());
  CHECK_FALSE(json::parse(R"({"a":{"b":1}})", json::parse_options().max_depth(1)).has_value());
  CHECK(json::parse("1", json::parse_options().max_depth(0)).has_value());
  CHECK_FALSE(json::parse("[1]", json::parse_options().max_depth(0)).has_value());
}

TEST_CASE("json limits: an empty container inside the deepest is let pass, one more level is not", "[json]") {
  auto const options = json::parse_options().max_depth(3);
  CHECK(json::parse(nested(3, "[]"), options).has_value());
  CHECK(json::parse(nested(3, "{}"), options).has_value());
  CHECK_FALSE(json::parse(nested(4, "[]"), options).has_value());
}

TEST_CASE("json limits: a limit of one call does not stick to the next", "[json]") {
  CHECK_FALSE(json::parse(nested(5), json::parse_options().max_depth(4)).has_value());
  CHECK(json::parse(nested(5)).has_value());
  CHECK(json::parse(nested(900), json::parse_options().max_depth(900)).has_value());
  CHECK_FALSE(json::parse(nested(900)).has_value());
  CHECK(json::parse("[1]", json::parse_options().max_depth(std::numeric_limits<std::size_t>::max())).has_value());
}

TEST_CASE("json limits: max_bytes is exact, for both ways to parse", "[json]") {
  std::string text = "[1,2,3]";
  auto const at = json::parse_options().max_bytes(text.size());
  auto const below = json::parse_options().max_bytes(text.size() - 1);
  CHECK(json::parse(text, at).has_value());
  CHECK(json::parse(comcp::pad(text), at).has_value());
  for (auto const& refused : {json::parse(text, below), json::parse(comcp::pad(text), below)}) {
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::limit_exceeded);
    CHECK_THAT(std::string(refused.error().message()), match::contains("max_bytes (6)"));
  }
}

TEST_CASE("json limits: max_nodes counts values, not keys, and is exact", "[json]") {
  std::string const text = R"({"a":[1,2,{"b":null}],"c":"x"})";  // 1 object, 1 array, 2 numbers, {}, null, "x"
  CHECK(json::parse(text, json::parse_options().max_nodes(7)).has_value());
  auto const refused = json::parse(text, json::parse_options().max_nodes(6));
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == errc::limit_exceeded);
  CHECK_THAT(std::string(refused.error().message()), match::contains("max_nodes (6)"));
  for (std::size_t n = 0; n < 6; ++n) CHECK_FALSE(json::parse(text, json::parse_options().max_nodes(n)).has_value());
  CHECK(json::parse("[0]", json::parse_options().max_nodes(2)).has_value());
  CHECK_FALSE(json::parse("[0]", json::parse_options().max_nodes(1)).has_value());
}

TEST_CASE("json limits: raw() takes the same limits", "[json]") {
  CHECK(json::raw(" [ [ 1 ] ] ", json::parse_options().max_depth(2)).text() == "[[1]]");
  try {
    (void)json::raw("[[1]]", json::parse_options().max_depth(1));
    FAIL("no exception");
  } catch (comcp::exception const& e) {
    CHECK(e.error() == errc::limit_exceeded);
  }
}

TEST_CASE("json limits: hostile nesting is refused quickly and without recursion", "[json][slow]") {
  for (std::string const piece : {"[", "{\"a\":", "[{\"a\":"}) {
    std::string open, closed;
    while (open.size() < 4'000'000) open += piece;
    closed = open + "1";
    for (auto i = open.size(); i-- > 0;) {
      if (open[i] == '[') closed += ']';
      if (open[i] == '{') closed += '}';
    }
    no_sink sink;
    CHECK(json::parse(comcp::pad(open)).error() == errc::invalid_json);
    CHECK_FALSE(json::scan_object(comcp::pad(open), sink).has_value());
    CHECK_FALSE(json::scan_array(comcp::pad(open), sink).has_value());
    CHECK(json::parse(comcp::pad(closed)).error() == errc::limit_exceeded);
    CHECK(json::scan_object(comcp::pad(closed), sink).has_value() == (piece[0] == '{'));
    CHECK(json::scan_array(comcp::pad(closed), sink).has_value() == (piece[0] == '['));
  }
}

TEST_CASE("json limits: a large text parses, and small ones after it", "[json]") {
  std::string text = "[\"" + std::string(std::size_t{6} << 20, 'x') + "\"]";
  auto const large = json::parse(text);
  REQUIRE(large);
  auto const only = (*large)[0];
  CHECK(only.as_string().size() == std::size_t{6} << 20);
  CHECK(json::parse("[1]").has_value());
  no_sink sink;
  CHECK(json::scan_array(comcp::pad(text), sink).has_value());
  CHECK(sink.seen == (std::size_t{6} << 20) + 2);
  std::string small = "[1]";
  CHECK(json::scan_array(comcp::pad(small), sink).has_value());
}

TEST_CASE("json limits: the bytes behind the text are neither part of it nor read past the spare ones", "[json]") {
  std::vector<std::string> const good = {"1",
                                         "-12.5e1",
                                         "true",
                                         "false",
                                         "null",
                                         R"("a")",
                                         "[1,2]",
                                         R"({"a":"b"})",
                                         R"("\u00e9\ud83d\ude00")",
                                         "\xEF\xBB\xBF[1]",
                                         "  7  "};
  std::vector<std::string> const bad = {
      "",    "[",    "[1", "{\"a\"", "{\"a\":", "{\"a\":1", "\"abc",        "\"abc\\",  "\"\\u12",  "tru",
      "nul", "fals", "-",  "1e",     "1.",      "[1,",      "\xEF\xBB\xBF", "\xEF\xBB", "\xE2\x82", "[\"\xF0\x9F\x98"};
  for (char const fill : {'\0', '1', '"', 'e', ']', '}', '\\', ' ', '\xBF'}) {
    INFO(static_cast<int>(fill));
    no_sink sink;
    for (auto const& text : good) {
      INFO(text);
      tight const buffer(text, fill);
      auto const value = json::parse(buffer.text());
      REQUIRE(value);
      CHECK(*value == *json::parse(text));
      (void)json::scan_object(buffer.text(), sink);
      (void)json::scan_array(buffer.text(), sink);
    }
    for (auto const& text : bad) {
      INFO(text);
      tight const buffer(text, fill);
      CHECK_FALSE(json::parse(buffer.text()).has_value());
      CHECK_FALSE(json::scan_object(buffer.text(), sink).has_value());
      CHECK_FALSE(json::scan_array(buffer.text(), sink).has_value());
    }
  }
}

TEST_CASE("json limits: every prefix of a message is refused and read within bounds", "[json]") {
  std::string const text = R"({"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"\u20ac \"x\""}],)"
                           R"("n":[-1.5e-7,true,null,18446744073709551615],"deep":{"a":[[],{}]}}})";
  for (std::size_t n = 0; n < text.size(); ++n) {
    tight const buffer(text.substr(0, n), text[n]);
    no_sink sink;
    CHECK_FALSE(json::parse(buffer.text()).has_value());
    CHECK_FALSE(json::scan_object(buffer.text(), sink).has_value());
  }
  tight const whole(text, ' ');
  no_sink sink;
  CHECK(json::parse(whole.text()).has_value());
  CHECK(json::scan_object(whole.text(), sink).has_value());
}

TEST_CASE("json limits: a string_view without spare bytes is not read past its end", "[json]") {
  for (std::size_t n = 2; n < 200; ++n) {
    guarded const memory(n);
    std::memset(memory.bytes(), 'x', n);
    memory.bytes()[0] = memory.bytes()[n - 1] = '"';
    std::string_view const text(memory.bytes(), n);
    CHECK(json::parse(text).has_value());
    CHECK(json::raw(text).text() == text);
    CHECK(*json::unescape(text) == text.substr(1, n - 2));
  }
}

TEST_CASE("limits: memory that runs out is an error of its own, of parsing and of scanning", "[json]") {
  auto text = "[\"" + std::string(4 << 20, 'x') + "\"]";
  auto const padded = comcp::pad(text);
  struct nothing final : json::member_sink {
    bool on_member(std::string_view, std::string_view) override { return true; }
  } sink;
  comcp::error parsed, scanned;
  {
    comcp_test::scarce_memory const scarce(1 << 20);
    if (auto const got = json::parse(padded); !got) parsed = got.error();
    if (auto const got = json::scan_array(padded, sink); !got) scanned = got.error();
  }
  CHECK(parsed == errc::out_of_memory);
  CHECK(scanned == errc::out_of_memory);
  CHECK(json::parse(padded));
  CHECK(json::scan_array(padded, sink));
}
