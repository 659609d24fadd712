// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/protocol/prompts.hpp>
#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/sampling.hpp>
#include <comcp/protocol/tools.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

template <class T>
T from(std::string_view text) {
  return json::parse(text).value().as<T>();
}

template <class T>
std::string why_not(std::string_view text) {
  auto const v = json::parse(text).value();
  auto const typed = v.get<T>();
  REQUIRE_FALSE(typed.has_value());
  CHECK(typed.error() == errc::wrong_shape);
  return typed.error().to_string();
}

std::string as_text(std::vector<std::byte> const& bytes) {
  std::string out;
  for (auto const b : bytes) out += static_cast<char>(b);
  return out;
}

}  // namespace

TEST_CASE("content: each kind is told apart by its type", "[protocol]") {
  auto const result = from<call_tool_result>(R"({"content":[
    {"type":"text","text":"one"}, {"type":"image","data":"aGk=","mimeType":"image/png"},
    {"type":"audio","data":"aGk=","mimeType":"audio/wav"}, {"type":"resource_link","uri":"file:///a","name":"a"},
    {"type":"resource","resource":{"uri":"file:///b","text":"bee"}}, {"type":"hologram","depth":3},
    {"type":"text","text":"two"}]})");
  CHECK(result.text() == "one\ntwo");
  REQUIRE(result.images().size() == 1);
  CHECK(as_text(result.images()[0].bytes().value()) == "hi");
  REQUIRE(result.audio().size() == 1);
  CHECK(as_text(result.audio()[0].bytes().value()) == "hi");
  REQUIRE(result.links().size() == 1);
  CHECK(result.links()[0].name == "a");
  REQUIRE(result.resources().size() == 1);
  CHECK(as_text(result.resources()[0].resource.bytes().value()) == "bee");
  auto const* const other = std::get_if<unknown_content>(&result.content[5]);
  REQUIRE(other);
  CHECK(other->type == "hologram");
  CHECK(other->raw["depth"].as_int64() == 3);
}

TEST_CASE("content: an unknown kind is written as it came", "[protocol]") {
  auto const v = json::parse(R"({"type":"hologram","depth":3,"nested":{"a":[null]}})").value();
  CHECK(json::to_value(v.as<content_block>()) == v);
}

TEST_CASE("content: a known kind without its members is refused with the place", "[protocol]") {
  CHECK_THAT(why_not<call_tool_result>(R"({"content":[{"type":"text","text":"a"},{"type":"image","data":""}]})"),
             match::contains("mimeType") && match::contains("/content/1"));
  CHECK_THAT(why_not<call_tool_result>(R"({"content":[{"text":"a"}]})"), match::contains("\"type\""));
  CHECK_THAT(why_not<call_tool_result>(R"({"content":["a"]})"), match::contains("/content/0"));
  CHECK_THAT(why_not<call_tool_result>(R"({"content":[{"type":7}]})"), match::contains("/content/0/type"));
}

TEST_CASE("content: bad Base64 is an error, not an empty picture", "[protocol]") {
  auto const image = from<image_content>(R"({"type":"image","data":"a b","mimeType":"image/png"})");
  CHECK(image.bytes().error() == errc::wrong_shape);
  auto const blob = from<resource_contents>(R"({"uri":"u","blob":"=="})");
  CHECK(blob.bytes().error() == errc::wrong_shape);
  auto const neither = from<resource_contents>(R"({"uri":"u"})");
  CHECK(neither.bytes().error() == errc::wrong_shape);
}

TEST_CASE("content: built values equal decoded ones", "[protocol]") {
  CHECK(text_content("hi") == from<text_content>(R"({"text":"hi","type":"text"})"));
  CHECK(text_content("hi") != from<text_content>(R"({"text":"hi","type":"text","_meta":{}})"));
  content_block const block = text_content("hi");
  CHECK(block == from<content_block>(R"({"type":"text","text":"hi"})"));
  auto const bytes = std::vector<std::byte>{std::byte{'h'}, std::byte{'i'}};
  CHECK(json::to_text(image_content(bytes, "image/png")) == R"({"type":"image","data":"aGk=","mimeType":"image/png"})");
  CHECK(prompt_message(role::user, block) ==
        from<prompt_message>(R"({"role":"user","content":{"type":"text","text":"hi"}})"));
}

TEST_CASE("content: structured content of any kind is read and written", "[protocol]") {
  auto const result = from<call_tool_result>(R"({"content":[],"structuredContent":[1,2]})");
  CHECK(result.structured<std::vector<int>>().value() == std::vector<int>{1, 2});
  CHECK(result.structured<std::string>().error() == errc::wrong_shape);
  CHECK(call_tool_result().structured<int>().error() == errc::wrong_shape);
  call_tool_result built;
  built.structured_content = json::to_value(5);
  CHECK(json::to_text(built) == R"({"content":[],"structuredContent":5})");
  CHECK(from<call_tool_result>(R"({"structuredContent":{}})").content.empty());
}

TEST_CASE("content: or_throw throws the tool's own text", "[protocol]") {
  auto const failed = from<call_tool_result>(R"({"content":[{"type":"text","text":"no such city"}],"isError":true})");
  try {
    (void)failed.or_throw();
    FAIL("it did not throw");
  } catch (exception const& e) {
    CHECK(e.error() == errc::tool_failed);
    CHECK_THAT(e.what(), match::contains("no such city"));
  }
  CHECK(call_tool_result(text_content("fine")).or_throw().text() == "fine");
}

TEST_CASE("content: sampling content is one piece or a list, and stays what it was", "[protocol]") {
  for (auto const* text :
       {R"({"role":"user","content":{"type":"text","text":"a"}})",
        R"({"role":"user","content":[{"type":"text","text":"a"}]})", R"({"role":"user","content":[]})"}) {
    auto const v = json::parse(text).value();
    CHECK(json::to_value(v.as<sampling_message>()) == v);
  }
  CHECK(json::to_text(create_message_result("m", "hi")) ==
        R"({"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"})");
  sampling_content two("a");
  two.push_back(text_content("b"));
  CHECK(two.is_list());
  CHECK(two.text() == "a\nb");
}

TEST_CASE("content: sampling messages must answer every tool use at once", "[protocol]") {
  auto const check = [](std::string const& messages) {
    return from<create_message_params>(R"({"maxTokens":1,"messages":[)" + messages + "]}").check_tool_results();
  };
  std::string const use = R"({"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]})";
  std::string const answer = R"({"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[]}]})";
  std::string const words = R"({"role":"user","content":{"type":"text","text":"x"}})";
  std::string const mixed =
      R"({"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[]},{"type":"text","text":"x"}]})";
  CHECK(check(words).has_value());
  CHECK(check(words + "," + use + "," + answer).has_value());
  CHECK_FALSE(check(answer).has_value());
  CHECK_FALSE(check(use).has_value());
  CHECK_FALSE(check(use + "," + words + "," + answer).has_value());
  CHECK_FALSE(check(use + "," + mixed).has_value());
}

TEST_CASE("content: an icon is safe as image data or from the server's own origin", "[protocol]") {
  auto const safe = [](char const* src, char const* origin) { return icon(src).safe(origin); };
  CHECK(safe("https://example.com/i.png", "https://example.com"));
  CHECK(safe("https://EXAMPLE.com:443/i.png", "https://example.com/mcp"));
  CHECK(safe("data:image/png;base64,iVBORw0KGgo=", ""));
  CHECK(safe("https://[::1]:8443/i", "https://[::1]:8443"));
  CHECK_FALSE(safe("https://example.com/i.png", ""));
  CHECK_FALSE(safe("https://example.com.evil.org/i.png", "https://example.com"));
  CHECK_FALSE(safe("https://example.com@evil.org/i.png", "https://example.com"));
  CHECK_FALSE(safe("https://example.com\\@evil.org/i.png", "https://example.com"));
  CHECK_FALSE(safe("https://example.com:8443/i.png", "https://example.com"));
  CHECK_FALSE(safe("http://example.com/i.png", "http://example.com"));
  CHECK_FALSE(safe("http://example.com/i.png", "https://example.com"));
  CHECK_FALSE(safe("javascript:alert(1)", "https://example.com"));
  CHECK_FALSE(safe("data:text/html,x", "https://example.com"));
  CHECK_FALSE(safe("file:///etc/passwd", "https://example.com"));
  CHECK_FALSE(safe("", ""));
  CHECK_FALSE(safe("https://", "https://"));
}

TEST_CASE("content: an icon's data is of a type that is allowed, and begins as one", "[protocol]") {
  auto const safe = [](std::string const& src, icon_policy const& policy = icon_policy()) { return icon(src).safe("", policy); };
  std::string const png = "data:image/png;base64,iVBORw0KGgo=", jpeg = "/9j/", gif = "R0lGODlh", webp = "UklGRgAAAABXRUJQ", svg = "PHN2Zz4=";
  CHECK(safe("DATA:IMAGE/PNG;BASE64,iVBORw0KGgo="));
  for (auto const* const type : {"image/jpeg", "image/jpg"}) CHECK(safe(std::string("data:") + type + ";base64," + jpeg));
  CHECK(safe("data:image/gif;base64," + gif));
  CHECK(safe("data:image/webp;base64," + webp));
  CHECK_FALSE(safe("data:image/svg+xml;base64," + svg));
  CHECK(safe("data:image/svg+xml;base64," + svg, icon_policy().svg()));
  for (auto const& bad :
       {"data:image/png;base64," + svg, "data:image/png;base64," + jpeg, std::string("data:image/webp;base64,UklGRgAAAABXRUI="),
        std::string("data:image/png;base64,"), std::string("data:image/png;base64"), std::string("data:image/png,x"),
        std::string("data:image/png;base64,iVBORw0KGgo"), std::string("data:image/png;base64,iVBORw0KGgo=\n"),
        std::string("data:image/png;charset=x;base64,iVBORw0KGgo="), std::string("data:text/html;base64,PHN2Zz4="),
        std::string("data:image/bmp;base64,Qk0="), std::string("data:,iVBORw0KGgo="), std::string("data:;base64,iVBORw0KGgo="),
        std::string(" ") + png, std::string("data:image/png ;base64,iVBORw0KGg=="), std::string("data:")}) {
    INFO(bad);
    CHECK_FALSE(safe(bad, icon_policy().svg()));
  }
  auto const large = png.substr(0, png.size() - 1) + "A" + std::string(1024, 'A');
  CHECK(safe(large));
  CHECK_FALSE(safe(large, icon_policy().max_data(1024)));
  CHECK_FALSE(safe("data:image/png;base64,iVBORw0KGgoA" + std::string(1 << 20, 'A')));
  CHECK_FALSE(safe("data:" + std::string(1 << 17, 'a') + ",x"));
}

TEST_CASE("content: an icon's own type is one that is allowed, too", "[protocol]") {
  icon i("https://example.com/i");
  for (auto const* const good : {"image/png", "IMAGE/JPEG", " image/webp ; q=1", "image/gif"}) {
    i.mime_type = good;
    CHECK(i.safe("https://example.com"));
  }
  for (auto const* const bad : {"", "image/svg+xml", "text/html", "image/png,text/html", "image/"}) {
    i.mime_type = bad;
    CHECK_FALSE(i.safe("https://example.com"));
  }
  i.mime_type = "image/svg+xml";
  CHECK(i.safe("https://example.com", icon_policy().svg()));
}

TEST_CASE("content: a tool is shown by its best name", "[protocol]") {
  auto t = from<tool>(R"({"name":"n","inputSchema":{},"annotations":{"title":"hint"}})");
  CHECK(t.display_name() == "hint");
  t.title = "Title";
  CHECK(t.display_name() == "Title");
  CHECK(tool().display_name().empty());
}
