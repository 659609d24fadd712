// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/protocol/errors.hpp>
#include <comcp/protocol/input_required.hpp>
#include <comcp/protocol/notifications.hpp>
#include <comcp/protocol/roots.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

template <class T>
T from(std::string_view text) {
  return json::parse(text).value().as<T>();
}

}  // namespace

TEST_CASE("notifications: log levels are ordered by severity", "[protocol]") {
  CHECK(log_level::debug < log_level::info);
  CHECK(log_level::error > log_level::warning);
  CHECK(enum_text(log_level::emergency) == "emergency");
  CHECK(enum_from_text<log_level>("notice") == log_level::notice);
  CHECK_FALSE(enum_from_text<log_level>("Notice").has_value());
  auto const message = from<logging_message>(R"({"level":"alert","data":null})");
  CHECK(message.level == log_level::alert);
  CHECK(message.data.is_null());
  auto const odd = json::parse(R"({"level":"loud","data":1})").value();
  CHECK_THAT(odd.get<logging_message>().error().to_string(), match::contains("\"debug\""));
}

TEST_CASE("notifications: progress and cancelling accept both kinds of id", "[protocol]") {
  auto const progress = from<progress_notification>(R"({"progressToken":7,"progress":0.5,"total":1,"message":"half"})");
  CHECK(progress.progress_token == peer_id(7));
  CHECK(progress.total == 1.0);
  CHECK(from<cancelled>(R"({"requestId":"a","reason":"r"})").request_id == peer_id("a"));
  CHECK_FALSE(from<cancelled>("{}").request_id.has_value());
  CHECK(json::to_text(cancelled(3)) == R"({"requestId":3})");
}

TEST_CASE("notifications: those without parameters decode from an empty object", "[protocol]") {
  CHECK(from<tools_list_changed>("{}").meta.is_null());
  CHECK(json::to_text(roots_list_changed()) == "{}");
  CHECK(from<resources_list_changed>(R"({"_meta":{"a":1}})").meta["a"].as_int64() == 1);
  CHECK(from<resource_updated>(R"({"uri":"file:///a"})").uri == "file:///a");
}

TEST_CASE("notifications: a subscription filter is a set", "[protocol]") {
  subscription_filter a;
  a.tools_list_changed = true;
  a.resource_subscriptions = {"b", "a"};
  subscription_filter b;
  b.prompts_list_changed = true;
  b.resource_subscriptions = {"a", "c"};
  auto both = a;
  both.unite(b);
  CHECK(both.resource_subscriptions == std::vector<std::string>{"a", "b", "c"});
  CHECK(both.tools_list_changed);
  CHECK(both.prompts_list_changed);
  CHECK_FALSE(both.resources_list_changed);
  CHECK(both.covers(a));
  CHECK_FALSE(a.covers(both));
  CHECK(both.has_resource("c"));
  auto again = b;
  again.unite(a);
  CHECK(again == both);
  CHECK(a != b);
  CHECK(subscription_filter().empty());
  CHECK_FALSE(a.empty());
  CHECK(json::to_text(a) == R"({"toolsListChanged":true,"resourceSubscriptions":["b","a"]})");
}

TEST_CASE("notifications: keys of extensions count in a subscription filter", "[protocol]") {
  subscription_filter f;
  f.add("jobIds", json::array().add("b").add("a"));
  CHECK_FALSE(f.empty());
  CHECK(f != subscription_filter());
  CHECK(json::to_text(f) == R"({"jobIds":["a","b"]})");
  auto more = f;
  more.add("jobIds", json::array().add("c")).add("jobs", json::raw("true"));
  CHECK(json::to_text(more) == R"({"jobIds":["a","b","c"],"jobs":true})");
  CHECK(more.covers(f));
  CHECK_FALSE(f.covers(more));
  auto const read = json::parse(R"({"jobIds":["c","b","a"],"jobs":true,"off":false,"none":[],"null":null})")
                        .value().get<subscription_filter>().value();
  CHECK(read == more);
  CHECK(json::parse(R"({"off":false,"none":[]})").value().get<subscription_filter>().value().empty());
  subscription_filter lists;
  lists.tools_list_changed = true;
  lists.unite(more);
  CHECK(json::to_text(lists) == R"({"toolsListChanged":true,"jobIds":["a","b","c"],"jobs":true})");
}

TEST_CASE("notifications: an acknowledgement names its subscription", "[protocol]") {
  auto const ack = from<subscriptions_acknowledged>(
      R"({"_meta":{"io.modelcontextprotocol/subscriptionId":5},"notifications":{"resourceSubscriptions":["u"]}})");
  CHECK(ack.subscription_id() == peer_id(5));
  CHECK(ack.notifications.has_resource("u"));
  CHECK_FALSE(from<subscriptions_listen_result>("{}").subscription_id().has_value());
}

TEST_CASE("notifications: a round keeps its state byte for byte and its requests raw", "[protocol]") {
  auto const v = json::parse(R"({"resultType":"input_required","requestState":"a\u0000\"b","inputRequests":
    {"q":{"method":"elicitation/create","params":{"message":"m"},"x":1},"r":{"method":"roots/list"}}})")
                     .value();
  auto const round = v.as<input_required_result>();
  CHECK(round.request_state == std::string("a\0\"b", 4));
  CHECK(round.input_requests->at("q").params["message"].as<std::string>() == "m");
  CHECK(round.input_requests->at("r").params.is_null());
  CHECK(json::to_value(round) == v);
  auto const neither = from<input_required_result>(R"({"resultType":"input_required"})");
  CHECK_FALSE(neither.input_requests.has_value());
  CHECK_FALSE(neither.request_state.has_value());
}

TEST_CASE("notifications: roots are built and compared by value", "[protocol]") {
  CHECK(root("file:///a", "A") == from<root>(R"({"name":"A","uri":"file:///a"})"));
  CHECK(root("file:///a") != root("file:///b"));
  CHECK(json::to_text(list_roots_result({root("file:///a")})) == R"({"roots":[{"uri":"file:///a"}]})");
}

TEST_CASE("errors: the data of known codes is typed", "[protocol]") {
  auto const peer = [](std::int64_t code, char const* data) { return error::from_peer({code, "m", data}); };
  auto const versions = R"({"supported":["2026-07-28"],"requested":"1900-01-01"})";
  CHECK(unsupported_version_of(peer(-32022, versions))->supported == std::vector<std::string>{"2026-07-28"});
  CHECK(unsupported_version_of(peer(-32004, versions))->requested == "1900-01-01");
  CHECK_FALSE(unsupported_version_of(peer(-32001, versions)).has_value());
  CHECK_FALSE(unsupported_version_of(peer(-32022, "")).has_value());
  CHECK_FALSE(unsupported_version_of(peer(-32022, "{}")).has_value());
  CHECK_FALSE(unsupported_version_of(errc::timeout).has_value());
  CHECK(missing_capability_of(peer(-32021, R"({"requiredCapabilities":{"elicitation":{}}})"))
            ->required_capabilities.supports_elicitation_form());
  auto const urls = url_elicitation_required_of(
      peer(-32042, R"({"elicitations":[{"mode":"url","message":"m","url":"https://x.org","elicitationId":"1"}]})"));
  REQUIRE(urls);
  CHECK(urls->elicitations.at(0).elicitation_id == "1");
}

TEST_CASE("errors: codes have names", "[protocol]") {
  CHECK(error_code_name(-32700) == "parse_error");
  CHECK(error_code_name(error_codes::header_mismatch) == "header_mismatch");
  CHECK(error_code_name(-32000).empty());
  CHECK(json::to_text(error_object(-32601, "no", json::to_value(1))) == R"({"code":-32601,"message":"no","data":1})");
}
