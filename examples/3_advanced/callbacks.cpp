// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A program of callbacks, with an io_context of its own, gets an MCP client: every operation takes any of
// Asio's completion tokens. Three ways into one client: a callback, a future for a thread that waits, and a coroutine.
//   callbacks COMMAND [ARGS...]
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>

#include <comcp/comcp.hpp>

namespace {

class application {
 public:
  explicit application(asio::io_context& io) : io_(io) {}

  void start(std::vector<std::string> const& command) {
    comcp::async_connect(io_.get_executor(), comcp::stdio(command), comcp::connect_options(),
                         [this](comcp::error e, comcp::client c) {
                           if (e) return fail(e);
                           client_ = std::move(c);
                           greet();
                         });
  }
  [[nodiscard]] std::future<comcp::client const*> connected() { return connected_.get_future(); }
  [[nodiscard]] std::future<bool> finished() { return finished_.get_future(); }

 private:
  void greet() {
    client_.async_call_tool("echo", comcp::args("text", "a callback"), comcp::call_options(),
                            [this](comcp::error const& e, comcp::call_tool_result const& r) {
                              if (e) return fail(e);
                              std::cout << r.text() << '\n';
                              connected_.set_value(&client_);
                              count();
                            });
  }

  // Cancelled through its slot once it shows that it goes on for long: the server is told.
  void count() {
    auto const signal = std::make_shared<asio::cancellation_signal>();
    auto enough = [signal](comcp::progress_notification const&) { signal->emit(asio::cancellation_type::terminal); };
    auto counted = [this, signal](comcp::error const& e, comcp::call_tool_result const&) {
      std::cout << "the countdown: " << e.to_string() << '\n';
      finished_.set_value(e == comcp::errc::cancelled);
    };
    client_.async_call_tool("countdown", comcp::args("steps", 1000), comcp::call_options().on_progress(std::move(enough)),
                            asio::bind_cancellation_slot(signal->slot(), std::move(counted)));
  }

  void fail(comcp::error const& e) {
    std::cerr << e.to_string() << '\n';
    finished_.set_value(false);
    connected_.set_exception(std::make_exception_ptr(comcp::exception(e)));
  }

  asio::io_context& io_;
  comcp::client client_;
  std::promise<comcp::client const*> connected_;
  std::promise<bool> finished_;
};

asio::awaitable<std::string> ask(comcp::client const& client) {
  auto const answer = co_await client.call_tool("echo", comcp::args("text", "a coroutine"));
  co_return answer.text();
}

}  // namespace

int main(int argc, char* argv[]) try {
  asio::io_context io;
  application app(io);
  auto connected = app.connected();
  auto finished = app.finished();
  app.start({argv + 1, argv + argc});
  std::thread running([&io] { io.run(); });

  // This thread may block: futures are for it. The client may be asked from here, and what it says of its server, too.
  int outcome = 1;
  try {
    auto const& client = *connected.get();
    std::cout << "connected to " << client.server_info().name << '\n';
    auto waited = client.async_call_tool("echo", comcp::args("text", "a future"), comcp::call_options(), asio::use_future);
    std::cout << waited.get().text() << '\n';
    std::cout << asio::co_spawn(io, ask(client), asio::use_future).get() << '\n';
    if (finished.get()) outcome = 0;
    client.async_close(asio::use_future).get();
  } catch (std::exception const& e) {
    std::cerr << e.what() << '\n';
  }
  running.join();
  return outcome;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
