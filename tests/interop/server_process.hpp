// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server program of a test: on a port that the system chose and that stays its own, ready once it accepts, with
// everything that it prints kept, and gone with its whole process group when this goes away.
#pragma once

#include <array>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/net/asio_compat.hpp>
#include <comcp/net/child_process.hpp>

#include "interop/peers.hpp"

namespace interop {

/// What to start. "@PORT@" in the command, in values of the environment and in files is the port, "@DIR@" the
/// directory that the files are written to.
class program {
 public:
  explicit program(std::vector<std::string> argv) : command(std::move(argv)) {}
  program& env(std::string name, std::string value) {
    environment.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  program& file(std::string name, std::string content) {
    files.emplace_back(std::move(name), std::move(content));
    return *this;
  }

  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment, files;
};

/// A port that is bound and never listened on: until this goes away the system gives it to nobody who does not name
/// it, and whoever sets SO_REUSEADDR, as servers do, can listen on it.
class reserved_port {
 public:
  explicit reserved_port(asio::any_io_executor const& executor) : socket_(executor, asio::ip::tcp::v4()) {
    socket_.set_option(asio::socket_base::reuse_address(true));
    socket_.bind(asio::ip::tcp::endpoint(asio::ip::tcp::v4(), 0));
  }
  [[nodiscard]] unsigned short number() const { return socket_.local_endpoint().port(); }

 private:
  asio::ip::tcp::socket socket_;
};

class server_process {
 public:
  /// Starts it and waits until it accepts connections. A program that ends before, since the port is taken on another
  /// address, is started again with another port; the test fails when it will not start.
  static asio::awaitable<server_process> start(program what) {
    for (int attempt = 0; attempt != 3; ++attempt) {
      server_process server(co_await asio::this_coro::executor, what);
      bool const ready = co_await server.launch();
      if (ready) co_return server;
      UNSCOPED_INFO(server.output());
    }
    FAIL("it does not start: " << what.command.back());
    throw std::logic_error("unreachable");
  }

  server_process(server_process&&) noexcept = default;
  server_process& operator=(server_process&&) noexcept = default;
  ~server_process() { stop(); }

  [[nodiscard]] std::string port() const { return std::to_string(port_->number()); }
  [[nodiscard]] std::string url(std::string const& path) const { return "http://127.0.0.1:" + port() + path; }
  /// What it printed so far, on both outputs.
  [[nodiscard]] std::string const& output() const noexcept { return life_->text; }
  [[nodiscard]] bool printed(std::string_view text) const { return output().find(text) != std::string::npos; }
  [[nodiscard]] std::size_t times_printed(std::string_view text) const {
    std::size_t times = 0;
    for (auto at = output().find(text); at != std::string::npos; at = output().find(text, at + 1)) ++times;
    return times;
  }

  /// The power cord.
  void stop() noexcept {
    if (life_ && life_->child) life_->child->kill();
  }
  /// Stops it and starts it again, on the same port, once the one before is gone.
  asio::awaitable<void> restart() {
    auto const before = life_->child->pid();
    stop();
    bool const gone = is_gone(before);
    REQUIRE(gone);
    bool const ready = co_await launch();
    INFO(output());
    REQUIRE(ready);
  }

 private:
  struct life {
    std::unique_ptr<comcp::net::child_process> child;
    std::string text;
    std::array<std::array<char, 4096>, 2> buffers;
  };

  server_process(asio::any_io_executor executor, program what)
      : what_(std::move(what)),
        port_(std::make_unique<reserved_port>(executor)),
        dir_(std::make_unique<temporary_directory>()),
        executor_(std::move(executor)) {}

  [[nodiscard]] std::string filled(std::string text) const {
    using replacement = std::pair<std::string, std::string>;
    for (auto const& [name, value] :
         {replacement("@PORT@", port()), replacement("@DIR@", dir_->path().string())}) {
      for (auto at = text.find(name); at != std::string::npos; at = text.find(name))
        text.replace(at, name.size(), value);
    }
    return text;
  }

  void spawn() {
    comcp::net::spawn_options options;
    for (auto const& argument : what_.command) options.command.push_back(filled(argument));
    for (auto const& [name, value] : what_.environment) options.environment.emplace_back(name, filled(value));
    for (auto const& [name, content] : what_.files) std::ofstream(dir_->file(name)) << filled(content);
    auto child = comcp::net::child_process::spawn(executor_, options);
    REQUIRE(child);
    auto text = life_ ? std::move(life_->text) : std::string();
    life_ = std::make_shared<life>();
    life_->text = std::move(text);
    life_->child = std::make_unique<comcp::net::child_process>(std::move(*child));
    life_->child->on_exit([] {});
    read(life_, life_->child->output(), 0);
    read(life_, life_->child->error_output(), 1);
  }

  static void read(std::shared_ptr<life> l, asio::posix::stream_descriptor& from, std::size_t which) {
    auto const into = asio::buffer(l->buffers[which]);
    from.async_read_some(into, [l, &from, which](std::error_code const& failed, std::size_t n) {
      l->text.append(l->buffers[which].data(), n);
      if (!failed) read(l, from, which);
    });
  }

  // False when the program ended, or a minute passed.
  asio::awaitable<bool> launch() {
    spawn();
    asio::steady_timer pause(executor_);
    auto const limit = std::chrono::steady_clock::now() + 1min;
    while (!life_->child->status() && std::chrono::steady_clock::now() < limit) {
      asio::ip::tcp::socket probe(executor_);
      asio::ip::tcp::endpoint const there(asio::ip::address_v4::loopback(), port_->number());
      auto const [refused] = co_await probe.async_connect(there, comcp::net::tuple_awaitable);
      if (!refused) co_return true;
      pause.expires_after(10ms);
      co_await pause.async_wait(comcp::net::tuple_awaitable);
    }
    co_return false;
  }

  program what_;
  std::unique_ptr<reserved_port> port_;
  std::unique_ptr<temporary_directory> dir_;
  asio::any_io_executor executor_;
  std::shared_ptr<life> life_;
};

}  // namespace interop
