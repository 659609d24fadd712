// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Redirects, and what else is read as a form or from a stored authorization. An answer is only accepted with the state and
// the issuer of its request, from the address that was given out.
#include <comcp/auth/authorization.hpp>

#include <algorithm>
#include <string>

#include <comcp/auth/form.hpp>

#include "fuzz/hold.hpp"

using namespace comcp;
using comcp_test::hold;

namespace {

pending_authorization request(bool iss_required) {
  pending_authorization p;
  p.issuer = "https://as";
  p.iss_required = iss_required;
  p.authorization_endpoint = "https://as/authorize";
  p.client = oauth_client("me");
  p.redirect_uri = "http://127.0.0.1:4321/cb";
  p.resource = "https://mcp";
  p.state = secret("STATE");
  p.verifier = secret("V");
  return p;
}

/// As people paste it: blanks around it are none of the redirect's.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

/// Of a whole URL what follows its question mark, which a query may have inside, too.
std::string_view query_of(std::string_view text) {
  text = text.substr(0, text.find('#'));
  auto const scheme = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
  bool const whole = scheme != 0 && scheme != text.npos && text[scheme] == ':';
  auto const mark = whole ? text.find('?') : text.starts_with('?') ? 0 : text.npos;
  return mark == text.npos ? text : text.substr(mark + 1);
}

void redirect(std::string_view text) {
  bool accepted = false;
  for (bool const required : {true, false}) {
    auto const got = read_redirect(request(required), text);
    if (!got) {
      hold(got.error() == errc::unauthorized && !accepted, "who must prove less is not refused more");
      continue;
    }
    accepted = true;
    auto const form = form_fields::parse(query_of(trimmed(text)));
    hold(form.has_value(), "what is accepted is a form");
    auto const value = [&](char const* name) {
      auto const* const found = form->find(name);
      return found ? *found : std::string();
    };
    hold(form->count("state") <= 1 && form->count("iss") <= 1 && form->count("code") <= 1, "nothing comes twice");
    hold(value("state") == "STATE", "the state is that of the request");
    hold(form->find("iss") ? value("iss") == "https://as" : !required, "the issuer is that of the request");
    if (auto const* const code = std::get_if<secret>(&*got)) {
      hold(!code->empty(), "a code is one");
    } else {
      auto const& refusal = std::get<oauth_refusal>(*got);
      hold(!refusal.code.empty() && refusal.description.size() <= 512, "a refusal says why, and briefly");
    }
    auto wrong = request(required);
    wrong.state = secret("OTHER");
    hold(!read_redirect(wrong, text), "another state is refused");
    wrong = request(required);
    wrong.issuer = "https://other";
    hold(!form->find("iss") || !read_redirect(wrong, text), "another issuer is refused");
    wrong = request(required);
    wrong.redirect_uri = "http://127.0.0.1:4322/cb";
    hold(!trimmed(text).starts_with("http:") || !read_redirect(wrong, text),
         "another address is refused");
  }
}

void authorization_url(std::string_view endpoint) {
  auto p = request(false);
  p.authorization_endpoint = endpoint;
  p.scope = endpoint;
  auto const url = p.url();
  if (!url) return;
  hold(same_origin(*url, http_url::parse(endpoint).value()) && comcp_test::is_plain(url->text()), "the browser goes where it should");
  auto const form = form_fields::parse(url->query().value());
  hold(form.has_value(), "its query is a form");
  for (auto const* const name : {"response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method",
                                 "resource", "scope"})
    hold(form->count(name) == 1, "each parameter is there once");
  hold(*form->find("state") == "STATE" && *form->find("scope") == endpoint, "parameters keep their values");
}

void stored(std::string_view text) {
  auto const got = pending_authorization::from_json(secret(std::string(text)));
  if (!got) return hold(got.error() == errc::wrong_shape, "only the shape may be wrong");
  auto const again = pending_authorization::from_json(got->to_json());
  hold(again && again->to_json() == got->to_json(), "what is stored is read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const input = comcp_test::text_of(data, size);
  redirect(input);
  authorization_url(input);
  stored(input);
  if (auto const form = form_fields::parse(input)) hold(form_fields::parse(form->text()).value() == *form, "forms are read back");
  return 0;
}
