// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What else a server offers: resources to read, templates of their addresses, prompts, and completion of arguments.
//
//   5_resources_and_prompts SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <string>
#include <variant>
#include <vector>

#include <comcp/comcp.hpp>

asio::awaitable<bool> look_around(std::vector<std::string> command) {
  auto client = co_await comcp::connect(comcp::stdio(command));

  auto const resources = co_await client.list_resources();
  for (auto const& r : resources) std::cout << r.uri << " (" << r.mime_type.value_or("?") << ")\n";

  // A resource is text or bytes.
  auto const greeting = co_await client.read_resource("demo://greeting");
  std::cout << greeting.text() << '\n';
  auto const logo = co_await client.read_resource("demo://logo");
  auto const picture = logo.contents.at(0).bytes().value();
  std::cout << "the logo has " << picture.size() << " bytes\n";

  // A template stands for many resources.
  auto const templates = co_await client.list_resource_templates();
  auto const& note = templates[0];
  auto const about = co_await client.read_resource(note, comcp::args("topic", "tea & cake"));
  std::cout << note.uri_template << ": " << about.contents.at(0).uri << ": " << about.text() << '\n';

  // A prompt is a message, or several, that the user chose.
  auto const prompt = co_await client.get_prompt("code_review", comcp::args("language", "c++"));
  for (auto const& message : prompt.messages) {
    if (auto const* const text = std::get_if<comcp::text_content>(&message.content)) std::cout << text->text << '\n';
  }

  // While the user is typing an argument: what may it become? The context tells what was chosen before.
  comcp::complete_params typing(comcp::prompt_reference("code_review"), comcp::completion_argument("framework", "a"));
  typing.context.emplace().arguments["language"] = "c++";
  auto const suggested = co_await client.complete(typing);
  for (auto const& value : suggested.values()) std::cout << "a... may become " << value << '\n';

  co_await client.close();
  bool const read = !greeting.text().empty() && picture.size() > 8 && about.contents.at(0).uri == "demo://notes/tea%20%26%20cake";
  co_return resources.size() == 3 && read && prompt.messages.size() == 1 && suggested.values().at(0) == "asio";
}

int main(int argc, char* argv[]) try {
  return comcp::run(look_around({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
