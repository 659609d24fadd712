// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include "platform.hpp"

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include <comcp/replace_file.hpp>

#include "exit_codes.hpp"
#include "text.hpp"

namespace cli {
namespace {

comcp::detail::file_descriptor open_private(std::string const& file) {
  auto const refused = [&file](std::string const& why) { return usage_error("--trace: cannot write '" + file + "': " + why); };
  comcp::detail::file_descriptor opened(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (opened.get() < 0 && errno == ELOOP) throw refused("it is a symbolic link");
  if (opened.get() < 0) throw refused(std::generic_category().message(errno));
  struct ::stat about {};
  bool const own = ::fstat(opened.get(), &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == ::geteuid();
  if (!own || about.st_nlink > 1) throw refused("it is no regular file of yours alone");
  if (::fchmod(opened.get(), 0600) != 0 || ::ftruncate(opened.get(), 0) != 0)
    throw refused(std::generic_category().message(errno));
  return opened;
}

bool is_program(std::string const& path) {
  std::error_code failed;
  return ::access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, failed);
}

}  // namespace

text_streams::text_streams() { std::setlocale(LC_CTYPE, "C.UTF-8"); }  // wide letters take two columns
text_streams::~text_streams() = default;

std::vector<std::string> utf8_arguments(int argc, char const* const* argv) { return {argv, argv + argc}; }

bool is_terminal(int descriptor) noexcept { return ::isatty(descriptor) == 1; }
bool takes_escapes(int descriptor) noexcept { return is_terminal(descriptor); }

std::size_t window_columns(int descriptor) noexcept {
  ::winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t letter_columns(char32_t letter) noexcept {
  auto const width = ::wcwidth(static_cast<wchar_t>(letter));
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

bool reader_of_output_left() noexcept {
  ::pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

void survive_broken_pipes() noexcept { std::signal(SIGPIPE, SIG_IGN); }

void add_interrupts(asio::signal_set& signals) {
  signals.add(SIGINT);
  signals.add(SIGTERM);
}

bool is_open_to_others(std::string const& file) {
  struct ::stat about {};
  if (::stat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != ::geteuid()) return false;
  return (about.st_mode & 077) != 0;
}

char const* const how_to_close = "chmod 600 it";
char const* const usual_path = "/usr/local/bin:/usr/bin:/bin";

std::function<void(std::string_view)> open_trace_file(std::string const& file) {
  return [out = std::make_shared<comcp::detail::file_descriptor>(open_private(file))](std::string_view line) {
    while (!line.empty()) {
      auto const n = ::write(out->get(), line.data(), line.size());
      if (n <= 0 && errno != EINTR) return;
      line.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
    }
  };
}

bool finds_command(std::string const& command, std::string const& folder, std::string const& path) {
  auto const there = [&folder](std::string const& name) {
    return is_program(name.starts_with('/') || folder.empty() ? name : folder + "/" + name);
  };
  if (command.find('/') != std::string::npos) return there(command);
  for (std::size_t begin = 0; begin <= path.size();) {
    auto const end = std::min(path.find(':', begin), path.size());
    auto const part = path.substr(begin, end - begin);
    if (there((part.empty() ? "." : part) + "/" + command)) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace cli

#endif
