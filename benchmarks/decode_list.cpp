// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding large answers, from the line to typed values as the client does it, beside a plain simdjson DOM parse of the
// same bytes with a parser that keeps its buffers. Rounds are interleaved.
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <simdjson.h>

#include <comcp/json/describe.hpp>
#include <comcp/jsonrpc/decode.hpp>
#include <comcp/protocol/tools.hpp>

#include "measure.hpp"

namespace {

constexpr auto head = R"({"jsonrpc":"2.0","id":1,"result":)";

/// About 1 MB: 1,000 tools of about 1 KB.
std::string tools_line() {
  std::string out = head;
  out += R"({"tools":[)";
  for (int i = 0; i < 1000; ++i) {
    auto const n = std::to_string(i);
    if (i > 0) out += ',';
    out += R"({"name":"tool_)" + n + R"(","title":"Tool number )" + n + R"(","description":")";
    out += "Searches the archive for entries that match, and returns the best of them with a score. Use it when the "
           "question names a person, a place or a date; for free text use the other search. It never changes anything.";
    out += R"(","inputSchema":{"type":"object","properties":{)";
    for (char const* key : {"query", "language", "author", "collection", "format"}) {
      if (key[0] != 'q') out += ',';
      out += '"';
      out += key;
      out += R"(":{"type":"string","description":"What to look for in this field, as plain text","minLength":1})";
    }
    out += R"(,"limit":{"type":"integer","minimum":1,"maximum":100,"default":10}},"required":["query"]},)";
    out += R"("annotations":{"readOnlyHint":true,"openWorldHint":false}})";
  }
  out += "]}}";
  return out;
}

/// 10 MB of text with the escapes of ordinary prose.
std::string text_line() {
  std::string out = head;
  out += R"({"content":[{"type":"text","text":")";
  while (out.size() < 10'000'000) {
    out += R"(Some lines of text, as a file or a web page has them: they are long, mostly plain, \"quoted\" here)";
    out += R"( and there, and now and then they end.\n)";
  }
  out += R"("}]}})";
  return out;
}

void check(bool ok) {
  if (ok) return;
  std::cerr << "decoding failed\n";
  std::exit(1);
}

template <class T>
T decode(comcp::padded_text line) {
  auto const m = comcp::jsonrpc::find_result(line.view());
  check(m && m->id == 1U);
  auto const v = comcp::json::parse(comcp::padded_text(m->result.data(), m->result.size()));
  check(v.has_value());
  auto out = comcp::json::read<T>(v->view());
  check(out.has_value());
  return std::move(*out);
}

template <class T>
void measure(std::string const& name, std::string line, int rounds) {
  auto const text = comcp::pad(line);
  simdjson::dom::parser plain;
  std::vector<double> ours, theirs, ratios;
  for (int i = 0; i < rounds; ++i) {
    auto start = std::chrono::steady_clock::now();
    check(plain.parse(text.data(), text.size(), false).error() == simdjson::SUCCESS);
    theirs.push_back(bench::seconds_since(start));
    start = std::chrono::steady_clock::now();
    (void)decode<T>(text);
    ours.push_back(bench::seconds_since(start));
    ratios.push_back(ours.back() / theirs.back());
  }
  bench::print((name + ".bytes").c_str(), static_cast<double>(text.size()));
  bench::print((name + ".ms").c_str(), bench::median(ours) * 1e3);
  bench::print((name + ".dom_ms").c_str(), bench::median(theirs) * 1e3);
  bench::print((name + ".ratio").c_str(), bench::median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  bench::pinned const here;
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 101;
  measure<comcp::list_tools_result>("decode_list.tools", tools_line(), rounds);
  measure<comcp::call_tool_result>("decode_list.text", text_line(), (rounds + 2) / 3);
}
