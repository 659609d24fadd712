// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The text format of Prometheus: what is written, and that whatever comes as a label stays one.
#include <comcp/trace/prometheus.hpp>

#include <algorithm>
#include <limits>
#include <string>

#include "support/catch.hpp"
#include "support/promtool.hpp"

using comcp::prometheus_labels;
using comcp::prometheus_text;

namespace {

std::string const hostile_label = "a\"b\\c\nd\r\te{},=\x01 \xC3\xA9 \xFF \xC0\xAF \xED\xA0\x80 \xE2\x80\xAE\xF0\x9F\x98\x80 # HELP x y\n" +
                                  std::string(1, '\0') + "comcp_x 1\n\\";

}  // namespace

TEST_CASE("prometheus: families with their help, type and samples", "[trace]") {
  prometheus_text m;
  CHECK(m.text().empty());
  m.gauge("b_now", "What is.", -3).counter("a", "What was.", 7U, {{"x", "1"}}).counter("a_total", "Another.", 9, {{"x", "2"}});
  m.gauge("b_now", "", 1.5, {{"y", "z"}, {"a", ""}});
  CHECK(m.text() ==
        "# HELP a_total What was.\n# TYPE a_total counter\na_total{x=\"1\"} 7\na_total{x=\"2\"} 9\n"
        "# HELP b_now What is.\n# TYPE b_now gauge\nb_now -3\nb_now{a=\"\",y=\"z\"} 1.5\n");
}

TEST_CASE("prometheus: one sample for the same labels, the last one", "[trace]") {
  prometheus_text m;
  m.gauge("x", "X.", 1, {{"a", "1"}, {"b", "2"}}).gauge("x", "X.", 2, {{"b", "2"}, {"a", "1"}, {"a", "3"}});
  CHECK(m.text() == "# HELP x X.\n# TYPE x gauge\nx{a=\"1\",b=\"2\"} 2\n");
}

TEST_CASE("prometheus: numbers of every kind", "[trace]") {
  prometheus_text m;
  m.gauge("a", "A.", std::numeric_limits<std::uint64_t>::max()).gauge("b", "B.", std::numeric_limits<std::int64_t>::min());
  m.gauge("c", "C.", 0.1).gauge("d", "D.", 1e300).gauge("e", "E.", std::numeric_limits<double>::quiet_NaN());
  m.gauge("f", "F.", std::numeric_limits<double>::infinity()).gauge("g", "G.", -std::numeric_limits<double>::infinity());
  for (auto const* const line : {"\na 18446744073709551615\n", "\nb -9223372036854775808\n", "\nc 0.1\n", "\nd 1e+300\n",
                                 "\ne NaN\n", "\nf +Inf\n", "\ng -Inf\n"})
    CHECK_THAT(m.text(), match::contains(line));
  COMCP_NEED_PROMTOOL();
  CHECK(comcp_test::complaints(m.text()).empty());
}

TEST_CASE("prometheus: what is not allowed in a text is escaped, in a name replaced", "[trace]") {
  prometheus_text m;
  m.gauge("9 lives\n", "One\\two\n\"three\" \xFF", 1, {{"a\"b", "a\"b\\c\nd\xFF"}, {"__name__", "x"}, {"", "y"}, {"0", "z"}});
  CHECK(m.text() ==
        "# HELP _9_lives_ One\\\\two\\n\"three\" \xEF\xBF\xBD\n# TYPE _9_lives_ gauge\n"
        "_9_lives_{_=\"y\",_0=\"z\",_name__=\"x\",a_b=\"a\\\"b\\\\c\\nd\xEF\xBF\xBD\"} 1\n");
}

TEST_CASE("prometheus: promtool reads every hostile label as one label", "[trace]") {
  COMCP_NEED_PROMTOOL();
  prometheus_text m;
  m.counter("comcp_x", "Help with \\ and \n and " + hostile_label, 1, {{"server", hostile_label}});
  for (int c = 0; c != 256; ++c) m.counter("comcp_x", "", c, {{"server", std::string(1, static_cast<char>(c)) + "|" + std::to_string(c)}});
  auto const text = m.text();
  CHECK(comcp_test::complaints(text).empty());
  CHECK(std::count(text.begin(), text.end(), '\n') == 2 + 1 + 256);
  CHECK_FALSE(comcp_test::complaints("comcp_x{server=\"a\nb\"} 1\n").empty());  // it would say so
  CHECK_FALSE(comcp_test::complaints("comcp_x{server=\"\xFF\"} 1\n").empty());
}
