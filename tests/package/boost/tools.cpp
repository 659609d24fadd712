// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// comcp's side: an io_context of standalone Asio with a thread of its own, which lives as long as `tools`.
#include "tools.hpp"

#include <thread>
#include <utility>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>

#include <comcp/comcp.hpp>
#include <comcp/test/fake_server.hpp>

struct tools::comcp_side {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> stays = asio::make_work_guard(io);
  comcp::test::fake_server server{io.get_executor()};  // elsewhere: none, and comcp::stdio or comcp::http
  comcp::client client;
  std::thread thread;

  comcp_side() {
    server.legacy().on("tools/call", [](comcp::test::fake_request r) {
      auto const& params = r.params();
      if (params["name"].as_string() != "echo") return r.fail(-32602, "no such tool");
      r.reply(comcp::json::raw(R"({"content":[{"type":"text","text":)" + params["arguments"]["text"].dump() + "}]}"));
    });
    auto connected =
        comcp::async_connect(io.get_executor(), server.transport(), comcp::connect_options(), asio::use_future);
    thread = std::thread([this] { io.run(); });
    client = connected.get();
  }

  ~comcp_side() {
    comcp::async_operation(io.get_executor(), client.close(), asio::use_future).wait();
    stays.reset();
    thread.join();
  }
};

tools::tools() : side_(std::make_unique<comcp_side>()) {}
tools::~tools() = default;

void tools::call(std::string const& name, std::string const& text, answer done) {
  side_->client.async_call_tool(name, comcp::args("text", text), comcp::call_options(),
                                [done = std::move(done)](comcp::error const& e, comcp::call_tool_result const& r) {
                                  if (e) return done(std::make_exception_ptr(comcp::exception(e)), {});
                                  done(nullptr, r.text());
                                });
}
