// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of credentials where files have modes.
#if !defined(_WIN32)

#include <comcp/auth/file_token_store.hpp>

#include <optional>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <comcp/run.hpp>

#include "support/temporary_folder.hpp"
#include "support/variable.hpp"

namespace fs = std::filesystem;
using comcp::errc;
using comcp::file_token_store;
using comcp::secret;
using comcp_test::mode_of;
using comcp_test::text_of;
using comcp_test::variable;
using comcp_test::write_text;

namespace {

comcp::result<std::optional<secret>> load(file_token_store store, std::string name) {
  return comcp::run(store.load(std::move(name)));
}
comcp::result<void> save(file_token_store store, std::string name, std::string text) {
  return comcp::run(store.save(std::move(name), secret(std::move(text))));
}
comcp::result<void> remove(file_token_store store, std::string name) { return comcp::run(store.remove(std::move(name))); }

constexpr auto one_entry = R"({"version":1,"entries":{"a":"1"}})";

}  // namespace

TEST_CASE("file_token_store: its file and folders are its user's alone, whatever the umask", "[auth]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "new" / "deeper" / "tokens.json";
  auto const before = ::umask(0);
  auto const saved = save(file_token_store(file), "a", "1");
  auto const lock = comcp::run(file_token_store(file).lock("a", std::chrono::seconds(1)));
  ::umask(before);
  REQUIRE(saved);
  CHECK(lock);
  CHECK(mode_of(here.path / "new") == 0700);
  CHECK(mode_of(here.path / "new" / "deeper") == 0700);
  int files = 0;
  for (auto const& entry : fs::directory_iterator(file.parent_path())) {
    INFO(entry.path());
    CHECK(mode_of(entry.path()) == 0600);
    ++files;
  }
  CHECK(files == 3);  // the file, the lock of saving, that of the name
}

TEST_CASE("file_token_store: a file that is not its user's alone is refused and stays as it is", "[auth]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tokens.json";
  auto const refused = [&](char const* why) {
    auto const loaded = load(file_token_store(file), "a");
    CHECK(loaded.error() == errc::denied);
    CHECK_THAT(std::string(loaded.error().message()), match::contains(why));
    CHECK(save(file_token_store(file), "a", "2").error() == errc::denied);
    CHECK(remove(file_token_store(file), "a").error() == errc::denied);
  };
  for (unsigned const mode : {0640U, 0604U, 0620U, 0602U, 0644U}) {
    INFO("mode " << mode);
    write_text(file, one_entry, mode);
    refused("others");
    CHECK(text_of(file) == one_entry);
    CHECK(mode_of(file) == mode);
  }
  write_text(file, one_entry, 0600);
  CHECK(load(file_token_store(file), "a").value() == secret("1"));
  fs::remove(file);
  fs::create_directory(file);
  refused("regular");
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  refused("regular");  // and nobody waits for its other end
}

TEST_CASE("file_token_store: a file of somebody else is refused", "[auth]") {
  if (::geteuid() != 0) COMCP_SKIP("only root can give a file away");
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tokens.json";
  write_text(file, one_entry, 0600);
  REQUIRE(::chown(file.c_str(), 12345, 12345) == 0);
  CHECK(load(file_token_store(file), "a").error() == errc::denied);
  CHECK(save(file_token_store(file), "a", "2").error() == errc::denied);
  CHECK(text_of(file) == one_entry);
}

TEST_CASE("file_token_store: a symbolic link is followed, and stays one", "[auth]") {
  comcp_test::temporary_folder const here;
  fs::create_directory(here.path / "real");
  auto const target = here.path / "real" / "target.json", link = here.path / "tokens.json";
  fs::create_symlink("real/target.json", link);
  CHECK(save(file_token_store(link), "a", "1").error() == errc::denied);  // it leads to nothing
  CHECK(load(file_token_store(link), "a").error() == errc::denied);
  CHECK(fs::is_symlink(link));
  write_text(target, one_entry, 0600);
  CHECK(load(file_token_store(link), "a").value() == secret("1"));
  CHECK(save(file_token_store(link), "a", "2"));
  CHECK(fs::is_symlink(link));
  CHECK(load(file_token_store(target), "a").value() == secret("2"));
  write_text(target, one_entry, 0644);
  CHECK(load(file_token_store(link), "a").error() == errc::denied);

  fs::create_symlink(target, here.path / "victim.json.lock");
  CHECK(save(file_token_store(here.path / "victim.json"), "a", "2").error() == errc::denied);
  CHECK(text_of(target) == one_entry);
}

TEST_CASE("file_token_store: the usual path is in the user's data", "[auth]") {
  variable const home("HOME", "/home/u");
  {
    variable const data("XDG_DATA_HOME", "/data");
    CHECK(file_token_store::usual_path().value() == "/data/comcp/tokens.json");
  }
  variable const data("XDG_DATA_HOME");
  CHECK(file_token_store::usual_path().value() == "/home/u/.local/share/comcp/tokens.json");
  for (char const* const unusable : {"", "relative"}) {
    data.set(unusable);
    CHECK(file_token_store::usual_path().value() == "/home/u/.local/share/comcp/tokens.json");
  }
  variable const homeless("HOME");
  CHECK(file_token_store::usual_path().error() == errc::not_found);
}

#endif
