// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What one would write without comcp: Asio coroutines with a socket, a timer and a simdjson DOM parse. Compile times,
// compiler memory and sizes are given beside this file's. It works, but its point is being compiled.
//
//   baseline_compile ADDRESS PORT    calls the tool `echo` of a server that reads and writes JSON lines there
#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read_until.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include <simdjson.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

namespace {

class connection {
 public:
  explicit connection(asio::any_io_executor const& executor) : socket_(executor), deadline_(executor) {}

  asio::awaitable<void> open(asio::ip::tcp::endpoint server) {
    co_await socket_.async_connect(server, asio::use_awaitable);
  }

  /// Sends one line and gives the next one.
  asio::awaitable<std::string> exchange(std::string request, std::chrono::milliseconds timeout) {
    deadline_.expires_after(timeout);
    asio::co_spawn(socket_.get_executor(), close_at_deadline(), asio::detached);
    request += '\n';
    co_await asio::async_write(socket_, asio::buffer(request), asio::use_awaitable);
    auto const size =
        co_await asio::async_read_until(socket_, asio::dynamic_buffer(received_), '\n', asio::use_awaitable);
    deadline_.cancel();
    auto line = received_.substr(0, size - 1);
    received_.erase(0, size);
    co_return line;
  }

 private:
  asio::awaitable<void> close_at_deadline() {
    asio::error_code cancelled;
    co_await deadline_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    if (!cancelled) socket_.close();
  }

  asio::ip::tcp::socket socket_;
  asio::steady_timer deadline_;
  std::string received_;
};

std::string text_of(std::string const& reply) {
  simdjson::dom::parser parser;
  simdjson::dom::element const root = parser.parse(reply);
  std::string_view const text = root["result"]["content"].at(0)["text"];
  return std::string(text);
}

asio::awaitable<void> call_echo(asio::ip::tcp::endpoint server) {
  auto const executor = co_await asio::this_coro::executor;
  connection c(executor);
  co_await c.open(server);
  std::string request = R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                        R"("params":{"name":"echo","arguments":{"text":"hello"}}})";
  auto const reply = co_await c.exchange(std::move(request), std::chrono::seconds(5));
  std::cout << text_of(reply) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: baseline_compile ADDRESS PORT\n";
    return 2;
  }
  int status = 0;
  asio::io_context io;
  auto const port = static_cast<asio::ip::port_type>(std::atoi(argv[2]));
  asio::co_spawn(io, call_echo({asio::ip::make_address(argv[1]), port}), [&status](std::exception_ptr failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (std::exception const& e) {
      std::cerr << e.what() << '\n';
      status = 1;
    }
  });
  io.run();
  return status;
}
