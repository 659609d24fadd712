// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The locks of a file of credentials, within one process and among several.
#include <comcp/auth/file_token_store.hpp>

#include <string>

#include "support/command.hpp"
#include "support/conversation.hpp"
#include "support/temporary_folder.hpp"

using comcp::errc;
using comcp::file_token_store;
using namespace std::chrono_literals;

namespace {

using lock_result = comcp::result<std::shared_ptr<void>>;

struct lock_talk : comcp_test::conversation {
  comcp_test::temporary_folder folder;
  std::filesystem::path file = folder.path / "tokens.json";

  comcp_test::outcome_of<lock_result> lock(std::string name, std::chrono::milliseconds most) {
    return start(file_token_store(file).lock(std::move(name), most));
  }
  lock_result& wait_for(comcp_test::outcome_of<lock_result> const& o) {
    io.restart();
    auto const limit = std::chrono::steady_clock::now() + 30s;
    while (!o->done() && std::chrono::steady_clock::now() < limit) io.run_one_until(limit);
    REQUIRE(o->ok());
    return **o;
  }
  [[nodiscard]] std::vector<std::string> other(std::string what, std::string more = {}) const {
    std::vector<std::string> argv{std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_store_user", std::move(what), file.string(), "name"};
    if (!more.empty()) argv.push_back(std::move(more));
    return argv;
  }
};

}  // namespace

TEST_CASE("file_token_store: one at a time holds the lock of a name, in one process too", "[auth]") {
  lock_talk talk;
  auto held = talk.wait_for(talk.lock("name", 0ms));
  REQUIRE(held);
  CHECK(talk.wait_for(talk.lock("other", 0ms)));
  CHECK(talk.wait_for(talk.lock("name", 0ms)).error() == errc::timeout);
  CHECK(talk.wait_for(talk.lock("name", 20ms)).error() == errc::timeout);
  auto const next = talk.lock("name", 30s);
  auto const cancelled = talk.lock("name", 30s);
  cancelled->cancel();
  talk.settle();
  CHECK(cancelled->error() == errc::cancelled);
  CHECK_FALSE(next->done());
  held = lock_result(errc::closed);
  CHECK(talk.wait_for(next));
}

TEST_CASE("file_token_store: two processes that count under a lock lose nothing", "[auth]") {
  lock_talk const talk;
  comcp_test::command one(talk.other("count", "50")), two(talk.other("count", "50"));  // each is synced to the disk
  CHECK(one.finish() == 0);
  CHECK(two.finish() == 0);
  INFO(one.err() << two.err());
  lock_talk reader;
  CHECK(reader.finish(file_token_store(talk.file).load("name")).value().value() == comcp::secret("100"));
}

TEST_CASE("file_token_store: the lock of another process ends with it, even when it is killed", "[auth]") {
  lock_talk talk;
  comcp_test::command holder(talk.other("hold"));
  REQUIRE(holder.wait_for_out("held"));
  CHECK(talk.wait_for(talk.lock("name", 10ms)).error() == errc::timeout);
  CHECK(talk.wait_for(talk.lock("other", 0ms)));
  auto const next = talk.lock("name", 30s);
  CHECK_FALSE(next->done());
  holder.signal(SIGKILL);
  CHECK(holder.finish() == 128 + SIGKILL);
  CHECK(talk.wait_for(next));
}

TEST_CASE("file_token_store: a child process inherits no lock", "[auth]") {
  lock_talk talk;
  auto held = talk.wait_for(talk.lock("name", 0ms));
  REQUIRE(held);
  comcp_test::command const child({"/bin/cat"}, comcp_test::input::terminal);
  held = lock_result(errc::closed);
  CHECK(talk.wait_for(talk.lock("name", 0ms)));
}
