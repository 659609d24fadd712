// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/sansio/sse_parser.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

using comcp::sansio::sse_parser;
using namespace std::chrono_literals;
using namespace std::string_literals;

namespace {

struct seen {
  std::string type, data, id;
  friend bool operator==(seen const&, seen const&) = default;
  friend std::ostream& operator<<(std::ostream& out, seen const& s) {
    return out << '[' << s.type << '|' << s.data << '|' << s.id << ']';
  }
};
using seen_list = std::vector<seen>;

// From memory of its own, so that the sanitizers see a read past the end or of bytes of an earlier feed.
void feed(sse_parser& p, std::string_view bytes, seen_list& out) {
  std::vector<char> const copy(bytes.begin(), bytes.end());
  p.feed({copy.data(), copy.size()});
  while (auto event = p.next()) out.push_back({event->type, event->data, p.last_event_id()});
}

seen_list events(sse_parser& p, std::string_view bytes) {
  seen_list out;
  feed(p, bytes, out);
  return out;
}

seen_list events(std::string_view bytes) {
  sse_parser p;
  return events(p, bytes);
}

// The standard's rules as it states them: all bytes at once, line by line, with copies.
seen_list reference(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  seen_list out;
  std::string data, type, id, last_id;
  while (true) {
    auto const end = text.find_first_of("\r\n");
    if (end == std::string::npos) return out;
    auto const line = text.substr(0, end);
    text.erase(0, end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1));
    if (line.empty()) {
      last_id = id;
      if (!data.empty()) out.push_back({type, data.substr(0, data.size() - 1), last_id});
      data.clear();
      type.clear();
      continue;
    }
    auto const colon = line.find(':');
    auto const name = line.substr(0, colon);
    auto value = colon == std::string::npos ? std::string() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.erase(0, 1);
    if (name == "data") data += value + '\n';
    if (name == "event") type = value;
    if (name == "id" && value.find('\0') == std::string::npos) id = value;
  }
}

std::string const mixed =
    "\xEF\xBB\xBF: hello\r\ndata: one\r\n\r\nevent: message\rid: 7\rdata: a\rdata:b\rdata\r\r"
    "data:  two spaces\nunknown: x\nid:n\0n\n\n"s
    "id: priming\ndata:\n\nid: only\n\n:\r\n\revent: gone\n\nretry: 250\ndata: \xE4\xB8\x96\xE7\x95\x8C: x\n\n"
    "data: cut\nid: lost\n";
seen_list const mixed_events = {{"", "one", ""},           {"message", "a\nb\n", "7"},
                                {"", " two spaces", "7"},  {"", "", "priming"},
                                {"", "\xE4\xB8\x96\xE7\x95\x8C: x", "only"}};

}  // namespace

TEST_CASE("sse_parser: events, types, ids, comments and every line end", "[sansio]") {
  sse_parser p;
  CHECK(events(p, mixed) == mixed_events);
  CHECK(p.last_event_id() == "only");
  CHECK(p.retry() == 250ms);
  CHECK_FALSE(p.failed());
  CHECK(reference(mixed) == mixed_events);
}

TEST_CASE("sse_parser: any two cuts of the bytes give the same events", "[sansio]") {
  std::string_view const text = mixed;
  std::size_t wrong = 0;
  for (std::size_t a = 0; a <= text.size(); ++a) {
    for (std::size_t b = a; b <= text.size(); ++b) {
      sse_parser p;
      seen_list got;
      feed(p, text.substr(0, a), got);
      feed(p, text.substr(a, b - a), got);
      feed(p, text.substr(b), got);
      wrong += got != mixed_events || p.last_event_id() != "only" || p.retry() != 250ms;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("sse_parser: pieces of any one size give the same events", "[sansio]") {
  std::string_view const text = mixed;
  for (std::size_t step = 1; step <= text.size(); ++step) {
    sse_parser p;
    seen_list got;
    for (std::size_t at = 0; at < text.size(); at += step) feed(p, text.substr(at, step), got);
    CHECK(got == mixed_events);
  }
}

TEST_CASE("sse_parser: random streams in random pieces read as the standard says", "[sansio]") {
  std::vector<std::string> const words = {"data", "data:", "data: ", "event:", "id: ", "id", ":",     " ",   "x",
                                          "1",    "\r",    "\n",     "\r\n",   "\n\n", "\0"s, "\xEF\xBB\xBF", "\xEF"};
  std::mt19937 random(11);
  for (int round = 0; round != 3000; ++round) {
    std::string text;
    for (auto n = random() % 40; n != 0; --n) text += words[random() % words.size()];
    sse_parser p;
    seen_list got;
    for (std::size_t at = 0; at < text.size();) {
      auto const n = std::min<std::size_t>(random() % 6, text.size() - at);
      feed(p, std::string_view(text).substr(at, n), got);
      at += n;
    }
    REQUIRE(got == reference(text));
  }
}

TEST_CASE("sse_parser: the examples of the standard", "[sansio]") {
  CHECK(events("data: YHOO\ndata: +2\ndata: 10\n\n") == seen_list{{"", "YHOO\n+2\n10", ""}});
  CHECK(events(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n") ==
        seen_list{{"", "first event", "1"}, {"", "second event", ""}, {"", " third event", ""}});
  CHECK(events("data\n\ndata\ndata\n\ndata:") == seen_list{{"", "", ""}, {"", "\n", ""}});
  CHECK(events("data:test\n\ndata: test\n\n") == seen_list{{"", "test", ""}, {"", "test", ""}});
}

TEST_CASE("sse_parser: field names are exact and only known ones count", "[sansio]") {
  CHECK(events("Data: x\n\n data: x\n\ndatum: x\n\ndata : x\n\ndat\n\n").empty());
}

TEST_CASE("sse_parser: unnamed and message events may be messages", "[sansio]") {
  CHECK(comcp::sansio::sse_event("", "x").is_message());
  CHECK(comcp::sansio::sse_event("message", "x").is_message());
  CHECK_FALSE(comcp::sansio::sse_event("endpoint", "x").is_message());
}

TEST_CASE("sse_parser: a blank line that ends in CR does not wait for its LF", "[sansio]") {
  sse_parser p;
  CHECK(events(p, "data: x\r\n\r") == seen_list{{"", "x", ""}});
  CHECK(events(p, "\n").empty());
  CHECK(events(p, "data: y\r\r") == seen_list{{"", "y", ""}});
}

TEST_CASE("sse_parser: an event without data is none, but its id counts; its type is forgotten", "[sansio]") {
  sse_parser p;
  CHECK(events(p, "event: endpoint\nid: 5\n\n").empty());
  CHECK(p.last_event_id() == "5");
  CHECK(events(p, "data: x\n\n") == seen_list{{"", "x", "5"}});
  CHECK(events(p, "id:\ndata: y\n\n") == seen_list{{"", "y", ""}});
}

TEST_CASE("sse_parser: the id of an unfinished event does not count", "[sansio]") {
  sse_parser p;
  CHECK(events(p, "id: 1\ndata: x\n\nid: 2\ndata: y\n").size() == 1);
  CHECK(p.last_event_id() == "1");
}

TEST_CASE("sse_parser: each event is given out with its own id", "[sansio]") {
  CHECK(events("id: 1\ndata: x\n\nid: 2\ndata: y\n\n") == seen_list{{"", "x", "1"}, {"", "y", "2"}});
}

TEST_CASE("sse_parser: retry takes digits only", "[sansio]") {
  sse_parser p;
  for (auto const* const line : {"retry: 1s\n", "retry:\n", "retry\n", "retry: -1\n", "retry:  5\n", "retry: 1.5\n"}) {
    INFO(line);
    CHECK(events(p, line).empty());
    CHECK_FALSE(p.retry());
  }
  CHECK(events(p, "retry: 0\n").empty());
  CHECK(p.retry() == 0ms);
  CHECK(events(p, "retry:3000\nretry: x\n").empty());
  CHECK(p.retry() == 3s);
  CHECK(events(p, "retry: 99999999999999999999999999\n").empty());
  CHECK(p.retry() == sse_parser::longest_retry);
}

TEST_CASE("sse_parser: another connection drops what is unfinished and keeps id and retry", "[sansio]") {
  sse_parser p;
  CHECK(events(p, "id: 1\nretry: 10\ndata: x\n\nid: 2\nevent: e\ndata: y\ndata: unfin").size() == 1);
  p.restart();
  CHECK(p.last_event_id() == "1");
  CHECK(p.retry() == 10ms);
  CHECK(events(p, "\xEF\xBB\xBF" "data: z\n\n") == seen_list{{"", "z", "1"}});
}

TEST_CASE("sse_parser: data can be parsed as JSON where it lies", "[sansio]") {
  sse_parser p;
  for (std::string const text : {"data: {}\n\n", "data:\n\n", "data: [1,\ndata: 2]\n\n"}) {
    p.feed(text);
    auto event = p.next();
    REQUIRE(event);
    auto const data = std::move(event->data);
    CHECK(data.capacity() >= data.size() + comcp::padded_text::spare);
    CHECK_FALSE(p.next());
  }
}

TEST_CASE("sse_parser: an event at the limit passes, one byte more fails and names the limit", "[sansio]") {
  std::string const before = "data: 12\nid: 45\n\n";   // 8 + 6 bytes of lines
  std::string const over = "data: 123\nid: 45\n\ndata: next\n\n";
  auto const text = before + over;
  for (std::size_t step = 1; step <= text.size(); ++step) {
    sse_parser p(14);
    seen_list got;
    for (std::size_t at = 0; at < text.size(); at += step) feed(p, std::string_view(text).substr(at, step), got);
    CHECK(got == seen_list{{"", "12", "45"}});
    REQUIRE(p.failed());
    CHECK(p.failure() == comcp::errc::limit_exceeded);
    CHECK_THAT(std::string(p.failure().message()), match::contains("max_event (14 bytes)"));
    p.restart();
    CHECK_FALSE(p.failed());
    CHECK(events(p, before).size() == 1);
  }
}

TEST_CASE("sse_parser: every kind of line but comments counts towards the limit", "[sansio]") {
  for (std::string const line : {"data: x\n", "data\n", "id: x\n", "event: x\n", "unknown: x\n"}) {
    INFO(line);
    sse_parser p(100);
    for (int i = 0; i != 100 && !p.failed(); ++i) CHECK(events(p, line).empty());
    CHECK(p.failed());
  }
  sse_parser p(100);
  for (int i = 0; i != 1000; ++i) CHECK(events(p, ": still here, and will be for a long time\n").empty());
  CHECK(events(p, ":" + std::string(1000, 'c')).empty());
  CHECK(events(p, std::string(1000, 'c') + "\ndata: x\n\n") == seen_list{{"", "x", ""}});
  CHECK_FALSE(p.failed());
}
