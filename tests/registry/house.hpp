// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A registry of servers in this process, under a manual clock.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <comcp/registry/registry.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

using strings = std::vector<std::string>;

/// A server with tools that a test may change. A cheap handle.
class toolbox : public comcp::test::fake_server {
 public:
  toolbox(conversation& c, strings tools) : fake_server(c.io.get_executor()), tools_(std::make_shared<strings>(std::move(tools))) {
    on("tools/list", [all = tools_](comcp::test::fake_request const& r) { r.reply(comcp::json::raw(list_text(*all))); });
    answer("tools/call", comcp::json::raw(tool_text));
    answer("resources/list", comcp::json::raw(R"({"resources":[]})"));
    answer("resources/templates/list", comcp::json::raw(R"({"resourceTemplates":[]})"));
    answer("prompts/list", comcp::json::raw(R"({"prompts":[]})"));
  }

  /// By name, or as `name=description`.
  [[nodiscard]] strings& tools() const { return *tools_; }
  /// Goes away at each handshake while `*broken`. This handle stays where it is.
  toolbox& breaks_while(bool const* broken) {
    for (auto const* method : {"server/discover", "initialize"}) {
      on(method, [this, broken](comcp::test::fake_request const& r) {
        if (*broken) drop();
        else if (r.method() == "server/discover") r.reply(comcp::json::raw(discover_text()));
        else r.reply(comcp::json::raw(initialize_text("2025-11-25")));
      });
    }
    return *this;
  }
  /// Tells that they changed.
  void tell(std::string const& kind = "tools") const {
    notify_listeners("notifications/" + kind + "/list_changed");
  }

  static std::string list_text(strings const& names) {
    std::string text;
    for (auto const& n : names) {
      auto const at = n.find('=');
      comcp::json::object o;
      o.set("name", n.substr(0, at)).set("inputSchema", comcp::json::object().set("type", "object"));
      if (at != n.npos) o.set("description", n.substr(at + 1));
      text += (text.empty() ? "" : ",") + o.text();
    }
    return R"({"tools":[)" + text + "]}";
  }

 private:
  std::shared_ptr<strings> tools_;
};

/// Counts the attempts to open.
class counted {
 public:
  counted(comcp::any_transport t, std::shared_ptr<unsigned> n) : inner_(std::move(t)), opens_(std::move(n)) {}
  asio::awaitable<comcp::result<void>> open(comcp::inbox& in) {
    ++*opens_;
    return inner_.open(in);
  }
  comcp::result<void> send(comcp::outgoing m) { return inner_.send(std::move(m)); }
  bool abandon(comcp::request_id id) noexcept { return inner_.abandon(id); }
  asio::awaitable<void> close() { return inner_.close(); }
  [[nodiscard]] comcp::transport_info info() const { return inner_.info(); }

 private:
  comcp::any_transport inner_;
  std::shared_ptr<unsigned> opens_;
};

class house : public conversation {
 public:
  std::vector<comcp::catalog_change> changes;
  std::vector<comcp::catalog_fault> faulty;
  std::vector<std::pair<std::string, comcp::server_state>> states;

  comcp::registry_options registry_options() {
    return comcp::registry_options()
        .time(clock)
        .on_change([this](comcp::catalog_change const& c) { changes.push_back(c); })
        .on_fault([this](comcp::catalog_fault const& f) { faulty.push_back(f); })
        .on_status([this](comcp::server_status const& s) { states.emplace_back(s.name, s.state); });
  }
  comcp::registry make() { return make(registry_options()); }
  comcp::registry make(comcp::registry_options o) { return comcp::registry(io.get_executor(), std::move(o)); }

  toolbox server(strings tools = {"echo"}) { return {*this, std::move(tools)}; }

  comcp::server_config config(comcp::test::fake_server s) {
    return comcp::server_config::from([s = std::move(s)] { return comcp::any_transport(s.transport()); })
        .options(comcp::connect_options().time(clock))
        .reconnect(comcp::reconnect_policy()
                       .attempts(5)
                       .delay(std::chrono::milliseconds(500), std::chrono::seconds(30))
                       .jitter(0));
  }
  std::shared_ptr<unsigned> opens = std::make_shared<unsigned>(0);  // of all scripts
  comcp::server_config scripted(comcp::test::script s) {
    auto make = [s = std::move(s), n = opens] {
      return comcp::any_transport(counted(comcp::any_transport(s.transport()), n));
    };
    return comcp::server_config::from(std::move(make))
        .options(comcp::connect_options().time(clock))
        .reconnect(comcp::reconnect_policy()
                       .attempts(5)
                       .delay(std::chrono::milliseconds(500), std::chrono::seconds(30))
                       .jitter(0));
  }
};

inline strings names(comcp::catalog_view<comcp::tool> const& all) {
  strings out;
  for (auto const& t : all) out.push_back(t.name);
  return out;
}

inline comcp::server_state state_of(comcp::registry const& r, std::string const& name) {
  return r.status(name).value().state;
}

}  // namespace comcp_test
