// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server (2025-11-25) that has escape sequences, C1 controls, bidirectional and invisible characters and tags in every
// string of every message, and in what it writes to stderr. "big" as argument: the text of its tool has four megabytes.
#include <iostream>
#include <string>
#include <string_view>

namespace {

// In JSON; '@' in the messages below, which are sent as one line, stands for it.
constexpr std::string_view poison =
    "\\u001b[31m\\u001b]0;owned\\u0007\\u009b2J\xc2\x9b"
    "32m\xc2\x85\\u007f\xd8\x9c\xe2\x80\x8b\xe2\x80\x8c\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae\xe2\x81\xa0"
    "\xe2\x81\xa4\xe2\x81\xa6\xef\xbb\xbf\xf3\xa0\x81\x81\\udb40\\udc42";

std::string poisoned(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '@') {
      out += poison;
    } else if (c != '\n') {
      out += c;
    }
  }
  return out;
}

void send(std::string_view message) { std::cout << poisoned(message) << std::endl; }
void answer(std::string const& id, std::string const& result) {
  send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
}

constexpr char const* identity = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"logging":{},
  "resources":{"subscribe":true},"completions":{},"experimental":{"x@":{}}},"instructions":"@\n@",
  "serverInfo":{"name":"@","version":"@","title":"@","description":"@","websiteUrl":"https://h/@"}})";
constexpr char const* tools = R"({"tools":[
  {"name":"ok","title":"@","description":"@","inputSchema":{"type":"object","additionalProperties":false,"required":["p@"],
   "properties":{"e":{"enum":["@","x"],"default":"@","description":"@"},"p@":{"type":"@","description":"@","format":"@"},
   "n":{"anyOf":[{"type":"number"},{"const":"@"}]}}}},
  {"name":"t@","inputSchema":{},"icons":[{"src":"@"}],"annotations":{"title":"@"}},
  {"name":"twice","inputSchema":{"@":1,"@":2}},{"name":{"@":"@"}}]})";
constexpr char const* outcome = R"({"content":[{"type":"text","text":"@"},{"type":"image","data":"AAAA","mimeType":"@"},
  {"type":"audio","data":"AAAA","mimeType":"@"},{"type":"resource_link","uri":"a:@","name":"@","title":"@"},
  {"type":"resource","resource":{"uri":"a:@","mimeType":"@","text":"@"}},
  {"type":"resource","resource":{"uri":"a:@","mimeType":"@","blob":"AAAA"}},{"type":"@","x@":"@"}],
  "structuredContent":{"x@":["@"]}})";
constexpr char const* form = R"({"mode":"form","message":"@","requestedSchema":{"type":"object","properties":{
  "f@":{"type":"string","title":"@","description":"@","default":"@"},
  "g":{"type":"string","oneOf":[{"const":"@","title":"@"}]}}}})";

std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  auto const at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return std::string(text.substr(0, text.find_first_of(end)));
}

void call(std::string const& id, std::string_view line, bool big) {
  static std::string asking;
  if (line.find(R"("name":"ask")") != line.npos || line.find(R"("name":"visit")") != line.npos) {
    asking = id;
    bool const visit = line.find("visit") != line.npos;
    auto const asked = visit ? std::string(R"({"mode":"url","elicitationId":"@","url":"https://h/@","message":"@"})") : form;
    return send(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":)" + asked + "}");
  }
  if (line.find(R"("id":"q")") != line.npos) return answer(asking, outcome);
  if (line.find(R"("name":"fail")") != line.npos)
    return send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32000,"message":"@","data":{"x@":"@"}}})");
  if (big) return answer(id, R"({"content":[{"type":"text","text":")" + std::string(4 << 20, 'x') + "\"}]}");
  auto const token = between(line, R"("progressToken":)", ",}");
  send(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"total":2,"message":"@","progressToken":)" +
       token + "}}");
  send(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"@","data":{"x@":"@"}}})");
  answer(id, outcome);
}

void handle(std::string const& line, bool big) {
  auto const id = between(line, R"("id":)", ",}");
  auto const method = between(line, R"("method":")", "\"");
  if (method == "initialize") return answer(id, identity);
  if (method == "tools/list") return answer(id, tools);
  if (method == "resources/list")
    return answer(id, R"({"resources":[{"uri":"a:@","name":"@","title":"@","description":"@","mimeType":"@"}]})");
  if (method == "resources/templates/list")
    return answer(id, R"({"resourceTemplates":[{"uriTemplate":"a:@","name":"@","description":"@","mimeType":"@"}]})");
  if (method == "prompts/list")
    return answer(id, R"({"prompts":[{"name":"@","title":"@","description":"@","arguments":[{"name":"@","description":"@"}]}]})");
  if (method == "resources/read")
    return answer(id, R"({"contents":[{"uri":"@","mimeType":"@","text":"@"},{"uri":"@","mimeType":"@","blob":"AAAA"}]})");
  if (method == "prompts/get")
    return answer(id, R"({"description":"@","messages":[{"role":"user","content":{"type":"text","text":"@"}}]})");
  if (method == "completion/complete") return answer(id, R"({"completion":{"values":["@"],"total":7}})");
  if (method == "resources/subscribe") {
    answer(id, "{}");
    send(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"@"}})");
    return send(R"({"jsonrpc":"2.0","method":"x@","params":{"x@":"@"}})");
  }
  if (method == "tools/call" || method.empty()) return call(id, line, big);
  if (method == "ping") return answer(id, "{}");
  if (!id.empty()) send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32601,"message":"@"}})");
}

}  // namespace

int main(int argc, char** argv) {
  std::cerr << "\x1b[31m\x9b" "2J\xc2\x9b\xe2\x80\xae\r" << std::endl;
  for (std::string line; std::getline(std::cin, line);) handle(line, argc > 1 && std::string_view(argv[1]) == "big");
}
