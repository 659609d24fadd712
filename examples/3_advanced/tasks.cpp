// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks: calls that a server carries out in its own time. With the extension declared such a call ends as any other does;
// or it is begun, left alone, and gone on with later, in another process too.
//
//   tasks URL TOKEN            over HTTP
//   tasks SERVER [ARGUMENT...] over stdio, in both protocol eras
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <comcp/extensions/tasks.hpp>
#include <comcp/http.hpp>

template <class Transport>
asio::awaitable<bool> visit(Transport server, comcp::connect_options options) {
  options.extension(comcp::tasks());
  auto client = co_await comcp::connect(std::move(server), options);
  std::cout << "version " << client.protocol_version().text() << '\n';

  // A call that becomes a task, where the server makes it one: its words come as progress.
  auto show = comcp::call_options().on_progress([](comcp::progress_notification const& p) {
    std::cout << "  bees: " << p.message.value_or("") << '\n';
  });
  auto const bees = co_await client.call_tool("research", comcp::args("topic", "bees"), std::move(show));
  std::cout << "  " << bees.text() << '\n';

  // One that is begun. Destroying the handle would have the task cancelled; detach() leaves it alone.
  auto const tasks = client.template extension<comcp::tasks>();
  auto ants = co_await tasks.start_tool("research", comcp::args("topic", "ants"));
  auto const state = co_await ants.status();
  std::cout << "  ants: " << state.status_message.value_or("") << '\n';
  auto const saved = ants.to_json();  // a secret: it may be all that one needs to see the task
  ants.detach();

  auto const again = tasks.resume_task(comcp::json::raw(saved.dump()));
  auto const result = co_await again.result();
  std::cout << "  " << result.text() << '\n';
  co_await client.close();
  co_return bees.text() == "All that is known of bees." && result.text() == "All that is known of ants.";
}

asio::awaitable<bool> visit_all(std::vector<std::string> arguments) {
  if (arguments.at(0).starts_with("http")) {
    auto server = comcp::http(arguments[0], comcp::bearer(comcp::secret(arguments.at(1))));
    auto visiting = visit(std::move(server), comcp::connect_options());
    co_return co_await std::move(visiting);
  }
  auto first = visit(comcp::stdio(arguments), comcp::connect_options().legacy());
  bool const legacy = co_await std::move(first);
  auto second = visit(comcp::stdio(arguments), comcp::connect_options());
  bool const modern = co_await std::move(second);
  co_return legacy && modern;
}

int main(int argc, char* argv[]) try {
  return argc > 1 && comcp::run(visit_all({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
