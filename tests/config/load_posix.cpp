// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#if !defined(_WIN32)

#include <comcp/config/load.hpp>

#include <filesystem>

#include <sys/stat.h>

#include "support/temporary_folder.hpp"

using match::contains;

// Opening a FIFO to read it waits for somebody who writes: here, for ever.
TEST_CASE("config: a FIFO or a device in place of a file is a problem, and nobody waits for it", "[config]") {
  comcp_test::temporary_folder const dir;
  auto const pipe = (dir.path / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink(pipe, dir.path / "link");
  for (auto const& path : {pipe, (dir.path / "link").string(), std::string("/dev/zero"), dir.path.string()}) {
    CAPTURE(path);
    auto const f = comcp::load_config(path);
    REQUIRE(f.problems.size() == 1);
    CHECK(f.problems[0].code == comcp::errc::not_found);
    CHECK_THAT(f.problems[0].text, contains("no regular file"));
    CHECK_FALSE(comcp::process_variables().files()(path));
  }
}

#endif
