// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Elicitation answers, and validators of other makes.
#include <comcp/client/validation.hpp>

#include <memory>
#include <stdexcept>

#include "support/validated.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::fake_request;

namespace {

std::string const form =
    R"({"mode":"form","message":"?","requestedSchema":{"type":"object","required":["n"],)"
    R"("properties":{"n":{"type":"integer"},"mail":{"type":"string","format":"email"},"loud":{"type":"boolean","default":true}}}})";

struct answers {
  std::string content;
  elicit_result elicit(elicit_params const&) {
    auto r = elicit_result::accept(json::fragment::trusted("{}"));
    r.content = json::parse(content).value();
    return r;
  }
};

// What the server gets: the answer in the legacy era, the responses of the second round in the modern one; null where
// it gets none.
json::value answer_of(era which, std::string const& content, std::optional<validation_options> how,
                      std::vector<error>* faults = nullptr) {
  validated v(which);
  auto options = v.c.options();
  if (how) options.validate(*how);
  v.client = v.c.connect(v.server.transport(), options, answers{content}).value();
  json::value got;
  if (which == era::legacy) {
    v.server.request("elicitation/create", json::fragment::trusted(form),
                     [&](json::value a) { got = a.find("result").value_or(json::value()); });
    v.c.settle();
  } else {
    v.list({});
    v.server.on("tools/call", [&](fake_request const& r) {
      if (!r.params().contains("inputResponses"))
        return r.reply(json::fragment::trusted(
            R"({"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":)" + form + "}}}"));
      got = r.params()["inputResponses"]["k"];
      r.reply(json::fragment::trusted(R"({"resultType":"complete","content":[]})"));
    });
    auto const ended = v.call("asks", args());
    CHECK(static_cast<bool>(ended) == got.is_null());
  }
  if (faults) *faults = v.c.faults;
  return got;
}

// Counts what is compiled and checked; knows one keyword.
struct counting {
  struct counts {
    int compiled = 0, checked = 0;
  };
  struct one {
    std::shared_ptr<counts> seen;
    std::string forbidden;
    [[nodiscard]] result<void> validate(json::view instance) const {
      ++seen->checked;
      if (instance.find(forbidden)) return error(errc::validation_failed, "has " + forbidden);
      return {};
    }
  };
  std::shared_ptr<counts> seen;
  [[nodiscard]] result<one> compile(json::value const& text) const {
    ++seen->compiled;
    auto const word = text.find("x-forbidden");
    return one{seen, word ? word->as<std::string>() : std::string("never")};
  }
};

struct throws {
  struct one {
    [[nodiscard]] result<void> validate(json::view) const { throw std::runtime_error("broken check"); }
  };
  [[nodiscard]] result<one> compile(json::value const& text) const {
    if (text.contains("x-bad")) throw std::runtime_error("broken compiler");
    return one();
  }
};

std::string forbids(std::string const& word) {
  return R"({"name":"t","inputSchema":{"type":"object","x-forbidden":")" + word + R"("}})";
}

}  // namespace

TEST_CASE("validation: elicitation answers are checked, with the options and without them", "[client]") {
  for (auto const era : both_eras) {
    for (auto const& how : {std::optional<validation_options>(), std::optional(validation_options())}) {
      CHECK(answer_of(era, R"({"n":1})", how)["content"] == json::parse(R"({"n":1,"loud":true})").value());
      CHECK(answer_of(era, R"({"n":"one"})", how).is_null());
      CHECK(answer_of(era, R"({"n":1,"mail":"nowhere"})", how).is_null());  // formats are asserted here
      CHECK(answer_of(era, R"({"n":1,"deep":{}})", how).is_null());
    }
  }
}

TEST_CASE("validation: elicitation answers may be warned of, or left alone", "[client]") {
  for (auto const era : both_eras) {
    std::vector<error> faults;
    auto const warned = validation_options().elicitation(validation::warn);
    CHECK(answer_of(era, R"({"n":"one"})", warned, &faults)["content"]["n"].as<std::string>() == "one");
    REQUIRE(faults.size() == 1);
    CHECK(faults[0] == errc::validation_failed);
    auto const off = validation_options().elicitation(validation::off);
    CHECK(answer_of(era, R"({"n":"one"})", off, &faults)["content"]["loud"].as_bool());
    CHECK(faults.empty());
  }
}

TEST_CASE("validation: another validator checks elicitation answers, but for their kinds", "[client]") {
  for (auto const era : both_eras) {
    auto const seen = std::make_shared<counting::counts>();
    validation_options const how(counting{seen});
    CHECK_FALSE(answer_of(era, R"({"n":"one"})", how).is_null());
    CHECK(seen->compiled == 1);
    CHECK(seen->checked == 1);
    CHECK(answer_of(era, R"({"never":1})", how).is_null());
    CHECK(answer_of(era, R"({"n":{}})", how).is_null());
  }
}

TEST_CASE("validation: another validator checks tools, each schema compiled once", "[client]") {
  for (auto const era : both_eras) {
    auto const seen = std::make_shared<counting::counts>();
    validated v(era);
    v.list({forbids("x"), sum_tool});
    v.connect(validation_options(counting{seen}));
    for (int i = 0; i < 5; ++i) {
      CHECK_FALSE(v.call("t", args("y", 1)));
      CHECK(v.call("t", args("x", 1)) == errc::validation_failed);
    }
    CHECK(seen->compiled == 1);
    CHECK(seen->checked == 10);
    CHECK_FALSE(v.call("sum", args("x", 1)));  // input and output
    CHECK(seen->compiled == 3);
    v.tell_change();
    CHECK_FALSE(v.call("t", args("y", 1)));
    CHECK(v.lists() == 2);
    CHECK(seen->compiled == 3);  // it came back unchanged
    v.list({forbids("y")});
    v.tell_change();
    CHECK(v.call("t", args("y", 1)) == errc::validation_failed);
    CHECK(seen->compiled == 4);
  }
}

TEST_CASE("validation: the number of compiled schemas is bounded", "[client]") {
  auto const seen = std::make_shared<counting::counts>();
  validated v(era::legacy);
  std::vector<std::string> tools;
  for (int i = 0; i < 1100; ++i)
    tools.push_back(R"({"name":"t)" + std::to_string(i) + R"(","inputSchema":{"x-forbidden":"x"}})");
  v.list(tools);
  v.connect(validation_options(counting{seen}).output(validation::off));
  for (int i = 0; i < 1100; ++i) CHECK(v.call("t" + std::to_string(i), args("x", 1)) == errc::validation_failed);
  CHECK(seen->compiled == 1100);
  CHECK(v.call("t1099", args("x", 1)) == errc::validation_failed);
  CHECK(seen->compiled == 1100);
  CHECK(v.call("t0", args("x", 1)) == errc::validation_failed);
  CHECK(seen->compiled == 1101);
}

TEST_CASE("validation: what a validator throws is the call's error", "[client]") {
  validated v(era::modern);
  v.list({R"({"name":"t","inputSchema":{}})", R"({"name":"u","inputSchema":{"x-bad":1}})"});
  v.connect(validation_options(throws()));
  CHECK(says(v.call("t", args()), "broken check"));
  CHECK(says(v.call("u", args()), "broken compiler"));
  CHECK(v.calls() == 0);
  CHECK(v.client.status() == connection_status::ready);
}

TEST_CASE("validation: the bundled validator takes options", "[client]") {
  validated v(era::modern);
  v.list({R"({"name":"t","inputSchema":{"properties":{"when":{"format":"date"}}}})"});
  v.connect();
  CHECK_FALSE(v.call("t", args("when", "soon")));
  validated strict(era::modern);
  strict.list({R"({"name":"t","inputSchema":{"properties":{"when":{"format":"date"}}}})"});
  strict.connect(validation_options(bundled_validator(schema_options().assert_formats(true))));
  CHECK(strict.call("t", args("when", "soon")) == errc::validation_failed);
}
