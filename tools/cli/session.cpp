// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <optional>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include "commands.hpp"
#include "connect.hpp"
#include "exit_codes.hpp"
#include "login.hpp"
#include "many.hpp"
#include "platform.hpp"
#include "printers.hpp"
#include "signals.hpp"

namespace cli {
namespace {

struct outcome {
  int code = exit_ok;
  std::optional<comcp::error> failure;
};

asio::awaitable<int> connect_and_run(std::shared_ptr<surroundings> around, std::optional<session>& s) {
  if (!around->opts.servers.empty()) {
    auto const code = co_await run_many(around);
    co_return code;
  }
  if (is_about_login(around->opts.what)) {
    auto const code = co_await run_login_command(around);
    co_return code;
  }
  auto const home = co_await asio::this_coro::executor;
  asio::steady_timer quiet(home, std::chrono::seconds(3));
  quiet.async_wait([around](std::error_code ended) {
    if (!ended && !around->opts.json) around->err.line("comcp: waiting for the server (--timeout says how long at most)");
  });
  auto connected = co_await connect(around);
  quiet.cancel();
  s.emplace(std::move(connected), around);
  auto const code = co_await run_command(*s);
  co_return code;
}

asio::awaitable<outcome> attempt(std::shared_ptr<surroundings> around, std::optional<session>& s) {
  outcome out;
  try {
    out.code = co_await connect_and_run(around, s);
  } catch (usage_error const& e) {
    around->err.line(failure_text(around->opts, exit_usage, e.what()));
    out.code = exit_usage;
  } catch (comcp::exception const& e) {
    out.failure = e.error();
  } catch (std::system_error const& e) {  // Asio's operation_aborted
    out.failure = comcp::error(e.code() == std::errc::operation_canceled ? comcp::errc::cancelled
                                                                         : comcp::errc::transport_failed);
  }
  co_return out;
}

asio::awaitable<int> whole_run(std::shared_ptr<surroundings> around, int const& signal) {
  std::optional<session> s;
  auto out = co_await attempt(around, s);
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  auto const& o = around->opts;
  if (out.failure) {
    bool const no_login = wants_login(*out.failure) && !has_own_credentials(o.server.http);
    out.code = no_login ? exit_login : exit_code_of(*out.failure);
  }
  if (signal != 0) {
    out.code = 128 + signal;
    around->err.no_more_progress();
    around->err.line(failure_text(o, out.code, "interrupted"));
  } else if (out.failure) {
    print_error(around->err, *out.failure, o, out.code);
  }
  if (s) co_await s->client.close();
  co_return out.code;
}

}  // namespace

comcp::call_options session::call_options() const {
  comcp::call_options out;
  auto const& o = opts();
  if (o.timeout) out.timeout(*o.timeout);
  if (o.max_time) out.hard_timeout(*o.max_time);
  out.on_progress([a = around](comcp::progress_notification const& p) { a->err.progress(p); });
  return out;
}

int run_session(options const& o) {
  survive_broken_pipes();
  asio::io_context io(1);
  asio::signal_set signals(io);
  add_interrupts(signals);
  last_resort const though_busy;
  asio::cancellation_signal cancel;
  int signal = 0;
  int code = exit_connection;
  std::function<void()> watch = [&] {
    signals.async_wait([&](std::error_code failed, int number) {
      if (failed) return;
      if (std::exchange(signal, number) != 0) return io.stop();
      cancel.emit(asio::cancellation_type::terminal);
      watch();
    });
  };
  watch();
  auto const around = std::make_shared<surroundings>(io.get_executor(), o);
  auto const done = [&](std::exception_ptr failure, int result) {
    code = result;
    io.stop();
    if (failure) std::rethrow_exception(failure);
  };
  asio::co_spawn(io, whole_run(around, signal), asio::bind_cancellation_slot(cancel.slot(), done));
  io.run();
  around->err.clear();
  std::cout.flush();
  return signal != 0 ? 128 + signal : code;
}

}  // namespace cli
