// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "many.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/this_coro.hpp>

#include <comcp/providers/names.hpp>

#include "arguments.hpp"
#include "commands.hpp"
#include "configured.hpp"
#include "connect.hpp"
#include "exit_codes.hpp"
#include "many_host.hpp"
#include "printers.hpp"
#include "suggest.hpp"

namespace cli {
namespace {

using namespace many;

comcp::call_options call_options(host const& h) {
  comcp::call_options out;
  auto const& o = h.around->opts;
  if (o.timeout) out.timeout(*o.timeout);
  if (o.max_time) out.hard_timeout(*o.max_time);
  out.on_progress([a = h.around](comcp::progress_notification const& p) { a->err.progress(p); });
  return out;
}

std::string shown_name(comcp::catalog_entry<comcp::tool> const& e) {
  return comcp::providers::provider_name(e.server_name, e.original_name);
}
template <class T>
std::string shown_name(comcp::catalog_entry<T> const& e) {
  return e.original_name;
}

template <class T>
void print_json(comcp::catalog_view<T> const& all, std::vector<absence> const& missing) {
  comcp::json::array list;
  for (auto const& e : all) {
    comcp::json::object item;
    item.set("name", shown_name(e)).set("server", e.server_name).set("originalName", e.original_name);
    item.set("definition", e.definition.raw);
    list.add(item);
  }
  for (auto const& a : missing) list.add(json_of(a));
  std::cout << json_text(list.text()) << '\n';
}

template <class T>
void print(host const& h, comcp::catalog_view<T> const& all, char const* nothing) {
  if (h.around->opts.json) {
    print_json(all, absent(h));
  } else {
    std::vector<row> rows;
    for (auto const& e : all) {
      auto r = row_of(e.definition);
      r.name = shown_name(e);
      r.description = "[" + one_line(e.server_name) + "] " + r.description;
      rows.push_back(std::move(r));
    }
    print_rows(rows, nothing);
  }
  std::cout.flush();
}

void print_list(host const& h) {
  switch (h.around->opts.what) {
    case command::resources: return print(h, h.servers.resources(), "No server has resources.");
    case command::templates: return print(h, h.servers.resource_templates(), "No server has resource templates.");
    case command::prompts: return print(h, h.servers.prompts(), "No server has prompts.");
    default: return print(h, h.servers.tools(), "No server has tools.");
  }
}

std::string endpoint(host const& h, std::string const& name) {
  for (auto const& s : h.around->opts.servers) {
    if (s.name == name) return comcp::shown_endpoint(s);
  }
  return {};
}

asio::awaitable<int> list(std::shared_ptr<host> h) {
  auto const& o = h->around->opts;
  co_await settled(h);
  std::size_t printed = 0;
  do {
    h->said->changed = false;
    print_list(*h);
    ++printed;
    if (!o.watch || (o.count && printed >= *o.count) || !std::cout) break;
    while (!h->said->changed) co_await rings(h);
  } while (true);
  co_return verdict(*h);
}

template <class Result>
void show(host const& h, Result const& r) {
  h.around->err.clear();
  if (h.around->opts.json) {
    std::cout << json_text(r.raw.dump()) << '\n';
  } else {
    print_result(r);
  }
}

/// A tool by the name that the list shows, or its qualified name.
comcp::catalog_entry<comcp::tool> const* find_tool(comcp::catalog_view<comcp::tool> const& all,
                                                   std::string const& given) {
  for (auto const& e : all) {
    if (shown_name(e) == given) return &e;
  }
  return all.find(given);
}

std::vector<std::string> tool_names(comcp::catalog_view<comcp::tool> const& all) {
  std::vector<std::string> names;
  for (auto const& e : all) names.insert(names.end(), {e.original_name, shown_name(e), e.name});
  return names;
}

asio::awaitable<comcp::result<comcp::call_tool_result>> call_once(std::shared_ptr<host> h, std::string name,
                                                                  comcp::json::value schema) {
  auto arguments = call_arguments(*h->around, schema.view());
  auto options = call_options(*h);
  auto calling = comcp::as_result(h->servers.call(name, std::move(arguments), std::move(options)));
  auto r = co_await std::move(calling);
  co_return r;
}

asio::awaitable<int> call(std::shared_ptr<host> h) {
  auto const& o = h->around->opts;
  (void)parse_pairs(o.pairs);  // what is wrong with them is known before anything starts
  // A bare name is known to be unique when all have listed; any other is called as soon as it is there.
  auto all = h->servers.tools();
  while (!h->said->settled && !find_tool(all, o.name)) {
    co_await rings(h);
    all = h->servers.tools();
  }
  auto const* entry = find_tool(all, o.name);
  auto const name = entry ? entry->name : o.name;
  if (auto const same = all.find_all(name); !entry && same.size() == 1) entry = same.front();
  if (!entry && all.find_all(name).empty() && absent(*h).empty())
    throw usage_error("no server lists the tool '" + o.name + "'" + did_you_mean(o.name, tool_names(all)));
  comcp::json::value schema;
  if (entry) schema = entry->definition.input_schema;
  auto r = co_await call_once(h, name, schema);
  while (!r) {
    auto const again = co_await visited(h->around, r.error());
    if (!again) throw comcp::exception(r.error());
    r = co_await call_once(h, name, schema);
  }
  if (r->is_error) h->around->err.line(failure_text(o, exit_tool_failed, "the tool failed"));
  show(*h, *r);
  co_return r->is_error ? exit_tool_failed : exit_ok;
}

/// The server that lists this, by its own name; `what` is for the error.
template <class T>
std::string owner(host const& h, comcp::catalog_view<T> const& all, std::string const& name, char const* what) {
  auto const found = all.find_all(name);
  if (found.size() == 1) return found.front()->server_name;
  if (auto const missing = absent(h); found.empty() && !missing.empty()) {
    tell(h, missing);
    throw comcp::exception(comcp::error(comcp::errc::not_ready, "no server lists the " + std::string(what) + " '" + name +
                                                                    "', but not all are there: " + names_of(missing)));
  }
  throw usage_error((found.empty() ? "no server lists the " : "several servers list the ") + std::string(what) + " '" +
                    name + "': pick one with --server");
}

asio::awaitable<int> read(std::shared_ptr<host> h) {
  auto const& o = h->around->opts;
  if (!o.pairs.empty()) throw usage_error("uri templates want one server: pick one with --server");
  co_await settled(h);
  auto const server = owner(*h, h->servers.resources(), o.name, "resource");
  auto options = call_options(*h);
  auto const r = co_await h->servers.read(server, o.name, std::move(options));
  show(*h, r);
  co_return exit_ok;
}

asio::awaitable<int> prompt(std::shared_ptr<host> h) {
  auto const& o = h->around->opts;
  auto const given = string_arguments(parse_pairs(o.pairs));
  co_await settled(h);
  auto const server = owner(*h, h->servers.prompts(), o.name, "prompt");
  comcp::json::fragment arguments;
  if (!given.empty()) arguments = comcp::json::fragment::of(given);
  auto options = call_options(*h);
  auto const r = co_await h->servers.prompt(server, o.name, std::move(arguments), std::move(options));
  show(*h, r);
  co_return exit_ok;
}

comcp::json::object status_json(host const& h, comcp::server_status const& s) {
  comcp::json::object out;
  out.set("name", s.name).set("state", to_string(s.state)).set("server", s.server_info.name);
  out.set("serverVersion", s.server_info.version).set("endpoint", endpoint(h, s.name));
  if (s.version) out.set("protocolVersion", s.version->text());
  if (s.reason) out.set("reason", s.reason.to_string());
  return out;
}

int print_info(host const& h) {
  comcp::json::array list;
  std::vector<row> rows;
  for (auto const& name : h.servers.servers()) {
    auto const s = h.servers.status(name);
    if (!s) continue;
    list.add(status_json(h, *s));
    row r;
    r.name = one_line(name);
    r.description = std::string(to_string(s->state));
    if (s->version) {
      r.description += ", " + one_line(s->server_info.name) + " " + one_line(s->server_info.version) + ", protocol " +
                       std::string(s->version->text()) + " (" +
                       (s->version->era() == comcp::era::modern ? "modern)" : "legacy)");
    }
    r.description += "\n" + one_line(endpoint(h, name));
    rows.push_back(std::move(r));
  }
  if (h.around->opts.json) {
    std::cout << json_text(list.text()) << '\n';
  } else {
    print_rows(rows, "No server.");
  }
  return verdict(h);
}

asio::awaitable<int> info(std::shared_ptr<host> h) {
  co_await settled(h);
  co_return print_info(*h);
}

asio::awaitable<int> run(std::shared_ptr<host> h) {
  switch (h->around->opts.what) {
    case command::tools:
    case command::resources:
    case command::templates:
    case command::prompts: return list(h);
    case command::call:
      if (h->around->opts.as_task) break;
      return call(h);
    case command::read: return read(h);
    case command::prompt: return prompt(h);
    case command::info: return info(h);
    default: break;
  }
  throw usage_error("this command wants one server: pick one with --server");
}

comcp::server_config configuration(host const& h, comcp::configured_server const& s, comcp::connect_options settings,
                                   comcp::server_config config) {
  if (s.timeout && !h.around->opts.timeout) settings.timeout(*s.timeout);
  if (!h.around->opts.timeout) settings.handshake_timeout(config.start_timeout());
  if (h.around->opts.verbose) {
    comcp::observer watch;
    watch.on_fault = [around = h.around, name = one_line(s.name)](comcp::error const& e) {
      around->err.line("note: " + name + ": " + one_line(e.to_string()));
    };
    settings.observe(std::move(watch));
  }
  config.options(std::move(settings)).handler(user_handler(h.around)).background();
  return config;
}

asio::awaitable<int> start_and_run(std::shared_ptr<host> h) {
  auto const& o = h->around->opts;
  auto const settings = make_connect_options(o, h->around);
  for (auto const& s : o.servers) {
    auto way = co_await configured_way(s, h->around);
    auto config = configuration(*h, s, settings, std::move(way));
    auto adding = comcp::as_result(h->servers.add(s.name, std::move(config)));
    auto const added = co_await std::move(adding);
    if (!added) h->said->refused.push_back({s.name, added.error()});
  }
  tell(*h, absent_for_good(*h));
  if (h->servers.servers().empty()) throw usage_error("--config: there is no server that can be used");
  asio::co_spawn(h->servers.get_executor(), settle(h), asio::detached);
  auto const code = co_await run(h);
  co_return code;
}

}  // namespace

asio::awaitable<int> run_many(std::shared_ptr<surroundings> around) {
  auto const home = co_await asio::this_coro::executor;
  auto const h = std::make_shared<host>(home, std::move(around));
  int code = exit_ok;
  std::exception_ptr failure;
  try {
    code = co_await start_and_run(h);
  } catch (...) {
    failure = std::current_exception();
  }
  co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
  co_await h->servers.close();
  if (failure) std::rethrow_exception(failure);
  co_return code;
}

}  // namespace cli
