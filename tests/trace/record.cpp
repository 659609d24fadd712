// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Recordings: the line for each message, and that no secret gets into one.
#include <comcp/trace/record.hpp>

#include <chrono>
#include <string>
#include <vector>

#include <comcp/json/describe.hpp>

#include "support/catch.hpp"

using comcp::direction;
using namespace std::chrono_literals;

namespace {

std::string redacted(std::string_view text) {
  auto const v = comcp::json::parse(text).value();
  return comcp::redacted(v.view());
}

// The text that a string value becomes.
std::string redacted_string(std::string_view text) {
  auto const v = comcp::json::parse(redacted(comcp::json::to_text(std::string(text)))).value();
  return std::string(v.as_string());
}

std::chrono::system_clock::time_point const noon{1'790'000'000s + 123'456us};

}  // namespace

TEST_CASE("record: keys that hold secrets are known in every spelling", "[trace]") {
  for (auto const* const key :
       {"password", "Password", "db_password", "PASSWD", "pwd", "passphrase", "secret", "client_secret", "clientSecret",
        "token", "access_token", "accessToken", "id-token", "tokens", "Authorization", "proxy-authorization", "apiKey",
        "api_key", "X-API-Key", "AWS_SECRET_ACCESS_KEY", "private_key", "credentials", "Cookie", "Set-Cookie",
        "Mcp-Session-Id", "auth", "jwt", "bearer"}) {
    CAPTURE(key);
    CHECK(comcp::is_secret_key(key));
  }
  for (auto const* const key : {"progressToken", "nextPageToken", "name", "key", "author", "tokenizer", "cursor",
                                "token_type", "token_endpoint", "passwordLength", "passed", "compass", "uri", ""}) {
    CAPTURE(key);
    CHECK_FALSE(comcp::is_secret_key(key));
  }
}

TEST_CASE("record: strings and numbers of a secret key become ***, at any depth", "[trace]") {
  CHECK(redacted(R"({"params":{"arguments":{"user":"ann","password":"hunter2"}}})") ==
        R"({"params":{"arguments":{"user":"ann","password":"***"}}})");
  CHECK(redacted(R"({"credentials":{"user":"ann","list":["a",1,{"x":"y"}]}})") ==
        R"({"credentials":{"user":"ann","list":["a",1,{"x":"y"}]}})");
  CHECK(redacted(R"({"tokens":["a",1,{"x":"y","token":"z"},["b"]]})") ==
        R"({"tokens":["***","***",{"x":"y","token":"***"},["***"]]})");
  CHECK(redacted(R"({"pin":1,"otp":123456})") == R"({"pin":1,"otp":"***"})");
}

TEST_CASE("record: what is no secret stays as it is", "[trace]") {
  for (auto const* const text :
       {R"({"_meta":{"progressToken":"t-1"},"maxTokens":100,"usage":{"inputTokens":3}})",
        R"({"password":true,"token":null,"secret":false})", R"({"n":[1,-2,3.5,18446744073709551615,1e300]})",
        R"({"text":"the bearer of news, basic advice; a=b&c=d https://example.org/?q=1"})",
        R"({"text":"{\"a\": [1, 2]}"})", R"(["",{},[],"grüße \u0000 \"x\""])"}) {
    CAPTURE(text);
    auto const v = comcp::json::parse(text).value();
    CHECK(redacted(text) == v.dump());
  }
}

TEST_CASE("record: the fields of a schema stay readable, their defaults do not", "[trace]") {
  CHECK(redacted(R"({"inputSchema":{"type":"object","properties":{"password":{"type":"string","minLength":8,
                    "default":"abc","examples":["x"]},"age":{"default":3}},"required":["password"]}})") ==
        R"({"inputSchema":{"type":"object","properties":{"password":{"type":"string","minLength":8,"default":"***",)"
        R"("examples":["***"]},"age":{"default":3}},"required":["password"]}})");
  CHECK(redacted(R"({"inputSchema":{"password":"x"}})") == R"({"inputSchema":{"password":"***"}})");
}

TEST_CASE("record: what a server calls by the name of a secret does not hide what is below", "[trace]") {
  for (auto const* const text : {R"({"auth":{"schemes":["basic"],"next":{"method":"x"}}})", R"({"secretary":{"name":"Ann"}})",
                                 R"({"inputSchema":{"properties":{"auth":{"properties":{"user":{"default":"ann"}}}}}})"})
    CHECK(redacted(text) == text);
  CHECK(redacted(R"({"auth":{"password":"x","user":"ann"}})") == R"({"auth":{"password":"***","user":"ann"}})");
}

TEST_CASE("record: a pair of name and value counts as a member", "[trace]") {
  CHECK(redacted(R"({"argument":{"name":"api_key","value":"k-123"}})") ==
        R"({"argument":{"name":"api_key","value":"***"}})");
  CHECK(redacted(R"({"argument":{"name":"city","value":"Paris"}})") ==
        R"({"argument":{"name":"city","value":"Paris"}})");
}

TEST_CASE("record: secrets inside of strings are found", "[trace]") {
  CHECK(redacted_string("Authorization: Bearer eyJhbGciOi.abc.def, next") == "Authorization: Bearer ***, next");
  CHECK(redacted_string("basic dXNlcjpwYXNzd29yZA==") == "basic ***");
  CHECK(redacted_string("https://api.example/x?page=2&access_token=abc123&z=1#top") ==
        "https://api.example/x?page=2&access_token=***&z=1#top");
  CHECK(redacted_string("API_KEY=abc HOME=/root\nDB_PASSWORD=\"x y\"") ==
        "API_KEY=*** HOME=/root\nDB_PASSWORD=\"***\"");
  CHECK(redacted_string("postgres://ann:pw@db:5432/x and https://example.org/a@b") ==
        "postgres://***@db:5432/x and https://example.org/a@b");
  CHECK(redacted_string("{\n  \"API_KEY\": \"abc\", \"HOME\": \"/root\"\n}") == R"({"API_KEY":"***","HOME":"/root"})");
  CHECK(redacted_string(R"([{"x":"{\"token\":\"t\"}"}])") == R"([{"x":"{\"token\":\"***\"}"}])");
}

TEST_CASE("record: a line has time, direction and message", "[trace]") {
  CHECK(comcp::record_line(direction::sent, R"({"jsonrpc":"2.0", "method":"ping"})", noon) ==
        R"({"time":"2026-09-21T14:13:20.123456Z","direction":"sent","message":{"jsonrpc":"2.0","method":"ping"}})");
  CHECK(comcp::record_line(direction::received, "{}", {}) ==
        R"({"time":"1970-01-01T00:00:00.000000Z","direction":"received","message":{}})");
}

TEST_CASE("record: of a message that cannot be read only its size is kept", "[trace]") {
  CHECK(comcp::record_line(direction::received, R"({"password":"x)", {}) ==
        R"({"time":"1970-01-01T00:00:00.000000Z","direction":"received","unreadable":14})");
}

TEST_CASE("record: record_to gives each message as a line", "[trace]") {
  std::vector<std::string> lines;
  auto const trace = comcp::record_to([&](std::string_view line) { lines.emplace_back(line); }, [] { return noon; });
  trace(direction::sent, "[1]");
  trace(direction::received, "[2]");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == R"({"time":"2026-09-21T14:13:20.123456Z","direction":"sent","message":[1]})");
  CHECK(lines[1] == R"({"time":"2026-09-21T14:13:20.123456Z","direction":"received","message":[2]})");
}
