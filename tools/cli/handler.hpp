// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a server may ask of the user and tell: roots, elicitation, log messages, notifications. Sampling is not
// declared: there is no model here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/client/connect.hpp>

#include "console.hpp"
#include "exit_codes.hpp"
#include "interactive.hpp"
#include "options.hpp"
#include "text.hpp"

namespace cli {

/// What the handler and the commands share.
struct surroundings {
  surroundings(asio::any_io_executor const& executor, options const& given) : opts(given), dialog(executor, err) {}

  options const& opts;
  console err;
  dialogs dialog;
  std::function<void(comcp::any_notification const&)> on_notification;  // listen, legacy era
  std::vector<comcp::any_notification> early;                           // came before anybody listened
  comcp::tracer trace;  // --trace: of all connections
  std::optional<comcp::error> unheard;  // listen, legacy era: why nothing comes any more
  std::function<void()> on_unheard;

  /// What the client tells besides its calls' ends.
  void fault(comcp::error const& e) {
    if (opts.verbose) err.line("note: " + one_line(e.to_string()));
    if (unheard || (exit_code_of(e) != exit_connection && !(e == comcp::errc::capability_missing))) return;
    unheard = e;
    if (on_unheard) on_unheard();
  }
};

class user_handler {
 public:
  explicit user_handler(std::shared_ptr<surroundings> s) noexcept : s_(std::move(s)) {}

  std::vector<comcp::root> list_roots() const { return s_->opts.roots; }
  asio::awaitable<comcp::elicit_result> elicit(comcp::elicit_params asked, comcp::context& ctx) {
    return s_->dialog.form(std::move(asked), ctx.server_name());
  }
  asio::awaitable<comcp::elicit_result> elicit_url(comcp::elicit_params asked, comcp::context& ctx) {
    return s_->dialog.url(std::move(asked), ctx.server_name());
  }
  void capabilities(comcp::client_capabilities& c) const {
    if (s_->opts.roots.empty()) c.roots.reset();
  }

  void on(comcp::logging_message const& m, comcp::context& ctx) {
    if (s_->opts.hide_log || (s_->opts.log_level && m.level < *s_->opts.log_level)) return;
    auto const text = m.data.view().get_string();
    auto line = "[" + std::string(enum_text(m.level)) + "] ";
    if (s_->opts.servers.size() > 1) line.append(one_line(ctx.server_name())).append(": ");
    if (m.logger) line.append(one_line(*m.logger)).append(": ");
    s_->err.line(line + (text ? std::string(*text) : m.data.dump()));
  }
  void on(comcp::elicitation_complete const& done) {
    s_->err.line("The server says that the visit is complete.");
    s_->dialog.complete(done.elicitation_id);
  }
  void on(comcp::any_notification const& n) {
    if (s_->on_notification) {
      s_->on_notification(n);
    } else if (s_->opts.what == command::listen) {
      s_->early.push_back(n);
    }
  }

 private:
  std::shared_ptr<surroundings> s_;
};

}  // namespace cli
