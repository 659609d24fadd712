// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Boost's side: a coroutine of Boost.Asio calls tools of comcp's client, and goes on where it was.
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "tools.hpp"

namespace net = boost::asio;

/// With any completion token of Boost.Asio; the answer comes on its handler's executor.
template <class Token>
auto async_call(net::io_context& io, tools& t, std::string name, std::string text, Token&& token) {
  auto start = [&io, &t](auto handler, std::string const& name, std::string const& text) {
    auto work = net::make_work_guard(net::get_associated_executor(handler, io));
    auto kept = std::make_shared<decltype(handler)>(std::move(handler));
    t.call(name, text, [work, kept](std::exception_ptr failure, std::string text) {
      net::post(work.get_executor(), [work, kept, failure, text] { std::move(*kept)(failure, text); });
    });
  };
  return net::async_initiate<Token, void(std::exception_ptr, std::string)>(start, token, std::move(name),
                                                                           std::move(text));
}

net::awaitable<int> run(net::io_context& io, tools& t) {
  auto const here = std::this_thread::get_id();
  auto const text = co_await async_call(io, t, "echo", "from Boost", net::use_awaitable);
  std::cout << text << '\n';
  if (text != "from Boost" || std::this_thread::get_id() != here) co_return 1;
  try {
    co_await async_call(io, t, "nothing", "", net::use_awaitable);
  } catch (std::system_error const& e) {
    std::cout << e.what() << '\n';
    co_return std::this_thread::get_id() == here ? 0 : 2;
  }
  co_return 3;
}

int main() {
  net::io_context io(1);
  tools t;
  int status = 4;
  net::co_spawn(io, run(io, t), [&](std::exception_ptr failure, int s) { status = failure ? 5 : s; });
  io.run();
  return status;
}
