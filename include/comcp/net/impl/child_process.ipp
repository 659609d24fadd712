// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The ladder, the same everywhere; the rungs are the system's.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <asio/any_io_executor.hpp>

#include <comcp/later.hpp>
#include <comcp/net/child_process.hpp>
#include <comcp/net/impl/child_options.ipp>
#include <comcp/net/impl/child_posix.ipp>
#include <comcp/net/impl/child_windows.ipp>

namespace comcp::net {

struct child_process::state : std::enable_shared_from_this<child_process::state> {
  enum class phase { running, stopping, finished };

  state(asio::any_io_executor ex, spawn_options const& o)
      : executor(ex), pipes(ex), exit(ex),
        time(o.time ? o.time : steady_time()), ladder(time->make_deadline(ex)), poll(time->make_deadline(ex)),
        exit_wait(o.exit_wait), term_wait(o.term_wait) {}

  void watch(bool use_pidfd) {
    exit.start(*process, use_pidfd, [self = shared_from_this()] {
      self->look();
      if (self->now != phase::finished) self->poll_exit();  // a kqueue may tell of it before it can be reaped
    });
  }

  void look() {
    if (process->gone(how)) finish();
  }

  void finish() {
    if (std::exchange(now, phase::finished) == phase::finished) return;
    ladder->disarm();
    poll->disarm();
    status = how;
    if (auto call = std::exchange(done, nullptr)) call();
  }

  void after(std::chrono::nanoseconds wait, void (state::*next)()) {
    ladder->arm(comcp::detail::later(time->now(), wait), [weak = weak_from_this(), next] {
      auto const self = weak.lock();
      if (!self || self->now == phase::finished) return;
      self->look();
      if (self->now != phase::finished) ((*self).*next)();
    });
  }

  void terminate() {
    pipes.close_input();
    how.signalled = true;
    if (process->ask_to_end()) return after(term_wait, &state::kill_all);
    kill_all();
  }

  void kill_all() {
    how.alive = process->end();
    if (how.alive) return finish();
    after(kill_wait, &state::give_up);
  }

  // Stuck in the kernel: waiting on would hang the host with it.
  void give_up() {
    how.alive = std::make_error_code(std::errc::timed_out);
    finish();
  }

  void poll_exit() {
    poll->arm(time->now() + std::chrono::milliseconds(5), [weak = weak_from_this()] {
      auto const self = weak.lock();
      if (!self || self->now == phase::finished) return;
      self->look();
      if (self->now != phase::finished) self->poll_exit();
    });
  }

  asio::any_io_executor executor;
  detail::child_pipes pipes;
  detail::exit_watch exit;
  std::shared_ptr<time_source> time;
  std::unique_ptr<deadline> ladder;
  std::unique_ptr<deadline> poll;
  std::chrono::nanoseconds exit_wait;
  std::chrono::nanoseconds term_wait;
  std::function<void()> done;
  std::optional<exit_status> status;
  exit_status how;
  std::shared_ptr<detail::owned_child> process;
  phase now = phase::running;
};

COMCP_DECL result<child_process> child_process::spawn(asio::any_io_executor executor, spawn_options const& options) {
  if (options.command.empty() || options.command.front().empty()) {
    return error(errc::invalid_argument, "no command to start");
  }
  if (detail::has_nul(options)) return error(errc::invalid_argument, "NUL in a command, variable or directory");
  auto s = std::make_shared<state>(executor, options);
  detail::child_ends ends;
  auto started = detail::start_child(options, ends);
  if (!started) return started.error();
  s->process = *std::move(started);
  child_process process(s);  // from here on a failure kills it
  try {
    s->pipes.adopt(ends);
    s->watch(options.use_pidfd);
  } catch (std::system_error const& e) {
    return detail::cannot_start(options, e.code().message());
  }
  return process;
}

COMCP_DECL child_process& child_process::operator=(child_process&& other) noexcept {
  if (this != &other) {
    if (state_) kill();
    state_ = std::move(other.state_);
  }
  return *this;
}

COMCP_DECL child_process::~child_process() {
  if (state_) kill();
}

COMCP_DECL pipe_writer& child_process::input() noexcept { return state_->pipes.input; }
COMCP_DECL pipe_reader& child_process::output() noexcept { return state_->pipes.output; }
COMCP_DECL pipe_reader& child_process::error_output() noexcept { return state_->pipes.errors; }
COMCP_DECL int child_process::pid() const noexcept { return state_->process->pid(); }
COMCP_DECL void child_process::on_exit(std::function<void()> done) { state_->done = std::move(done); }
COMCP_DECL std::optional<exit_status> const& child_process::status() const noexcept { return state_->status; }

COMCP_DECL void child_process::close_input() noexcept { state_->pipes.close_input(); }

COMCP_DECL void child_process::stop(std::chrono::nanoseconds most) {
  if (state_->now != state::phase::running) return;
  state_->now = state::phase::stopping;
  if (!state_->exit.is_open()) state_->poll_exit();
  state_->after(std::min(most, state_->exit_wait), &state::terminate);
}

COMCP_DECL void child_process::kill() noexcept {
  state_->now = state::phase::finished;
  state_->done = nullptr;
  state_->ladder->disarm();
  state_->poll->disarm();
  std::error_code ignored;
  state_->pipes.input.close(ignored);
  state_->process->kill();
  state_->pipes.output.close(ignored);
  state_->pipes.errors.close(ignored);
  state_->exit.close();
}

COMCP_DECL std::function<void()> child_process::killer() const {
  return [process = state_->process] { process->kill(); };
}

}  // namespace comcp::net
