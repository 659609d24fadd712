// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Hearing of changes: of one resource, of the list of tools, and as a stream.
//
//   6_subscriptions SERVER [ARGUMENT...]
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <comcp/comcp.hpp>

asio::awaitable<bool> listen(std::vector<std::string> command) {
  auto client = co_await comcp::connect(comcp::stdio(command));

  // One resource. The server has confirmed the subscription when this returns.
  int updates = 0;
  auto const count = [&updates](comcp::resource_updated const& u) {
    ++updates;
    std::cout << u.uri << " changed\n";
  };
  co_await client.subscribe("demo://changes", count);
  auto const touched = co_await client.call_tool("touch", comcp::args("uri", "demo://changes"));
  std::cout << touched.text() << '\n';
  co_await client.unsubscribe("demo://changes");

  // A list that stays current: a moment after each change, or several in a row, you are given the new one.
  asio::steady_timer changed(client.get_executor(), std::chrono::seconds(10));
  bool seen = false;
  auto const refresh = [&](comcp::result<comcp::listing<comcp::tool>> const& tools) {
    seen = tools && tools->find("new_tool");
    std::cout << "there are " << (tools ? tools->size() : 0) << " tools now\n";
    changed.cancel();
  };
  auto watch = client.watch_tools(refresh);  // until it is destroyed or stopped
  auto const added = co_await client.call_tool("add_tool", comcp::args("name", "new_tool"));
  std::cout << added.text() << '\n';
  try {
    co_await changed.async_wait(asio::use_awaitable);
  } catch (std::system_error const&) {  // cancelled: the list has come
  }
  watch.stop();

  // The same as a stream of notifications; from version 2026-07-28 on.
  bool streamed = client.era() == comcp::era::legacy;
  if (!streamed) {
    comcp::subscription_filter filter;
    filter.resource_subscriptions.push_back("demo://greeting");
    auto stream = co_await client.listen(filter);
    auto const again = co_await client.call_tool("touch", comcp::args("uri", "demo://greeting"));
    auto const first = co_await stream.next();  // waits if there is none; empty when the stream has ended
    streamed = first && first->method == "notifications/resources/updated" && !again.is_error;
  }

  co_await client.close();
  co_return updates == 1 && seen && streamed;
}

int main(int argc, char* argv[]) try {
  return comcp::run(listen({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
