// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is kept, for whom, and what keeps it alive.
#include <set>

#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::oauth_talk;

namespace {

constexpr auto token_endpoint = "POST https://as.example/token";

// A store whose disk may be full.
struct full_disk {
  comcp::any_token_store in;
  std::shared_ptr<bool> full = std::make_shared<bool>(false);

  asio::awaitable<comcp::result<std::optional<comcp::secret>>> load(std::string name) { return in.load(std::move(name)); }
  asio::awaitable<comcp::result<void>> save(std::string name, comcp::secret text) {
    return write(in, *full, std::move(name), std::move(text));
  }
  asio::awaitable<comcp::result<void>> remove(std::string name) { return in.remove(std::move(name)); }
  asio::awaitable<comcp::result<std::shared_ptr<void>>> lock(std::string name, std::chrono::milliseconds most) {
    return in.lock(std::move(name), most);
  }
  static asio::awaitable<comcp::result<void>> write(comcp::any_token_store to, bool full, std::string name, comcp::secret text) {
    if (full) co_return comcp::error(comcp::errc::transport_failed, "the disk is full");
    auto saved = co_await to.save(std::move(name), std::move(text));
    co_return saved;
  }
};

// Knows which of its copies live.
class counted {
 public:
  explicit counted(std::shared_ptr<std::set<counted const*>> all) : all_(std::move(all)) { all_->insert(this); }
  counted(counted const& other) : all_(other.all_) { all_->insert(this); }
  counted& operator=(counted const&) = delete;
  ~counted() { all_->erase(this); }

 private:
  std::shared_ptr<std::set<counted const*>> all_;
};

struct at_end {
  explicit at_end(std::function<void()> f) : does(std::move(f)) {}
  at_end(at_end const&) = delete;
  at_end& operator=(at_end const&) = delete;
  ~at_end() { does(); }
  std::function<void()> does;
};

asio::awaitable<void> for_ever() {
  asio::steady_timer forever(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
  co_await forever.async_wait(asio::use_awaitable);
}

}  // namespace

TEST_CASE("oauth: tokens that could not be stored are used, and what they replaced is not taken for newer", "[auth]") {
  oauth_talk t;
  full_disk store;
  store.in = t.store;
  auto options = t.options();
  options.store(store);
  comcp::oauth auth(options);
  REQUIRE(t.ask(auth) == 200);
  *store.full = true;
  SECTION("when they end") {
    for (int i = 0; i < 3; ++i) {
      t.later(3590s);
      CHECK(t.ask(auth) == 200);
    }
    CHECK(t.world->requests(token_endpoint) == 4);
  }
  SECTION("when they are refused") {
    for (int i = 0; i < 3; ++i) {
      t.world->drop_access_tokens();
      CHECK(t.ask(auth) == 401);  // which says that the new ones could not be stored
      CHECK_THAT(t.last.to_string(), match::contains("the disk is full"));
      CHECK(t.ask(auth) == 200);
    }
  }
  CHECK(t.world->visits == 1);
  *store.full = false;
  t.later(3590s);
  CHECK(t.ask(auth) == 200);
  comcp::oauth next(t.without_user());
  CHECK(t.ask(next) == 200);
}

TEST_CASE("oauth: tokens from elsewhere go to no other server, also where the first has its own", "[auth]") {
  oauth_talk t;
  comcp::token_set const given(comcp::secret("a-token-from-elsewhere"));
  t.world->secrets.insert(given.access_token.reveal());
  {
    comcp::oauth before(t.options());
    REQUIRE(t.ask(before) == 200);
  }
  auto options = t.without_user();
  options.tokens(given);
  comcp::oauth auth(options);
  SECTION("which a request finds") { CHECK(t.ask(auth) == 200); }
  SECTION("which a login finds") { CHECK_FALSE(t.get(auth.login(oauth_talk::server))); }
  CHECK(t.ask(auth, "https://mcp2.example/mcp") == 401);
  for (auto const& r : t.world->seen) {
    if (r.url.origin() == "https://mcp2.example") CHECK_FALSE(r.headers.find("Authorization"));
  }
}

TEST_CASE("oauth: what was stored by another issuer than the pinned one is not used", "[auth]") {
  oauth_talk t;
  {
    comcp::oauth before(t.options());
    REQUIRE(t.ask(before) == 200);
  }
  auto options = t.options();
  bool const other = GENERATE(true, false);
  options.issuer(other ? "https://as2.example" : "https://as.example").resource(oauth_talk::server);
  if (other) t.world->issuer = "https://as2.example";
  auto const requests = t.world->seen.size();
  comcp::oauth auth(options);
  CHECK(t.ask(auth) == 200);
  CHECK(t.world->visits == (other ? 2 : 1));
  auto const& first = t.world->seen.at(requests);
  CHECK((first.headers.find("Authorization") == nullptr) == other);
}

TEST_CASE("oauth: a sender that is given up lives as long as its coroutine", "[auth]") {
  oauth_talk t;
  auto const all = std::make_shared<std::set<counted const*>>();
  struct seen {
    bool over = false, lived = false;
  };
  auto const saw = std::make_shared<seen>();
  counted const captured(all);
  auto send = [captured, all, saw](comcp::http_request) -> asio::awaitable<comcp::result<comcp::oauth_response>> {
    auto const look = [known = all, me = &captured, s = saw] {
      s->over = true;
      s->lived = known->count(me) == 1;
    };
    at_end const last(look);
    co_await for_ever();
    co_return comcp::oauth_response();
  };
  auto options = t.options();
  options.sender(std::move(send));
  comcp::oauth auth(options);
  auto const work = t.outcome(auth.login(oauth_talk::server));
  REQUIRE_FALSE(work);
  t.clock->advance(31s);
  t.settle();
  CHECK(saw->over);
  CHECK(saw->lived);
}

TEST_CASE("oauth: a state that a redirect repeats is in no error of finish()", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  auto const begun = t.get(auth.begin(oauth_talk::server, oauth_talk::redirect_uri)).value();
  auto const& state = begun.state.state.reveal();
  t.world->secrets.insert(state);
  auto const back = std::string(oauth_talk::redirect_uri) + "?error=access_denied&error_description=no+" + state +
                    "&iss=https%3A%2F%2Fas.example&state=" + state;
  auto const done = t.get(auth.finish(begun.state, comcp::secret(back)));
  REQUIRE_FALSE(done);
  CHECK_THAT(done.error().to_string(), match::contains("access_denied"));
}

TEST_CASE("oauth: a stored token is its client's, and that of another is neither used nor deleted", "[auth]") {
  oauth_talk t;
  {
    comcp::oauth before(t.options());
    REQUIRE(t.ask(before) == 200);
  }
  auto const name = std::string("tokens  ") + oauth_talk::server;
  auto const kept = t.get(t.store.load(name)).value().value();
  auto options = t.without_user();
  SECTION("an id") { options.client(comcp::oauth_client("another")); }
  SECTION("the same id at another issuer") { options.client(comcp::oauth_client("client-1").issuer("https://as2.example")); }
  comcp::oauth other(options);
  CHECK_FALSE(t.get(other.status(oauth_talk::server)).value().has_value());
  auto const requests = t.world->seen.size();
  CHECK(t.ask(other) != 200);
  for (auto i = requests; i < t.world->seen.size(); ++i) CHECK_FALSE(t.world->seen[i].headers.find("Authorization"));
  REQUIRE(t.get(other.logout(oauth_talk::server)));
  CHECK(t.get(t.store.load(name)).value().value() == kept);
  CHECK(t.world->requests("POST https://as.example/revoke") == 0);

  auto same = t.without_user();
  same.client(comcp::oauth_client("client-1"));
  comcp::oauth known(same);
  CHECK(t.ask(known) == 200);
  comcp::oauth anybody(t.without_user());
  CHECK(t.ask(anybody) == 200);
}

TEST_CASE("oauth: a login that is good for more than its server can be refused", "[auth]") {
  oauth_talk t;
  std::string const origin = "https://mcp.example";
  t.world->spoiled["GET https://mcp.example/.well-known/oauth-protected-resource/mcp"] = comcp_test::fake_answer(
      200, R"({"resource":"https://mcp.example","authorization_servers":["https://as.example"]})");
  bool const yes = GENERATE(true, false);
  std::vector<std::string> asked;
  auto options = t.options();
  options.accept_wider([&](std::string const& resource) { return asked.push_back(resource), yes; });
  comcp::oauth auth(options);
  (void)t.ask(auth);  // the fake takes no such token
  CHECK((t.world->visits > 0) == yes);
  REQUIRE_FALSE(asked.empty());
  CHECK(asked.front() == origin);
  if (!yes) CHECK_THAT(t.last.to_string(), match::contains("it is for all of https://mcp.example, which was not accepted"));

  oauth_talk own;
  auto quiet = own.options();
  quiet.accept_wider([](std::string const&) { return false; });
  comcp::oauth of_the_server(quiet);
  CHECK(own.ask(of_the_server) == 200);
}
