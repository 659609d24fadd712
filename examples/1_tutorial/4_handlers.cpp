// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server may ask back: for the user's input, for a language model's answer, for the directories it may use. What
// functions your handler has is what your client offers to the server.
//
//   4_handlers SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>

struct assistant {
  // A form. What is left out of the answer gets the form's defaults.
  comcp::elicit_result elicit(comcp::elicit_params const& form) {
    std::cout << "  the server asks: " << form.message << '\n';
    return comcp::elicit_result::accept(comcp::args("name", "Ada"));
  }

  // A page to visit. Show the whole address to the user, and ask, before you open it.
  comcp::elicit_result elicit_url(comcp::elicit_params const& page) {
    std::cout << "  the server wants you to go to " << page.url.value_or("") << '\n';
    return comcp::elicit_result::decline();
  }

  // Your language model. A function that has to wait returns an awaitable.
  asio::awaitable<comcp::create_message_result> create_message(comcp::create_message_params request) {
    std::cout << "  the server asks the model: " << request.messages.front().content.text() << '\n';
    co_return comcp::create_message_result("tiny-model", "Too long to read.");
  }

  std::vector<comcp::root> list_roots() { return {comcp::root("file:///home/ada/project", "project")}; }

  // Notifications: one function for each kind that you want.
  void on(comcp::logging_message const& m) { std::cout << "  log: " << m.data.dump() << '\n', ++log_messages; }

  int log_messages = 0;
};

asio::awaitable<bool> ask_back(std::vector<std::string> command) {
  comcp::connect_options options;
  options.log_level(comcp::log_level::info);
  auto client = co_await comcp::connect(comcp::stdio(command), assistant(), options);

  bool good = true;
  auto const compare = [&good](std::string const& text, std::string_view expected) {
    std::cout << text << '\n';
    good = good && text == expected;
  };
  auto const name = co_await client.call_tool("ask_name");
  compare(name.text(), "A very good day to you, Ada.");
  auto const login = co_await client.call_tool("ask_login");
  compare(login.text(), "Not logged in (decline).");
  auto const summary = co_await client.call_tool("summarize", comcp::args("text", "Once upon a time ..."));
  compare(summary.text(), "tiny-model says: Too long to read.");
  auto const roots = co_await client.call_tool("list_my_roots");
  compare(roots.text(), "1 roots\nfile:///home/ada/project");
  auto const logged = co_await client.call_tool("log", comcp::args("level", "warning", "message", "It is late."));
  compare(logged.text(), "Logged.");

  co_await client.close();
  co_return good && client.handler().log_messages == 1;
}

int main(int argc, char* argv[]) try {
  return comcp::run(ask_back({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
