// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/pinning/lock_file.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>

#include "support/catch.hpp"

namespace fs = std::filesystem;
using comcp::tool_pins;

namespace {

struct folder {
  folder() {
    std::string name = (fs::temp_directory_path() / "comcp-pins-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  ~folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  [[nodiscard]] int files() const {
    int n = 0;
    for ([[maybe_unused]] auto const& entry : fs::directory_iterator(path)) ++n;
    return n;
  }
  fs::path path;
};

tool_pins pins_of(std::string const& tool) {
  tool_pins pins;
  REQUIRE(pins.approve("server", tool, "sha256:" + std::string(64, '0')));
  return pins;
}

}  // namespace

TEST_CASE("lock_file: what is written is read", "[pinning]") {
  folder const here;
  auto const file = here.path / "tools.lock";
  REQUIRE(comcp::write_lock_file(pins_of("a"), file));
  CHECK(comcp::read_lock_file(file).value() == pins_of("a"));
  REQUIRE(comcp::write_lock_file(pins_of("b"), file));
  CHECK(comcp::read_lock_file(file).value() == pins_of("b"));
  CHECK(here.files() == 1);
  struct stat is {};
  REQUIRE(::stat(file.c_str(), &is) == 0);
  CHECK((is.st_mode & 07777) == 0644);
}

TEST_CASE("lock_file: whoever has the old one open keeps all of it", "[pinning]") {
  folder const here;
  auto const file = here.path / "tools.lock";
  REQUIRE(comcp::write_lock_file(pins_of("a"), file));
  std::ifstream old(file);
  REQUIRE(comcp::write_lock_file(pins_of("b"), file));
  std::string const text{std::istreambuf_iterator<char>(old), std::istreambuf_iterator<char>()};
  CHECK(text == pins_of("a").to_text());
}

TEST_CASE("lock_file: a symbolic link stays one", "[pinning]") {
  folder const here;
  auto const file = here.path / "tools.lock", link = here.path / "link";
  REQUIRE(comcp::write_lock_file(pins_of("a"), file));
  fs::create_symlink("tools.lock", link);
  REQUIRE(comcp::write_lock_file(pins_of("b"), link));
  CHECK(fs::is_symlink(link));
  CHECK(comcp::read_lock_file(file).value() == pins_of("b"));
}

TEST_CASE("lock_file: one that is missing is no_such_file_or_directory, with its name", "[pinning]") {
  folder const here;
  auto const read = comcp::read_lock_file(here.path / "none.lock");
  REQUIRE(!read);
  CHECK(read.error().code() == std::errc::no_such_file_or_directory);
  CHECK(read.error().to_string().find("none.lock") != std::string::npos);
}

TEST_CASE("lock_file: a FIFO in its place is an error, and nobody waits for it", "[pinning]") {
  folder const here;
  auto const file = here.path / "pipe";
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(comcp::read_lock_file(file).error() == comcp::errc::denied);
}

TEST_CASE("lock_file: where it cannot be written, nothing is left behind", "[pinning]") {
  folder const here;
  auto const written = comcp::write_lock_file(pins_of("a"), here.path / "missing" / "tools.lock");
  REQUIRE(!written);
  CHECK(written.error().code() == std::errc::no_such_file_or_directory);
  fs::create_directory(here.path / "taken");
  auto const over = comcp::write_lock_file(pins_of("a"), here.path / "taken");
  REQUIRE(!over);
  CHECK(over.error().to_string().find("taken") != std::string::npos);
  CHECK(here.files() == 1);
  CHECK(!comcp::read_lock_file(here.path / "taken"));
}

TEST_CASE("lock_file: an error in it names file, line and key", "[pinning]") {
  folder const here;
  auto const file = here.path / "bad.lock";
  std::ofstream(file) << "{\n  \"version\": 7,\n  \"tools\": {}\n}\n";
  auto const read = comcp::read_lock_file(file);
  REQUIRE(!read);
  CHECK(read.error() == comcp::errc::wrong_shape);
  CHECK(read.error().to_string().find("bad.lock:2:3: /version") != std::string::npos);
}

TEST_CASE("lock_file: names that are no text are an error, and leave nothing behind", "[pinning]") {
  folder const here;
  tool_pins pins;
  REQUIRE(pins.approve("server", "\xff", "sha256:" + std::string(64, '0')));
  auto const written = comcp::write_lock_file(pins, here.path / "tools.lock");
  REQUIRE(!written);
  CHECK(written.error() == comcp::errc::invalid_argument);
  CHECK(here.files() == 0);
}
