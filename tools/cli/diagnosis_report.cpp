// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "diagnosis_report.hpp"

#include <iostream>

#include <comcp/json/build.hpp>

#include "login.hpp"
#include "platform.hpp"
#include "text.hpp"

namespace cli {
namespace {

using mark = finding::mark;

char const* name_of(mark m) noexcept { return m == mark::good ? "ok" : m == mark::note ? "note" : "problem"; }

void print_wrapped(std::string const& head, std::string const& text, std::size_t indent) {
  auto const width = terminal_width(standard_output);
  auto before = padded(head, indent);
  for (auto const& line : wrap(one_line(text), width > indent + 20 ? width - indent : 20)) {
    std::cout << before << line << '\n';
    before = std::string(indent, ' ');
  }
}

void print_title(char const* title) { std::cout << '\n' << bold(title, standard_output) << '\n'; }

void print_asked(asked_url const& a) {
  std::cout << "  " << a.method << ' ' << one_line(a.url) << '\n';
  auto const status = a.status == 0 ? std::string("no answer") : std::to_string(a.status);
  print_wrapped("    -> ", status + (a.outcome.empty() || a.outcome == status ? "" : "  " + a.outcome), 7);
  print_wrapped("", a.meaning, 7);
}

void print_finding(finding const& f) {
  static constexpr std::size_t column = 24;
  auto const head = std::string("  ") + padded(f.how == mark::problem ? "!!" : name_of(f.how), 6) + f.about;
  print_wrapped(head, f.text, column);
  if (!f.advice.empty()) print_wrapped("", (f.how == mark::problem ? "What to do: " : "") + f.advice, column);
}

std::string verdict(diagnosis const& d, options const& o) {
  if (!d.reached) return "The server cannot be reached, so nothing is known of logins.";
  if (!d.wants_login) return d.has_problem() ? "This is not an MCP server that comcp can talk to." : "No login is needed.";
  if (d.token_refused) return "Somebody is logged in, and the server refuses that login: see what is marked with !!.";
  if (d.has_problem()) return "A login would fail: see what is marked with !!.";
  auto const text = "Nothing that can be seen without trying stands in the way of a login: " + command_about(o, "login");
  return d.logged_in ? "Somebody is logged in. " + text : text;
}

comcp::json::array json_of(std::vector<asked_url> const& all) {
  comcp::json::array out;
  for (auto const& a : all) {
    comcp::json::object item;
    item.set("method", a.method).set("url", a.url).set("status", a.status);
    out.add(item.set("outcome", one_line(a.outcome)).set("meaning", a.meaning));
  }
  return out;
}

void print_json(diagnosis const& d, options const& o) {
  comcp::json::array findings;
  for (auto const& f : d.findings) {
    comcp::json::object item;
    item.set("mark", name_of(f.how)).set("about", f.about).set("text", one_line(f.text));
    if (!f.advice.empty()) item.set("advice", f.advice);
    findings.add(item);
  }
  comcp::json::object out;
  out.set("server", shown_url(d.server)).set("reached", d.reached).set("wantsLogin", d.wants_login).set("loggedIn", d.logged_in);
  out.set("ok", !d.has_problem());
  out.set("verdict", verdict(d, o)).set("serverAnswers", json_of(d.of_server)).set("discovery", json_of(d.of_discovery));
  std::cout << json_text(out.set("findings", findings).text()) << '\n';
}

}  // namespace

void print_diagnosis(diagnosis const& d, options const& o) {
  if (o.json) return print_json(d, o);
  std::cout << shown_url(d.server) << '\n';
  if (d.reached) print_title("Does the server want a login?");
  for (auto const& a : d.of_server) print_asked(a);
  if (!d.of_discovery.empty()) print_title("Who keeps its logins?");
  for (auto const& a : d.of_discovery) print_asked(a);
  if (!d.findings.empty()) print_title(d.wants_login ? "What would a login do?" : "What is wrong?");
  for (auto const& f : d.findings) print_finding(f);
  std::cout << '\n' << bold(verdict(d, o), standard_output) << '\n';
}

}  // namespace cli
