// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The large results that benchmarks measure: made here once, for those who decode them and for the servers that send
// them.
#pragma once

#include <string>

namespace large {

/// About 1 MB: 1,000 tools of about 1 KB.
inline std::string tools_result() {
  std::string out = R"({"tools":[)";
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
  out += "]}";
  return out;
}

/// 10 MB of text with the escapes of ordinary prose.
inline std::string text_result() {
  std::string out = R"({"content":[{"type":"text","text":")";
  while (out.size() < 10'000'000) {
    out += R"(Some lines of text, as a file or a web page has them: they are long, mostly plain, \"quoted\" here)";
    out += R"( and there, and now and then they end.\n)";
  }
  out += R"("}]})";
  return out;
}

}  // namespace large
