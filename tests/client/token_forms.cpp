// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// That every operation has a form for completion tokens, with the signature and the end that it should have.
#include <comcp/client/connect.hpp>

#include <type_traits>

#include <asio/bind_executor.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::fake_server;

namespace {

struct sum {
  int value = 0;
};
constexpr auto describe(std::type_identity<sum>) { return json::fields(json::field("sum", &sum::value)); }

// One server for all operations, legacy or modern.
fake_server server_of_everything(asio::io_context& io, bool modern) {
  fake_server s(io.get_executor());
  if (!modern) s.legacy();
  s.answer("tools/call", json::raw(R"({"content":[],"structuredContent":{"sum":3}})"));
  s.answer("tools/list", json::raw(R"({"tools":[]})")).answer("prompts/list", json::raw(R"({"prompts":[]})"));
  s.answer("resources/list", json::raw(R"({"resources":[]})"));
  s.answer("resources/templates/list", json::raw(R"({"resourceTemplates":[]})"));
  s.answer("resources/read", json::raw(R"({"contents":[{"uri":"a:b","text":"read"}]})"));
  s.answer("prompts/get", json::raw(R"({"messages":[]})"));
  s.answer("completion/complete", json::raw(R"({"completion":{"values":["v"]}})"));
  for (auto const* method : {"resources/subscribe", "resources/unsubscribe", "logging/setLevel", "ping", "vendor/x"})
    s.answer(method, json::raw("{}"));
  return s;
}

// Handlers that count how operations end.
struct ends {
  conversation& c;
  int began = 0, well = 0;
  std::vector<error> badly{};
  auto operator()() {
    ++began;
    return [this](error const& why, auto const&...) {
      if (why) badly.push_back(why);
      else ++well;
    };
  }
  void all() {
    CHECK(well + static_cast<int>(badly.size()) == 0);  // nothing ends inside its beginning
    c.settle();
    CHECK(well == began);
    for (auto const& each : badly) FAIL_CHECK(each.to_string());
  }
};

}  // namespace

TEST_CASE("tokens: every operation of a client has its form", "[client]") {
  auto const modern = GENERATE(true, false);
  conversation c;
  auto const server = server_of_everything(c.io, modern);
  auto client = c.connect(server.transport());
  REQUIRE(client);
  call_options const o;
  ends done{c};
  client->async_call_tool("x", args(), o, done());
  client->async_call_tool<sum>("x", args("a", 1), o, [&, end = done()](error const& why, sum s) {
    CHECK(s.value == 3);
    end(why);
  });
  client->async_read_resource("a:b", o, done());
  resource_template t;
  t.uri_template = "a:{x}";
  client->async_read_resource(t, args("x", "b"), o, done());
  client->async_get_prompt("p", args(), o, done());
  client->async_complete(complete_params(prompt_reference("p"), completion_argument("a", "v")), o, done());
  client->async_set_log_level(log_level::info, o, done());
  if (modern) client->async_discover(o, done());
  else client->async_ping(o, done());
  client->async_subscribe("a:b", updated_callback(), o, done());
  subscription_filter wanted;
  wanted.tools_list_changed = true;
  if (modern) client->async_listen(wanted, o, done());
  client->async_request("vendor/x", args(), o, done());
  client->async_notify("vendor/told", args(), done());
  if (!modern) client->async_notify_roots_changed(done());
  client->async_list_tools(o, done());
  client->async_list_resources(o, done());
  client->async_list_resource_templates(o, done());
  client->async_list_prompts(o, done());
  client->async_list_tools_page({}, o, done());
  client->async_list_resources_page({}, o, done());
  client->async_list_resource_templates_page({}, o, done());
  client->async_list_prompts_page({}, o, done());
  client->async_capacity(o, done());
  client->async_transport_info(done());
  done.all();

  ends after{c};
  client->async_unsubscribe("a:b", o, after());
  after.all();
  ends again{c};
  client->async_reconnect(again());
  again.all();
  ends last{c};
  client->async_close(last());
  last.all();
}

TEST_CASE("tokens: any other operation takes them, too", "[client]") {
  conversation c;
  auto const server = server_of_everything(c.io, true);
  auto client = c.connect(server.transport());
  ends done{c};
  auto pages = client->pages<tool>();
  async_operation(client->get_executor(), pages.next(), done());
  done.all();

  error why;
  async_operation(asio::any_io_executor(), comcp::client().call_tool("x"),
                  asio::bind_executor(c.io, [&why](error e, call_tool_result const&) { why = std::move(e); }));
  CHECK(why == all_well);
  c.settle();
  CHECK(why == errc::closed);
}

TEST_CASE("tokens: an operation goes on with resume() and what the caller answers", "[client]") {
  conversation c;
  auto s = modern_script();
  s.expect("tools/call").reply(R"({"resultType":"input_required","requestState":"s"})");
  s.expect("tools/call").reply(tool_text);
  auto client = c.connect(s.transport());
  auto const stopped = c.finish(client->call_tool("x", args(), call_options().manual_input()));
  REQUIRE(stopped);
  std::string text;
  client->async_resume<call_tool_result>(stopped->raw, args(), call_options(),
                                         [&text](error const&, call_tool_result const& r) { text = r.text(); });
  c.settle();
  CHECK(text == "done");
}

static_assert(std::is_same_v<comcp::client::executor_type, asio::any_io_executor>);
static_assert(noexcept(std::declval<comcp::client const&>().get_executor()));
