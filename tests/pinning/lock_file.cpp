// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/pinning/lock_file.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <comcp/replace_file.hpp>

#include "support/temporary_folder.hpp"
#include "support/under_wine.hpp"

namespace fs = std::filesystem;
using comcp::tool_pins;

namespace {

struct folder : comcp_test::temporary_folder {
  [[nodiscard]] int files() const {
    int n = 0;
    for ([[maybe_unused]] auto const& entry : fs::directory_iterator(path)) ++n;
    return n;
  }
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
}

TEST_CASE("lock_file: whoever has the old one open keeps all of it", "[pinning]") {
  if (comcp_test::is_wine()) COMCP_SKIP("Wine 8 renames nothing over a file that is open");
  folder const here;
  auto const file = here.path / "tools.lock";
  REQUIRE(comcp::write_lock_file(pins_of("a"), file));
  auto const old = comcp::detail::open_regular(file);
  REQUIRE(old);
  REQUIRE(comcp::write_lock_file(pins_of("b"), file));
  CHECK(comcp::detail::read_rest(*old, 1 << 20, file).value() == pins_of("a").to_text());
  CHECK(comcp::read_lock_file(file).value() == pins_of("b"));
}

TEST_CASE("lock_file: one that is missing is no_such_file_or_directory, with its name", "[pinning]") {
  folder const here;
  auto const read = comcp::read_lock_file(here.path / "none.lock");
  REQUIRE(!read);
  CHECK(read.error().code() == std::errc::no_such_file_or_directory);
  CHECK(read.error().to_string().find("none.lock") != std::string::npos);
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
