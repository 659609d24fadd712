// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A registry over fake servers that can be taken away and given back, under a manual clock.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <comcp/registry/registry.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

/// The JSON of a tools/list result.
inline std::string tools_text(std::vector<std::string> const& names) {
  std::string out = R"({"tools":[)";
  for (auto const& n : names) {
    if (out.back() == '}') out += ',';
    out += R"({"name":")" + n + R"(","description":"Does )" + n + R"(","inputSchema":{"type":"object"}})";
  }
  return out + "]}";
}

/// Counts how often it is opened, and refuses that while it is told to.
class flaky_connection {
 public:
  flaky_connection(comcp::test::fake_connection c, std::shared_ptr<bool> down, std::shared_ptr<int> tried)
      : inner_(std::move(c)), down_(std::move(down)), tried_(std::move(tried)) {}
  [[nodiscard]] asio::awaitable<comcp::result<void>> open(comcp::inbox& in) {
    ++*tried_;
    return *down_ ? refused() : inner_.open(in);
  }
  comcp::result<void> send(comcp::outgoing message) { return inner_.send(std::move(message)); }
  bool abandon(comcp::request_id id) noexcept { return inner_.abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return inner_.close(); }
  [[nodiscard]] comcp::transport_info info() const { return inner_.info(); }

 private:
  static asio::awaitable<comcp::result<void>> refused() {
    co_return comcp::error(comcp::errc::connect_failed, "out of order");
  }
  comcp::test::fake_connection inner_;
  std::shared_ptr<bool> down_;
  std::shared_ptr<int> tried_;
};

/// A server with tools that answer with their name, which may be out of order for a while.
class flaky_server {
 public:
  explicit flaky_server(conversation& c, std::vector<std::string> tools = {"echo"})
      : server(c.io.get_executor()), names(std::make_shared<std::vector<std::string>>(std::move(tools))) {
    server.legacy();
    server.on("tools/list", [n = names](comcp::test::fake_request r) { r.reply(comcp::json::raw(tools_text(*n))); });
    server.answer("resources/list", comcp::json::raw(R"({"resources":[{"uri":"file:///hello.txt","name":"hello"}]})"));
    server.answer("resources/templates/list", comcp::json::raw(R"({"resourceTemplates":[]})"));
    server.answer("prompts/list", comcp::json::raw(R"({"prompts":[{"name":"greet"}]})"));
    server.answer("resources/subscribe", comcp::args()).answer("resources/unsubscribe", comcp::args());
    server.on("tools/call", [](comcp::test::fake_request r) {
      auto const given = r.params().find("arguments");
      auto const text = r.params()["name"].as<std::string>() + " " + (given ? given->dump() : "{}");
      r.reply(comcp::args("content", comcp::json::array().add(comcp::args("type", "text", "text", text))));
    });
  }

  /// While the server is out of order, connecting fails.
  [[nodiscard]] comcp::server_config config(comcp::connect_options o) const {
    auto make = [s = server, down = out_of_order, tried = attempts] {
      return comcp::any_transport(flaky_connection(s.transport(), down, tried));
    };
    auto made = comcp::server_config::from(std::move(make));
    made.options(std::move(o));
    return made;
  }
  [[nodiscard]] comcp::server_config config(conversation& c) const { return config(c.options()); }

  void out(bool yes) { *out_of_order = yes; }
  void crash() { server.drop(); }

  comcp::test::fake_server server;
  std::shared_ptr<std::vector<std::string>> names;
  std::shared_ptr<bool> out_of_order = std::make_shared<bool>(false);
  std::shared_ptr<int> attempts = std::make_shared<int>(0);
};

template <class Entries>
std::vector<std::string> names_of(Entries const& entries) {
  std::vector<std::string> out;
  for (auto const& e : entries) out.push_back(e.name);
  return out;
}

}  // namespace comcp_test
