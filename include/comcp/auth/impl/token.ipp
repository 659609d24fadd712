// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <set>
#include <type_traits>
#include <utility>

#include <comcp/auth/token.hpp>
#include <comcp/http/message.hpp>
#include <comcp/json/describe.hpp>

namespace comcp {
namespace detail {

/// Printable ASCII of the text, which is all that RFC 6749 allows there; every other character is a question mark.
COMCP_DECL std::string shown(std::string_view text, std::size_t most) {
  std::string out;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 && byte < 0xC0) continue;  // the rest of a character of UTF-8
    if (out.size() == most) break;
    out += byte >= 0x20 && byte < 0x7F ? c : '?';
  }
  return out;
}

struct token_body {
  std::string access_token, token_type, refresh_token, issued_token_type, id_token;
  json::value expires_in, scope;
};
constexpr auto describe(std::type_identity<token_body>) {
  using t = token_body;
  return json::fields(json::defaulted("access_token", &t::access_token), json::defaulted("token_type", &t::token_type),
                      json::defaulted("refresh_token", &t::refresh_token),
                      json::defaulted("issued_token_type", &t::issued_token_type),
                      json::defaulted("id_token", &t::id_token), json::defaulted("expires_in", &t::expires_in),
                      json::defaulted("scope", &t::scope));
}

/// Some servers give it as text.
COMCP_DECL result<std::optional<std::chrono::seconds>> lifetime_in(json::value const& v) {
  constexpr double most = 10.0 * 366 * 24 * 3600;
  if (v.is_null()) return std::optional<std::chrono::seconds>();
  auto seconds = v.view().get_double();
  if (auto const text = v.view().get_string()) {
    double number = 0;
    auto const end = text->data() + text->size();
    auto const read = std::from_chars(text->data(), end, number);
    if ((read.ec == std::errc() || read.ec == std::errc::result_out_of_range) && read.ptr == end && number == number)
      seconds = read.ec == std::errc() ? number : most;
  }
  if (!seconds) return error(errc::wrong_shape, "expected a number at /expires_in");
  return std::optional(std::chrono::seconds(static_cast<std::int64_t>(std::clamp(*seconds, 0.0, most))));
}

/// A text, or, against the standard, a list of texts.
COMCP_DECL result<std::optional<std::string>> scope_in(json::value const& v) {
  if (v.is_null()) return std::optional<std::string>();
  if (auto const text = v.view().get_string()) return std::optional(std::string(*text));
  auto const list = v.get<std::vector<std::string>>();
  if (!list) return error(errc::wrong_shape, "expected string at /scope");
  std::string out;
  for (auto const& one : *list) out.append(out.empty() ? "" : " ").append(one);
  return std::optional(std::move(out));
}

COMCP_DECL error bad_oauth_answer(std::string_view who, int status, std::string_view why) {
  transport_detail detail;
  detail.http_status = status;
  return error(errc::protocol_violation, std::string(who) + " answered " + std::to_string(status) + ", " + std::string(why))
      .with_detail(std::move(detail));
}

COMCP_DECL result<std::variant<json::value, oauth_refusal>> read_oauth_answer(std::string_view who, int status,
                                                                              std::string_view body) {
  using answer = std::variant<json::value, oauth_refusal>;
  bool const success = status >= 200 && status < 300;
  auto const parsed = json::parse(body);
  if (!parsed || !parsed->is_object())
    return bad_oauth_answer(who, status, body.empty() ? "without a body" : "with a body that is no JSON object");
  auto const text_of = [&](std::string_view key) {
    auto const member = parsed->view().find(key);
    return (member ? member->get_string() : std::nullopt).value_or(std::string_view());
  };
  if (auto const code = text_of("error"); !code.empty()) return answer(oauth_refusal(code, text_of("error_description")));
  if (!success) return bad_oauth_answer(who, status, "without an OAuth error");
  return answer(*parsed);
}

COMCP_DECL token_set::time_point clamped_time(double seconds) {
  constexpr double year_2200 = 7258118400;
  return token_set::time_point(std::chrono::seconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, year_2200))));
}

}  // namespace detail

COMCP_DECL oauth_refusal::oauth_refusal(std::string_view server_code, std::string_view server_description)
    : code(detail::shown(server_code, 128)), description(detail::shown(server_description, 512)) {}

COMCP_DECL error oauth_refusal::as_error(std::string_view what) const {
  auto text = std::string(what) + ": " + code;
  if (!description.empty()) text += " (" + description + ")";
  return {errc::unauthorized, std::move(text)};
}

COMCP_DECL result<token_answer> read_token_answer(int status, std::string_view body, token_set::time_point now) {
  constexpr std::string_view who = "the token endpoint";
  auto answer = detail::read_oauth_answer(who, status, body);
  if (!answer) return answer.error();
  if (auto* const refusal = std::get_if<oauth_refusal>(&*answer)) return token_answer(std::move(*refusal));
  auto read = std::get<json::value>(*answer).get<detail::token_body>();
  if (!read) return detail::bad_oauth_answer(who, status, read.error().message());
  if (read->access_token.empty()) return detail::bad_oauth_answer(who, status, "without an access token");
  auto const lifetime = detail::lifetime_in(read->expires_in);
  if (!lifetime) return detail::bad_oauth_answer(who, status, lifetime.error().message());
  auto scope = detail::scope_in(read->scope);
  if (!scope) return detail::bad_oauth_answer(who, status, scope.error().message());

  token_set out(secret(std::move(read->access_token)), secret(std::move(read->refresh_token)));
  if (!read->token_type.empty()) out.token_type = std::move(read->token_type);
  for (std::string_view const known : {"Bearer", "DPoP"}) {
    if (http_detail::same_name(out.token_type, known)) out.token_type = known;
  }
  if (*lifetime) out.expires_at = now + **lifetime;
  out.scope = std::move(*scope);
  out.issued_token_type = std::move(read->issued_token_type);
  out.id_token = secret(std::move(read->id_token));
  return token_answer(std::move(out));
}

COMCP_DECL result<void> check_usable(token_set const& tokens, bool bound) {
  if (bound && tokens.token_type != "DPoP")
    return error(errc::unauthorized, "the token is not bound to the key, although DPoP is wanted");
  if (!bound && tokens.token_type != "Bearer") return error(errc::unauthorized, "the token is of a type that comcp cannot send");
  auto const& text = tokens.access_token.reveal();
  if (std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; })) return {};
  return error(errc::unauthorized, "the token has characters that no header carries");
}

COMCP_DECL std::string unite_scopes(std::string_view a, std::string_view b) {
  std::string out;
  std::set<std::string_view> seen;
  for (auto text : {a, b}) {
    while (!text.empty()) {
      auto const one = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(one.size() + 1, text.size()));
      if (!one.empty() && seen.insert(one).second) out.append(out.empty() ? "" : " ").append(one);
    }
  }
  return out;
}

}  // namespace comcp
