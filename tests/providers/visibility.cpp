// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools that are not for models, in every shape.
#include <string>
#include <vector>

#include <comcp/providers/anthropic.hpp>
#include <comcp/providers/gemini.hpp>
#include <comcp/providers/openai.hpp>

#include "providers/samples.hpp"
#include "support/catch.hpp"

using namespace comcp_test;
using comcp::providers::offered_tool;

namespace {

using writer = comcp::json::fragment (*)(std::span<offered_tool const>);
constexpr writer shapes[] = {comcp::providers::anthropic::write_tools, comcp::providers::gemini::write_tools,
                             comcp::providers::openai_chat::write_tools, comcp::providers::openai_responses::write_tools};

auto with_visibility(std::string const& name, std::string const& visibility) {
  return tool_of(R"({"name":")" + name + R"(","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":)" + visibility + "}}}");
}

}  // namespace

TEST_CASE("providers: a tool whose visibility leaves out the model is never written", "[providers]") {
  auto const weather = weather_tool();
  auto const both = with_visibility("both", R"(["model","app"])");
  auto const hidden = with_visibility("hidden", R"(["app"])");
  auto const nobody = with_visibility("hidden_too", "[]");
  auto const broken = with_visibility("hidden_three", R"("app")");
  std::vector<offered_tool> const shown = {{"s", weather}, {"s", both}};
  std::vector<offered_tool> const all = {{"s", hidden}, {"s", weather}, {"s", nobody}, {"s", both}, {"s", broken}};
  std::vector<offered_tool> const none = {{"s", hidden}, {"s", broken}};
  CHECK_FALSE(all[0].is_for_model());
  CHECK(all[3].is_for_model());
  for (auto const write : shapes) {
    CHECK(write(all).text() == write(shown).text());
    CHECK(write(all).text().find("hidden") == std::string::npos);
    CHECK(write(none).text() == "[]");
  }
}
