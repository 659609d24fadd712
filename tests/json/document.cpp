// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the text of a document is: in the buffer that it came in, or a copy; long strings are unescaped when they are
// read.
#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <comcp/json/describe.hpp>
#include <comcp/json/value.hpp>

#include "support/catch.hpp"

namespace {

namespace json = comcp::json;

json::value parsed(std::string_view text) { return json::parse(text).value(); }

}  // namespace

TEST_CASE("json document: a long string with escapes reads the same copied and looked at", "[json][threads]") {
  std::string written, plain;
  for (int i = 0; written.size() < 200'000; ++i) {
    written += R"(line \"one\" of \u00e9 and \ud83d\ude00\n)" + std::to_string(i);
    plain += "line \"one\" of \xC3\xA9 and \xF0\x9F\x98\x80\n" + std::to_string(i);
  }
  auto const text = "{\"a\":\"" + written + "\",\"short\":\"\\n\",\"b\":\"" + written + "\"}";
  auto const as_text = [](json::view v) { return json::read<std::string>(v).value(); };
  for (bool const looks_first : {false, true}) {
    auto const v = parsed(text);
    auto const a = v["a"], b = v["b"];
    if (looks_first) CHECK(a.as_string() == plain);
    CHECK(as_text(a) == plain);
    CHECK(as_text(a) == plain);
    CHECK(a.as_string() == plain);
    CHECK(as_text(a) == plain);
    CHECK(a == b);
    CHECK(v["short"].as_string() == "\n");
    CHECK(parsed(v.dump()) == v);
  }
  auto const shared = parsed(text);
  std::vector<std::jthread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      auto const b = shared["b"];
      bool const copied = i % 2 || as_text(b) == plain;
      good += copied && b.as_string() == plain && as_text(b) == plain;
    });
  }
  threads.clear();
  CHECK(good == 4);
  CHECK_FALSE(json::parse("[\"" + written + "\\x\"]"));
  CHECK_FALSE(json::parse("[\"\\x\",\"" + written + "\"]"));
}

TEST_CASE("json document: a text that is kept in its buffer, and one that fails, which is left as it was", "[json]") {
  std::string const blanks(100, ' '), good = R"({"a":"\"x\"","b":["\u00e9"]})" + blanks,
                                      bad = R"({"a":"\"x\"","b":["\u00e"]})" + blanks;
  for (auto const& text : {good, bad}) {
    comcp::text_buffer buffer(text.size() + comcp::padded_text::spare);
    auto const* const memory = buffer.data();
    text.copy(buffer.data(), text.size());
    auto const v = json::parse(comcp::padded_text(buffer.data(), text.size(), &buffer));
    CHECK(v.has_value() == (text == good));
    if (!v) {
      CHECK(std::string_view(buffer.data(), text.size()) == text);
      continue;
    }
    CHECK(buffer.data() == nullptr);
    auto const b = (*v)["b"][0];
    bool const inside = b.as_string().data() > memory && b.as_string().data() < memory + text.size();
    CHECK(inside);
    CHECK(*v == parsed(text));
  }
  comcp::text_buffer large(10'000);
  good.copy(large.data(), good.size());
  CHECK(json::parse(comcp::padded_text(large.data(), good.size(), &large)));
  CHECK(large.data() != nullptr);
}
