// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A transport of your own: frames over TCP, each a length and a message, with a farewell of their own, as a WebSocket
// has them. Reading one, writing some and closing is all that is written here; queue, batches and re-entrancy are
// comcp::message_transport's. The server's side of it is a bridge to a process, in the same program.
//
//   message_transport SERVER [ARGUMENT...]
#include <array>
#include <cstdint>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <asio/detached.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <comcp/comcp.hpp>
#include <comcp/transport/message_transport.hpp>

using asio::ip::tcp;

// A comcp::message_stream. What Asio throws in here ends the connection.
class framed_socket {
 public:
  explicit framed_socket(tcp::socket s) : socket_(std::move(s)) {}

  asio::awaitable<comcp::result<std::string>> read() {
    std::array<unsigned char, 4> head{};
    co_await asio::async_read(socket_, asio::buffer(head), asio::use_awaitable);
    std::uint32_t size = 0;
    for (auto const byte : head) size = size << 8 | byte;
    if (size == farewell) co_return comcp::error(comcp::errc::transport_failed, "the other side said goodbye");
    if (size > longest) co_return comcp::error(comcp::errc::limit_exceeded, "a frame is too long");
    std::string text(size, '\0');
    co_await asio::async_read(socket_, asio::buffer(text), asio::use_awaitable);
    co_return text;
  }

  // All that waits, as one write.
  asio::awaitable<comcp::result<void>> write(std::span<std::string const> messages) {
    std::vector<std::array<unsigned char, 4>> heads;
    heads.reserve(messages.size());
    std::vector<asio::const_buffer> frames;
    for (auto const& text : messages) {
      frames.push_back(asio::buffer(heads.emplace_back(head_of(static_cast<std::uint32_t>(text.size())))));
      frames.push_back(asio::buffer(text));
    }
    co_await asio::async_write(socket_, frames, asio::use_awaitable);
    co_return comcp::result<void>();
  }

  // Optional: what is said to the other side where the connection ends gracefully.
  asio::awaitable<void> shut_down() {
    auto const bye = head_of(farewell);
    co_await asio::async_write(socket_, asio::buffer(bye), asio::use_awaitable);
  }

  void close() noexcept {
    std::error_code ignored;
    socket_.close(ignored);
  }

 private:
  static constexpr std::uint32_t farewell = UINT32_MAX;
  static constexpr std::uint32_t longest = 64 << 20;

  static std::array<unsigned char, 4> head_of(std::uint32_t size) {
    return {static_cast<unsigned char>(size >> 24), static_cast<unsigned char>(size >> 16),
            static_cast<unsigned char>(size >> 8), static_cast<unsigned char>(size)};
  }

  tcp::socket socket_;
};

static_assert(comcp::message_stream<framed_socket>);
using framed = comcp::message_transport<framed_socket>;

namespace {

// What comes in on one side of the bridge goes out on the other; when one side ends, so does the other.
class lane final : public comcp::inbox {
 public:
  lane(comcp::any_transport& to, asio::steady_timer& over) : to_(to), over_(over) {}
  void delivered(comcp::padded_text text, comcp::request_id) override {
    if (!to_.send(comcp::outgoing(std::string(text.view())))) over_.cancel();
  }
  void stream_ended(comcp::request_id, comcp::error) override {}
  void fault(comcp::error) override {}
  void closed(comcp::error) override { over_.cancel(); }

 private:
  comcp::any_transport& to_;
  asio::steady_timer& over_;
};

asio::awaitable<void> bridge(tcp::acceptor& at, std::vector<std::string> command) {
  auto socket = co_await at.async_accept(asio::use_awaitable);
  asio::steady_timer over(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
  comcp::any_transport wire(framed(framed_socket(std::move(socket)))), process(comcp::stdio{command});
  lane in(process, over), out(wire, over);  // an inbox outlives what is opened with it
  (co_await process.open(out)).value();
  (co_await wire.open(in)).value();
  try {
    co_await over.async_wait(asio::use_awaitable);
  } catch (std::exception const&) {  // it was cancelled: one side has ended
  }
  co_await process.close();
  co_await wire.close();
}

asio::awaitable<bool> talk(std::vector<std::string> command) {
  auto const here = co_await asio::this_coro::executor;
  tcp::acceptor at(here, {asio::ip::address_v4::loopback(), 0});
  auto const port = at.local_endpoint();
  std::exception_ptr trouble;
  asio::steady_timer bridged(here, asio::steady_timer::time_point::max());
  asio::co_spawn(here, bridge(at, command), [&](std::exception_ptr e) {
    trouble = e;
    bridged.expires_at(asio::steady_timer::time_point::min());
  });

  auto connect = [port]() -> asio::awaitable<comcp::result<framed_socket>> {
    tcp::socket s(co_await asio::this_coro::executor);
    co_await s.async_connect(port, asio::use_awaitable);
    co_return framed_socket(std::move(s));
  };
  auto client = co_await comcp::connect(framed(connect, comcp::stream_options().label("framed", "localhost")));
  auto const transport = co_await client.transport_info();
  std::cout << client.server_info().name << " by way of " << transport.kind << '\n';

  std::vector<asio::awaitable<comcp::call_tool_result>> calls;
  for (int i = 0; i != 100; ++i) calls.push_back(client.call_tool("echo", comcp::args("text", std::to_string(i))));
  auto const answers = co_await comcp::all(std::move(calls));
  int right = 0;
  for (int i = 0; i != 100; ++i) right += answers[static_cast<std::size_t>(i)].value().text() == std::to_string(i);
  std::cout << right << " of 100 answers\n";

  co_await client.close();  // says goodbye, which ends the bridge and its process
  try {
    co_await bridged.async_wait(asio::use_awaitable);
  } catch (std::exception const&) {  // it had to be waited for
  }
  if (trouble) std::rethrow_exception(trouble);
  co_return right == 100;
}

}  // namespace

int main(int argc, char* argv[]) try {
  return comcp::run(talk({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
