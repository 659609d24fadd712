// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tools and results that the tests of every provider's shape translate.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/providers/call.hpp>

#include "support/catch.hpp"

namespace comcp_test {

namespace json = comcp::json;

inline comcp::tool tool_of(std::string_view text) { return json::parse(text).value().as<comcp::tool>(); }

inline comcp::tool weather_tool() {
  return tool_of(R"({"name":"get_weather","title":"Weather","description":"Current weather of a city",
                     "inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]},
                     "annotations":{"readOnlyHint":true}})");
}

/// A tool of which nothing is known but its name, as a host may build one.
inline comcp::tool bare_tool() {
  comcp::tool t;
  t.name = "list regions";
  return t;
}

inline json::value parsed(json::fragment const& from) { return json::parse(from.text()).value(); }

/// JSON texts of one value, minified, to compare with.
inline std::string same(std::string_view text) { return json::parse(text).value().dump(); }

/// A result with one piece of each kind.
inline comcp::call_tool_result result_of_all_kinds() {
  return json::parse(R"({"content":[
      {"type":"text","text":"two files"},
      {"type":"image","data":"iVBORw==","mimeType":"image/png"},
      {"type":"audio","data":"UklGRg==","mimeType":"audio/wav"},
      {"type":"resource_link","uri":"file:///b.txt","name":"b","mimeType":"text/plain","size":7,"description":"The b"},
      {"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"hello"}},
      {"type":"resource","resource":{"uri":"file:///docs/c.pdf","mimeType":"application/pdf","blob":"JVBERg=="}},
      {"type":"resource","resource":{"uri":"file:///d.bin","blob":"AAEC"}},
      {"type":"hologram","data":"?"}]})")
      .value()
      .as<comcp::call_tool_result>();
}

inline std::string const said_link = "[resource link: file:///b.txt, b, text/plain, 7 bytes]\\nThe b";
inline std::string const said_text = "[resource: file:///a.txt, text/plain]\\nhello";
inline std::string const lost_audio = "[left out: audio, audio/wav, 4 bytes]";
inline std::string const lost_image = "[left out: image, image/png, 4 bytes]";
inline std::string const lost_pdf = "[left out: resource file:///docs/c.pdf, application/pdf, 4 bytes]";
inline std::string const lost_blob = "[left out: resource file:///d.bin, application/octet-stream, 3 bytes]";
inline std::string const lost_kind = "[left out: content of the unknown type \\\"hologram\\\"]";

inline comcp::providers::model_call weather_call(std::string id) {
  return {std::move(id), "demo__get_weather", json::args("city", "Zürich")};
}

}  // namespace comcp_test
