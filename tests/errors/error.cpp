// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/error.hpp>

#include "support/catch.hpp"

using comcp::errc;
using comcp::error;

TEST_CASE("error: a default one is no error", "[errors]") {
  error const none;
  CHECK_FALSE(none);
  CHECK(none.message().empty());
  CHECK(none.peer() == nullptr);
  CHECK(none.detail() == nullptr);
}

TEST_CASE("error: an errc converts to an error code of the category comcp", "[errors]") {
  std::error_code const code = errc::timeout;
  CHECK(code.category().name() == std::string("comcp"));
  CHECK(code == std::errc::timed_out);
  CHECK(std::error_code(errc::cancelled) == std::errc::operation_canceled);
  CHECK(std::error_code(errc::queue_full) == std::errc::no_buffer_space);
}

TEST_CASE("error: every errc has a text of its own", "[errors]") {
  std::string before;
  for (int v = 1; v <= static_cast<int>(errc::verification_failed); ++v) {
    auto const text = std::error_code(v, comcp::comcp_category()).message();
    CHECK(text != "unknown comcp error");
    CHECK(text != before);
    before = text;
  }
}

TEST_CASE("error: text, peer and detail are kept apart", "[errors]") {
  comcp::transport_detail detail;
  detail.exit_code = 3;
  detail.stderr_tail = "boom";
  auto const e = error(errc::transport_failed, "server exited").with_peer({-32603, "inner", "{}"}).with_detail(detail);

  CHECK(e == errc::transport_failed);
  CHECK(e.message() == "server exited");
  REQUIRE(e.peer() != nullptr);
  CHECK(e.peer()->data == "{}");
  REQUIRE(e.detail() != nullptr);
  CHECK(e.detail()->exit_code == 3);
  CHECK(e.to_string() == "transport failed: server exited: inner (exit status 3)\nstderr: boom");
}

TEST_CASE("error: a text for logs has nothing that a terminal obeys or that nobody sees; the fields have it raw", "[errors]") {
  comcp::transport_detail detail;
  detail.snippet = "<b>\x9b[31m\r\n\r</b>";
  detail.stderr_tail = "one\n\x1b]0;title\x07two";
  std::string const evil = "line\nERROR forged \x1b[2J \u202e \u061c \u200b \u2028 \u2060 \U000e0041";
  auto const e = error(errc::transport_failed, evil).with_peer({-1, evil, ""}).with_detail(detail);
  auto const text = e.to_string();
  for (auto const* const part : {"\x1b", "\x07", "\x9b", "\r", "\u202e", "\u061c", "\u200b", "\u2028", "\u2060", "\U000e0041"})
    CHECK(text.find(part) == std::string::npos);
  CHECK(text.find("transport failed: line ERROR forged <U+001B>[2J <U+202E> <U+061C> <U+200B> <U+2028> <U+2060> <U+E0041>: line "
                  "ERROR") == 0);
  CHECK(text.find("\n<b><0x9B>[31m\n<U+000D></b>\nstderr: one\n<U+001B>]0;title<U+0007>two") != std::string::npos);
  CHECK(std::string(comcp::exception(e).what()) == text);
  CHECK(e.message() == evil);
  CHECK(e.peer()->message == evil);
  CHECK(e.detail()->snippet == detail.snippet);
}

TEST_CASE("error: adding to one leaves its copies alone", "[errors]") {
  error const first(errc::closed, "first");
  error const second = first.with_message("second");
  CHECK(first.message() == "first");
  CHECK(second.message() == "second");
  CHECK(second == errc::closed);
}

TEST_CASE("error: a peer's error carries its code in the category jsonrpc", "[errors]") {
  auto const e = error::from_peer({-32601, "no such method", ""});
  CHECK(e.code().category() == comcp::jsonrpc_category());
  CHECK(e.code().value() == -32601);
  CHECK_FALSE(e == errc::not_found);
  CHECK(error::from_peer({std::int64_t{1} << 40, "", ""}).code().value() == -32603);
}

TEST_CASE("error: only what was certainly not carried out is retriable", "[errors]") {
  CHECK_FALSE(is_retriable(error(errc::closed)));
  CHECK(is_retriable(error(errc::connect_failed)));
  CHECK(is_retriable(error(errc::queue_full)));
  CHECK_FALSE(is_retriable(error(errc::outcome_unknown)));
  CHECK_FALSE(is_retriable(error(errc::timeout)));
  CHECK_FALSE(is_retriable(error::from_peer({-32603, "", ""})));
}

TEST_CASE("error: what became of the call is stated, or what the code says", "[errors]") {
  CHECK(error(errc::timeout).outcome() == comcp::call_outcome::unstated);
  CHECK(error(errc::outcome_unknown).outcome() == comcp::call_outcome::open);
  CHECK(error(errc::connect_failed).outcome() == comcp::call_outcome::not_sent);
  CHECK(error::from_peer({-32603, "", ""}).outcome() == comcp::call_outcome::known);
  auto const status = [](int n) {
    comcp::transport_detail d;
    d.http_status = n;
    return error(errc::http_status).with_detail(d).outcome();
  };
  CHECK(status(404) == comcp::call_outcome::known);
  CHECK(status(502) == comcp::call_outcome::open);
  auto const stated = error(errc::timeout).with_outcome(comcp::call_outcome::not_sent);
  CHECK(stated.states_outcome());
  CHECK(is_retriable(stated));
  CHECK_FALSE(is_retriable(error(errc::connect_failed).with_outcome(comcp::call_outcome::open)));
  CHECK(stated.with_code(errc::closed).with_message("x").outcome() == comcp::call_outcome::not_sent);
}

TEST_CASE("error: the exception says what the error says", "[errors]") {
  comcp::exception const thrown(error(errc::denied, "not today"));
  CHECK_THAT(thrown.what(), match::contains("not today"));
  CHECK(thrown.error() == errc::denied);
  CHECK(thrown.code() == errc::denied);
}
