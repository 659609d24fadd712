// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/auth/form.hpp>

#include <string>

#include "support/catch.hpp"

using comcp::form_fields;

TEST_CASE("form: what was added is encoded as browsers do", "[auth]") {
  form_fields form;
  form.add("a", "1").add("b", "x y+z").add("c", "https://h/p?q=1&r=%").add("d", "").add("\xC3\xA9", "*-._~\n");
  CHECK(form.text() == "a=1&b=x+y%2Bz&c=https%3A%2F%2Fh%2Fp%3Fq%3D1%26r%3D%25&d=&%C3%A9=*-._%7E%0A");
  auto const back = form_fields::parse(form.text());
  REQUIRE(back);
  CHECK(*back == form);
  CHECK(form_fields().text().empty());
}

TEST_CASE("form: every byte survives the way there and back", "[auth]") {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  auto const back = form_fields::parse(form_fields().add(all, all).text());
  REQUIRE(back);
  REQUIRE(back->find(all));
  CHECK(*back->find(all) == all);
}

TEST_CASE("form: odd but legal texts", "[auth]") {
  auto const form = form_fields::parse("&&a&b=&=c&d=1=2&e=%41%5a%5A&a=again&");
  REQUIRE(form);
  CHECK(form->text() == "a=&b=&=c&d=1%3D2&e=AZZ&a=again");
  CHECK(form->count("a") == 2);
  CHECK(form->count("nope") == 0);
  REQUIRE(form->find("a"));
  CHECK(form->find("a")->empty());
  CHECK(form->find("nope") == nullptr);
  REQUIRE(form_fields::parse(""));
  CHECK(form_fields::parse("")->text().empty());
}

TEST_CASE("form: malformed escapes and too many fields are errors that quote nothing", "[auth]") {
  for (auto const text : {"secret=%", "secret=%4", "secret=%4g", "%g4", "secret=%%41", "a=%+1"}) {
    auto const form = form_fields::parse(text);
    REQUIRE_FALSE(form);
    CHECK(form.error() == comcp::errc::invalid_argument);
    CHECK(form.error().to_string().find("secret") == std::string::npos);
  }
  std::string most;
  for (int i = 0; i < 256; ++i) most += "a&";
  CHECK(form_fields::parse(most));
  CHECK_FALSE(form_fields::parse(most + "a"));
}

TEST_CASE("form: set replaces every field of that name, in place", "[auth]") {
  form_fields form;
  form.add("a", "1").add("b", "2").add("a", "3").add("c", "4");
  CHECK(form.set("a", *form.find("a")).text() == "a=1&b=2&c=4");
  CHECK(form.set("d", "5").text() == "a=1&b=2&c=4&d=5");
}
