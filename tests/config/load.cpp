// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <comcp/config/load.hpp>

#include "config/samples.hpp"
#include "support/catch.hpp"

using match::contains;
using match::ends_with;

namespace {

class temporary_directory {
 public:
  temporary_directory() {
    auto pattern = (std::filesystem::temp_directory_path() / "comcp-config-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~temporary_directory() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string write(std::string const& name, std::string_view text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  std::filesystem::path path;
};

}  // namespace

TEST_CASE("config: a file is read and named in its problems", "[config]") {
  temporary_directory const dir;
  auto const path = dir.write("mcp.json", config_samples::vscode);
  auto const f = comcp::load_config(path);
  CHECK(f.path == path);
  CHECK(f.problems.empty());
  CHECK(f.servers.size() == 2);
  auto const broken = comcp::load_config(dir.write("broken.json", "{\n\n"));
  REQUIRE(broken.problems.size() == 1);
  CHECK_THAT(broken.problems[0].to_string(), ends_with("broken.json:3:1: the text ends here, too early"));
}

TEST_CASE("config: a file that is not there, is a directory or is too large", "[config]") {
  temporary_directory const dir;
  auto const none = comcp::load_config((dir.path / "none.json").string());
  REQUIRE(none.problems.size() == 1);
  CHECK(none.problems[0].code == comcp::errc::not_found);
  CHECK_THAT(none.problems[0].to_string(),
             ends_with("none.json: cannot be read: there is no such file, or it may not be read"));
  CHECK(comcp::load_config(dir.path.string()).problems.size() == 1);
  auto const large = dir.write("large.json", std::string((1 << 20) + 1, ' '));
  auto const f = comcp::load_config(large);
  REQUIRE(f.problems.size() == 1);
  CHECK(f.problems[0].code == comcp::errc::limit_exceeded);
  CHECK(comcp::load_config(large, comcp::config_options().max_bytes(2 << 20)).problems[0].code ==
        comcp::errc::invalid_json);
}

// Opening a FIFO to read it waits for somebody who writes: here, for ever.
TEST_CASE("config: a FIFO or a device in place of a file is a problem, and nobody waits for it", "[config]") {
  temporary_directory const dir;
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

TEST_CASE("config: the variables of this process", "[config]") {
  temporary_directory const dir;
  ::setenv("COMCP_TEST_CONFIG_VARIABLE", "there", 1);
  auto const v = comcp::process_variables();
  CHECK(v.environment()("COMCP_TEST_CONFIG_VARIABLE") == "there");
  CHECK_FALSE(v.environment()("COMCP_TEST_NO_SUCH_VARIABLE"));
  CHECK(v.workspace_folder() == std::filesystem::current_path().string());
  ::unsetenv("COMCP_TEST_CONFIG_VARIABLE");
  CHECK(v.files()(dir.write(".env", "A=1\n")).value() == "A=1\n");
  CHECK_FALSE(v.files()((dir.path / "none").string()));
  CHECK_FALSE(v.files()(dir.write("large", std::string((1 << 20) + 1, 'x'))));
}
