// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A running child on Windows: its streams, its exit, and how it and its job are ended.
#pragma once

#include <comcp/net/child_process.hpp>
#include <comcp/net/impl/child_start_windows.ipp>

#if defined(_WIN32)

#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include <windows.h>

#include <asio/any_io_executor.hpp>
#include <asio/bind_executor.hpp>
#include <asio/windows/object_handle.hpp>

namespace comcp::net::detail {

/// A process and its job, until its exit was seen or it was killed. Safe from any thread.
class owned_child {
 public:
  explicit owned_child(started_child child) noexcept : child_(std::move(child)), pid_(static_cast<int>(child_.pid)) {}

  /// Whether it has ended; then what it left behind is ended too.
  [[nodiscard]] bool gone(exit_status& how) noexcept {
    std::lock_guard const lock(mutex_);
    if (!child_.process) return true;
    DWORD code = 0;
    if (::WaitForSingleObject(child_.process.get(), 0) != WAIT_OBJECT_0) return false;
    ::TerminateJobObject(child_.job.get(), killed_code);
    if (::GetExitCodeProcess(child_.process.get(), &code)) tell(how, code);
    leave();
    return true;
  }

  /// Whether it was asked, by CTRL_BREAK_EVENT to its process group, and may take term_wait for that.
  [[nodiscard]] bool ask_to_end() noexcept {
    std::lock_guard const lock(mutex_);
    asked_ = child_.process && ::GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, child_.pid);
    return asked_;
  }

  /// What forbids it.
  [[nodiscard]] std::error_code end() noexcept {
    std::lock_guard const lock(mutex_);
    if (!child_.process || ::TerminateJobObject(child_.job.get(), killed_code)) return {};
    return {static_cast<int>(::GetLastError()), std::system_category()};
  }

  [[nodiscard]] int pid() const noexcept { return pid_; }

  /// Never waits.
  void kill() noexcept {
    std::lock_guard const lock(mutex_);
    if (!child_.process) return;
    ::TerminateJobObject(child_.job.get(), killed_code);
    leave();
  }

  /// To wait for its end.
  [[nodiscard]] owned_handle duplicate() const {
    HANDLE copy = nullptr;
    HANDLE const self = ::GetCurrentProcess();
    auto const why = outcome(::DuplicateHandle(self, child_.process.get(), self, &copy, SYNCHRONIZE, FALSE, 0) != 0);
    if (why != ERROR_SUCCESS) throw std::system_error(static_cast<int>(why), std::system_category());
    return owned_handle(copy);
  }

 private:
  static constexpr DWORD killed_code = 137;         // what shells make of SIGKILL
  static constexpr DWORD break_code = 0xC000013A;  // STATUS_CONTROL_C_EXIT

  void leave() noexcept {
    child_.process = owned_handle();
    child_.job = owned_handle();
  }

  void tell(exit_status& how, DWORD code) const noexcept {
    if (how.signalled && code == killed_code) {
      how.signal = 9;
    } else if (asked_ && code == break_code) {
      how.signal = 15;
    } else {
      how.code = static_cast<int>(code);
    }
  }

  std::mutex mutex_;
  started_child child_;
  int pid_;
  bool asked_ = false;
};

/// This side's ends of a child's pipes.
struct child_pipes {
  explicit child_pipes(asio::any_io_executor const& ex) : input(ex), output(ex), errors(ex) {}

  void adopt(child_ends& ends) {
    input.assign(ends.in.ours.get());
    ends.in.ours.release();
    output.assign(ends.out.ours.get());
    ends.out.ours.release();
    if (ends.err.ours) errors.assign(ends.err.ours.get());
    ends.err.ours.release();
  }

  void close_input() noexcept {
    std::error_code ignored;
    input.close(ignored);
  }

  pipe_writer input;
  pipe_reader output;
  pipe_reader errors;
};

/// Sees the exit.
class exit_watch {
 public:
  explicit exit_watch(asio::any_io_executor const& ex) : executor_(ex), process_(ex) {}

  void start(owned_child const& child, bool, std::function<void()> seen) {
    auto process = child.duplicate();
    process_.assign(process.get());
    process.release();
    process_.async_wait(asio::bind_executor(executor_, [seen = std::move(seen)](std::error_code ec) {
      if (!ec) seen();
    }));
  }
  [[nodiscard]] bool is_open() const noexcept { return process_.is_open(); }
  void close() noexcept {
    std::error_code ignored;
    process_.close(ignored);
  }

 private:
  asio::any_io_executor executor_;
  asio::windows::object_handle process_;
};

COMCP_DECL result<std::shared_ptr<owned_child>> start_child(spawn_options const& options, child_ends& ends) {
  auto child = start(options, ends);
  if (!child) return child.error();
  return std::make_shared<owned_child>(*std::move(child));
}

}  // namespace comcp::net::detail

#endif
