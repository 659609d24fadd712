// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Checking tool arguments of about 1 KB against their schema, beside plain parsing (a simdjson DOM, with a parser that
// keeps its buffers) and comcp's own parsing of the same documents. Rounds are interleaved.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <simdjson.h>

#include <comcp/json/value.hpp>
#include <comcp/schema/schema.hpp>

#include "measure.hpp"

namespace {

constexpr auto schema_text = R"({
  "type": "object", "required": ["query", "filters", "limit"], "additionalProperties": false,
  "properties": {
    "query": {"type": "string", "minLength": 1, "maxLength": 1000},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    "language": {"enum": ["en", "de", "fr", "es"]},
    "id": {"type": "string", "pattern": "^[a-z]+-[0-9]{4}$"},
    "filters": {
      "type": "array", "maxItems": 50,
      "items": {
        "type": "object", "required": ["field", "value"], "additionalProperties": false,
        "properties": {
          "field": {"type": "string", "minLength": 1},
          "value": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]},
          "weight": {"type": "number", "exclusiveMinimum": 0, "maximum": 1}
        }
      }
    },
    "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}
  }
})";

std::string arguments(int n) {
  auto const id = std::to_string(1000 + n);
  std::string out = R"({"query":"documents number )" + id + R"( about the weather on the coast","limit":20,"language":"en",)";
  out += R"("id":"search-)" + id + R"(","filters":[)";
  for (int i = 0; i < 12; ++i) {
    if (i > 0) out += ',';
    out += R"({"field":"field_)" + std::to_string(i) + R"(","value":)";
    out += i % 3 == 0 ? R"("a word or two")" : i % 3 == 1 ? "17.5" : "true";
    out += R"(,"weight":0.5})";
  }
  return out + R"(],"tags":["weather","coast","wind","rain","archive"]})";
}

void check(bool ok) {
  if (ok) return;
  std::cerr << "a document was refused\n";
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  bench::pinned const here;
  int const rounds = argc > 1 ? std::atoi(argv[1]) : 51;
  auto const schema = comcp::schema::compile(comcp::json::parse(schema_text).value());
  check(schema.has_value());
  std::vector<std::string> kept;
  std::vector<comcp::padded_text> texts;
  std::vector<comcp::json::value> values;
  double bytes = 0;
  for (int i = 0; i < 1000; ++i) {
    kept.push_back(arguments(i));
    bytes += static_cast<double>(kept.back().size());
    values.push_back(comcp::json::parse(kept.back()).value());
  }
  for (auto& text : kept) texts.push_back(comcp::pad(text));

  simdjson::dom::parser plain;
  std::vector<double> dom, parsing, checking, both, compiling;
  for (int i = 0; i < rounds; ++i) {
    auto start = std::chrono::steady_clock::now();
    for (auto const& t : texts) check(plain.parse(t.data(), t.size(), false).error() == simdjson::SUCCESS);
    dom.push_back(bench::seconds_since(start));
    start = std::chrono::steady_clock::now();
    for (auto const& t : texts) check(comcp::json::parse(t).has_value());
    parsing.push_back(bench::seconds_since(start));
    start = std::chrono::steady_clock::now();
    for (auto const& v : values) check(schema->validate(v.view()).has_value());
    checking.push_back(bench::seconds_since(start));
    both.push_back(checking.back() / parsing.back());
    start = std::chrono::steady_clock::now();
    check(comcp::schema::compile(schema->text()).has_value());
    compiling.push_back(bench::seconds_since(start));
  }
  bench::print("validate.mb_s", bytes / bench::median(checking) * 1e-6);
  bench::print("validate.parse_mb_s", bytes / bench::median(parsing) * 1e-6);
  bench::print("validate.dom_mb_s", bytes / bench::median(dom) * 1e-6);
  bench::print("validate.ratio", bench::median(both));
  bench::print("validate.document_us", bench::median(checking) / static_cast<double>(texts.size()) * 1e6);
  bench::print("validate.compile_us", bench::median(compiling) * 1e6);
}
