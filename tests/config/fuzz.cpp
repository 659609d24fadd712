// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Every prefix and many one-byte changes of each sample: no crash, problems that name file and line, no secret in them.
#include <comcp/config/expand.hpp>
#include <comcp/config/read.hpp>

#include "config/samples.hpp"
#include "support/catch.hpp"

namespace {

struct tally {
  std::size_t texts = 0, broken = 0;
};

// As one assertion a text: a hundred thousand of Catch's are slow.
void examine(std::string const& text, tally& count) {
  auto const f = comcp::read_config(text, comcp::config_options().file("mcp.json").project("/home/ann/shop"));
  auto problems = f.problems;
  comcp::config_variables nothing;
  for (auto const& s : f.servers) {
    auto const e = comcp::expand_server(s, f.inputs, nothing);
    problems.insert(problems.end(), e.problems.begin(), e.problems.end());
    if (to_string(e.server).find("s3cret") != std::string::npos) FAIL("shows a secret: " << text);
  }
  ++count.texts;
  if (!problems.empty()) ++count.broken;
  for (auto const& p : problems) {
    auto const told = p.to_string();
    bool const good = told.starts_with("mcp.json:") && p.line >= 1 && p.column >= 1 && !p.text.empty() &&
                      told.find("s3cret") == std::string::npos;
    if (!good) FAIL(told << "\nof: " << text);
  }
}

}  // namespace

TEST_CASE("config: every prefix of a file is told to be broken, with its line", "[config]") {
  for (auto const sample : config_samples::all) {
    tally count;
    auto const whole = sample.rfind('}') + 1;
    for (std::size_t n = 0; n < whole; ++n) {
      std::string const text(sample.substr(0, n));
      if (comcp::read_config(text).problems.size() != 1) FAIL("not told: " << text);
      examine(text, count);
    }
    CHECK(count.broken == whole);
  }
}

TEST_CASE("config: no change of a byte crashes the reader", "[config][slow]") {
  constexpr std::string_view bytes("\0\n\"\\{}[]:,/*$-0a\x80\xff", 18);
  constexpr std::size_t each = 4;  // of them at each place, in turn
  for (auto const sample : config_samples::all) {
    tally count;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      std::string text(sample);
      for (std::size_t k = 0; k < each; ++k) {
        text[i] = bytes[(i + 5 * k) % bytes.size()];
        examine(text, count);
      }
      text.erase(i, 1);
      examine(text, count);
      text.insert(i, 2, sample[i]);
      examine(text, count);
    }
    CHECK(count.texts == sample.size() * (each + 2));
    CHECK(count.broken > count.texts / 4);
  }
}
