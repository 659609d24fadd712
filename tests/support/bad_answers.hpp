// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Every way in which an endpoint of authorization can answer badly, for tests that try all of them.
#pragma once

#include <string>

#include "support/fake_authorization.hpp"

namespace comcp_test {

struct bad_answer {
  char const* name;
  fake_answer (*make)();
};

inline fake_answer never_an_answer() {
  fake_answer out;
  out.never = true;
  return out;
}
inline fake_answer slow_answer() {
  fake_answer out;
  out.slow = true;
  return out;
}
inline fake_answer broken_connection() {
  fake_answer out;
  out.failure = comcp::error(comcp::errc::transport_failed, "the connection broke");
  return out;
}
inline fake_answer redirect_elsewhere() {
  fake_answer out(302);
  (void)out.headers.add("Location", "https://evil.example/");
  return out;
}

inline constexpr bad_answer bad_answers[] = {
    {"HTML", [] { return fake_answer(200, "<html>Log in</html>", "text/html"); }},
    {"nothing", [] { return fake_answer(200, ""); }},
    {"an array", [] { return fake_answer(200, "[]"); }},
    {"null", [] { return fake_answer(200, "null"); }},
    {"no fields", [] { return fake_answer(200, "{}"); }},
    {"wrong types",
     [] {
       return fake_answer(
           200, R"({"resource":1,"issuer":[],"client_id":{},"access_token":7,"token_type":false,"expires_in":"x"})");
     }},
    {"no text at all", [] { return fake_answer(200, std::string("{\"a\":\"\xff\xfe\"}")); }},
    {"10 MB", [] { return fake_answer(200, "{\"a\":\"" + std::string(10'000'000, 'x') + "\"}"); }},
    {"deep nesting", [] { return fake_answer(200, std::string(100'000, '[')); }},
    {"a broken connection", broken_connection},
    {"a redirect", redirect_elsewhere},
    {"404", [] { return fake_answer(404, "not here", "text/plain"); }},
    {"500", [] { return fake_answer(500, R"({"error":"server_error"})"); }},
    {"another error", [] { return fake_answer(400, R"({"error":7})"); }},
    {"slow", slow_answer},
    {"never", never_an_answer},
};

}  // namespace comcp_test
