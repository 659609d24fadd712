// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong, and how you hear of it: exceptions or results, with one error type for everything.
//
//   7_errors SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <comcp/comcp.hpp>

// An error keeps apart what comcp, the server and the transport know about it.
void print(comcp::error const& e) {
  std::cout << "- " << e.to_string() << '\n';
  if (auto const* const peer = e.peer()) std::cout << "  the server's code: " << peer->code << '\n';
  if (auto const* const detail = e.detail(); detail && detail->exit_code)
    std::cout << "  the server's exit status: " << *detail->exit_code << '\n';
  if (is_retriable(e)) std::cout << "  it was certainly not carried out: trying again is safe\n";
}

asio::awaitable<bool> go_wrong(std::vector<std::string> command) {
  bool good = true;

  // There is no such server.
  auto nowhere = comcp::connect(comcp::stdio("no-such-command-here"));
  auto const unconnected = co_await comcp::as_result(std::move(nowhere));
  print(unconnected.error());
  good = good && unconnected.error() == comcp::errc::connect_failed;

  auto client = co_await comcp::connect(comcp::stdio(command));

  // Without as_result() operations throw.
  try {
    auto const none = co_await client.read_resource("demo://nothing/here");
    good = false;
  } catch (comcp::exception const& e) {
    print(e.error());
    good = good && e.error() == comcp::errc::not_found;
  }

  // The server says that the call is wrong: its error, with its code.
  auto unknown = client.call_tool("no_such_tool");
  auto const refused = co_await comcp::as_result(std::move(unknown));
  print(refused.error());
  good = good && refused.error().peer() != nullptr;

  // The server dies in the middle of a call. Whether the call was carried out, nobody knows.
  auto fatal = client.call_tool("crash");
  auto const crashed = co_await comcp::as_result(std::move(fatal));
  print(crashed.error());
  good = good && crashed.error() == comcp::errc::outcome_unknown && crashed.error().detail()->exit_code == 3;

  // From then on every call fails at once. closed() says why the connection ended.
  auto later = client.call_tool("echo", comcp::args("text", "anybody there?"));
  auto const after = co_await comcp::as_result(std::move(later));
  auto const reason = co_await client.closed();
  print(after.error());
  co_return good && !after && reason;
}

int main(int argc, char* argv[]) try {
  return comcp::run(go_wrong({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
