// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// How a child is started on Windows: its pipes, environment, command line, directory and job. The command line and what
// is found in PATH are decided in windows_command.
#pragma once

#include <comcp/net/child_process.hpp>
#include <comcp/net/impl/child_options.ipp>

#if defined(_WIN32)

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <windows.h>

#include <comcp/net/utf16.hpp>
#include <comcp/net/windows_command.hpp>

namespace comcp::net {
namespace detail {

/// A handle that is closed unless it was released.
class owned_handle {
 public:
  owned_handle() = default;
  explicit owned_handle(HANDLE h) noexcept : handle_(h == INVALID_HANDLE_VALUE ? nullptr : h) {}
  owned_handle(owned_handle&& other) noexcept : handle_(other.release()) {}
  owned_handle& operator=(owned_handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~owned_handle() {
    if (handle_ != nullptr) ::CloseHandle(handle_);
  }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  [[nodiscard]] HANDLE get() const noexcept { return handle_; }
  HANDLE release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  HANDLE handle_ = nullptr;
};

/// ERROR_SUCCESS, or why a function of Windows failed: asked at once, as whatever is called next may change it.
COMCP_DECL DWORD outcome(bool worked) noexcept { return worked ? ERROR_SUCCESS : ::GetLastError(); }

struct pipe_pair {
  owned_handle ours;
  owned_handle childs;
};

struct child_ends {
  pipe_pair in, out, err;
};

struct started_child {
  owned_handle process, job;
  DWORD pid = 0;
};

COMCP_DECL std::wstring wide(std::string_view text) {
  auto const units = to_utf16(text).value_or(std::u16string());
  return {units.begin(), units.end()};
}

/// Nothing where a surrogate is alone.
COMCP_DECL std::optional<std::string> narrow(std::wstring_view text) {
  return to_utf8(std::u16string(text.begin(), text.end()));
}

/// In the user's language.
COMCP_DECL std::string windows_message(DWORD number) {
  std::array<wchar_t, 512> text;
  DWORD n = ::FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, number, 0, text.data(),
                             static_cast<DWORD>(text.size()), nullptr);
  while (n != 0 && (text[n - 1] <= L' ' || text[n - 1] == L'.')) --n;
  return narrow({text.data(), n}).value_or(std::string()) + " (Windows error " + std::to_string(number) + ")";
}

/// Calls a function of Windows that fills a buffer and says how much it needed; nothing where it failed.
template <class Call>
std::optional<std::wstring> text_from(Call const& call) {
  std::wstring out(256, L'\0');
  for (;;) {
    ::SetLastError(ERROR_SUCCESS);
    DWORD const n = call(out.data(), static_cast<DWORD>(out.size()));
    if (n == 0 && ::GetLastError() != ERROR_SUCCESS) return std::nullopt;
    bool const fits = n < out.size();
    out.resize(n);
    if (fits) return out;
  }
}

COMCP_DECL std::optional<std::string> own_variable(std::string const& name) {
  auto const value = text_from([&](wchar_t* to, DWORD size) {
    return ::GetEnvironmentVariableW(wide(name).c_str(), to, size);
  });
  return value ? narrow(*value) : std::nullopt;
}

COMCP_DECL windows::variables own_environment() {
  windows::variables out;
  wchar_t* const block = ::GetEnvironmentStringsW();
  for (wchar_t const* at = block; at != nullptr && *at != L'\0';) {
    std::wstring_view const entry(at);
    if (auto text = narrow(entry)) out.push_back(*std::move(text));
    at += entry.size() + 1;
  }
  if (block != nullptr) ::FreeEnvironmentStringsW(block);
  return out;
}

/// Without trailing dots and blanks, and from the root.
COMCP_DECL std::string full_path(std::string const& path) {
  auto const full = text_from([&](wchar_t* to, DWORD size) {
    return ::GetFullPathNameW(wide(path).c_str(), size, to, nullptr);
  });
  return full ? narrow(*full).value_or(path) : path;
}

COMCP_DECL DWORD attributes_of(std::string const& path) { return ::GetFileAttributesW(wide(path).c_str()); }

COMCP_DECL bool is_file(std::string const& path) {
  auto const has = attributes_of(path);
  return has != INVALID_FILE_ATTRIBUTES && (has & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

/// A name that nobody guesses, and that is refused where somebody was first.
COMCP_DECL std::wstring pipe_name() {
  std::random_device random;
  auto name = L"\\\\.\\pipe\\comcp-" + std::to_wstring(::GetCurrentProcessId());
  for (int i = 0; i != 4; ++i) name += L"-" + std::to_wstring(random());
  return name;
}

/// Large answers come in fewer turns than with the usual 4 KiB.
inline constexpr DWORD pipe_size = 256 * 1024;

/// Our end is for overlapped use, the child's for the plain reads and writes of its run-time library.
COMCP_DECL DWORD make_pipe(pipe_pair& p, bool to_child) {
  auto const name = pipe_name();
  DWORD const direction = to_child ? PIPE_ACCESS_OUTBOUND : PIPE_ACCESS_INBOUND;
  DWORD const access = to_child ? GENERIC_READ | FILE_WRITE_ATTRIBUTES : GENERIC_WRITE | FILE_READ_ATTRIBUTES;
  p.ours = owned_handle(::CreateNamedPipeW(name.c_str(), direction | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                           PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1,
                                           pipe_size, pipe_size, 0, nullptr));
  if (!p.ours) return ::GetLastError();
  p.childs = owned_handle(::CreateFileW(name.c_str(), access, 0, nullptr, OPEN_EXISTING, 0, nullptr));
  return outcome(bool(p.childs));
}

/// Where the child's stderr goes that is no pipe.
COMCP_DECL owned_handle other_stderr(bool inherited) {
  HANDLE const self = ::GetCurrentProcess();
  HANDLE const own = inherited ? ::GetStdHandle(STD_ERROR_HANDLE) : nullptr;
  HANDLE copy = nullptr;
  if (own != nullptr && own != INVALID_HANDLE_VALUE &&
      ::DuplicateHandle(self, own, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
    return owned_handle(copy);
  }
  return owned_handle(::CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0,
                                    nullptr));
}

COMCP_DECL std::mutex& one_start_at_a_time() {
  static std::mutex starts;
  return starts;
}

/// STARTUPINFOEXW with the handles that the child inherits: no others. They are inheritable while it lives, and it is
/// alone: what else starts a child at that moment, without such a list, gives it these too.
class startup {
 public:
  explicit startup(child_ends const& ends)
      : alone_(one_start_at_a_time()), handles_{ends.in.childs.get(), ends.out.childs.get(), ends.err.childs.get()} {
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    memory_.resize(size);
    auto const list = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
    why_ = outcome(::InitializeProcThreadAttributeList(list, 1, 0, &size) != 0);
    if (why_ != ERROR_SUCCESS) return;
    info.lpAttributeList = list;
    why_ = outcome(::UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(), sizeof handles_,
                                               nullptr, nullptr) != 0);
    for (HANDLE const h : handles_) {
      if (why_ == ERROR_SUCCESS) why_ = outcome(::SetHandleInformation(h, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) != 0);
    }
    info.StartupInfo.cb = sizeof info;
    info.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    info.StartupInfo.hStdInput = handles_[0];
    info.StartupInfo.hStdOutput = handles_[1];
    info.StartupInfo.hStdError = handles_[2];
  }
  startup(startup const&) = delete;
  startup& operator=(startup const&) = delete;
  ~startup() {
    for (HANDLE const h : handles_) ::SetHandleInformation(h, HANDLE_FLAG_INHERIT, 0);
    if (info.lpAttributeList != nullptr) ::DeleteProcThreadAttributeList(info.lpAttributeList);
  }
  /// ERROR_SUCCESS, or why it cannot be used.
  [[nodiscard]] DWORD why() const noexcept { return why_; }

  STARTUPINFOEXW info{};

 private:
  std::lock_guard<std::mutex> alone_;
  std::array<HANDLE, 3> handles_;
  std::vector<std::byte> memory_;
  DWORD why_ = ERROR_SUCCESS;
};

/// Whatever the child starts is in it, and ends with its last handle, which is ours.
COMCP_DECL DWORD make_job(owned_handle& out) {
  out = owned_handle(::CreateJobObjectW(nullptr, nullptr));
  if (!out) return ::GetLastError();
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  return outcome(::SetInformationJobObject(out.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits) != 0);
}

struct program {
  std::string path;
  std::u16string line;
};

COMCP_DECL result<program> find_program(spawn_options const& o, windows::variables const& environment) {
  auto const& command = o.command.front();
  auto const found = windows::find_command(command, environment, o.working_directory, is_file);
  if (!found) {
    bool const looked_up = command.find_first_of("\\/:") == std::string::npos;
    return cannot_start(o, looked_up ? "no such command in PATH" : "No such file");
  }
  program out;
  out.path = full_path(*found);
  auto line = windows::command_line(o.command);
  if (windows::is_batch_file(out.path)) {
    auto const folder = text_from([](wchar_t* to, DWORD size) { return ::GetSystemDirectoryW(to, size); });
    auto const cmd = narrow(folder.value_or(std::wstring())).value_or(std::string()) + "\\cmd.exe";
    line = windows::batch_line(cmd, out.path, o.command);
    out.path = cmd;
  }
  if (!line) return std::move(line).error();
  out.line = *std::move(line);
  return out;
}

/// Suspended, so that it is in its job before it does anything.
COMCP_DECL DWORD create(program const& p, spawn_options const& o, std::u16string const& block, child_ends const& ends,
                        started_child& out) {
  if (DWORD const why = make_job(out.job); why != ERROR_SUCCESS) return why;
  std::wstring line(p.line.begin(), p.line.end());
  std::wstring variables(block.begin(), block.end());
  auto const path = wide(p.path);
  auto const directory = o.working_directory.empty() ? std::wstring() : wide(full_path(o.working_directory));
  DWORD flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT;
  if (::GetConsoleCP() == 0) flags |= CREATE_NO_WINDOW;  // else it shares our console, through which CTRL_BREAK goes
  PROCESS_INFORMATION made{};
  {
    startup setup(ends);
    if (setup.why() != ERROR_SUCCESS) return setup.why();
    if (!::CreateProcessW(path.c_str(), line.data(), nullptr, nullptr, TRUE, flags, variables.data(),
                          directory.empty() ? nullptr : directory.c_str(), &setup.info.StartupInfo, &made)) {
      return ::GetLastError();
    }
  }
  owned_handle const thread(made.hThread);
  out.process = owned_handle(made.hProcess);
  out.pid = made.dwProcessId;
  DWORD const why = outcome(::AssignProcessToJobObject(out.job.get(), made.hProcess) &&
                            ::ResumeThread(made.hThread) != DWORD(-1));
  if (why != ERROR_SUCCESS) ::TerminateProcess(made.hProcess, 1);
  return why;
}

COMCP_DECL result<started_child> start(spawn_options const& o, child_ends& ends) {
  if (auto const fine = windows::check_variables(o.environment); !fine) return fine.error();
  if (!o.working_directory.empty()) {
    auto const has = attributes_of(o.working_directory);
    auto const why = has == INVALID_FILE_ATTRIBUTES         ? "No such file or directory"
                     : (has & FILE_ATTRIBUTE_DIRECTORY) == 0 ? "Not a directory"
                                                             : "";
    if (*why != '\0') return cannot_start(o, "working directory '" + o.working_directory + "': " + why);
  }
  auto const environment = child_environment(o);
  auto const program = find_program(o, environment);
  if (!program) return program.error();
  bool const piped = o.error_to == spawn_options::error_output::pipe;
  DWORD why = make_pipe(ends.in, true);
  if (why == ERROR_SUCCESS) why = make_pipe(ends.out, false);
  if (why == ERROR_SUCCESS && piped) why = make_pipe(ends.err, false);
  if (!piped) ends.err.childs = other_stderr(o.error_to == spawn_options::error_output::inherit);
  started_child out;
  if (why == ERROR_SUCCESS) why = create(*program, o, windows::environment_block(environment), ends, out);
  if (why != ERROR_SUCCESS) return cannot_start(o, windows_message(why));
  return out;
}

}  // namespace detail

COMCP_DECL std::vector<std::string> child_environment(spawn_options const& options) {
  windows::variables out;
  if (options.inherit_environment) {
    out = detail::own_environment();
  } else {
    for (char const* name : {"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT",
                             "PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP",
                             "USERNAME", "USERPROFILE", "WINDIR"}) {
      if (auto const value = detail::own_variable(name)) windows::set_variable(out, name, *value);
    }
  }
  for (auto const& [name, value] : options.environment) windows::set_variable(out, name, value);
  return out;
}

}  // namespace comcp::net

#endif
