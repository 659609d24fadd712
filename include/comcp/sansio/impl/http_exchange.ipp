// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include <comcp/auth/challenge.hpp>
#include <comcp/json/reader.hpp>
#include <comcp/jsonrpc/decode.hpp>
#include <comcp/sansio/handshake.hpp>
#include <comcp/sansio/http_exchange.hpp>

namespace comcp::sansio {
namespace detail {

using action = http_verdict::action;

COMCP_DECL error of_status(errc code, http_response_head const& got, std::string text) {
  transport_detail detail;
  detail.http_status = got.status;
  return error(code, std::move(text)).with_detail(std::move(detail));
}

COMCP_DECL http_verdict verdict(action what, error why = error()) {
  http_verdict v;
  v.what = what;
  v.why = std::move(why);
  return v;
}

COMCP_DECL bool is_encoded(http_response_head const& got) {
  for (auto const value : got.headers.all("Content-Encoding")) {
    if (value != "identity" && !value.empty()) return true;
  }
  return false;
}

// Bytes of a stranger, for people: no controls, and no character cut in half.
COMCP_DECL std::string printable(std::string_view body) {
  bool const cut = body.size() > snippet_size;
  std::string out(body.substr(0, snippet_size));
  while (cut && !out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) out.pop_back();
  if (cut && !out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0U) out.pop_back();
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return out;
}

// A header's value, of which ASCII is all that means anything.
COMCP_DECL std::string quoted_field(std::string_view value) {
  std::string out(value.substr(0, 80));
  for (char& c : out) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return '"' + out + (value.size() > 80 ? "\"..." : "\"");
}

COMCP_DECL http_verdict success(http_response_head const& got, bool streams_only) {
  if (is_encoded(got)) return verdict(action::fail, of_status(errc::unsupported_encoding, got, "the body is compressed"));
  auto const* const text = got.headers.find("Content-Type");
  if (!streams_only && has_media_type(got.headers, "application/json")) return verdict(action::json);
  if (has_media_type(got.headers, "text/event-stream")) return verdict(action::stream);
  return verdict(action::fail, of_status(errc::wrong_content_type, got,
                                         text ? "the content type is " + quoted_field(*text) : "there is no content type"));
}

COMCP_DECL http_verdict redirect(http_sent const& sent, http_url const& at, http_response_head const& got, bool post) {
  auto const refuse = [&got](std::string why) {
    return verdict(action::fail, of_status(errc::redirect_refused, got, std::move(why)));
  };
  bool const keeps_method = got.status == 307 || got.status == 308;
  bool const simple = got.status == 301 || got.status == 302 || got.status == 303;
  if (!keeps_method && (post || !simple)) return refuse("a redirect that would not repeat the request as it is");
  auto const* const location = got.headers.find("Location");
  auto const target = location ? at.resolve(*location) : result<http_url>(error(errc::invalid_argument));
  if (!target) return refuse("a redirect to nowhere");
  if (!same_origin(at, *target)) return refuse("a redirect to another origin: " + target->origin());
  if (sent.redirects >= most_redirects) return refuse("more than three redirects");
  auto v = verdict(action::redirect);
  v.where = *target;
  return v;
}

COMCP_DECL http_verdict refused(http_sent const& sent, http_url const& at, http_response_head const& got,
                                std::chrono::system_clock::time_point now) {
  bool const about_credentials = got.status == 401 || got.status == 403;
  auto e = of_status(about_credentials   ? errc::unauthorized
                     : got.status == 407 ? errc::proxy_failed
                                         : errc::http_status,
                     got, "from " + at.origin() + (about_credentials ? told_by_challenge(got.headers) : std::string()));
  if (about_credentials) return verdict(sent.challenges < most_challenges ? action::authorize : action::fail, e);
  if (got.status != 429 && got.status != 503) return verdict(action::fail, e);
  auto const* const header = got.headers.find("Retry-After");
  auto const after = header ? parse_retry_after(*header, now, longest_retry_after) : std::nullopt;
  if (!after) return verdict(action::fail, e);
  auto detail = *e.detail();
  detail.retry_after = after;
  auto v = verdict(sent.repeatable && sent.waits < most_waits ? action::wait : action::fail, e.with_detail(detail));
  v.delay = *after;
  return v;
}

COMCP_DECL error with_snippet(error const& why, std::string_view body) {
  auto known = why.detail() ? *why.detail() : transport_detail();
  known.snippet = printable(body);
  return why.with_detail(std::move(known));
}

}  // namespace detail

namespace detail {
// Whole words: half a credential that a server repeats would be found by nobody who hides it.
COMCP_DECL std::string whole_words(std::string_view text) {
  if (text.size() <= snippet_size) return printable(text);
  auto const end = text.substr(0, snippet_size).rfind(' ');
  return printable(text.substr(0, end == text.npos ? 0 : end)) + "...";
}
}  // namespace detail

COMCP_DECL std::string told_by_challenge(http_headers const& headers) {
  std::string out;
  for (auto const& challenge : parse_challenges(headers)) {
    auto const* const why = challenge.find("error");
    auto const* const text = challenge.find("error_description");
    auto const* const scope = challenge.find("scope");
    if (why) out += ": " + detail::whole_words(*why);
    if (text) out += " (" + detail::whole_words(*text) + ")";
    if (scope) out += std::string(why || text ? ", " : ": ") + "wanted scope: " + detail::whole_words(*scope);
    if (!out.empty()) break;
  }
  return out;
}

COMCP_DECL http_verdict judge_post(http_sent const& sent, http_url const& at, http_response_head const& got,
                                   std::chrono::system_clock::time_point now) {
  using detail::action;
  if (got.status < 300) {
    if (!sent.request) return detail::verdict(action::accepted);
    if (got.status == 202 || got.status == 204 || got.status == 205)
      return detail::verdict(action::fail, detail::of_status(errc::missing_answer, got, "a request was not answered"));
    return detail::success(got, false);
  }
  if (got.status < 400) return detail::redirect(sent, at, got, true);
  if (got.status == 404 && sent.in_session)
    return detail::verdict(action::session_lost, detail::of_status(errc::http_status, got, "the session is gone"));
  return detail::refused(sent, at, got, now);
}

COMCP_DECL http_verdict judge_get(http_sent const& sent, http_url const& at, http_response_head const& got,
                                  std::chrono::system_clock::time_point now) {
  using detail::action;
  if (got.status == 204 || got.status == 202) return detail::verdict(action::none);
  if (got.status < 300) return detail::success(got, true);
  if (got.status < 400) return detail::redirect(sent, at, got, false);
  if (got.status == 404 && sent.in_session)
    return detail::verdict(action::session_lost, detail::of_status(errc::http_status, got, "the session is gone"));
  // 405 is the specified way to say so; real servers use 400, 404, 406 and 409 too.
  static constexpr std::array<int, 5> means_none{400, 404, 405, 406, 409};
  if (std::find(means_none.begin(), means_none.end(), got.status) != means_none.end()) return detail::verdict(action::none);
  return detail::refused(sent, at, got, now);
}

COMCP_DECL error with_body(error const& why, std::string_view body) {
  if (body.empty()) return why;
  std::string text(body);
  auto const m = jsonrpc::decode(pad(text));
  if (m.kind == jsonrpc::message_kind::error) {
    auto const e = jsonrpc::decode_error(m.error);
    bool const keeps_code = why == errc::unauthorized || why == errc::proxy_failed;
    if (e.peer()) return keeps_code ? why.with_peer(*e.peer()) : e.with_detail(why.detail() ? *why.detail() : transport_detail());
  }
  return detail::with_snippet(why, body);
}

COMCP_DECL error unanswered(http_response_head const& got, std::string_view body) {
  auto const fail = [&](errc code, std::string text) {
    return detail::with_snippet(detail::of_status(code, got, std::move(text)), body);
  };
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return fail(errc::missing_answer, "the body is empty");
  std::string text(body);
  if (auto const parsed = json::parse(pad(text)); !parsed)
    return fail(errc::invalid_json, std::string(parsed.error().message()));
  auto const m = jsonrpc::decode(pad(text));
  if (m.kind == jsonrpc::message_kind::invalid) return fail(errc::protocol_violation, "no JSON-RPC message: " + m.reason);
  return fail(errc::missing_answer, "the body answers another request, or none");
}

COMCP_DECL bool may_be_http_sse(error const& e) {
  auto const* const d = e.detail();
  if (!d || !d->http_status) return false;
  auto const status = *d->http_status;
  return (status == 400 || status == 404 || status == 405) && !modern_versions(e);
}

COMCP_DECL bool means_session_lost(error const& e) {
  auto const* const peer = e.peer();
  if (!peer || peer->code != -32000 || !e.detail() || e.detail()->http_status != 400) return false;
  auto const at = peer->message.find("ession");
  return at != std::string::npos && at > 0 && (peer->message[at - 1] == 's' || peer->message[at - 1] == 'S');
}

COMCP_DECL bool is_final(error const& e) {
  auto const* const d = e.detail();
  return d && d->http_status && *d->http_status < 500 && *d->http_status != 408 && *d->http_status != 429;
}

COMCP_DECL bool is_session_id(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

}  // namespace comcp::sansio
