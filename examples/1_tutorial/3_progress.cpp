// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that take their time: progress, timeouts, cancelling, and several at once.
//
//   3_progress SERVER [ARGUMENT...]
#include <chrono>
#include <exception>
#include <iostream>
#include <stop_token>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>

using namespace std::chrono_literals;

asio::awaitable<bool> take_time(std::vector<std::string> command) {
  auto client = co_await comcp::connect(comcp::stdio(command));

  // Each progress message calls this function, and begins the timeout anew.
  int steps = 0;
  comcp::call_options patient;
  patient.timeout(5s).on_progress([&steps](comcp::progress_notification const& p) {
    ++steps;
    std::cout << p.progress << " of " << p.total.value_or(0) << ": " << p.message.value_or("") << '\n';
  });
  auto const counted = co_await client.call_tool("countdown", comcp::args("steps", 4, "delay_ms", 10), patient);
  std::cout << counted.text() << '\n';

  // This tool never answers. After the timeout the server is told to stop. as_result() gives a value or an error
  // where a plain co_await would throw.
  comcp::call_options hasty;
  hasty.timeout(50ms);
  auto waiting = client.call_tool("wait", comcp::json::fragment(), hasty);
  auto const timed_out = co_await comcp::as_result(std::move(waiting));
  std::cout << "wait: " << timed_out.error().to_string() << '\n';

  // A stop token cancels, from any thread, all calls that were given it.
  std::stop_source user;
  comcp::call_options stoppable;
  stoppable.stop(user.get_token()).on_progress([&user](auto const&) { user.request_stop(); });
  auto counting = client.call_tool("countdown", comcp::args("steps", 1000), stoppable);
  auto const stopped = co_await comcp::as_result(std::move(counting));
  std::cout << "countdown: " << stopped.error().to_string() << '\n';

  // Operations are values: make several, and run them together.
  std::vector<asio::awaitable<comcp::call_tool_result>> calls;
  for (int i = 1; i <= 3; ++i) calls.push_back(client.call_tool("countdown", comcp::args("steps", i)));
  auto const results = co_await comcp::all(std::move(calls));
  bool together = true;
  for (auto const& r : results) together = together && r;

  co_await client.close();
  co_return steps == 4 && timed_out.error() == comcp::errc::timeout && stopped.error() == comcp::errc::cancelled &&
      together;
}

int main(int argc, char* argv[]) try {
  return comcp::run(take_time({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
