// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the system's browser is started with: a program in PATH stands for it and tells what it got.
#if !defined(_WIN32)

#include <comcp/auth/loopback_redirect.hpp>

#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/loopback_browser.hpp"
#include "support/temporary_folder.hpp"
#include "support/transport_box.hpp"
#include "support/variable.hpp"

using comcp::errc;
using comcp::http_url;
using comcp_test::variable;

namespace {

// A PATH whose xdg-open writes each argument, and who it is, as a line of its own into a FIFO.
struct fake_desktop {
  fake_desktop() {
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    comcp_test::write_text(folder.path / "xdg-open", script("xdg-open"), 0700);
    path.set("relative:" + folder.path.string() + ":/usr/bin:/bin");
  }
  [[nodiscard]] std::string script(std::string const& name) const {
    return "#!/bin/sh\n{ printf '%s\\n' " + name +
           " \"$#\" \"$@\"; cut -d' ' -f6 /proc/$$/stat; readlink /proc/$$/fd/0; readlink /proc/$$/fd/2;"
           " ls -l /proc/$$/fd | grep -c inherited; } > " + fifo.string() + "\n";
  }
  // The lines that the browser wrote; it waits for somebody to read them.
  [[nodiscard]] std::vector<std::string> told() const {
    int const reader = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(reader >= 0);
    std::string text;
    for (;;) {
      ::pollfd p{reader, POLLIN, 0};
      REQUIRE(::poll(&p, 1, 30'000) == 1);
      char part[512];
      auto const n = ::read(reader, part, sizeof part);
      REQUIRE(n >= 0);
      if (n == 0) break;
      text.append(part, static_cast<std::size_t>(n));
    }
    ::close(reader);
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  comcp_test::temporary_folder folder;
  std::filesystem::path fifo = folder.path / "told";
  variable path{"PATH", ""}, display{"DISPLAY", ":77"}, wayland{"WAYLAND_DISPLAY", ""}, browser{"BROWSER", ""};
};

// While it lives, this process can open that many files more. It checks nothing itself: UBSan looks at types through a pipe.
class few_descriptors {
 public:
  explicit few_descriptors(std::size_t spare) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    auto few = before_;
    few.rlim_cur = 128;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    for (int fd; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.push_back(fd);
    for (; spare != 0 && !taken_.empty(); --spare) {
      ::close(taken_.back());
      taken_.pop_back();
    }
  }
  few_descriptors(few_descriptors const&) = delete;
  few_descriptors& operator=(few_descriptors const&) = delete;
  ~few_descriptors() {
    for (int const fd : taken_) ::close(fd);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  ::rlimit before_{};
  std::vector<int> taken_;
};

comcp::result<void> open(std::string const& url) { return comcp::open_browser(http_url::parse(url).value()); }

}  // namespace

TEST_CASE("open_browser: the URL is one argument that nothing takes for anything else", "[auth]") {
  fake_desktop const desktop;
  auto const argument = [&](std::string const& url) {
    INFO(url);
    REQUIRE(open(url));
    auto const lines = desktop.told();
    REQUIRE(lines.size() == 7);
    CHECK(lines[0] == "xdg-open");
    CHECK(lines[1] == "1");
    return lines[2];
  };
  std::string const usual = "https://as.example/a?client_id=x&scope=a%20b&state=1#f";
  CHECK(argument(usual) == usual);
  CHECK(argument("http://[::1]:8080/") == "http://[::1]:8080/");
  auto const pwned = (desktop.folder.path / "pwned").string();
  CHECK(argument("https://as.example/$(touch${IFS}" + pwned + ")?a=`id`") ==
        "https://as.example/%24%28touch%24%7BIFS%7D" + pwned + "%29?a=%60id%60");
  CHECK(argument("https://as.example/a?x=1;touch " + pwned + "|sh&&reboot>/dev/null") ==
        "https://as.example/a?x=1%3Btouch%20" + pwned + "%7Csh&&reboot%3E/dev/null");
  CHECK(argument("https://as.example/\"';\\n--new-window?q='\"") == "https://as.example/%22%27%3B/n--new-window?q=%27%22");
  CHECK(argument("https://as.example/*!~?{a,b}^\xc3\xa4") == "https://as.example/%2A%21~?%7Ba,b%7D%5E%C3%A4");
  CHECK_FALSE(std::filesystem::exists(pwned));
  for (char const* const hostile : {"file:///etc/passwd", "javascript:alert(1)", "--help", "-x http://a/", "https://a.example/\n--x",
                                    "https://a.example/\r", "calc.exe", "https:"}) {
    INFO(hostile);
    auto const url = http_url::parse(hostile);
    if (url) CHECK(url->text().find_first_of("\r\n ") == std::string::npos);
    else CHECK(url.error() == errc::invalid_argument);
  }
}

TEST_CASE("open_browser: the browser is nobody's child, in a session of its own, with no descriptor of ours", "[auth]") {
  fake_desktop const desktop;
  int const leaky = ::open((desktop.folder.path / "inherited").c_str(), O_CREAT | O_RDWR, 0600);
  REQUIRE(leaky >= 0);
  auto const before = comcp_test::open_descriptors();
  CHECK(open("https://as.example/"));
  CHECK(comcp_test::open_descriptors() == before);
  CHECK_FALSE(comcp_test::has_children());
  auto const lines = desktop.told();
  ::close(leaky);
  REQUIRE(lines.size() == 7);
  CHECK(lines[3] != std::to_string(::getsid(0)));
  CHECK(lines[4] == "/dev/null");
  CHECK(lines[5] == "/dev/null");
  CHECK(lines[6] == "0");
}

TEST_CASE("open_browser: without a browser or a display there is none", "[auth]") {
  fake_desktop const desktop;
  desktop.display.set("");
  CHECK(open("https://as.example/").error() == errc::not_found);
  desktop.wayland.set("wayland-0");
  CHECK(open("https://as.example/"));
  CHECK(desktop.told().front() == "xdg-open");
  auto const real = desktop.folder.path / "xdg-open";
  REQUIRE(::chmod(real.c_str(), 0600) == 0);
  desktop.path.set(desktop.folder.path.string());
  CHECK(open("https://as.example/").error() == errc::not_found);
  std::filesystem::remove(real);
  std::filesystem::create_directory(real);
  CHECK(open("https://as.example/").error() == errc::not_found);
  desktop.path.set("");
  CHECK(open("https://as.example/").error() == errc::not_found);
}

TEST_CASE("open_browser: $BROWSER is one program, never a command line", "[auth]") {
  fake_desktop const desktop;
  desktop.display.set("");
  auto const mine = (desktop.folder.path / "my browser").string();
  comcp_test::write_text(mine, desktop.script("mine"), 0700);
  for (std::string const& refused : {std::string("sh"), std::string("my browser"), "/bin/sh -c " + mine, mine + " %s",
                                     desktop.folder.path.string(), mine + ":" + mine}) {
    INFO(refused);
    desktop.browser.set(refused);
    CHECK(open("https://as.example/").error() == errc::not_found);
  }
  desktop.browser.set(mine);
  desktop.path.set("/usr/bin:/bin");
  CHECK(open("https://as.example/"));
  auto const lines = desktop.told();
  REQUIRE(lines.size() == 7);
  CHECK(lines[0] == "mine");
  CHECK(lines[2] == "https://as.example/");
}

TEST_CASE("open_browser: a program that cannot be started is an error", "[auth]") {
  fake_desktop const desktop;
  comcp_test::write_text(desktop.folder.path / "xdg-open", "#!/nonexistent/interpreter\n", 0700);
  CHECK(open("https://as.example/").error() == std::make_error_code(std::errc::no_such_file_or_directory));
  CHECK_FALSE(comcp_test::has_children());
  comcp_test::write_text(desktop.folder.path / "xdg-open", desktop.script("xdg-open"), 0700);
  auto const without_descriptors = [] {
    few_descriptors const left(2);  // as many as the pipe takes
    return open("https://as.example/");
  };
  CHECK(without_descriptors().error() == std::make_error_code(std::errc::too_many_files_open));
  CHECK_FALSE(comcp_test::has_children());
  auto moved = http_url::parse("https://as.example/").value();
  auto const taken = std::move(moved);
  CHECK(comcp::open_browser(moved).error() == errc::invalid_argument);  // NOLINT: what is left of a URL that was moved
}

TEST_CASE("open_browser: a login's URL is in no argument, but behind a page that is there once", "[auth]") {
  fake_desktop const desktop;
  comcp_test::loopback_browser talk;
  comcp::any_user_agent const agent(comcp::loopback_redirect().show_with({}));
  auto visit = talk.finish(agent.start({})).value().value();
  talk.port = comcp_test::loopback_browser::port_of(visit.redirect_uri());
  auto const coming = talk.start(visit.visit(http_url::parse("https://as.example/a?code_challenge=chal&state=s-of-it").value()));
  talk.settle();
  auto const lines = desktop.told();
  REQUIRE(lines.size() == 7);
  auto const opened = http_url::parse(lines[2]).value();
  CHECK(opened.origin() == "http://127.0.0.1:" + std::to_string(talk.port));
  CHECK(opened.path().size() == 44);
  for (char const* const hidden : {"s-of-it", "chal", "as.example"}) CHECK(lines[2].find(hidden) == std::string::npos);
  auto const request = "GET " + opened.path() + " HTTP/1.1\r\nHost: " + opened.authority() + "\r\n\r\n";
  CHECK_THAT(talk.ask(request), match::contains("\r\nLocation: https://as.example/a?code_challenge=chal&state=s-of-it\r\n"));
  CHECK_THAT(talk.ask(request), match::starts_with("HTTP/1.1 410"));
  talk.until([&] { return coming->done(); });
  CHECK((**coming).error() == errc::denied);
}

#endif
