// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A client that validates, and a server with tools that have schemas, in one era.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <comcp/client/validation.hpp>

#include "support/conversation.hpp"

namespace comcp_test {

inline std::string const sum_tool =
    R"({"name":"sum","inputSchema":{"type":"object","required":["a","b"],"properties":{"a":{"type":"number"},)"
    R"("b":{"type":"number"}}},"outputSchema":{"type":"object","required":["sum"],"properties":{"sum":{"type":"number"}}}})";
inline std::string const echo_tool =
    R"({"name":"echo","inputSchema":{"type":"object","additionalProperties":{"type":"string"}}})";

struct validated {
  explicit validated(comcp::era era) : server(c.io.get_executor()) {
    if (era == comcp::era::legacy) server.legacy();
    else server.modern();
    list({sum_tool, echo_tool});
    result(R"({"content":[],"structuredContent":{"sum":3}})");
  }

  /// What tools/list answers from now on.
  void list(std::vector<std::string> const& tools) {
    std::string all;
    for (auto const& t : tools) all += (all.empty() ? "" : ",") + t;
    server.answer("tools/list", comcp::json::fragment::trusted(R"({"resultType":"complete","tools":[)" + all + "]}"));
  }
  /// What tools/call answers from now on; complete in the modern era.
  void result(std::string const& text) {
    server.answer("tools/call", comcp::json::fragment::trusted(R"({"resultType":"complete",)" + text.substr(1)));
  }
  template <class Handler = comcp::no_handler>
  void connect(comcp::validation_options const& v = comcp::validation_options(), Handler h = Handler()) {
    client = c.connect(server.transport(), c.options().validate(v), std::move(h)).value();
    c.settle();
    c.faults.clear();
  }
  /// The error that a call ends with, none where it goes well.
  comcp::error call(std::string_view tool, comcp::json::fragment arguments,
                    comcp::call_options o = comcp::call_options()) {
    auto const r = c.finish(client.call_tool(tool, std::move(arguments), std::move(o)));
    return r ? comcp::error() : r.error();
  }
  void tell_change() {
    auto const method = "notifications/tools/list_changed";
    if (client.era() == comcp::era::modern) server.notify_listeners(method);
    else server.notify(method);
    c.settle();
  }
  [[nodiscard]] std::size_t calls() const { return server.count("tools/call"); }
  [[nodiscard]] std::size_t lists() const { return server.count("tools/list"); }

  conversation c;
  comcp::test::fake_server server;
  comcp::client client;
};

inline comcp::era const both_eras[] = {comcp::era::legacy, comcp::era::modern};

inline bool says(comcp::error const& e, std::string_view what) {
  return e.to_string().find(what) != std::string::npos;
}

}  // namespace comcp_test
