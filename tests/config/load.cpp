// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/config/load.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <comcp/system.hpp>

#include "config/samples.hpp"
#include "support/temporary_folder.hpp"
#include "support/variable.hpp"

using match::ends_with;

namespace {

struct temporary_directory : comcp_test::temporary_folder {
  [[nodiscard]] std::string write(std::string const& name, std::string_view text) const {
    auto const file = path / comcp::detail::path_from_text(name);
    std::ofstream(file, std::ios::binary) << text;
    return comcp::detail::text_of_path(file);
  }
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

TEST_CASE("config: the variables of this process", "[config]") {
  temporary_directory const dir;
  comcp_test::variable const set("COMCP_TEST_CONFIG_VARIABLE", "there");
  auto const v = comcp::process_variables();
  CHECK(v.environment()("COMCP_TEST_CONFIG_VARIABLE") == "there");
  CHECK_FALSE(v.environment()("COMCP_TEST_NO_SUCH_VARIABLE"));
  CHECK(v.workspace_folder() == std::filesystem::current_path().string());
  CHECK(v.files()(dir.write(".env", "A=1\n")).value() == "A=1\n");
  CHECK_FALSE(v.files()((dir.path / "none").string()));
  CHECK_FALSE(v.files()(dir.write("large", std::string((1 << 20) + 1, 'x'))));
}

TEST_CASE("config: names of files are UTF-8 on every system", "[config]") {
  temporary_directory const dir;
  auto const path = dir.write("\xc3\xa4\xe2\x82\xac\xe6\x97\xa5.json", config_samples::vscode);
  CHECK(comcp::load_config(path).servers.size() == 2);
  CHECK(std::filesystem::exists(dir.path / std::filesystem::path(u8"\u00e4\u20ac\u65e5.json")));
}
