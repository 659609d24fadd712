// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/jsonrpc/encode.hpp>

#include <comcp/jsonrpc/decode.hpp>

#include "support/catch.hpp"

namespace rpc = comcp::jsonrpc;

TEST_CASE("encode: a request's beginning", "[jsonrpc]") {
  CHECK(rpc::begin_request(9007199254740991, "tools/call", 0) ==
        R"({"jsonrpc":"2.0","id":9007199254740991,"method":"tools/call")");
}

TEST_CASE("encode: notifications and answers", "[jsonrpc]") {
  CHECK(rpc::notification("notifications/initialized", {}) == R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  CHECK(rpc::notification("n", R"({"a":1})") == R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})");
  CHECK(rpc::response("\"x\"", "{}") == R"({"jsonrpc":"2.0","id":"x","result":{}})");
  CHECK(rpc::error_response("7", {-32601, "No \"such\"\nmethod", R"({"m":1})"}) ==
        R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"No \"such\"\nmethod","data":{"m":1}}})");
}

TEST_CASE("encode: what is written is read back as the same", "[jsonrpc]") {
  auto text = rpc::error_response("3", {1, "tab\tquote\"", {}});
  auto const m = rpc::decode(comcp::pad(text));
  CHECK(m.kind == rpc::message_kind::error);
  CHECK(rpc::decode_error(m.error).peer()->message == "tab\tquote\"");
}

TEST_CASE("encode: method names that would need escaping are told apart", "[jsonrpc]") {
  CHECK(rpc::is_plain_method("tools/call"));
  CHECK(rpc::is_plain_method("vendor.x-y_z/$1"));
  for (std::string const bad : {"", "a\"b", "a\\b", "a\nb", "\x7F", "caf\xC3\xA9"}) CHECK_FALSE(rpc::is_plain_method(bad));
}
