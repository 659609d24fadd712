// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Whom the command-line tool says that it is, what its tokens are bound to, and waits for a user or a server that have an
// end.
#if defined(COMCP_CLI) && defined(COMCP_WITH_TLS)

#include <atomic>
#include <fstream>

#include <comcp/auth/jose.hpp>

#include "e2e/cli_auth.hpp"
#include "support/signatures.hpp"

using namespace cli_http;
using comcp_test::browse;
using comcp_test::http_answer;
using comcp_test::peer_plan;
using comcp_test::recorded_request;
using comcp_test::token_parts;
using match::contains;

namespace {

std::string field_of(std::string const& form, char const* name) {
  auto const fields = comcp::form_fields::parse(form).value();
  return fields.find(name) ? *fields.find(name) : std::string();
}

std::string parameter_of(std::string const& address, char const* name) {
  return field_of(address.substr(address.find('?') + 1), name);
}

// A port that is bound and never listened on: the system gives it to nobody who does not name it, and whoever sets
// SO_REUSEADDR, as comcp does, can listen there.
class reserved_port {
 public:
  reserved_port() : socket_(io_, asio::ip::tcp::v4()) {
    socket_.set_option(asio::socket_base::reuse_address(true));
    socket_.bind({asio::ip::address_v4::loopback(), 0});
  }
  [[nodiscard]] std::string number() const { return std::to_string(socket_.local_endpoint().port()); }

 private:
  asio::io_context io_;
  asio::ip::tcp::socket socket_;
};

}  // namespace

TEST_CASE("cli: a machine proves itself with --key, which is nowhere but in its file", "[e2e]") {
  auto const key = comcp_test::ec_key();
  auto const pem = comcp_test::pem_of(key, comcp_test::pem_form::pkcs8);
  auto const jwk = comcp::signing_key::load(comcp::private_key::pem(comcp::secret(pem))).value().public_jwk();
  guarded at(peer_plan().assertions([&jwk](std::string const& jwt) {
    return comcp_test::verifies(jwk, jwt) && token_parts(jwt).claims["sub"].as<std::string>() == "robot";
  }));
  auto const file = (at.folder.path / "key.pem").string();
  std::ofstream(file) << pem;
  auto const loose = at.comcp({"login", "--client-credentials", "--client-id", "robot", "--key", file});
  CHECK(loose.status == 2);
  CHECK_THAT(loose.err, contains("--key: others can read or change"));
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  auto const login = at.comcp({"login", "--client-credentials", "--client-id", "robot", "--key", file});
  CAPTURE(login.err);
  CHECK(login.status == 0);
  CHECK_THAT(login.out, contains("robot (pre-registered)"));
  auto const asked = at.peer.requests("/token");
  REQUIRE(asked.size() >= 1);
  token_parts const shown(field_of(asked.front().body, "client_assertion"));
  CHECK(shown.claims["iss"].as<std::string>() == "robot");
  CHECK(shown.claims["aud"].as<std::string>() == at.peer.origin());
  CHECK(field_of(asked.front().body, "client_secret").empty());
  CHECK(asked.front().header("authorization") == nullptr);

  auto const other = (at.folder.path / "other.pem").string();
  comcp_test::write_text(other, "", 0600);
  std::ofstream(other) << comcp_test::pem_of(comcp_test::ec_key(), comcp_test::pem_form::pkcs8);
  auto const wrong = at.comcp({"login", "--client-credentials", "--client-id", "robot", "--key", other});
  CHECK(wrong.status == 4);
  CHECK_THAT(wrong.err, contains("invalid_client"));
  auto const line = pem.substr(pem.find('\n') + 1, 40);
  std::ifstream store(at.store);
  std::string const stored{std::istreambuf_iterator<char>(store), {}};
  CHECK((login.out + login.err + wrong.err + stored).find(line) == std::string::npos);
}

TEST_CASE("cli: --dpop binds the token to a key, and shows it with every request", "[e2e]") {
  guarded at(peer_plan().dpop());
  CHECK_THAT(at.log_in({"--dpop"}).out, contains("without this client's key"));
  CHECK_THAT(at.comcp({"tools"}).out, contains("guarded_tool"));
  auto const last = at.peer.requests("/mcp").back();
  REQUIRE(last.header("dpop"));
  token_parts const proof(*last.header("dpop"));
  CHECK(comcp_test::verifies(proof.header["jwk"].dump(), *last.header("dpop")));
  CHECK(proof.claims["htu"].as<std::string>() == at.peer.url());
  CHECK(proof.claims["htm"].as<std::string>() == last.method);
  token_parts const at_login(*at.peer.requests("/token").front().header("dpop"));
  CHECK(at_login.header["jwk"].dump() == proof.header["jwk"].dump());
}

TEST_CASE("cli: --client-metadata-url is who the client is, and nothing is registered", "[e2e]") {
  std::string const document = "https://client.example.com/comcp.json";
  guarded at(peer_plan().knows(document));
  auto const login = at.log_in({"--client-metadata-url", document});
  CHECK_THAT(login.out, contains(document + " (metadata document)"));
  CHECK(at.peer.requests("/register").empty());
  CHECK(field_of(at.peer.requests("/token").front().body, "client_id") == document);
}

TEST_CASE("cli: --callback-port is where the browser returns to, and is free again after Ctrl-C", "[e2e]") {
  reserved_port const own;
  auto const port = own.number();
  guarded at(peer_plan().knows("by-hand"));
  strings const line{"login", "--no-browser", "--client-id", "by-hand", "--callback-port", port};
  auto first = at.start(line);
  CHECK(parameter_of(at.address_of(first), "redirect_uri") == "http://127.0.0.1:" + port + "/callback");
  auto const meanwhile = at.comcp(line);
  CHECK(meanwhile.status != 0);
  CHECK_THAT(meanwhile.err, contains(port));
  first.signal(SIGINT);
  CHECK(first.finish() == 130);
  auto second = at.start(line);
  CHECK(browse(at.address_of(second)).status == 200);
  CHECK(second.finish() == 0);
  CHECK(at.peer.requests("/register").empty());
}

TEST_CASE("cli: doctor says whether somebody is logged in, and renews nothing", "[e2e]") {
  guarded at;
  CHECK_THAT(at.comcp({"doctor"}).out, contains("Nobody yet"));
  at.log_in();
  auto const before = at.peer.requests("/token").size();
  auto const r = at.comcp({"doctor"});
  CHECK(r.status == 0);
  CHECK_THAT(r.out, contains("Yes; the token expires: in "));
  CHECK_THAT(r.out, contains("Somebody is logged in."));
  CHECK_THAT(at.comcp({"doctor", "--json"}).out, contains(R"("loggedIn":true)"));
  CHECK(at.peer.requests("/token").size() == before);
  std::filesystem::permissions(at.store, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  auto const open = at.comcp({"doctor"});
  CHECK(open.status == 4);
  CHECK_THAT(open.out, contains("Stored logins cannot be used"));
  auto const machine = at.comcp({"doctor", "--client-credentials", "--client-id", "robot", "--client-secret-env", "ROBOT"},
                                {"ROBOT=s3cret-robot"});
  CHECK(machine.status == 4);
  CHECK_THAT(machine.out, contains("Which server it belongs to cannot be read"));
  CHECK(machine.out.find("as the one authorization server") == std::string::npos);
}

TEST_CASE("cli: the trace of a doctor has all of its connections", "[e2e]") {
  guarded at;
  at.log_in();
  auto const file = (at.folder.path / "trace").string();
  CHECK(at.comcp({"doctor", "--trace", file}).status == 0);
  std::ifstream in(file);
  std::size_t begun = 0, lines = 0;
  for (std::string text; std::getline(in, text); ++lines) {
    if (lines == 0) CHECK(text.find("tools/list") == std::string::npos);
    begun += text.find("server/discover") != std::string::npos || text.find("\"initialize\"") != std::string::npos;
  }
  CAPTURE(lines);
  CHECK(begun >= 2);
}

TEST_CASE("cli: doctor and --paste wait for nobody longer than they are told to", "[e2e]") {
  guarded silent(peer_plan().instead([](recorded_request const& r) -> std::optional<std::string> {
    // An answer that begins, and does not end.
    if (r.target == "/mcp") return {};
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
  }));
  auto const r = silent.comcp({"doctor", "--timeout", "2"});
  CHECK(r.status == 4);
  CHECK_THAT(r.out, contains("no answer in time"));

  guarded at;
  auto slow = at.start({"login", "--paste", "--max-time", "0.5"}, comcp_test::input::terminal);
  CHECK(slow.finish() == 5);
  CHECK_THAT(slow.err(), contains("nothing was pasted in time"));
  auto bored = at.start({"login", "--paste"}, comcp_test::input::terminal);
  REQUIRE(bored.wait_for_err("is not shown:"));
  bored.type("\x04");
  CHECK(bored.finish() == 2);
}

TEST_CASE("cli: a token that the server refuses leads to the doctor, not to another login", "[e2e]") {
  guarded at(peer_plan().instead([](recorded_request const& r) -> std::optional<std::string> {
    if (r.target != "/mcp") return {};
    return http_answer(401, "", "WWW-Authenticate: Bearer scope=\"files:read\"\r\n");
  }));
  auto c = at.start({"login", "--no-browser"});
  CHECK(browse(at.address_of(c)).status == 200);
  CHECK(c.finish() == 6);
  CHECK_THAT(c.err(), contains(" doctor"));
  auto const doctor = at.comcp({"doctor"});
  CHECK(doctor.status == 4);
  CHECK_THAT(doctor.out, contains("The server refuses the token of that login"));
  CHECK_THAT(doctor.out, contains("Somebody is logged in, and the server refuses that login"));
}

TEST_CASE("cli: a secret stays with the first authorization server, or the one of --issuer", "[e2e]") {
  guarded other;
  std::atomic<bool> changed = false;
  guarded at(peer_plan().instead([&](recorded_request const& r) -> std::optional<std::string> {
    if (!changed || r.target != "/.well-known/oauth-protected-resource/mcp") return {};
    auto const resource = "http://" + *r.header("host") + "/mcp";
    auto const text = R"({"resource":")" + resource + R"(","authorization_servers":[")" + other.peer.origin() + "\"]}";
    return http_answer(200, text, "Content-Type: application/json\r\n");
  }));
  strings const machine{"--client-credentials", "--client-id", "robot", "--client-secret-env", "ROBOT"};
  auto const with = [&](std::string const& command, strings more = {}) {
    more.insert(more.begin(), machine.begin(), machine.end());
    more.insert(more.begin(), command);
    return at.comcp(std::move(more), {"ROBOT=s3cret-robot"});
  };
  CHECK_THAT(with("tools").out, contains("guarded_tool"));
  std::ifstream store(at.store);
  std::string const stored{std::istreambuf_iterator<char>(store), {}};
  CHECK(stored.find("access_token") == std::string::npos);  // it was no login
  CHECK_THAT(stored, contains("issuer  client robot") && contains(at.peer.origin()));

  changed = true;
  auto const refused = with("tools");
  CHECK(refused.status != 0);
  CHECK_THAT(refused.err, contains(at.peer.origin()) && contains(other.peer.origin()));
  CHECK(other.peer.requests("/token").empty());
  auto const doctor = with("doctor");
  CHECK(doctor.status == 4);
  CHECK_THAT(doctor.out, contains("--issuer"));
  (void)with("tools", {"--issuer", other.peer.origin()});
  CHECK_FALSE(other.peer.requests("/token").empty());
}

TEST_CASE("cli: a machine leaves a user's login of the same client alone", "[e2e]") {
  guarded at(peer_plan().lifetime(std::chrono::seconds(1)));  // so that it is to be renewed
  at.log_in({"--client-id", "robot"});
  auto const stored = [&at] {
    std::ifstream store(at.store);
    return std::string{std::istreambuf_iterator<char>(store), {}};
  };
  auto const before = stored();
  REQUIRE_THAT(before, contains("refresh_token"));
  auto const asked = at.peer.requests("/token").size();
  auto const machine = at.comcp({"tools", "--client-credentials", "--client-id", "robot", "--client-secret-env", "ROBOT"},
                                {"ROBOT=s3cret-robot"});
  CHECK_THAT(machine.out, contains("guarded_tool"));
  auto const all = at.peer.requests("/token");
  REQUIRE(all.size() > asked);
  for (auto i = asked; i < all.size(); ++i) CHECK(field_of(all[i].body, "grant_type") == "client_credentials");
  CHECK(stored().substr(stored().find("tokens ")) == before.substr(before.find("tokens ")));
  CHECK_THAT(at.comcp({"tools", "--client-id", "robot"}).out, contains("guarded_tool"));
}

TEST_CASE("cli: --client-id means no stored login of another client", "[e2e]") {
  guarded at(peer_plan().knows("by-hand"));
  at.log_in();
  auto const other = at.comcp({"tools", "--client-id", "by-hand"});
  CHECK(other.status == 6);
  CHECK(at.comcp({"whoami", "--client-id", "by-hand"}).status == 6);
  CHECK(at.comcp({"tools"}).status == 0);
  at.log_in({"--client-id", "by-hand"});
  CHECK(at.comcp({"tools", "--client-id", "by-hand"}).status == 0);
  CHECK_THAT(at.comcp({"whoami"}).out, contains("by-hand (pre-registered)"));
}

#endif
