// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/jsonrpc/decode.hpp>

#include "support/catch.hpp"

using comcp::errc;
using comcp::jsonrpc::envelope;
using kind = comcp::jsonrpc::message_kind;

namespace {

// The envelope's views point into `text`, which therefore lives on.
struct decoded {
  explicit decoded(std::string t) : text(std::move(t)), m(comcp::jsonrpc::decode(comcp::pad(text))) {}
  std::string text;
  envelope m;
};

}  // namespace

TEST_CASE("decode: the four kinds of messages", "[jsonrpc]") {
  decoded const request(R"({"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":1}})");
  CHECK(request.m.kind == kind::request);
  CHECK(request.m.method == "ping");
  CHECK(request.m.raw_id == "\"a\"");
  CHECK_FALSE(request.m.id);
  CHECK(request.m.params == R"({"x":1})");
  decoded const note(R"({"jsonrpc":"2.0","method":"notifications/x"})");
  CHECK(note.m.kind == kind::notification);
  CHECK(note.m.params.empty());
  decoded const response(R"({"jsonrpc":"2.0","id":12,"result":{"a":[1,2]}})");
  CHECK(response.m.kind == kind::response);
  CHECK(response.m.id == 12U);
  CHECK(response.m.result == R"({"a":[1,2]})");
  decoded const error(R"({"jsonrpc":"2.0","id":12,"error":{"code":-1,"message":"m"}})");
  CHECK(error.m.kind == kind::error);
  CHECK(error.m.error == R"({"code":-1,"message":"m"})");
}

TEST_CASE("decode: members may come in any order, with any whitespace", "[jsonrpc]") {
  decoded const d("  { \"result\" : {\"method\":1} ,\r\n\t\"id\" : 3 , \"jsonrpc\" : \"2.0\" } ");
  CHECK(d.m.kind == kind::response);
  CHECK(d.m.id == 3U);
}

TEST_CASE("decode: keys are exact", "[jsonrpc]") {
  CHECK(decoded(R"({"jsonrpc":"2.0","ID":1,"result":{}})").m.kind == kind::invalid);
  CHECK(decoded(R"({"jsonrpc":"2.0","id":1,"Result":{}})").m.kind == kind::invalid);
  CHECK(decoded(R"({"JSONRPC":"2.0","id":1,"result":{}})").m.kind == kind::invalid);
  CHECK(decoded(R"({"jsonrpc":"2.0","Method":"ping"})").m.kind == kind::invalid);
}

TEST_CASE("decode: duplicate keys in the envelope are refused, elsewhere they are not ours to judge", "[jsonrpc]") {
  auto const text = GENERATE(as<std::string>(), R"({"jsonrpc":"2.0","jsonrpc":"2.0","id":5,"result":{}})",
                             R"({"jsonrpc":"2.0","id":5,"result":{},"result":{}})",
                             R"({"jsonrpc":"2.0","id":5,"id":5,"result":{}})",
                             R"({"jsonrpc":"2.0","id":5,"error":{},"error":{}})");
  decoded const d(text);
  CHECK(d.m.kind == kind::invalid);
  CHECK_THAT(d.m.reason, match::contains("duplicate key"));
  CHECK(d.m.id == 5U);  // its caller must learn of it
  CHECK(decoded(R"({"jsonrpc":"2.0","method":"a","method":"b"})").m.kind == kind::invalid);
  CHECK(decoded(R"({"jsonrpc":"2.0","id":5,"result":{"a":1,"a":2}})").m.kind == kind::response);
}

TEST_CASE("decode: an id may also be the string of one of ours", "[jsonrpc]") {
  CHECK(decoded(R"({"jsonrpc":"2.0","id":"12","result":{}})").m.id == 12U);
  CHECK_FALSE(decoded(R"({"jsonrpc":"2.0","id":"012","result":{}})").m.id);
  CHECK_FALSE(decoded(R"({"jsonrpc":"2.0","id":" 12","result":{}})").m.id);
  CHECK_FALSE(decoded(R"({"jsonrpc":"2.0","id":"12x","result":{}})").m.id);
  CHECK_FALSE(decoded(R"({"jsonrpc":"2.0","id":-12,"result":{}})").m.id);
  CHECK_FALSE(decoded(R"({"jsonrpc":"2.0","id":9007199254740992,"result":{}})").m.id);
  CHECK(decoded(R"({"jsonrpc":"2.0","id":9007199254740991,"result":{}})").m.id == 9007199254740991U);
  CHECK_FALSE(decoded(R"({"jsonrpc":"2.0","id":99999999999999999999999,"result":{}})").m.id);
}

TEST_CASE("decode: an id that is no string and no integer makes the message invalid", "[jsonrpc]") {
  auto const id = GENERATE(as<std::string>(), "1.5", "1e-3", "true", "{}", "[1]");
  CHECK(decoded(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{}})").m.kind == kind::invalid);
  CHECK(decoded(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"x"})").m.kind == kind::invalid);
}

TEST_CASE("decode: a null id", "[jsonrpc]") {
  CHECK(decoded(R"({"jsonrpc":"2.0","id":null,"method":"x"})").m.kind == kind::invalid);
  CHECK(decoded(R"({"jsonrpc":"2.0","id":null,"result":{}})").m.kind == kind::invalid);
  decoded const d(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  CHECK(d.m.kind == kind::error);
  CHECK(d.m.raw_id.empty());
}

TEST_CASE("decode: an answer with both or neither of result and error keeps its id", "[jsonrpc]") {
  decoded const both(R"({"jsonrpc":"2.0","id":4,"result":{},"error":{"code":1,"message":""}})");
  CHECK(both.m.kind == kind::invalid);
  CHECK(both.m.id == 4U);
  decoded const neither(R"({"jsonrpc":"2.0","id":4})");
  CHECK(neither.m.kind == kind::invalid);
  CHECK(neither.m.id == 4U);
}

TEST_CASE("decode: what cannot be a request fails nobody's call", "[jsonrpc]") {
  auto const text = GENERATE(as<std::string>(), R"({"jsonrpc":"2.0","id":4,"method":"x","result":{}})",
                             R"({"jsonrpc":"2.0","id":4,"method":"x","params":7})",
                             R"({"jsonrpc":"2.0","id":4,"method":7})", R"({"id":4,"method":"x"})");
  decoded const d(text);
  CHECK(d.m.kind == kind::invalid);
  CHECK_FALSE(d.m.id);
}

TEST_CASE("decode: the version must be 2.0", "[jsonrpc]") {
  CHECK(decoded(R"({"id":4,"result":{}})").m.kind == kind::invalid);
  CHECK(decoded(R"({"jsonrpc":"1.0","id":4,"result":{}})").m.kind == kind::invalid);
  CHECK(decoded(R"({"jsonrpc":2.0,"id":4,"result":{}})").m.kind == kind::invalid);
}

TEST_CASE("decode: an array is a batch, whatever is in it", "[jsonrpc]") {
  CHECK(decoded("[]").m.kind == kind::batch);
  CHECK(decoded(R"( [{"jsonrpc":"2.0","method":"x"}])").m.kind == kind::batch);
}

TEST_CASE("decode: text that is no JSON is invalid, with the id recovered where that is possible", "[jsonrpc]") {
  for (std::string const text : {"", "noise", "{", "{\"jsonrpc\":\"2.0\"", "42", "\"x\"", "null", "{}x"}) {
    CHECK(decoded(text).m.kind == kind::invalid);
    CHECK_FALSE(decoded(text).m.reason.empty());
  }
  decoded const not_utf8("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"a\":\"\xC3\x28\"}}");
  CHECK(not_utf8.m.kind == kind::invalid);
  CHECK(not_utf8.m.id == 9U);
  decoded const broken(R"({"jsonrpc":"2.0","id":9,"result":{"a":[1,2}})");
  CHECK(broken.m.id == 9U);
}

TEST_CASE("decode: the id is recovered from text that is cut off, and only from the outermost object", "[jsonrpc]") {
  auto const id_of = [](std::string text) { return comcp::jsonrpc::decode(comcp::pad(text)).id; };
  CHECK(id_of(R"({"jsonrpc":"2.0","id":7,"result":{"text":"cut of)") == 7);
  CHECK(id_of(R"({"id" : "9" ,"result":{"a":[)") == 9);
  CHECK(id_of("{\"result\":{\"id\":3,\"a\":\"\xff\"},\"id\":8}") == 8);
  CHECK_FALSE(id_of(R"({"result":{"id":3,"x":")").has_value());
  CHECK_FALSE(id_of(R"({"text":"\"id\":3","result":{)").has_value());
  CHECK_FALSE(id_of(R"({"method":"m","id":3,"params":{)").has_value());
  CHECK_FALSE(id_of(R"({"jsonrpc":"2.0","id":12)").has_value());  // more digits may have followed
}

TEST_CASE("decode: escapes in a method name are undone", "[jsonrpc]") {
  CHECK(decoded(R"({"jsonrpc":"2.0","method":"notif\u0069cations\/x"})").m.method == "notifications/x");
}

TEST_CASE("decode_error: code, message and data of the peer", "[jsonrpc]") {
  auto const e = comcp::jsonrpc::decode_error(R"({"code":-32602,"message":"bad","data":{"uri":"x"}})");
  REQUIRE(e.peer());
  CHECK(e.peer()->code == -32602);
  CHECK(e.peer()->message == "bad");
  CHECK(e.peer()->data == R"({"uri":"x"})");
  CHECK(&e.code().category() == &comcp::jsonrpc_category());
  CHECK(comcp::jsonrpc::decode_error(R"({"code":5})").peer()->message.empty());
  for (auto const* const text : {"{}", "null", "7", R"({"code":"x"})", R"({"code":1.5})"}) {
    CHECK(comcp::jsonrpc::decode_error(text) == errc::protocol_violation);
  }
}

TEST_CASE("find_result: the two usual shapes of an answer are seen without reading it", "[jsonrpc]") {
  using comcp::jsonrpc::find_result;
  auto const first = find_result(R"({"jsonrpc":"2.0","id":17,"result":{"a":[1,2]}})");
  REQUIRE(first);
  CHECK(first->id == 17);
  CHECK(first->result == R"({"a":[1,2]})");
  auto const last = find_result(R"({"result":{"a":"}"},"jsonrpc":"2.0","id":1048577})");
  REQUIRE(last);
  CHECK(last->id == 1048577);
  CHECK(last->result == R"({"a":"}"})");
}

TEST_CASE("find_result: what follows the result is left in it, so that it does not parse", "[jsonrpc]") {
  for (auto const* const text :
       {R"({"jsonrpc":"2.0","id":1,"result":{},"result":{}})", R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})",
        R"({"result":{},"id":2,"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"result":})",
        R"({"result":,"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"result":{}}})"}) {
    INFO(text);
    auto const found = comcp::jsonrpc::find_result(text);
    REQUIRE(found);
    CHECK_FALSE(comcp::json::parse(found->result).has_value());
  }
}

TEST_CASE("find_result: everything else is left to decode", "[jsonrpc]") {
  for (auto const* const text :
       {"", "}", "{}", R"({"result":{}})", R"({"jsonrpc":"2.0","id":"1","result":{}})",
        R"({"jsonrpc":"2.0","id":01,"result":{}})", R"({"jsonrpc":"2.0","id":-1,"result":{}})",
        R"({"jsonrpc":"2.0","id":1.0,"result":{}})", R"({"jsonrpc":"2.0","id":1})",
        R"({"jsonrpc":"2.0","id":1,"error":{}})", R"({"jsonrpc":"2.0","id":,"result":{}})",
        R"({"jsonrpc":"1.0","id":1,"result":{}})", R"({"result":{},"jsonrpc":"2.0","id":})",
        R"({"result":{},"jsonrpc":"2.0","id":"1"})", R"({"jsonrpc":"2.0","id":9007199254740992,"result":{}})",
        R"({"jsonrpc":"2.0","id":1,"result":{}} )", R"({"jsonrpc":"2.0","method":"a"})",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\xEF\xBB\xBF{}}"}) {
    INFO(text);
    CHECK_FALSE(comcp::jsonrpc::find_result(text));
  }
}

TEST_CASE("decode: the id of an answer may be written as a double", "[jsonrpc]") {
  for (std::string const as : {"7.0", "7e0", "0.7e1", "7.000"}) {
    INFO(as);
    decoded const answer(R"({"jsonrpc":"2.0","id":)" + as + R"(,"result":{}})");
    CHECK(answer.m.kind == kind::response);
    CHECK(answer.m.id == 7U);
    decoded const failed(R"({"jsonrpc":"2.0","id":)" + as + R"(,"error":{"code":1}})");
    CHECK(failed.m.kind == kind::error);
    CHECK(failed.m.id == 7U);
    decoded const request(R"({"jsonrpc":"2.0","id":)" + as + R"(,"method":"ping"})");
    CHECK(request.m.kind == kind::invalid);
    CHECK_FALSE(request.m.id);
  }
  for (std::string const none : {"7.5", "1e300", "1e17", "true", "[7]"}) {
    decoded const d(R"({"jsonrpc":"2.0","id":)" + none + R"(,"result":{}})");
    CHECK(d.m.kind == kind::invalid);
    CHECK_FALSE(d.m.id);
  }
}

TEST_CASE("decode: an error keeps its code, whatever its message and its data are", "[jsonrpc]") {
  auto const read = [](std::string const& text) { return comcp::jsonrpc::decode_error(text); };
  auto const half = read(R"({"code":-32602,"message":"a\ud83d b\uDE00c \ud83d\ude00","data":{"x":"\udc00"}})");
  REQUIRE(half.peer());
  CHECK(half.peer()->code == -32602);
  CHECK(half.peer()->message == "a\xEF\xBF\xBD b\xEF\xBF\xBD"
                                "c \xF0\x9F\x98\x80");
  CHECK(half.peer()->data == "{\"x\":\"\xEF\xBF\xBD\"}");
  auto const escaped = read(R"({"code":1,"message":"\\ud83d"})");
  CHECK(escaped.peer()->message == "\\ud83d");
  auto const deep = read(R"({"code":7,"message":"m","data":)" + std::string(2000, '[') + std::string(2000, ']') + "}");
  REQUIRE(deep.peer());
  CHECK(deep.peer()->code == 7);
  CHECK(deep.peer()->message == "m");
  CHECK(deep.peer()->data.empty());
  CHECK(read(R"({"code":8,"message":"m","data":1e999})").peer()->code == 8);
  CHECK(read(R"({"message":"\ud83d"})") == errc::protocol_violation);
}

TEST_CASE("decode: a line for people is called so", "[jsonrpc]") {
  CHECK(decoded("npm warn something").m.reason == "not JSON");
  CHECK(decoded("Listening on port 1").m.reason == "not JSON");
  CHECK(decoded("42").m.reason == "no JSON object");
  CHECK(decoded("\"started\"").m.reason == "no JSON object");
  CHECK_THAT(decoded("{ok}").m.reason, match::starts_with("not JSON ("));
  CHECK(decoded("hello").m.text == "hello");
}

TEST_CASE("decode: a stranger's text is shown on one line, visible, cut between characters", "[jsonrpc]") {
  CHECK(comcp::jsonrpc::shown("  plain text \r\n") == "plain text");
  CHECK(comcp::jsonrpc::shown("a\tb\x1B[31m\x7F" "c\xC2\x9B" "d") == "a b<U+001B>[31m<U+007F>c<U+009B>d");
  CHECK(comcp::jsonrpc::shown("caf\xC3\xA9 \xF0\x9F\x9A\x80") == "caf\xC3\xA9 \xF0\x9F\x9A\x80");
  CHECK(comcp::jsonrpc::shown("\xFF\xC3(\xE2\x82") == "<0xFF><0xC3>(<0xE2><0x82>");
  CHECK(comcp::jsonrpc::shown("\xC3\xA9\xC3\xA9\xC3\xA9", 3) == "\xC3\xA9\xC3\xA9...");
  CHECK(comcp::jsonrpc::shown("").empty());
  CHECK(comcp::jsonrpc::shown(" \n").empty());
}
