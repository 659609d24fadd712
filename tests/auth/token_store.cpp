// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/token_store.hpp>

#include <string>

#include "support/conversation.hpp"

using comcp::errc;
using comcp::secret;
using namespace std::chrono_literals;

namespace {

using lock_result = comcp::result<std::shared_ptr<void>>;

struct store_talk : comcp_test::conversation {
  comcp_test::outcome_of<lock_result> lock(std::string name = "name", std::chrono::milliseconds most = 1h) {
    return start(store.lock(std::move(name), most));
  }
  static bool got(comcp_test::outcome_of<lock_result> const& o) { return o->ok() && (**o).has_value(); }
  static void release(comcp_test::outcome_of<lock_result> const& o) { **o = lock_result(errc::closed); }

  comcp::any_token_store store;
};

}  // namespace

TEST_CASE("token_store: in memory, what was saved is loaded, by copies too", "[auth]") {
  comcp_test::conversation talk;
  comcp::memory_token_store store;
  auto copy = store;
  CHECK_FALSE(talk.finish(store.load("a")).value().value());
  CHECK(talk.finish(store.save("a", secret("1"))).value());
  CHECK(talk.finish(copy.save("a", secret("2"))).value());
  CHECK(talk.finish(store.load("a")).value().value() == secret("2"));
  CHECK(talk.finish(copy.remove("a")).value());
  CHECK(talk.finish(copy.remove("a")).value());
  CHECK_FALSE(talk.finish(store.load("a")).value().value());
}

TEST_CASE("token_store: a name is printable ASCII of 1,024 bytes at most", "[auth]") {
  store_talk talk;
  for (auto const& name : {std::string("a\nb"), std::string("\xc3\xa4"), std::string(1025, 'a'), std::string(1, '\0')}) {
    CHECK(talk.finish(talk.store.load(name)).value().error() == errc::invalid_argument);
    CHECK(talk.finish(talk.store.save(name, secret("x"))).value().error() == errc::invalid_argument);
    CHECK(talk.finish(talk.store.remove(name)).value().error() == errc::invalid_argument);
    CHECK(talk.finish(talk.store.lock(name, 1s)).value().error() == errc::invalid_argument);
  }
  CHECK(talk.finish(talk.store.save(std::string(1024, '~'), secret("x"))).value());
}

TEST_CASE("token_store: one at a time holds the lock of a name, in the order in which they came", "[auth]") {
  store_talk talk;
  auto const first = talk.lock(), second = talk.lock(), third = talk.lock(), other = talk.lock("other");
  CHECK(talk.got(first));
  CHECK(talk.got(other));
  CHECK_FALSE(second->done());
  talk.release(first);
  CHECK_FALSE(second->done());  // never inside the end of another
  talk.settle();
  CHECK(talk.got(second));
  CHECK_FALSE(third->done());
  talk.release(second);
  talk.settle();
  CHECK(talk.got(third));
  talk.release(third);
  CHECK(talk.got(talk.lock()));
}

TEST_CASE("token_store: whoever waits for a lock too long is not in the line any more", "[auth]") {
  store_talk talk;
  auto const first = talk.lock();
  auto const late = talk.lock("name", 0ms);
  auto const negative = talk.lock("name", -5s);
  auto const endless = talk.lock("name", std::chrono::milliseconds::max());
  while (!late->done() || !negative->done()) talk.io.run_one();
  CHECK((**late).error() == errc::timeout);
  CHECK((**negative).error() == errc::timeout);
  CHECK_FALSE(endless->done());
  talk.release(first);
  talk.settle();
  CHECK(talk.got(endless));
}

TEST_CASE("token_store: a cancelled waiter leaves no lock held", "[auth]") {
  store_talk talk;
  auto const first = talk.lock(), second = talk.lock(), third = talk.lock();
  second->cancel();
  talk.settle();
  CHECK(second->error() == errc::cancelled);
  talk.release(first);
  talk.settle();
  REQUIRE(talk.got(third));

  auto const fourth = talk.lock(), fifth = talk.lock();
  talk.release(third);
  fourth->cancel();  // when its turn has come, and it does not know yet
  talk.settle();
  CHECK(fourth->done());
  if (talk.got(fourth)) talk.release(fourth);
  talk.settle();
  CHECK(talk.got(fifth));
}

TEST_CASE("token_store: a lock and those who wait for it may end with their executor", "[auth]") {
  comcp::memory_token_store store;
  std::shared_ptr<void> held;
  {
    comcp_test::conversation gone;
    held = gone.finish(store.lock("name", 1h)).value().value();
    CHECK_FALSE(gone.start(store.lock("name", 1h))->done());
  }
  held.reset();
  comcp_test::conversation talk;
  CHECK(talk.finish(store.lock("name", 1h)).value());
}
