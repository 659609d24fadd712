// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A running child on POSIX: its streams, its exit, and how it and its group are ended.
#pragma once

#include <comcp/net/child_process.hpp>
#include <comcp/net/impl/child_start.ipp>

#if !defined(_WIN32)

#include <cerrno>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/any_io_executor.hpp>
#include <asio/bind_executor.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/posix/descriptor_base.hpp>
#include <asio/posix/stream_descriptor.hpp>

namespace comcp::net::detail {

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
  if (info.si_code == CLD_EXITED) {
    how.code = info.si_status & 0xff;  // FreeBSD and macOS give more of it
  } else {
    how.signal = info.si_status;
  }
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
class owned_child {
 public:
  /// Once, before any other thread knows of it.
  void own(int pid, int input) noexcept {
    pid_ = pid;
    input_ = owned_fd(::fcntl(input, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    ours_ = true;
  }

  /// Whether it has ended, or is somebody else's by now.
  [[nodiscard]] bool gone(exit_status& how) noexcept {
    std::lock_guard const lock(mutex_);
    if (ours_ && reap(pid_, WNOHANG, how)) leave();
    return !ours_;
  }

  /// SIGTERM. Whether it may take term_wait for that: always, here.
  [[nodiscard]] bool ask_to_end() noexcept {
    static_cast<void>(signal(SIGTERM));
    return true;
  }

  /// SIGKILL. What forbids it.
  [[nodiscard]] std::error_code end() noexcept { return signal(SIGKILL); }

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

  // Once to it, also where it left its group, and to what is in the group. What forbids that.
  std::error_code signal(int number) noexcept {
    std::lock_guard const lock(mutex_);
    return ours_ ? send(number) : std::error_code();
  }

  // A second SIGTERM means "at once" to many, so that a member of the group gets only the first.
  std::error_code send(int number) const noexcept {
    ::kill(-pid_, number);
    bool const member = number != SIGKILL && ::getpgid(pid_) == pid_;
    // While it is ours, a process that is not there is one that ends just now (macOS), or somebody else's: reap() tells.
    if (::kill(pid_, member ? 0 : number) == 0 || errno == ESRCH) return {};
    return {errno, std::generic_category()};
  }

  std::mutex mutex_;
  int pid_ = -1;
  owned_fd input_;
  bool ours_ = false;
};

struct child_ends {
  fd_pair in, out, err;
};

/// This side's ends of a child's pipes.
struct child_pipes {
  explicit child_pipes(asio::any_io_executor const& ex) : input(ex), output(ex), errors(ex) {}

  void adopt(child_ends& ends) {
    input.assign(asio::local::stream_protocol(), ends.in.ours.get());
    ends.in.ours.release();
    output.assign(ends.out.ours.get());
    ends.out.ours.release();
    if (ends.err.ours.get() >= 0) errors.assign(ends.err.ours.get());
    ends.err.ours.release();
  }

  void close_input() noexcept {
    std::error_code ignored;
    input.shutdown(asio::local::stream_protocol::socket::shutdown_send, ignored);
  }

  pipe_writer input;
  pipe_reader output;
  pipe_reader errors;
};

/// Sees the exit where the system has a descriptor for it.
class exit_watch {
 public:
  explicit exit_watch(asio::any_io_executor const& ex) : executor_(ex), exit_(ex) {}

  void start(owned_child const& child, bool use_pidfd, std::function<void()> seen) {
    int const fd = use_pidfd ? exit_descriptor(child.pid()) : -1;
    if (fd < 0) return;
    exit_.assign(fd);
    exit_.async_wait(asio::posix::descriptor_base::wait_read,
                     asio::bind_executor(executor_, [seen = std::move(seen)](std::error_code ec) {
                       if (!ec) seen();
                     }));
  }
  [[nodiscard]] bool is_open() const noexcept { return exit_.is_open(); }
  void close() noexcept {
    std::error_code ignored;
    exit_.close(ignored);
  }

 private:
  asio::any_io_executor executor_;
  asio::posix::stream_descriptor exit_;
};

COMCP_DECL result<std::shared_ptr<owned_child>> start_child(spawn_options const& options, child_ends& ends) {
  auto child = std::make_shared<owned_child>();  // where there is no memory for it, nothing was started
  auto const pid = start(options, ends.in, ends.out, ends.err);
  if (!pid) return pid.error();
  child->own(*pid, ends.in.ours.get());
  return child;
}

}  // namespace comcp::net::detail

#endif
