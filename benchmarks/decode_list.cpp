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

#include "large_answers.hpp"
#include "measure.hpp"

namespace {

std::string const head = R"({"jsonrpc":"2.0","id":1,"result":)";

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
  measure<comcp::list_tools_result>("decode_list.tools", head + large::tools_result() + "}", rounds);
  measure<comcp::call_tool_result>("decode_list.text", head + large::text_result() + "}", (rounds + 2) / 3);
}
