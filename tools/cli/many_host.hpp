// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// All servers of a configuration while a command runs: what is told of them, who is missing and why, and what that makes
// of the exit status.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/json/build.hpp>
#include <comcp/registry/registry.hpp>

#include "exit_codes.hpp"
#include "handler.hpp"
#include "printers.hpp"

namespace cli::many {

/// exit_code_of(), or exit_login where comcp login would help.
int code_of(surroundings const& around, std::string const& server, comcp::error const& why);

/// What the registry's listeners tell, and a bell that rings for whoever waits for a change.
struct news {
  news(asio::any_io_executor const& home, std::shared_ptr<surroundings> a) : around(std::move(a)), bell(home) {}

  void ring() { bell.cancel(); }
  // A server that fails again and again in the same way is told of once.
  void tell(std::string const& about, std::string const& server, std::string const& text, int code) {
    if (std::exchange(told[about], text) != text)
      around->err.line(failure_text(around->opts, code, one_line(text), server));
  }
  void tell(comcp::server_status const& s) {
    static constexpr char const* hint = " (see comcp login --help)";
    auto line = s.name + ": " + std::string(to_string(s.state));
    bool const back = s.state == comcp::server_state::ready && told.erase(s.name) != 0;
    if (s.reason && s.state != comcp::server_state::ready && s.state != comcp::server_state::starting) {
      auto const code = code_of(*around, s.name, s.reason);
      tell(s.name, s.name, line + ": " + in_words(s.reason).to_string() + (code == exit_login ? hint : ""), code);
    } else if (back || around->opts.verbose) {
      around->err.line((back ? "comcp: " : "note: ") + one_line(line));
    }
  }

  std::shared_ptr<surroundings> around;
  asio::steady_timer bell;
  bool changed = false;
  bool settled = false;  // no server is starting for the first time, or it takes too long
  std::map<std::string, std::string> told;
  std::vector<missing_server> refused;  // which the registry does not take
};

struct host {
  host(asio::any_io_executor const& home, std::shared_ptr<surroundings> a)
      : around(std::move(a)), said(std::make_shared<news>(home, around)), servers(home, options()) {}

  [[nodiscard]] comcp::registry_options options() const {
    comcp::registry_options out;
    out.separator(separator());
    out.on_change([said = said](comcp::catalog_change const&) {
      said->changed = true;
      said->ring();
    });
    out.on_status([said = said](comcp::server_status const& s) { said->tell(s); });
    out.on_fault([said = said](comcp::catalog_fault const& f) {
      said->tell(f.server_name + '\n' + f.kind, f.server_name,
                 f.server_name + ": " + f.kind + ": " + in_words(f.reason).to_string(), exit_code_of(f.reason));
    });
    return out;
  }
  // "/", unless a server's name has one in it, as github.com/someone/server.
  [[nodiscard]] char const* separator() const {
    auto const& all = around->opts.servers;
    auto const slashed = [](auto const& s) { return s.name.find('/') != std::string::npos; };
    return std::any_of(all.begin(), all.end(), slashed) ? "::" : "/";
  }

  std::shared_ptr<surroundings> around;
  std::shared_ptr<news> said;
  comcp::registry servers;
};

/// Until something changed.
asio::awaitable<void> rings(std::shared_ptr<host> h);
/// Until no server is starting for the first time, or it takes too long.
asio::awaitable<void> settled(std::shared_ptr<host> h);
/// What settled() waits for; runs beside the command.
asio::awaitable<void> settle(std::shared_ptr<host> h);

/// A server whose part is not there, and why.
struct absence {
  std::string server, state;
  comcp::error why;
  int code;
};

/// Those that will not come: they cannot be used.
std::vector<absence> absent_for_good(host const& h);
std::vector<absence> absent(host const& h);
/// On stderr, each once.
void tell(host const& h, std::vector<absence> const& all);
std::string names_of(std::vector<absence> const& all);
comcp::json::object json_of(absence const& a);

/// Success where every server is there. Else each that is not was told of; where none is, what the first failed with.
int verdict(host const& h);

}  // namespace cli::many
