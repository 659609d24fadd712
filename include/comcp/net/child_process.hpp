// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A child process with pipes, its exit, and the ladder that ends it. What each system has for it is in impl/: a process
// group and signals, or on Windows a job object, which holds the child and whatever it starts.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>

#include <comcp/net/pipe_end.hpp>
#include <comcp/net/time_source.hpp>
#include <comcp/result.hpp>
#include <comcp/version.hpp>

namespace comcp::net {

/// What to start, and how to end it.
class spawn_options {
 public:
  enum class error_output { pipe, inherit, discard };

  spawn_options() = default;

  /// argv. The command is looked up in the child's PATH unless it has a slash; never a shell. On Windows PATHEXT's
  /// programs are found, and .bat and .cmd files run by cmd.exe; an argument that cannot be given to these safely (quotation
  /// marks, %, !, line breaks) is errc::invalid_argument.
  std::vector<std::string> command;
  /// Added to the default environment, or to the inherited one; the later of two equal names wins.
  std::vector<std::pair<std::string, std::string>> environment;
  /// The whole environment of this process; otherwise HOME, LOGNAME, PATH, SHELL, TERM and USER; on Windows APPDATA,
  /// COMSPEC, HOMEDRIVE, HOMEPATH, LOCALAPPDATA, PATH, PATHEXT, PROCESSOR_ARCHITECTURE, PROGRAMFILES, SYSTEMDRIVE,
  /// SYSTEMROOT, TEMP, TMP, USERNAME, USERPROFILE and WINDIR.
  bool inherit_environment = false;
  /// Empty: that of this process. A command with a slash that is relative starts here.
  std::string working_directory;
  error_output error_to = error_output::pipe;
  /// From stop() to SIGTERM; on Windows to CTRL_BREAK_EVENT, which only a console brings to its programs: without one it
  /// is the job's end at once.
  std::chrono::nanoseconds exit_wait = std::chrono::seconds(2);
  std::chrono::nanoseconds term_wait = std::chrono::seconds(2);  ///< From there to SIGKILL, or to the end of the job.
  std::shared_ptr<time_source> time;          ///< Empty: steady_time().
  /// False: poll for the exit after stop(), as where a system has neither pidfds nor kqueues.
  bool use_pidfd = true;
};

/// How the process ended. All are empty when somebody else reaped it.
class exit_status {
 public:
  exit_status() = default;
  std::optional<int> code;
  std::optional<int> signal;  ///< On Windows, in place of a code: 15 where our CTRL_BREAK_EVENT ended it, 9 our job's end.
  bool signalled = false;  ///< It was told to end by a signal of ours.
  /// It goes on, although SIGKILL was sent: what forbids it to end (another user's: EPERM), or that it has not come to it
  /// yet (std::errc::timed_out). It is reaped in the background, whenever it ends.
  std::error_code alive;
};

/// The environment that the child gets, as NAME=value.
[[nodiscard]] std::vector<std::string> child_environment(spawn_options const& options);

/// A running child that begins in a process group of its own, on Windows in a job of its own. Used from its executor only. The destructor closes its
/// stdin and kills it and its group at once; it never waits: what takes time to die, or cannot be killed, is reaped in
/// the background. on_exit is not called then.
class child_process {
 public:
  /// From SIGKILL to giving it up.
  static constexpr std::chrono::milliseconds kill_wait{500};

  /// errc::connect_failed when it cannot be started.
  [[nodiscard]] static result<child_process> spawn(asio::any_io_executor executor, spawn_options const& options);

  child_process(child_process&&) noexcept = default;
  child_process& operator=(child_process&& other) noexcept;
  ~child_process();

  [[nodiscard]] pipe_writer& input() noexcept;
  [[nodiscard]] pipe_reader& output() noexcept;
  /// Open only with error_output::pipe.
  [[nodiscard]] pipe_reader& error_output() noexcept;
  [[nodiscard]] int pid() const noexcept;

  /// Calls `done` once, after the exit was seen, the group killed and the child reaped; also when it cannot be killed, or
  /// not within kill_wait. Set it before anything else. Never called from inside a member.
  void on_exit(std::function<void()> done);
  /// Set once on_exit is called.
  [[nodiscard]] std::optional<exit_status> const& status() const noexcept;

  /// End of file for the child's stdin; what was written before stays readable.
  void close_input() noexcept;
  /// Starts the ladder's clock: exit_wait, but no longer than `most`; SIGTERM to the child and its group, term_wait,
  /// SIGKILL to both, kill_wait. The input is the caller's to close, before or later; before SIGTERM it is closed anyway.
  void stop(std::chrono::nanoseconds most = std::chrono::nanoseconds::max());
  /// Closes everything, the input first; SIGKILL to the child and its group; reaps what has ended by then.
  void kill() noexcept;
  /// What ends its stdin, kills it and its group, and has it reaped in the background: from any thread, at once, and
  /// whatever becomes of the executor.
  [[nodiscard]] std::function<void()> killer() const;

 private:
  struct state;
  explicit child_process(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}
  std::shared_ptr<state> state_;
};

}  // namespace comcp::net

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/net/impl/child_process.ipp>
#endif
