// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "many_host.hpp"

#include <cstdio>
#include <optional>

#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>

#include "configured.hpp"
#include "login.hpp"
#include "text.hpp"

namespace cli::many {
namespace {

// Not where the server refused credentials that the configuration gives it.
bool login_helps(surroundings const& around, std::string const& server, comcp::error const& why) {
  if (!wants_login(why)) return false;
  for (auto const& s : around.opts.servers) {
    if (s.name != server) continue;
    options o;
    fill(o, s);
    return !has_own_credentials(o.server.http);
  }
  return true;
}

std::chrono::nanoseconds patience(host const& h) { return h.around->opts.timeout.value_or(std::chrono::seconds(60)); }

std::string in_seconds(std::chrono::nanoseconds d) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", std::chrono::duration<double>(d).count());
  return text;
}

void tell_who_is_awaited(host const& h) {
  if (h.around->opts.json) return;
  std::string names;
  for (auto const& name : h.servers.servers()) {
    auto const s = h.servers.status(name);
    if (s && s->state == comcp::server_state::starting) names.append(names.empty() ? "" : ", ").append(one_line(name));
  }
  if (!names.empty())
    h.around->err.line("comcp: waiting for: " + names + " (" + in_seconds(patience(h)) + " at most, or --timeout)");
}

template <class T>
bool has_some(comcp::catalog_view<T> const& all, std::string const& server) {
  return std::any_of(all.begin(), all.end(), [&server](auto const& e) { return e.server_name == server; });
}

// Whether the list of the command has nothing of this server, because it could not be read.
bool is_without_list(host const& h, comcp::catalog_fault const& f) {
  auto const& all = h.servers;
  switch (h.around->opts.what) {
    case command::tools: return f.kind == "tools" && !has_some(all.tools(), f.server_name);
    case command::prompts: return f.kind == "prompts" && !has_some(all.prompts(), f.server_name);
    case command::resources: return f.kind == "resources" && !has_some(all.resources(), f.server_name);
    case command::templates:
      return f.kind == "resource_templates" && !has_some(all.resource_templates(), f.server_name);
    default: return false;
  }
}

}  // namespace

int code_of(surroundings const& around, std::string const& server, comcp::error const& why) {
  return login_helps(around, server, why) ? exit_login : exit_code_of(why);
}

asio::awaitable<void> rings(std::shared_ptr<host> h) {
  h->said->bell.expires_at(asio::steady_timer::time_point::max());
  std::error_code rung;
  co_await h->said->bell.async_wait(asio::redirect_error(asio::use_awaitable, rung));
}

asio::awaitable<void> settled(std::shared_ptr<host> h) {
  while (!h->said->settled) co_await rings(h);
}

asio::awaitable<void> settle(std::shared_ptr<host> h) {
  auto const whole = patience(*h);
  auto const quiet = std::min<std::chrono::nanoseconds>(whole, std::chrono::seconds(3));
  auto beginning = comcp::as_result(h->servers.settled(quiet));
  (void)co_await std::move(beginning);
  tell_who_is_awaited(*h);
  auto settling = comcp::as_result(h->servers.settled(whole - quiet));
  (void)co_await std::move(settling);
  h->said->settled = true;
  h->said->ring();
}

std::vector<absence> absent_for_good(host const& h) {
  std::vector<absence> all;
  for (auto const* const some : {&h.around->opts.config.missing, &std::as_const(h.said->refused)}) {
    for (auto const& m : *some) all.push_back({m.name, "not usable", m.why, exit_usage});
  }
  return all;
}

std::vector<absence> absent(host const& h) {
  auto all = absent_for_good(h);
  for (auto const& name : h.servers.servers()) {
    auto const s = h.servers.status(name);
    if (!s || s->state == comcp::server_state::ready) continue;
    auto const why = s->reason ? s->reason : comcp::error(comcp::errc::timeout, "not there after " + in_seconds(patience(h)));
    all.push_back({name, std::string(to_string(s->state)), why, code_of(*h.around, name, why)});
  }
  for (auto const& f : h.servers.faults()) {
    if (is_without_list(h, f))
      all.push_back({f.server_name, "ready", f.reason, exit_code_of(f.reason)});
  }
  return all;
}

void tell(host const& h, std::vector<absence> const& all) {
  for (auto const& a : all) {
    auto const about = a.server + (a.state == "not usable" ? std::string(a.why.message()) : "");
    if (!h.said->told.contains(about) && a.state != "ready")
      h.said->tell(about, a.server, a.server + (a.server.empty() ? "" : ": ") + std::string(in_words(a.why).message()), a.code);
  }
}

std::string names_of(std::vector<absence> const& all) {
  std::string names;
  for (auto const& a : all) names.append(names.empty() ? "" : ", ").append(a.server.empty() ? "?" : one_line(a.server));
  return names;
}

comcp::json::object json_of(absence const& a) {
  comcp::json::object out, why;
  if (!a.server.empty()) out.set("server", a.server);
  return out.set("state", a.state).set("error", why.set("exit", a.code).set("message", one_line(in_words(a.why).to_string())));
}

int verdict(host const& h) {
  auto const all = absent(h);
  if (all.empty()) return exit_ok;
  tell(h, all);
  auto const names = h.servers.servers();
  auto const ready = [&h](std::string const& name) {
    auto const s = h.servers.status(name);
    return s && s->state == comcp::server_state::ready;
  };
  if (std::any_of(names.begin(), names.end(), ready)) return exit_incomplete;
  auto const tried = [](absence const& a) { return a.state != "not usable"; };
  auto const first = std::find_if(all.begin(), all.end(), tried);
  return first == all.end() ? exit_connection : first->code;
}
}  // namespace cli::many
