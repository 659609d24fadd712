// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/bind_executor.hpp>

#include <comcp/net/child_process.hpp>

extern "C" char** environ;

namespace comcp::net {
namespace detail {

/// A descriptor that is closed unless it was released.
class owned_fd {
 public:
  owned_fd() = default;
  explicit owned_fd(int fd) noexcept : fd_(fd) {}
  owned_fd(owned_fd&& other) noexcept : fd_(other.release()) {}
  owned_fd& operator=(owned_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~owned_fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct fd_pair {
  owned_fd ours;
  owned_fd childs;  // never 0, 1 or 2: dup2 onto those would otherwise overwrite it
};

COMCP_DECL bool make_pair(fd_pair& p, bool socket) noexcept {
  std::array<int, 2> fds{};
  int const failed = socket ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data())
                            : ::pipe2(fds.data(), O_CLOEXEC);
  if (failed != 0) return false;
  p = {owned_fd(fds[0]), owned_fd(fds[1])};
  if (fds[1] <= STDERR_FILENO) p.childs = owned_fd(::fcntl(fds[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  return p.childs.get() >= 0;
}

/// posix_spawn's file actions and attributes; both need a matching destroy.
struct spawn_setup {
  spawn_setup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  spawn_setup(spawn_setup const&) = delete;
  spawn_setup& operator=(spawn_setup const&) = delete;
  ~spawn_setup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }

  // Own group, every signal at its default, none blocked.
  void isolate() {
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes, &set);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

  // Without closefrom, descriptors that other threads open in between can leak unless they are close-on-exec.
  void close_the_rest() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#else
    DIR* const open_ones = ::opendir("/proc/self/fd");
    if (open_ones == nullptr) return;
    while (auto const* entry = ::readdir(open_ones)) {
      int const fd = std::atoi(entry->d_name);
      bool const closes = (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
      if (fd > STDERR_FILENO && fd != ::dirfd(open_ones) && !closes) posix_spawn_file_actions_addclose(&actions, fd);
    }
    ::closedir(open_ones);
#endif
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

COMCP_DECL std::string_view variable(std::vector<std::string> const& environment, std::string_view name) {
  auto const found = std::find_if(environment.begin(), environment.end(), [&](std::string_view e) {
    return e.starts_with(name) && e.substr(name.size()).starts_with('=');
  });
  return found == environment.end() ? std::string_view() : std::string_view(*found).substr(name.size() + 1);
}

/// The path of the command, or an empty one.
COMCP_DECL std::string find_command(spawn_options const& o, std::vector<std::string> const& environment) {
  std::string const& command = o.command.front();
  if (command.find('/') != std::string::npos) return command;
  std::string_view path = variable(environment, "PATH");
  if (path.empty()) path = "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    auto const colon = path.find(':');
    std::string candidate(path.substr(0, colon));
    if (candidate.empty()) candidate = ".";
    candidate.append("/").append(command);
    bool const elsewhere = candidate.front() != '/' && !o.working_directory.empty();
    std::string const from_here = (elsewhere ? o.working_directory + "/" : std::string()) + candidate;
    if (::access(from_here.c_str(), X_OK) == 0) return candidate;
    if (colon == std::string_view::npos) return {};
    path.remove_prefix(colon + 1);
  }
}

COMCP_DECL std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (auto& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

COMCP_DECL error cannot_start(spawn_options const& o, std::string const& why) {
  return {errc::connect_failed, "cannot start '" + (o.command.empty() ? std::string() : o.command.front()) + "': " + why};
}

COMCP_DECL bool has_nul(spawn_options const& o) {
  auto const nul = [](std::string const& s) { return s.find('\0') != std::string::npos; };
  return std::any_of(o.command.begin(), o.command.end(), nul) || nul(o.working_directory) ||
         std::any_of(o.environment.begin(), o.environment.end(),
                     [&](auto const& kv) { return nul(kv.first) || nul(kv.second); });
}

#if defined(SYS_pidfd_open)
COMCP_DECL int open_pidfd(int pid) noexcept { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }
#else
COMCP_DECL int open_pidfd(int) noexcept { return -1; }
#endif

}  // namespace detail

COMCP_DECL std::vector<std::string> child_environment(spawn_options const& options) {
  std::vector<std::string> out;
  if (options.inherit_environment) {
    for (char** e = environ; e != nullptr && *e != nullptr; ++e) out.emplace_back(*e);
  } else {
    for (char const* name : {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}) {
      char const* value = std::getenv(name);
      // "()" starts a function that a shell exported.
      if (value != nullptr && std::strncmp(value, "()", 2) != 0) out.push_back(std::string(name) + "=" + value);
    }
  }
  for (auto const& [name, value] : options.environment) {
    std::erase_if(out, [&, &n = name](std::string const& e) { return e.starts_with(n + "="); });
    out.push_back(name + "=" + value);
  }
  return out;
}

struct child_process::state : std::enable_shared_from_this<child_process::state> {
  state(asio::any_io_executor ex, spawn_options const& o)
      : executor(ex), input(ex), output(ex), error_output(ex), pidfd(ex),
        time(o.time ? o.time : steady_time()), ladder(time->make_deadline(ex)), poll(time->make_deadline(ex)),
        exit_wait(o.exit_wait), term_wait(o.term_wait) {}

  void watch(bool use_pidfd) {
    int const fd = use_pidfd ? detail::open_pidfd(pid) : -1;
    if (fd < 0) return;
    pidfd.assign(fd);
    pidfd.async_wait(asio::posix::descriptor_base::wait_read,
                     asio::bind_executor(executor, [self = shared_from_this()](std::error_code ec) {
                       if (!ec) self->look();
                     }));
  }

  // Sees an exit while the pid is still ours, so that the group that is killed cannot be another's.
  [[nodiscard]] bool gone(int options) noexcept {
    if (reaped) return true;
    siginfo_t info{};
    int r = 0;
    do {
      r = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | options);
    } while (r != 0 && errno == EINTR);
    if (r != 0) return reaped = true;  // ECHILD: somebody else reaped it, the group is not ours to signal
    if (info.si_pid == 0) return false;
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    (info.si_code == CLD_EXITED ? how.code : how.signal) = info.si_status;
    return reaped = true;
  }

  void look() {
    if (gone(WNOHANG)) finish();
  }

  void finish() {
    if (finished) return;
    finished = true;
    ladder->disarm();
    poll->disarm();
    status = how;
    if (auto call = std::exchange(done, nullptr)) call();
  }

  void after(std::chrono::milliseconds wait, void (state::*next)()) {
    ladder->arm(time->now() + wait, [weak = weak_from_this(), next] {
      auto const self = weak.lock();
      if (!self || self->finished) return;
      self->look();
      if (!self->finished) ((*self).*next)();
    });
  }

  void terminate() {
    ::kill(-pid, SIGTERM);
    after(term_wait, &state::kill_group);
  }

  void kill_group() {
    ::kill(-pid, SIGKILL);
    after(std::max(term_wait, std::chrono::milliseconds(500)), &state::give_up);
  }

  // Stuck in the kernel: waiting on would hang the host with it.
  void give_up() {
    unkillable = true;
    finish();
  }

  void poll_exit() {
    poll->arm(time->now() + std::chrono::milliseconds(5), [weak = weak_from_this()] {
      auto const self = weak.lock();
      if (!self || self->finished) return;
      self->look();
      if (!self->finished) self->poll_exit();
    });
  }

  asio::any_io_executor executor;
  asio::local::stream_protocol::socket input;
  asio::posix::stream_descriptor output;
  asio::posix::stream_descriptor error_output;
  asio::posix::stream_descriptor pidfd;
  std::shared_ptr<time_source> time;
  std::unique_ptr<deadline> ladder;
  std::unique_ptr<deadline> poll;
  std::chrono::milliseconds exit_wait;
  std::chrono::milliseconds term_wait;
  std::function<void()> done;
  std::optional<exit_status> status;
  exit_status how;
  int pid = -1;
  bool stopping = false;
  bool reaped = false;
  bool finished = false;
  bool unkillable = false;
};

namespace detail {

COMCP_DECL result<int> start(spawn_options const& o, fd_pair& in, fd_pair& out, fd_pair& err) {
  auto environment = child_environment(o);
  std::string const path = find_command(o, environment);
  if (path.empty()) return cannot_start(o, "no such command in PATH");
  bool const piped = o.error_to == spawn_options::error_output::pipe;
  if (!make_pair(in, true) || !make_pair(out, false) || (piped && !make_pair(err, false))) {
    return cannot_start(o, std::generic_category().message(errno));
  }
  spawn_setup setup;
  setup.isolate();
  posix_spawn_file_actions_adddup2(&setup.actions, in.childs.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&setup.actions, out.childs.get(), STDOUT_FILENO);
  if (piped) posix_spawn_file_actions_adddup2(&setup.actions, err.childs.get(), STDERR_FILENO);
  if (o.error_to == spawn_options::error_output::discard) {
    posix_spawn_file_actions_addopen(&setup.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  setup.close_the_rest();
  if (!o.working_directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&setup.actions, o.working_directory.c_str());
  }
  auto arguments = o.command;
  pid_t pid = -1;
  int const failed = ::posix_spawn(&pid, path.c_str(), &setup.actions, &setup.attributes,
                                   pointers(arguments).data(), pointers(environment).data());
  if (failed != 0) return cannot_start(o, std::generic_category().message(failed));
  return static_cast<int>(pid);
}

}  // namespace detail

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
  s->pid = *pid;
  child_process process(s);  // from here on a failure kills it
  try {
    s->input.assign(asio::local::stream_protocol(), in.ours.get());
    in.ours.release();
    s->output.assign(out.ours.get());
    out.ours.release();
    if (err.ours.get() >= 0) s->error_output.assign(err.ours.get());
    err.ours.release();
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

COMCP_DECL asio::local::stream_protocol::socket& child_process::input() noexcept { return state_->input; }
COMCP_DECL asio::posix::stream_descriptor& child_process::output() noexcept { return state_->output; }
COMCP_DECL asio::posix::stream_descriptor& child_process::error_output() noexcept { return state_->error_output; }
COMCP_DECL int child_process::pid() const noexcept { return state_->pid; }
COMCP_DECL void child_process::on_exit(std::function<void()> done) { state_->done = std::move(done); }
COMCP_DECL std::optional<exit_status> const& child_process::status() const noexcept { return state_->status; }

COMCP_DECL void child_process::close_input() noexcept {
  std::error_code ignored;
  state_->input.shutdown(asio::local::stream_protocol::socket::shutdown_send, ignored);
}

COMCP_DECL void child_process::stop() {
  if (state_->finished || std::exchange(state_->stopping, true)) return;
  if (!state_->pidfd.is_open()) state_->poll_exit();
  state_->after(state_->exit_wait, &state::terminate);
}

COMCP_DECL void child_process::kill() noexcept {
  state_->finished = true;
  state_->done = nullptr;
  state_->ladder->disarm();
  state_->poll->disarm();
  if (!state_->gone(WNOHANG)) {
    ::kill(-state_->pid, SIGKILL);
    if (!state_->unkillable) static_cast<void>(state_->gone(0));
  }
  std::error_code ignored;
  state_->input.close(ignored);
  state_->output.close(ignored);
  state_->error_output.close(ignored);
  state_->pidfd.close(ignored);
}

COMCP_DECL std::size_t readable_now(asio::posix::stream_descriptor& d) noexcept {
  int n = 0;
  return d.is_open() && ::ioctl(d.native_handle(), FIONREAD, &n) == 0 && n > 0 ? static_cast<std::size_t>(n) : 0;
}

}  // namespace comcp::net
