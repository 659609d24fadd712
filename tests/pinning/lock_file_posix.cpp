// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include <comcp/pinning/lock_file.hpp>

#include <filesystem>
#include <string>

#include <sys/stat.h>

#include "support/temporary_folder.hpp"

namespace fs = std::filesystem;
using comcp::tool_pins;

namespace {

tool_pins pins_of(std::string const& tool) {
  tool_pins pins;
  REQUIRE(pins.approve("server", tool, "sha256:" + std::string(64, '0')));
  return pins;
}

}  // namespace

TEST_CASE("lock_file: a symbolic link stays one", "[pinning]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tools.lock", link = here.path / "link";
  REQUIRE(comcp::write_lock_file(pins_of("a"), file));
  fs::create_symlink("tools.lock", link);
  REQUIRE(comcp::write_lock_file(pins_of("b"), link));
  CHECK(fs::is_symlink(link));
  CHECK(comcp::read_lock_file(file).value() == pins_of("b"));
}

TEST_CASE("lock_file: a FIFO in its place is an error, and nobody waits for it", "[pinning]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "pipe";
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(comcp::read_lock_file(file).error() == comcp::errc::denied);
}

TEST_CASE("lock_file: others may read it", "[pinning]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tools.lock";
  REQUIRE(comcp::write_lock_file(pins_of("a"), file));
  CHECK(comcp_test::mode_of(file) == 0644);
}

#endif
