// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/file_token_store.hpp>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include <comcp/replace_file.hpp>
#include <comcp/run.hpp>

#include "support/temporary_folder.hpp"

namespace fs = std::filesystem;
using comcp::errc;
using comcp::file_token_store;
using comcp::secret;
using comcp_test::text_of;

namespace {

comcp::result<std::optional<secret>> load(file_token_store store, std::string name) {
  return comcp::run(store.load(std::move(name)));
}
comcp::result<void> save(file_token_store store, std::string name, std::string text) {
  return comcp::run(store.save(std::move(name), secret(std::move(text))));
}
comcp::result<void> remove(file_token_store store, std::string name) { return comcp::run(store.remove(std::move(name))); }

// As comcp itself makes it: the store takes no other.
void write_private(fs::path const& file, std::string_view text) {
  REQUIRE(comcp::detail::replace_file(file, text, 0600));
}

constexpr auto one_entry = R"({"version":1,"entries":{"a":"1"}})";

}  // namespace

TEST_CASE("file_token_store: what was saved is there for another store, and gone when removed", "[auth]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tokens.json";
  std::string const odd = "a \"quoted\"\n\\ text \xc3\xa4 \xe2\x82\xac {}";
  CHECK_FALSE(load(file_token_store(file), "a").value());
  CHECK_FALSE(fs::exists(file));
  CHECK(save(file_token_store(file), "a", odd));
  CHECK(save(file_token_store(file), "b \"'{}", "2"));
  CHECK(load(file_token_store(file), "a").value() == secret(odd));
  CHECK(load(file_token_store(file), "b \"'{}").value() == secret("2"));
  CHECK(remove(file_token_store(file), "a"));
  CHECK(remove(file_token_store(file), "a"));
  CHECK_FALSE(load(file_token_store(file), "a").value());
  CHECK(load(file_token_store(file), "b \"'{}").value() == secret("2"));
  CHECK(save(file_token_store(file), "a\n", "1").error() == errc::invalid_argument);
  CHECK(save(file_token_store(""), "a", "1").error() == errc::invalid_argument);
}

TEST_CASE("file_token_store: a file that is not comcp's stays untouched", "[auth]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tokens.json";
  for (std::string const text : {"", "hello", "[]", "{}", "null", R"({"version":1})", R"({"version":2,"entries":{}})",
                                 R"({"version":1,"entries":[]})", R"({"version":1,"entries":{"a":1}})",
                                 R"({"version":"1","entries":{}})", R"({"version":1,"entries":{},"more":0})",
                                 R"({"version":1,"entries":{"a":"secret)"}) {
    INFO(text);
    write_private(file, text);
    auto const loaded = load(file_token_store(file), "a");
    CHECK(loaded.error() == errc::wrong_shape);
    CHECK(loaded.error().to_string().find("secret") == std::string::npos);
    CHECK(save(file_token_store(file), "a", "2").error() == errc::wrong_shape);
    CHECK(remove(file_token_store(file), "a").error() == errc::wrong_shape);
    CHECK(text_of(file) == text);
  }
  write_private(file, one_entry);
  fs::resize_file(file, (std::uintmax_t{4} << 20) + 1);
  CHECK(load(file_token_store(file), "a").error() == errc::limit_exceeded);
}

TEST_CASE("file_token_store: a failed save leaves what was there", "[auth]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tokens.json";
  CHECK(save(file_token_store(file), "a", "1"));
  CHECK(save(file_token_store(file), "a", "\xff\xfe").error() == errc::invalid_argument);
  CHECK(save(file_token_store(file), "a", std::string(std::size_t{5} << 20, 'x')).error() == errc::limit_exceeded);
  CHECK(load(file_token_store(file), "a").value() == secret("1"));
  CHECK(save(file_token_store(file / "below"), "a", "1").error());
}

TEST_CASE("file_token_store: a reader never sees a part of what a writer writes", "[auth][threads]") {
  comcp_test::temporary_folder const here;
  auto const file = here.path / "tokens.json";
  std::string const small = "s", large(100'000, 'l');
  REQUIRE(save(file_token_store(file), "a", small));
  std::atomic<bool> done = false, failed = false;
  std::atomic<std::size_t> reads = 0;
  std::thread writer([&] {
    for (int i = 0; i < 100 || reads < 2; ++i) {
      if (!save(file_token_store(file), "a", i % 2 == 0 ? large : small)) failed = true;
    }
    done = true;
  });
  std::size_t torn = 0;
  do {
    auto const seen = load(file_token_store(file), "a");
    if (!seen || (*seen != secret(small) && *seen != secret(large))) ++torn;
    ++reads;
  } while (!done);
  writer.join();
  CHECK_FALSE(failed);
  CHECK(torn == 0);
}
