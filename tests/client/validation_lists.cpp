// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the schemas come from.
#include <comcp/client/cache.hpp>
#include <comcp/client/validation.hpp>

#include <stop_token>

#include "support/validated.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::fake_request;

namespace {

// tools/list waits until it is answered by hand.
struct held_lists {
  explicit held_lists(validated& with) : v(with) {
    v.server.on("tools/list", [this](fake_request r) { held.push_back(std::move(r)); });
  }
  void answer(std::size_t i, std::string const& tools) {
    held.at(i).reply(json::fragment::trusted(R"({"resultType":"complete","tools":[)" + tools + "]}"));
    v.c.settle();
  }
  validated& v;
  std::vector<fake_request> held;
};

std::string needs(std::string const& type) {
  return R"({"name":"t","inputSchema":{"type":"object","properties":{"x":{"type":")" + type + R"("}}}})";
}

}  // namespace

TEST_CASE("validation: ten calls at once list the tools once", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    held_lists lists(v);
    std::vector<outcome_of<call_tool_result>> calls;
    for (int i = 0; i < 10; ++i) {
      auto arguments = i % 2 ? args("a", 1, "b", i) : args("a", i);
      calls.push_back(v.c.start(v.client.call_tool("sum", std::move(arguments))));
    }
    CHECK(lists.held.size() == 1);
    CHECK(v.calls() == 0);
    lists.answer(0, sum_tool);
    CHECK(v.calls() == 5);
    for (std::size_t i = 0; i < 10; ++i) {
      CHECK(calls[i]->times == 1);
      CHECK(calls[i]->ok() == (i % 2 == 1));
    }
    CHECK(v.lists() == 1);
  }
}

TEST_CASE("validation: what was listed already needs no list", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    CHECK(v.c.finish(v.client.list_tools())->size() == 2);
    CHECK(v.call("sum", args("a", 1)) == errc::validation_failed);
    CHECK_FALSE(v.call("sum", args("a", 1, "b", 2)));
    CHECK(v.lists() == 1);
    CHECK_FALSE(v.call("nowhere", args("x", 1)));  // perhaps on another page: one list of our own
    CHECK_FALSE(v.call("nowhere", args("x", 1)));
    CHECK(v.lists() == 2);
  }
}

TEST_CASE("validation: lists that come by way of the cache are learned, too", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    auto const options = v.c.options().validate(validation_options()).cache(cache_options());
    v.client = v.c.connect(v.server.transport(), options).value();
    REQUIRE(v.c.finish(v.client.list_tools()));
    CHECK(v.call("sum", args("a", 1)) == errc::validation_failed);
    CHECK(v.lists() == 1);
    CHECK(v.calls() == 0);
  }
}

TEST_CASE("validation: a tool that the server does not list is called unchecked", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    CHECK_FALSE(v.call("hidden", args("anything", 1)));
    CHECK_FALSE(v.call("hidden", args("anything", 2)));
    CHECK(v.calls() == 2);
    CHECK(v.lists() == 1);
    CHECK(v.c.faults.empty());
  }
}

TEST_CASE("validation: every page is walked", "[client]") {
  validated v(era::modern);
  v.connect();
  v.server.on("tools/list", [](fake_request const& r) {
    bool const second = r.params().contains("cursor");
    r.reply(json::fragment::trusted(second ? R"({"resultType":"complete","tools":[)" + sum_tool + "]}"
                                           : R"({"resultType":"complete","nextCursor":"2","tools":[)" + echo_tool + "]}"));
  });
  CHECK(v.call("sum", args("a", 1)) == errc::validation_failed);
  CHECK(v.lists() == 2);
  v.server.answer("tools/list", json::fragment::trusted(R"({"resultType":"complete","nextCursor":"","tools":[]})"));
  v.tell_change();
  auto const e = v.call("sum", args("a", 1, "b", 2));
  CHECK(e == errc::protocol_violation);
  CHECK(says(e, "one cursor twice"));
}

TEST_CASE("validation: a change of the list drops what was learned", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.list({needs("number")});
    v.connect();
    CHECK(v.call("t", args("x", "s")) == errc::validation_failed);
    v.list({needs("string")});
    CHECK(v.call("t", args("x", "s")) == errc::validation_failed);  // nobody said so yet
    v.tell_change();
    CHECK_FALSE(v.call("t", args("x", "s")));
    CHECK(v.call("t", args("x", 1)) == errc::validation_failed);
    CHECK(v.lists() == 2);
    v.list({});
    v.tell_change();
    CHECK_FALSE(v.call("t", args("x", 1)));  // gone: the server decides
    CHECK(v.lists() == 3);
  }
}

TEST_CASE("validation: a change while the tools are listed lists them again", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    held_lists lists(v);
    auto const call = v.c.start(v.client.call_tool("t", args("x", "s")));
    REQUIRE(lists.held.size() == 1);
    v.tell_change();
    lists.answer(0, needs("number"));
    REQUIRE(lists.held.size() == 2);
    CHECK_FALSE(call->done());
    lists.answer(1, needs("string"));
    CHECK(call->ok());
  }
}

TEST_CASE("validation: a list that changes whenever it is asked for fails strict calls", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    held_lists lists(v);
    auto const call = v.c.start(v.client.call_tool("t", args("x", "s")));
    for (std::size_t i = 0; i < 3; ++i) {
      REQUIRE(lists.held.size() == i + 1);
      v.tell_change();
      lists.answer(i, needs("number"));
    }
    CHECK(lists.held.size() == 3);
    CHECK(says(call->error(), "could not be listed"));
    CHECK(v.calls() == 0);
  }
}

TEST_CASE("validation: what may be older than the last change is not learned", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    held_lists lists(v);
    auto const list = v.c.start(v.client.list_tools());
    v.tell_change();
    lists.answer(0, needs("number"));
    REQUIRE(list->ok());
    v.list({needs("string")});
    CHECK_FALSE(v.call("t", args("x", "s")));
  }
}

TEST_CASE("validation: a stale list from the cache is not learned", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    auto const cache = cache_options().stale_on_error(std::chrono::hours(1));
    v.client = v.c.connect(v.server.transport(), v.c.options().validate(validation_options()).cache(cache)).value();
    v.list({needs("number")});
    REQUIRE(v.c.finish(v.client.list_tools()));
    v.tell_change();
    v.server.silent("tools/list");
    auto const list = v.c.start(v.client.list_tools());
    v.c.advance(std::chrono::seconds(30));
    REQUIRE(list->ok());
    v.list({needs("string")});
    CHECK_FALSE(v.call("t", args("x", "s")));
  }
}

TEST_CASE("validation: a list that does not come ends the wait, not the walk", "[client]") {
  using std::chrono::seconds;
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    held_lists lists(v);
    auto const first = v.c.start(v.client.call_tool("sum", args("a", 1, "b", 2), call_options().timeout(seconds(2))));
    auto const second = v.c.start(v.client.call_tool("sum", args("a", 1, "b", 2)));
    std::stop_source stop;
    auto const third = v.c.start(v.client.call_tool("sum", args("a", 1, "b", 2), call_options().stop(stop.get_token())));
    auto const fourth = v.c.start(v.client.call_tool("sum", args("a", 1, "b", 2)));
    stop.request_stop();
    fourth->cancel();
    v.c.advance(seconds(3));
    CHECK(first->error() == errc::timeout);
    CHECK(third->error() == errc::cancelled);
    CHECK(fourth->error() == errc::cancelled);
    CHECK_FALSE(second->done());
    lists.answer(0, sum_tool);
    CHECK(second->ok());
    CHECK(v.lists() == 1);
    CHECK(v.calls() == 1);
  }
}

TEST_CASE("validation: what the wait took is missing from the call's time", "[client]") {
  using std::chrono::seconds;
  validated v(era::legacy);
  v.connect();
  v.server.silent("tools/call");
  held_lists lists(v);
  auto const call = v.c.start(v.client.call_tool("sum", args("a", 1, "b", 2), call_options().timeout(seconds(10))));
  v.c.advance(seconds(6));
  lists.answer(0, sum_tool);
  CHECK(v.calls() == 1);
  v.c.advance(seconds(3));
  CHECK_FALSE(call->done());
  v.c.advance(seconds(2));
  CHECK(call->error() == errc::timeout);
}

TEST_CASE("validation: a list that fails fails strict calls, and is asked for again", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    v.server.on("tools/list", [](fake_request const& r) { r.fail(-32603, "busy"); });
    auto const e = v.call("sum", args("a", 1, "b", 2));
    REQUIRE(e.peer());
    CHECK(e.peer()->message == "busy");
    CHECK(says(e, "could not be listed"));
    CHECK(v.calls() == 0);
    v.list({sum_tool});
    CHECK_FALSE(v.call("sum", args("a", 1, "b", 2)));

    validated lax(era);
    lax.connect(validation_options().arguments(validation::warn).output(validation::warn));
    lax.server.on("tools/list", [](fake_request const& r) { r.fail(-32603, "busy"); });
    CHECK_FALSE(lax.call("sum", args("a", 1)));
    CHECK(lax.c.faults.size() == 1);
  }
}

TEST_CASE("validation: the definition that comes with a call counts, and needs no list", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    tool own;
    own.name = "sum";
    own.input_schema = json::parse(R"({"type":"object","required":["c"]})").value();
    auto const with = call_options().tool(own);
    CHECK(v.call("sum", args("a", 1, "b", 2), with) == errc::validation_failed);
    CHECK_FALSE(v.call("sum", args("c", 1), with));
    own.output_schema = json::parse(R"({"required":["total"]})").value();
    CHECK(v.call("sum", args("c", 1), call_options().tool(own)) == errc::validation_failed);
    CHECK(v.calls() == 2);
    CHECK(v.lists() == 0);
  }
}

TEST_CASE("validation: closing ends the wait for the list", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    v.connect();
    held_lists lists(v);
    auto const call = v.c.start(v.client.call_tool("sum", args("a", 1, "b", 2)));
    v.c.start(v.client.close());
    CHECK(call->error() == errc::closed);
    CHECK(v.calls() == 0);
  }
}

TEST_CASE("validation: a server that restarted is asked anew", "[client]") {
  for (auto const era : both_eras) {
    validated v(era);
    auto const options = v.c.options()
                             .validate(validation_options())
                             .reconnect(reconnect_policy().jitter(0).attempts(3));
    v.client = v.c.connect(v.server.transport(), options).value();
    CHECK_FALSE(v.call("sum", args("a", 1, "b", 2)));
    v.server.drop();
    v.c.settle();
    v.list({R"({"name":"sum","inputSchema":{"type":"object","maxProperties":0}})"});
    v.c.advance(std::chrono::seconds(1));
    CHECK(v.call("sum", args("a", 1, "b", 2)) == errc::validation_failed);
    CHECK(v.lists() == 2);
  }
}

TEST_CASE("validation: a call without the capability fails before anything is listed", "[client]") {
  validated v(era::legacy);
  v.server.capabilities("{}");
  v.connect();
  CHECK(v.call("sum", args("a", 1)) == errc::capability_missing);
  CHECK(v.lists() == 0);
}

TEST_CASE("validation: a strict call of a tool that could not be parsed is not sent", "[client]") {
  validated v(era::legacy);
  std::string const many(300, '[');
  v.server.answer("tools/list", json::fragment::trusted(R"({"tools":[{"name":"deep","inputSchema":)" + many +
                                                        std::string(300, ']') + "}," + sum_tool + "]}"));
  v.connect();
  auto const e = v.call("deep", json::fragment());
  CHECK(e == errc::limit_exceeded);
  CHECK(says(e, "max_depth"));
  CHECK(v.calls() == 0);
  CHECK_FALSE(v.call("sum", args("a", 1, "b", 2)));
}
