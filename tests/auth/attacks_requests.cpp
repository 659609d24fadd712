// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Attacks on the whole of oauth, second half: on where its requests and the user's browser go, and on what is in them.
#include <comcp/auth/loopback_redirect.hpp>
#include <comcp/auth/oauth_run.hpp>

#include "support/engine_calls.hpp"
#include "support/oauth_talk.hpp"

using namespace std::chrono_literals;
using comcp_test::fake_answer;
using comcp_test::oauth_talk;

namespace {

constexpr auto resource_metadata = "GET https://mcp.example/.well-known/oauth-protected-resource/mcp";
constexpr auto server_metadata = "GET https://as.example/.well-known/oauth-authorization-server";
constexpr auto endpoint = "POST https://mcp.example/mcp";

/// Metadata with one of its URLs replaced.
fake_answer metadata_with(std::string const& name, std::string const& value) {
  comcp::json::object out;
  out.set("issuer", "https://as.example").set("code_challenge_methods_supported", std::vector<std::string>(1, "S256"));
  for (std::string const one : {"authorization", "token", "registration", "revocation"}) {
    auto const member = one + "_endpoint";
    out.set(member, member == name ? value
                                   : "https://as.example/" + (one == "registration" ? "register"
                                                              : one == "revocation" ? "revoke"
                                                                                    : one));
  }
  return fake_answer(200, out.text());
}

fake_answer names(std::string const& issuer) {
  auto const list = comcp::json::object()
                        .set("resource", oauth_talk::server)
                        .set("authorization_servers", std::vector<std::string>(1, issuer));
  return fake_answer(200, list.text());
}

fake_answer challenge(std::string const& text) {
  fake_answer out(401);
  REQUIRE(out.headers.add("WWW-Authenticate", text));
  return out;
}

fake_answer redirect(std::string const& to, int status) {
  fake_answer out(status);
  REQUIRE(out.headers.add("Location", to));
  return out;
}

/// Every host that was asked for anything.
std::set<std::string> hosts(oauth_talk const& t) {
  std::set<std::string> out;
  for (auto const& r : t.world->seen) out.insert(std::string(r.url.host()));
  return out;
}

std::set<std::string> const both{"as.example", "mcp.example"};

constexpr char const* inside[] = {"http://169.254.169.254/latest/meta-data",
                                  "https://10.0.0.1/x",
                                  "https://127.0.0.1:8443/x",
                                  "http://localhost:8080/x",
                                  "https://[::1]/x",
                                  "https://[::ffff:10.0.0.1]/x",
                                  "https://0x7f.1/x",
                                  "https://2130706433/x",
                                  "http://as.example/x"};

/// An authorization server whose name leads to this machine, asked by the default sender.
class request_within {
 public:
  request_within(oauth_talk& t, comcp::http_url const& server, comcp::net::lookup_function lookup,
                 std::shared_ptr<comcp::detail::oauth_addresses> known)
      : io_(t.io),
        inner_(t.io, comcp_test::always(comcp_test::http_answer(200, "{}"))),
        send_(comcp::detail::default_oauth_sender(comcp::endpoint_policy(), 1000, server, comcp::asio_engine_options(),
                                                  comcp::proxy_options::none(), comcp::tls_options(), lookup, known)) {
    asio::co_spawn(io_, ask(), asio::detached);
  }

  void check_refused() {
    io_.restart();
    for (int i = 0; i < 500 && !got_; ++i) io_.run_one_for(20ms);
    CHECK(inner_.connections() == 0);
    REQUIRE(got_);
    CHECK_FALSE(*got_);
  }

 private:
  asio::awaitable<void> ask() {
    auto const url = "https://as.evil.example:" + std::to_string(inner_.port());
    auto r = co_await send_(comcp::http_request(comcp::http_url::parse(url).value()));
    got_.emplace(std::move(r));
  }

  asio::io_context& io_;
  comcp_test::http_peer inner_;
  comcp::oauth_sender send_;
  std::optional<comcp::result<comcp::oauth_response>> got_;
};

}  // namespace

TEST_CASE("attack: SSRF by address: nothing inside is asked, whoever names it", "[auth]") {
  for (auto const* const where : inside) {
    for (int who = 0; who < 7; ++who) {
      INFO(where << " " << who);
      oauth_talk t;
      if (who == 0) t.world->spoiled[endpoint] = challenge(std::string("Bearer resource_metadata=\"") + where + '"');
      if (who == 1) t.world->spoiled[resource_metadata] = names(where);
      if (who == 2) t.world->spoiled[resource_metadata] = redirect(where, 302);
      if (who == 3) t.world->spoiled[server_metadata] = redirect(where, 307);
      if (who == 4) t.world->spoiled[server_metadata] = metadata_with("token_endpoint", where);
      if (who == 5) t.world->spoiled[server_metadata] = metadata_with("registration_endpoint", where);
      if (who == 6) t.world->spoiled[server_metadata] = metadata_with("revocation_endpoint", where);
      comcp::oauth auth(t.options());
      auto const status = t.ask(auth);
      if (who >= 1 && who <= 5) CHECK(status != 200);
      if (who == 6) CHECK(status == 200);
      (void)t.get(auth.logout(oauth_talk::server));
      for (auto const& r : t.world->seen) {
        CHECK(both.contains(std::string(r.url.host())));
        CHECK(r.url.secure());
      }
    }
  }
}

TEST_CASE("attack: SSRF by name: what a name inside resolves to is not connected to", "[auth]") {
  oauth_talk t;
  comcp_test::http_peer inner(t.io, comcp_test::always(comcp_test::http_answer(200, "{}")));
  auto const issuer = "https://as.evil.example:" + std::to_string(inner.port());
  t.world->spoiled[resource_metadata] = names(issuer);
  comcp::net::lookup_function lookup = [](asio::any_io_executor, std::string host, std::uint16_t port,
                                          comcp::net::lookup_done done) {
    auto const* const address = host == "mcp.example" ? "93.184.215.14" : "127.0.0.1";
    comcp::net::endpoints out;
    out.emplace_back(asio::ip::make_address(address), port);
    done({}, out);
  };
  auto const real = comcp::detail::default_oauth_sender(
      comcp::endpoint_policy(), 1000, comcp::http_url::parse(oauth_talk::server).value(), comcp::asio_engine_options(),
      comcp::proxy_options::none(), comcp::tls_options(), lookup);
  auto options = t.options();
  options.sender([real, fake = t.sender()](comcp::http_request r) {
    return r.url.host() == "mcp.example" ? fake(std::move(r)) : real(std::move(r));
  });
  comcp::oauth auth(options);
  auto const asking = t.start(auth);
  for (int i = 0; i < 500 && !asking->over; ++i) t.io.run_one_for(20ms);
  REQUIRE(asking->over);
  CHECK(asking->status != 200);
  CHECK_THAT(asking->failure.to_string(), match::contains(issuer));
  CHECK(inner.connections() == 0);
}

TEST_CASE("attack: SSRF by rebinding: a server cannot move near after it answered with 401", "[auth]") {
  oauth_talk t;
  auto const core = std::make_shared<comcp::detail::oauth_core>(t.options());
  auto const server = comcp::http_url::parse(oauth_talk::server).value();
  comcp::http_response_head refused;
  refused.status = 401;
  refused.address = "93.184.215.14";
  asio::co_spawn(t.io, comcp::detail::answer_challenge(core, server, server, "", refused), asio::detached);
  for (int i = 0; i < 500; ++i) t.io.poll_one();
  auto const known = core->session(server)->addresses;
  CHECK(known->connected);
  CHECK_FALSE(known->allows(asio::ip::make_address("127.0.0.1")));
  CHECK(known->allows(asio::ip::make_address("93.184.215.14")));

  bool asked_again = false;
  comcp::net::lookup_function lookup = [&](asio::any_io_executor, std::string host, std::uint16_t port,
                                           comcp::net::lookup_done done) {
    asked_again = asked_again || host == "mcp.example";
    comcp::net::endpoints near;
    near.emplace_back(asio::ip::make_address("127.0.0.1"), port);
    done({}, near);
  };
  request_within request(t, server, lookup, known);
  request.check_refused();
  CHECK_FALSE(asked_again);
}

TEST_CASE(
    "attack: command injection through the authorization endpoint: the browser gets one http URL in its normal form",
    "[auth]") {
  for (std::string const where :
       {"file:///bin/sh", "javascript:alert(1)", "-oProxyCommand=x", "$(reboot)", "ms-msdt:/id", "data:text/html,x",
        "https://as.example/a\nhttp://evil.example", "\\\\evil\\share\\x.exe"}) {
    INFO(where);
    oauth_talk t;
    t.world->spoiled[server_metadata] = metadata_with("authorization_endpoint", where);
    comcp::oauth auth(t.options());
    CHECK(t.ask(auth) != 200);
    CHECK(t.world->visits + t.world->requests("POST https://as.example/register") == 0);
  }
  for (std::string const where :
       {"https://as.example/a\";calc", "https://as.example/`x`?q=$(x) |y", "https://as.example/<x>\\..\\&calc^"}) {
    INFO(where);
    oauth_talk t;
    t.world->spoiled[server_metadata] = metadata_with("authorization_endpoint", where);
    std::string opened;
    auto open = [&](comcp::http_url const& url) {
      opened = url.text();
      return comcp::result<void>();
    };
    auto options = t.without_user();
    options.user(comcp::loopback_redirect().show_with({}).open_with(open));
    comcp::oauth auth(options);
    auto const asking = t.start(auth);
    for (int i = 0; i < 500 && opened.empty() && !asking->over; ++i) t.io.run_one_for(20ms);
    CHECK(opened.starts_with("https://as.example/"));
    CHECK(opened.find_first_of("\"<>\\ \n") == std::string::npos);
  }
}

TEST_CASE("attack: a redirect carries no token, no code and no secret away", "[auth]") {
  for (int const status : {301, 302, 303, 307, 308}) {
    for (auto const* const what : {endpoint, "POST https://as.example/register", "POST https://as.example/token",
                                   "POST https://as.example/revoke", resource_metadata, server_metadata}) {
      INFO(what << " " << status);
      oauth_talk t;
      comcp::oauth auth(t.options());
      bool const later = what == endpoint || std::string_view(what).ends_with("/revoke");
      if (later) REQUIRE(t.ask(auth) == 200);
      t.world->spoiled[what] = redirect("https://evil.example/take", status);
      (void)t.ask(auth);
      (void)t.get(auth.logout(oauth_talk::server));
      CHECK(t.world->requests(what) > 0);
      CHECK(hosts(t) == (later || what != resource_metadata ? both : std::set<std::string>{"mcp.example"}));
    }
  }
}

TEST_CASE("attack: a refresh that is redirected keeps its token here", "[auth]") {
  oauth_talk t;
  comcp::oauth auth(t.options());
  REQUIRE(t.ask(auth) == 200);
  t.later(3600s);
  t.world->spoiled["POST https://as.example/token"] = redirect("https://evil.example/take", 307);
  CHECK(t.ask(auth) != 200);
  CHECK(hosts(t) == both);
}

TEST_CASE("attack: header injection: no text of a server begins a line of a request", "[auth]") {
  oauth_talk t;
  SECTION("tokens") {
    auto const token = GENERATE(as<std::string>(), "a\\r\\nX-Evil: 1", "a\\nb", "a\\u0000b", "a b", "\\u00e9", "a\\tb");
    INFO(token);
    auto const body = R"({"access_token":")" + token + R"(","token_type":"Bearer"})";
    t.world->spoiled["POST https://as.example/token"] = fake_answer(200, body);
    comcp::oauth auth(t.options());
    CHECK(t.ask(auth) != 200);
    CHECK_THAT(t.last.to_string(), match::contains("no header carries"));
    // It is not kept: the next login is not in its way.
    CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value().has_value());
    t.world->spoiled.clear();
    CHECK(t.ask(auth) == 200);
  }
  SECTION("the type of a token") {
    auto const type = GENERATE(as<std::string>(), "Bearer x\\r\\nX-Evil: 1", "mac", "N_A", "DPoP");
    INFO(type);
    auto const body = R"({"access_token":"a","token_type":")" + type + "\"}";
    t.world->spoiled["POST https://as.example/token"] = fake_answer(200, body);
    comcp::oauth auth(t.options());
    CHECK(t.ask(auth) != 200);
    CHECK_FALSE(t.get(auth.status(oauth_talk::server)).value().has_value());
    t.world->spoiled.clear();
    CHECK(t.ask(auth) == 200);
  }
  SECTION("a client's id and secret") {
    t.world->spoiled["POST https://as.example/register"] =
        fake_answer(201, R"({"client_id":"a\r\nX-Evil: 1","client_secret":"b\r\nX-Evil: 2"})");
    comcp::oauth auth(t.options());
    (void)t.ask(auth);
    CHECK(t.world->visits == 1);
  }
  SECTION("scopes and a resource") {
    t.world->challenge_scope = "";
    t.world->scopes_supported = "read\r\nX-Evil: 1";
    comcp::oauth auth(t.options());
    (void)t.ask(auth);
    CHECK(t.world->visits == 1);
  }
  for (auto const& r : t.world->seen) {
    CHECK_FALSE(r.headers.contains("X-Evil"));
    for (auto const& f : r.headers) CHECK(f.value.find_first_of("\r\n") == std::string::npos);
    CHECK(r.url.text().find_first_of("\r\n ") == std::string::npos);
    CHECK(r.body.find_first_of("\r\n") == std::string::npos);
  }
}

TEST_CASE("attack: a hostile WWW-Authenticate neither leads astray nor fills memory or texts", "[auth]") {
  std::vector<std::string> hostile;
  hostile.push_back("Bearer resource_metadata=\"https://mcp.example/" + std::string(15'000, 'x') + '"');
  hostile.push_back("Bearer resource_metadata=\"https://" + std::string(15'000, 'x') + ".example/\"");
  hostile.push_back("Bearer resource_metadata=\"https://mcp.example/open");
  hostile.push_back("Bearer resource_metadata=javascript:alert(1), scope=\"" + std::string(10'000, 's') + '"');
  hostile.push_back("Bearer resource_metadata=\"https://user:word@mcp.example/\"");
  hostile.push_back("Bearer resource_metadata=\"//evil.example/x\", Bearer resource_metadata=\"\"");
  hostile.push_back("Bearer " + std::string(60'000, '"'));
  hostile.push_back(std::string(60'000, ','));
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "S" + std::to_string(i) + " a=b, ";
  hostile.push_back(many + "Bearer resource_metadata=\"https://evil.example/\"");
  for (auto const& text : hostile) {
    INFO(text.substr(0, 60));
    oauth_talk t;
    t.world->spoiled[endpoint] = challenge(text);
    comcp::oauth auth(t.options());
    CHECK(t.ask(auth) != 200);  // it is never content
    CHECK(t.last == comcp::errc::unauthorized);
    CHECK(t.last.to_string().size() < 4000);
    CHECK(t.last.to_string().find("word@") == std::string::npos);
    CHECK(t.world->visits <= 3);
    for (auto const& host : hosts(t)) CHECK((both.contains(host) || host.size() > 15'000));
    // And without resource metadata nothing that came of it makes the text long.
    t.world->spoiled[resource_metadata] = fake_answer(404);
    comcp::oauth other(t.options().store(comcp::memory_token_store()));
    CHECK(t.ask(other) != 200);
    CHECK(t.last.to_string().size() < 4000);
  }
}

TEST_CASE("attack: SSRF by rebinding: nor does a lookup that was asked before", "[auth]") {
  oauth_talk t;
  auto const server = comcp::http_url::parse(oauth_talk::server).value();
  auto const known = std::make_shared<comcp::detail::oauth_addresses>(comcp::endpoint_policy(), server);
  comcp::net::endpoints near;
  comcp::net::lookup_done slow;
  comcp::net::lookup_function lookup = [&](asio::any_io_executor, std::string host, std::uint16_t port,
                                           comcp::net::lookup_done done) {
    near.assign(1, {asio::ip::make_address("127.0.0.1"), port});
    if (host == "mcp.example") slow = std::move(done);
    else done({}, near);
  };
  request_within request(t, server, lookup, known);
  t.settle();
  known->answered_from("93.184.215.14");  // as the MCP server does while its owner is slow to say where it is
  if (slow) slow({}, near);
  request.check_refused();
}
