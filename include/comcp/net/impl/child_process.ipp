// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <exception>
#include <mutex>
#include <thread>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/bind_executor.hpp>
#include <asio/posix/descriptor_base.hpp>

#include <comcp/later.hpp>
#include <comcp/net/child_process.hpp>
#include <comcp/net/impl/child_start.ipp>

namespace comcp::net {
namespace detail {

/// False while it lives. Sees the exit while the pid is still ours, so that the group that is killed cannot be another's.
/// Waits without WNOHANG in `options` only.
COMCP_DECL bool reap(int pid, int options, exit_status& how) noexcept {
  siginfo_t info{};
  int r = 0;
  do {
    r = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | options);
  } while (r != 0 && errno == EINTR);
  if (r != 0) return true;  // ECHILD: somebody else reaped it, the group is not ours to signal
  if (info.si_pid == 0) return false;
  ::kill(-pid, SIGKILL);
  while (::waitpid(pid, nullptr, WNOHANG) < 0 && errno == EINTR) {
  }
  (info.si_code == CLD_EXITED ? how.code : how.signal) = info.si_status;
  return true;
}

/// For what takes long to die, or cannot be killed: a thread of its own waits for it.
COMCP_DECL void reap_in_background(int pid) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of this program runs there
  try {
    std::thread([pid] {
      exit_status ignored;
      static_cast<void>(reap(pid, 0, ignored));
    }).detach();
  } catch (std::exception const&) {  // no thread is to be had: a short while here is better than a zombie
    exit_status ignored;
    for (int i = 0; i != 100 && !reap(pid, WNOHANG, ignored); ++i) ::poll(nullptr, 0, 5);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// A pid, which is ours to signal until it is reaped or left to the background, and a second descriptor of its stdin, by
/// whose end it may go where no signal is allowed. Safe from any thread.
class owned_pid {
 public:
  owned_pid(int pid, int input) noexcept : pid_(pid), input_(::fcntl(input, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {}

  /// Whether it has ended, or is somebody else's by now.
  [[nodiscard]] bool gone(exit_status& how) noexcept {
    std::lock_guard const lock(mutex_);
    if (ours_ && reap(pid_, WNOHANG, how)) leave();
    return !ours_;
  }

  /// Once to it, also where it left its group, and to what is in the group. What forbids that.
  std::error_code signal(int number) noexcept {
    std::lock_guard const lock(mutex_);
    return ours_ ? send(number) : std::error_code();
  }

  [[nodiscard]] int pid() const noexcept { return pid_; }

  /// Never waits.
  void kill() noexcept {
    std::lock_guard const lock(mutex_);
    exit_status ignored;
    if (!ours_) return;
    ::shutdown(input_.get(), SHUT_RDWR);
    leave();
    if (reap(pid_, WNOHANG, ignored)) return;
    static_cast<void>(send(SIGKILL));
    reap_in_background(pid_);
  }

 private:
  void leave() noexcept {
    ours_ = false;
    input_ = owned_fd();
  }

  // A second SIGTERM means "at once" to many, so that a member of the group gets only the first.
  std::error_code send(int number) const noexcept {
    ::kill(-pid_, number);
    bool const member = number != SIGKILL && ::getpgid(pid_) == pid_;
    if (::kill(pid_, member ? 0 : number) == 0) return {};
    return {errno, std::generic_category()};
  }

  std::mutex mutex_;
  int pid_;
  owned_fd input_;
  bool ours_ = true;
};

/// This side's ends of a child's pipes.
struct child_pipes {
  explicit child_pipes(asio::any_io_executor const& ex) : input(ex), output(ex), errors(ex) {}

  void adopt(owned_fd& in, owned_fd& out, owned_fd& err) {
    input.assign(asio::local::stream_protocol(), in.get());
    in.release();
    output.assign(out.get());
    out.release();
    if (err.get() >= 0) errors.assign(err.get());
    err.release();
  }

  void close_input() noexcept {
    std::error_code ignored;
    input.shutdown(asio::local::stream_protocol::socket::shutdown_send, ignored);
  }

  asio::local::stream_protocol::socket input;
  asio::posix::stream_descriptor output;
  asio::posix::stream_descriptor errors;
};

#if defined(SYS_pidfd_open)
COMCP_DECL int open_pidfd(int pid) noexcept { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }
#else
COMCP_DECL int open_pidfd(int) noexcept { return -1; }
#endif

}  // namespace detail

struct child_process::state : std::enable_shared_from_this<child_process::state> {
  enum class phase { running, stopping, finished };

  state(asio::any_io_executor ex, spawn_options const& o)
      : executor(ex), pipes(ex), pidfd(ex),
        time(o.time ? o.time : steady_time()), ladder(time->make_deadline(ex)), poll(time->make_deadline(ex)),
        exit_wait(o.exit_wait), term_wait(o.term_wait) {}

  void watch(bool use_pidfd) {
    int const fd = use_pidfd ? detail::open_pidfd(process->pid()) : -1;
    if (fd < 0) return;
    pidfd.assign(fd);
    pidfd.async_wait(asio::posix::descriptor_base::wait_read,
                     asio::bind_executor(executor, [self = shared_from_this()](std::error_code ec) {
                       if (!ec) self->look();
                     }));
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
    static_cast<void>(process->signal(SIGTERM));
    after(term_wait, &state::kill_all);
  }

  void kill_all() {
    how.alive = process->signal(SIGKILL);
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
  asio::posix::stream_descriptor pidfd;
  std::shared_ptr<time_source> time;
  std::unique_ptr<deadline> ladder;
  std::unique_ptr<deadline> poll;
  std::chrono::nanoseconds exit_wait;
  std::chrono::nanoseconds term_wait;
  std::function<void()> done;
  std::optional<exit_status> status;
  exit_status how;
  std::shared_ptr<detail::owned_pid> process;
  phase now = phase::running;
};

COMCP_DECL result<child_process> child_process::spawn(asio::any_io_executor executor, spawn_options const& options) {
  if (options.command.empty() || options.command.front().empty()) {
    return error(errc::invalid_argument, "no command to start");
  }
  if (detail::has_nul(options)) return error(errc::invalid_argument, "NUL in a command, variable or directory");
  auto s = std::make_shared<state>(executor, options);
  detail::fd_pair in;
  detail::fd_pair out;
  detail::fd_pair err;
  auto const pid = detail::start(options, in, out, err);
  if (!pid) return pid.error();
  s->process = std::make_shared<detail::owned_pid>(*pid, in.ours.get());
  child_process process(s);  // from here on a failure kills it
  try {
    s->pipes.adopt(in.ours, out.ours, err.ours);
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

COMCP_DECL asio::local::stream_protocol::socket& child_process::input() noexcept { return state_->pipes.input; }
COMCP_DECL asio::posix::stream_descriptor& child_process::output() noexcept { return state_->pipes.output; }
COMCP_DECL asio::posix::stream_descriptor& child_process::error_output() noexcept { return state_->pipes.errors; }
COMCP_DECL int child_process::pid() const noexcept { return state_->process->pid(); }
COMCP_DECL void child_process::on_exit(std::function<void()> done) { state_->done = std::move(done); }
COMCP_DECL std::optional<exit_status> const& child_process::status() const noexcept { return state_->status; }

COMCP_DECL void child_process::close_input() noexcept { state_->pipes.close_input(); }

COMCP_DECL void child_process::stop(std::chrono::nanoseconds most) {
  if (state_->now != state::phase::running) return;
  state_->now = state::phase::stopping;
  if (!state_->pidfd.is_open()) state_->poll_exit();
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
  state_->pidfd.close(ignored);
}

COMCP_DECL std::function<void()> child_process::killer() const {
  return [process = state_->process] { process->kill(); };
}

COMCP_DECL std::size_t readable_now(asio::posix::stream_descriptor& d) noexcept {
  int n = 0;
  return d.is_open() && ::ioctl(d.native_handle(), FIONREAD, &n) == 0 && n > 0 ? static_cast<std::size_t>(n) : 0;
}

}  // namespace comcp::net
