// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/protocol/tool_ui.hpp>

#include <string>

#include "support/catch.hpp"

using namespace comcp;

namespace {

tool with_meta(std::string const& meta) {
  return json::parse(R"({"name":"t","inputSchema":{},"_meta":)" + meta + "}").value().as<tool>();
}

}  // namespace

TEST_CASE("tool_ui: a tool that says nothing is for everybody", "[protocol]") {
  auto const plain = json::parse(R"({"name":"t","inputSchema":{}})").value().as<tool>();
  CHECK_FALSE(ui_of(plain));
  CHECK(is_for_model(plain));
  CHECK(is_for_app(plain));
  for (auto const* const meta : {"{}", R"({"ui":null})", R"({"ui":"x"})", R"({"ui":[1]})"}) {
    CAPTURE(meta);
    CHECK_FALSE(ui_of(with_meta(meta)));
    CHECK(is_for_model(with_meta(meta)));
  }
  CHECK(is_for_model(with_meta(R"({"ui":{}})")));
  CHECK(is_for_app(with_meta(R"({"ui":{"visibility":null}})")));
}

TEST_CASE("tool_ui: a visibility leaves out who is not in it, broken ones everybody", "[protocol]") {
  struct row {
    char const* visibility;
    bool model, app;
  };
  for (auto const& r : {row{R"(["model","app"])", true, true}, row{R"(["app"])", false, true}, row{R"(["model"])", true, false},
                        row{"[]", false, false}, row{R"(["MODEL","other"])", false, false}, row{R"("model")", false, false},
                        row{R"({"model":true})", false, false}, row{"7", false, false}, row{R"([1,null,["model"],"app"])", false, true}}) {
    CAPTURE(r.visibility);
    auto const t = with_meta(std::string(R"({"ui":{"visibility":)") + r.visibility + "}}");
    CHECK(is_for_model(t) == r.model);
    CHECK(is_for_app(t) == r.app);
    CHECK(ui_of(t)->for_model == r.model);
  }
}

TEST_CASE("tool_ui: the app's uri is a ui:// one, in either place", "[protocol]") {
  CHECK(ui_of(with_meta(R"({"ui":{"resourceUri":"ui://a/b"}})"))->resource_uri == "ui://a/b");
  CHECK(ui_of(with_meta(R"({"ui/resourceUri":"ui://old"})"))->resource_uri == "ui://old");
  CHECK(ui_of(with_meta(R"({"ui/resourceUri":"ui://old"})"))->for_model);
  CHECK(ui_of(with_meta(R"({"ui/resourceUri":"ui://old","ui":{"resourceUri":"ui://new"}})"))->resource_uri == "ui://new");
  CHECK(ui_of(with_meta(R"({"ui/resourceUri":"ui://old","ui":{"visibility":["app"]}})"))->resource_uri == "ui://old");
  for (auto const* const bad : {R"("file:///etc/passwd")", R"("ui://")", R"("UI://a")", R"("")", "7", "null", "[]"}) {
    CAPTURE(bad);
    CHECK_FALSE(ui_of(with_meta(std::string(R"({"ui":{"resourceUri":)") + bad + "}}"))->resource_uri);
    CHECK_FALSE(ui_of(with_meta(std::string(R"({"ui/resourceUri":)") + bad + "}"))->resource_uri);
  }
}
