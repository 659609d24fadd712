// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command-line tool logs in, uses and renews what is stored, and logs out; no secret is in any of its output.
#if defined(COMCP_CLI) && defined(COMCP_WITH_TLS)

#include <fstream>

#include <sys/stat.h>

#include <comcp/json/value.hpp>

#include "e2e/cli_auth.hpp"

using namespace cli_http;
using comcp_test::browse;
using comcp_test::peer_plan;
using match::contains;

namespace {

std::string stored_text(std::string const& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// As if the tokens had been stored so long ago.
void pass_time(std::string const& file, std::chrono::seconds by) {
  auto text = stored_text(file);
  for (std::string const name : {"expires_at", "granted_at"}) {
    auto const member = text.find(name);
    REQUIRE(member != text.npos);
    auto const at = text.find_first_of("0123456789", member);
    auto const end = text.find_first_not_of("0123456789", at);
    text.replace(at, end - at, std::to_string(std::stoll(text.substr(at, end - at)) - by.count()));
  }
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("cli: login, whoami, a command, logout", "[e2e]") {
  guarded at;
  auto const login = at.log_in();
  CHECK_THAT(login.out, contains("guarded 1.0"));
  CHECK_THAT(login.out, contains("logged in at"));
  struct ::stat about {};
  REQUIRE(::stat(at.store.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  CHECK_THAT(stored_text(at.store), contains("s3cret-access"));  // so the checks of output can fail

  auto const who = at.comcp({"whoami"});
  CHECK(who.status == 0);
  CHECK_THAT(who.out, contains(at.peer.origin()));
  CHECK_THAT(who.out, contains("(dynamic)"));
  CHECK_THAT(who.out, contains("in 59 minutes") || contains("in 60 minutes"));
  CHECK_THAT(who.out, contains("refresh token yes"));
  auto const json = comcp::json::parse(at.comcp({"whoami", "--json"}).out).value();
  CHECK(json.view().find("loggedIn")->get_bool() == true);
  CHECK(json.view().find("scope")->get_string() == "files:read");
  CHECK(json.view().find("hasRefreshToken")->get_bool() == true);

  auto const tools = at.comcp({"tools"});
  CHECK(tools.status == 0);
  CHECK_THAT(tools.out, contains("guarded_tool"));
  CHECK(at.peer.requests("/token").size() == 1);

  CHECK(at.comcp({"logout"}).status == 0);
  CHECK(at.peer.requests("/revoke").size() >= 1);
  CHECK(stored_text(at.store).find("s3cret-access") == std::string::npos);
  CHECK(at.comcp({"whoami"}).status == 6);
  CHECK_THAT(at.comcp({"logout"}).out, contains("Nobody was logged in"));
  CHECK(at.comcp({"tools"}).status == 6);
}

TEST_CASE("cli: without a login a 401 says how to log in", "[e2e]") {
  guarded at;
  auto const r = at.comcp({"tools"});
  CHECK(r.status == 6);
  CHECK_THAT(r.err, contains("comcp --url " + at.peer.url() + " --token-store " + at.store + " login"));
  CHECK_FALSE(std::filesystem::exists(at.store));
  CHECK(at.peer.requests("/register").empty());
  auto const whoami = at.comcp({"whoami", "--json"});
  CHECK(whoami.status == 6);
  CHECK_THAT(whoami.out, contains(R"("loggedIn":false)"));
  // A query may hold a key.
  auto const hidden = run({"tools", "--url", at.peer.url() + "?key=s3cret", "--token-store", at.store});
  CHECK_THAT(hidden.err, contains("comcp --url URL --token-store"));
  CHECK(hidden.err.find("s3cret") == std::string::npos);
}

TEST_CASE("cli: what is stored is renewed ahead of its end, and when the server refuses it", "[e2e]") {
  guarded brief(peer_plan().lifetime(std::chrono::minutes(2)));
  brief.log_in();
  auto const after_login = brief.peer.requests("/token").size();
  CHECK(brief.comcp({"tools"}).status == 0);
  CHECK(brief.peer.requests("/token").size() == after_login);

  guarded soon;
  soon.log_in();
  pass_time(soon.store, std::chrono::minutes(59) + std::chrono::seconds(30));
  CHECK(soon.comcp({"tools"}).status == 0);
  CHECK(soon.peer.requests("/token").size() == 2);

  guarded at;
  at.log_in();
  at.peer.forget_access_tokens();
  CHECK(at.comcp({"tools"}).status == 0);
  CHECK(at.peer.requests("/token").size() == 2);
  CHECK(at.comcp({"tools"}).status == 0);
  CHECK(at.peer.requests("/token").size() == 2);
  at.peer.forget_access_tokens();
  at.peer.forget_refresh_tokens();
  auto const over = at.comcp({"tools"});
  CHECK(over.status == 6);
  CHECK_THAT(over.err, contains(" login"));
}

TEST_CASE("cli: --paste reads the redirect from a terminal that does not show it", "[e2e]") {
  guarded at;
  auto c = at.start({"login", "--paste"}, comcp_test::input::terminal);
  auto const end = browse(at.address_of(c), "http://127.0.0.1:33418/callback");
  REQUIRE(c.wait_for_err("is not shown:"));
  c.type(end.address + "\n");
  CHECK(c.finish() == 0);
  CAPTURE(c.err());
  CHECK_THAT(c.out(), contains("guarded 1.0"));
  CHECK((c.out() + c.err() + c.screen()).find("s3cret") == std::string::npos);
  CHECK(at.comcp({"tools"}).status == 0);
}

TEST_CASE("cli: --paste refuses a redirect of another login, and the end of input", "[e2e]") {
  guarded at;
  auto c = at.start({"login", "--paste"}, comcp_test::input::terminal);
  (void)at.address_of(c);
  REQUIRE(c.wait_for_err("is not shown:"));
  c.type("http://127.0.0.1:33418/callback?code=s3cret-other&state=wrong\n");
  CHECK(c.finish() == 4);
  CHECK((c.out() + c.err()).find("s3cret") == std::string::npos);
  CHECK(at.peer.requests("/token").empty());
  CHECK(at.comcp({"login", "--paste"}).status == 2);  // stdin is /dev/null
}

TEST_CASE("cli: Ctrl-C ends a login that waits for the user", "[e2e]") {
  guarded at;
  auto const flag = GENERATE(as<std::string>(), "--no-browser", "--paste");
  CAPTURE(flag);
  auto c = at.start({"login", flag}, comcp_test::input::terminal);
  (void)at.address_of(c);
  if (flag == "--paste") REQUIRE(c.wait_for_err("is not shown:"));
  c.signal(SIGINT);
  CHECK(c.finish() == 130);
  CHECK(at.comcp({"whoami"}).status == 6);
}

TEST_CASE("cli: a machine logs in with its client credentials, and needs no login before", "[e2e]") {
  guarded at;
  strings const machine{"--client-credentials", "--client-id", "robot", "--client-secret-env", "ROBOT"};
  auto const with = [&machine](std::string const& command) {
    auto all = machine;
    all.insert(all.begin(), command);
    return all;
  };
  CHECK_THAT(at.comcp(with("tools"), {"ROBOT=s3cret-robot"}).out, contains("guarded_tool"));
  auto const who = at.comcp(with("login"), {"ROBOT=s3cret-robot"});
  CHECK(who.status == 0);
  CHECK_THAT(who.out, contains("robot (pre-registered)"));
  CHECK(stored_text(at.store).find("s3cret-robot") == std::string::npos);
  auto const wrong = at.comcp(with("login"), {"ROBOT=s3cret-wrong"});
  CHECK(wrong.status != 0);
  CHECK_THAT(wrong.err, contains("invalid_client"));
  CHECK(at.comcp(with("login")).status == 2);  // no such variable
}

TEST_CASE("cli: every server of a configuration has its own login", "[e2e]") {
  guarded at, other;
  at.log_in();
  auto const file = (at.folder.path / "mcp.json").string();
  std::ofstream(file) << R"({"mcpServers":{"one":{"url":")" << at.peer.url() << R"("},"two":{"url":")"
                      << other.peer.url() << "\"}}}";
  auto const all = run({"--config", file, "tools", "--token-store", at.store, "--timeout", "30"});
  CHECK_THAT(all.out, contains("guarded_tool"));
  CHECK_THAT(all.err, contains("two: "));
  for (auto const& r : other.peer.requests("/mcp")) CHECK(r.header("authorization") == nullptr);
  CHECK(run({"--config", file, "--server", "one", "tools", "--token-store", at.store}).status == 0);
  auto const two = run({"--config", file, "--server", "two", "tools", "--token-store", at.store});
  CHECK(two.status == 6);
  CHECK_THAT(two.err, contains("comcp --config " + file + " --server two --token-store " + at.store + " login"));
}

TEST_CASE("cli: a stored token goes nowhere else, and not beside a token of the user's own", "[e2e]") {
  guarded elsewhere(peer_plan().open());
  auto const stolen = elsewhere.peer.url();
  guarded at(peer_plan().instead([&stolen](comcp_test::recorded_request const& r) -> std::optional<std::string> {
    if (r.target != "/mcp" || !r.header("authorization")) return {};
    return comcp_test::http_answer(307, "", "Location: " + stolen + "\r\n");
  }));
  auto c = at.start({"login", "--no-browser"});
  (void)browse(at.address_of(c));
  CHECK(c.finish() != 0);  // logged in, and cannot connect
  CHECK(at.comcp({"tools"}).status != 0);
  CHECK(elsewhere.peer.requests("/mcp").empty());

  guarded mine;
  mine.log_in();
  CHECK(mine.comcp({"tools", "--header", "Authorization: Bearer mine"}).status == 4);
  CHECK(*mine.peer.requests("/mcp").back().header("authorization") == "Bearer mine");
}

TEST_CASE("cli: a store that others can read is told of, and not used", "[e2e]") {
  guarded at;
  at.log_in();
  REQUIRE(::chmod(at.store.c_str(), 0644) == 0);
  auto const tools = at.comcp({"tools"});
  CHECK(tools.status == 6);
  CHECK_THAT(tools.err, contains("stored logins are not used"));
  CHECK(at.comcp({"whoami"}).status != 0);
  strings const from_variable{"whoami", "--url", at.peer.url()};
  CHECK(run(from_variable, {"COMCP_TOKEN_STORE=" + at.folder.path.string() + "/none.json"}).status == 6);
}

TEST_CASE("cli: options of logins that do not go together are exit status 2", "[e2e]") {
  std::string const url = "http://127.0.0.1:1/mcp";
  for (auto const& wrong :
       {strings{"login"}, strings{"login", "--", "server"}, strings{"doctor", "--", "server"},
        strings{"login", "--url", url, "--bearer", "s3cret"},
        strings{"login", "--url", url, "--header", "Authorization: Basic s3cret"},
        strings{"login", "--url", url, "--client-credentials"},
        strings{"login", "--url", url, "--client-id", "a", "--client-secret-env", "COMCP_NO_SUCH_VARIABLE"},
        strings{"login", "--url", url, "--key", "/no/such/file", "--client-id", "a"},
        strings{"login", "--url", url, "--callback-port", "0"}, strings{"tools", "--scope", "a", "--", "server"},
        strings{"tools", "--url", url, "--bearer", "s3cret", "--client-id", "a"}}) {
    auto const r = run(wrong);
    CAPTURE(r.err);
    CHECK(r.status == 2);
    CHECK_FALSE(r.err.empty());
    CHECK(r.err.find("s3cret") == std::string::npos);
  }
}

#endif
