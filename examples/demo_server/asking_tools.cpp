// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "tools.hpp"

namespace demo {

namespace {

std::string member_text(json::value const& object, std::string_view pointer) {
  auto const found = object.pointer(pointer);
  return found && found->is_string() ? std::string(found->as_string()) : std::string();
}

json::object ask_name(call& c) {
  question q{"name", "elicitation/create", json::object(), "elicitation", "form", "ask_name/round 1"};
  q.params.set("message", "What is your name?")
      .set("requestedSchema",
           json::raw(R"({"type":"object","properties":{"name":{"type":"string","title":"Name","minLength":1},)"
                     R"("polite":{"type":"boolean","title":"Be polite","default":true}},"required":["name"]})"));
  if (c.modern()) q.params.set("mode", "form");
  auto const answer = c.ask(q);
  auto const action = member_text(answer, "/action");
  if (action != "accept") return text_result("No name was given (" + action + ").");
  auto const polite = answer.pointer("/content/polite");
  auto const greeting = polite && polite->get<bool>().value_or(true) ? "A very good day to you, " : "Hello, ";
  return text_result(greeting + member_text(answer, "/content/name") + '.');
}

json::object ask_login(call& c) {
  static std::atomic<int> last{0};
  auto const login = "login-" + std::to_string(++last);
  question q{"login", "elicitation/create", json::object(), "elicitation", "url", "ask_login/round 1"};
  q.params.set("mode", "url")
      .set("message", "Please log in to continue.")
      .set("url", "https://login.example.com/start?session=demo");
  if (!c.modern()) q.params.set("elicitationId", login);
  auto const action = member_text(c.ask(q), "/action");
  if (action != "accept") return text_result("Not logged in (" + action + ").");
  if (!c.modern())
    c.out()->send(notification_text("notifications/elicitation/complete", comcp::args("elicitationId", login)));
  return text_result("Logged in.");
}

json::object summarize(call& c) {
  question q{"summary", "sampling/createMessage", json::object(), "sampling"};
  auto const content = json::object().set("type", "text").set("text", "Summarize in one sentence: " + c.text("text"));
  q.params.set("messages", json::array().add(json::object().set("role", "user").set("content", content)))
      .set("systemPrompt", "You write short summaries.")
      .set("maxTokens", 200);
  auto const answer = c.ask(q);
  auto text = member_text(answer, "/content/text");
  if (text.empty()) text = member_text(answer, "/content/0/text");
  return text_result(member_text(answer, "/model") + " says: " + text);
}

json::object list_my_roots(call& c) {
  auto const answer = c.ask({"roots", "roots/list", json::object(), "roots"});
  auto const roots = answer.find("roots");
  if (!roots || !roots->is_array()) throw tool_failure{"the answer has no roots"};
  std::string text = std::to_string(roots->size()) + " roots";
  for (auto const root : roots->elements()) {
    auto const uri = root.find("uri");
    if (uri) text += '\n' + std::string(uri->get_string().value_or("(no uri)"));
  }
  return text_result(text);
}

}  // namespace

std::vector<tool> asking_tools() {
  return {
      {"ask_name", define("ask_name", "Asks for your name by a form and greets you", "{}", {}), true, ask_name},
      {"ask_login", define("ask_login", "Asks you to visit a page", "{}", {}), true, ask_login},
      {"summarize",
       define("summarize", "Has the client's model summarize a text", R"({"text":{"type":"string"}})", {"text"}), true,
       summarize},
      {"list_my_roots", define("list_my_roots", "Lists the client's roots", "{}", {}), true, list_my_roots},
  };
}

}  // namespace demo
