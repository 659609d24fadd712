// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands, one function each; listening has a file of its own.
#include "commands.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <utility>

#include <comcp/protocol/errors.hpp>

#include "arguments.hpp"
#include "exit_codes.hpp"
#include "printers.hpp"
#include "suggest.hpp"

namespace cli {
namespace {

template <class T>
void print_listing(session& s, comcp::listing<T> const& all, char const* nothing) {
  for (auto const& broken : all.set_aside())
    s.around->err.line("comcp: a definition that cannot be read was left out: " + one_line(broken.reason));
  if (s.opts().json) {
    std::cout << json_text(items_json(all)) << '\n';
    return;
  }
  std::vector<row> rows;
  for (auto const& item : all) rows.push_back(row_of(item));
  print_rows(rows, nothing);
}

template <class Result>
void print(session& s, Result const& r) {
  if (s.opts().json) {
    std::cout << json_text(r.raw.dump()) << '\n';
  } else {
    print_result(r);
  }
}

asio::awaitable<int> list_tools(session& s) {
  auto options = s.call_options();
  auto const all = co_await s.client.list_tools(std::move(options));
  print_listing(s, all, "The server has no tools.");
  co_return exit_ok;
}

asio::awaitable<int> list_resources(session& s) {
  auto options = s.call_options();
  auto const all = co_await s.client.list_resources(std::move(options));
  print_listing(s, all, "The server has no resources.");
  co_return exit_ok;
}

asio::awaitable<int> list_templates(session& s) {
  auto options = s.call_options();
  auto const all = co_await s.client.list_resource_templates(std::move(options));
  print_listing(s, all, "The server has no resource templates.");
  co_return exit_ok;
}

asio::awaitable<int> list_prompts(session& s) {
  auto options = s.call_options();
  auto const all = co_await s.client.list_prompts(std::move(options));
  print_listing(s, all, "The server has no prompts.");
  co_return exit_ok;
}

/// What the server lists of the tool or prompt that is asked for.
struct looked_up {
  looked_up() = default;
  comcp::json::value schema;
  std::string hint;  // where it lists none of that name
  bool done = false;
};

template <class T>
T const* find(comcp::listing<T> const& all, std::string const& name, char const* what, looked_up& out) {
  out.done = true;
  if (auto const* const found = all.find(name)) return found;
  std::vector<std::string> names;
  for (auto const& item : all) names.push_back(item.name);
  out.hint = "the server lists no " + std::string(what) + " '" + name + "'" + did_you_mean(name, names);
  return nullptr;
}

asio::awaitable<looked_up> look_up_tool(session& s) {
  auto options = s.call_options();
  auto const all = co_await s.client.list_tools(std::move(options));
  looked_up out;
  if (auto const* const tool = find(all, s.opts().name, "tool", out)) out.schema = tool->input_schema;
  co_return out;
}

// Behind a call that failed: was there such a tool at all?
asio::awaitable<void> tell_hint(session& s, looked_up known, int code) {
  if (!known.done) {
    auto looking = comcp::as_result(look_up_tool(s));
    auto const found = co_await std::move(looking);
    if (found) known = *found;
  }
  if (!known.hint.empty()) s.around->err.line(failure_text(s.opts(), code, known.hint));
}

// What `start` begins, again where it wanted pages to be seen first and the user went there.
template <class T>
asio::awaitable<comcp::result<T>> insistently(session& s, std::function<asio::awaitable<T>()> start) {
  for (;;) {
    auto trying = comcp::as_result(start());
    auto r = co_await std::move(trying);
    if (r) co_return r;
    auto const again = co_await visited(s.around, r.error());
    if (!again) co_return r;
  }
}

asio::awaitable<int> call(session& s) {
  auto const& o = s.opts();
  looked_up known;
  if (!o.pairs.empty() || !o.arguments.empty()) known = co_await look_up_tool(s);
  if (o.as_task) {
    auto calling = call_as_task(s, call_arguments(*s.around, known.schema.view()));
    auto const code = co_await std::move(calling);
    co_return code;
  }
  std::function<asio::awaitable<comcp::call_tool_result>()> start = [&s, &known] {
    return s.client.call_tool(s.opts().name, call_arguments(*s.around, known.schema.view()), s.call_options());
  };
  auto r = co_await insistently(s, std::move(start));
  s.around->err.clear();
  bool const refused = !r && r.error().peer();
  if (refused || (r && r->is_error)) co_await tell_hint(s, known, refused ? exit_protocol : exit_tool_failed);
  if (!r) throw comcp::exception(r.error());
  if (r->is_error) s.around->err.line(failure_text(o, exit_tool_failed, "the tool failed"));
  print(s, *r);
  co_return r->is_error ? exit_tool_failed : exit_ok;
}

asio::awaitable<int> read(session& s) {
  auto const pairs = parse_pairs(s.opts().pairs);
  comcp::resource_template const pattern(s.opts().name, s.opts().name);
  std::function<asio::awaitable<comcp::read_resource_result>()> start = [&s, &pairs, &pattern] {
    return pairs.empty() ? s.client.read_resource(s.opts().name, s.call_options())
                         : s.client.read_resource(pattern, template_variables(pairs), s.call_options());
  };
  auto const r = co_await insistently(s, std::move(start));
  print(s, r.value());
  co_return exit_ok;
}

// Arguments that the server's list does not know. Whoever cannot list them is not held up.
asio::awaitable<void> check_prompt(session& s, std::map<std::string, std::string> const& given) {
  auto options = s.call_options();
  auto listing = comcp::as_result(s.client.list_prompts(std::move(options)));
  auto const all = co_await std::move(listing);
  looked_up known;
  auto const* const prompt = all ? find(*all, s.opts().name, "prompt", known) : nullptr;
  if (!known.hint.empty()) throw usage_error(known.hint);
  if (!prompt) co_return;
  std::vector<std::string> names;
  for (auto const& a : prompt->arguments) names.push_back(a.name);
  for (auto const& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw usage_error("the prompt has no argument '" + name + "'" + did_you_mean(name, names));
  }
}

asio::awaitable<int> prompt(session& s) {
  auto const given = string_arguments(parse_pairs(s.opts().pairs));
  if (!given.empty()) co_await check_prompt(s, given);
  std::function<asio::awaitable<comcp::get_prompt_result>()> start = [&s, &given] {
    comcp::json::fragment arguments;
    if (!given.empty()) arguments = comcp::json::fragment::of(given);
    return s.client.get_prompt(s.opts().name, std::move(arguments), s.call_options());
  };
  auto const r = co_await insistently(s, std::move(start));
  print(s, r.value());
  co_return exit_ok;
}

asio::awaitable<int> complete(session& s) {
  auto const& o = s.opts();
  auto pairs = parse_pairs(o.pairs);
  auto const typed = pairs.front();
  pairs.erase(pairs.begin());
  comcp::complete_params what(comcp::prompt_reference(o.name), comcp::completion_argument(typed.key, typed.value));
  if (o.name.find("://") != std::string::npos) what.ref = comcp::resource_template_reference(o.name);
  if (!pairs.empty()) what.context = comcp::completion_context(string_arguments(pairs));
  std::function<asio::awaitable<comcp::complete_result>()> start = [&s, &what] {
    return s.client.complete(what, s.call_options());
  };
  auto const r = co_await insistently(s, std::move(start));
  print(s, r.value());
  co_return exit_ok;
}

asio::awaitable<void> ping_once(session& s) {
  auto options = s.call_options();
  if (s.client.era() == comcp::era::modern) {
    (void)co_await s.client.discover(std::move(options));
  } else {
    co_await s.client.ping(std::move(options));
  }
}

void print_times(session& s, std::vector<double> times) {
  if (s.opts().json) {
    comcp::json::array list;
    for (auto const t : times) list.add(t);
    std::cout << comcp::json::object().set("milliseconds", list).text() << '\n';
    return;
  }
  std::sort(times.begin(), times.end());
  std::printf("%zu round trips: fastest %.3f ms, median %.3f ms, slowest %.3f ms\n", times.size(), times.front(),
              times[times.size() / 2], times.back());
  std::fflush(stdout);
}

asio::awaitable<int> ping(session& s) {
  using clock = std::chrono::steady_clock;
  std::vector<double> times;
  auto const count = s.opts().count.value_or(4);
  while (times.size() < count) {
    auto const start = clock::now();
    co_await ping_once(s);
    times.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
  }
  print_times(s, std::move(times));
  co_return exit_ok;
}

asio::awaitable<int> info(session& s) {
  if (s.opts().json) {
    print_info_json(s.client);
  } else {
    print_info(s.client);
  }
  co_return exit_ok;
}

}  // namespace

comcp::json::fragment call_arguments(surroundings& around, comcp::json::view schema) {
  auto const& o = around.opts;
  for (auto const& name : undeclared(o.arguments, schema))
    around.err.line("comcp: the tool's schema has no argument '" + one_line(name) + "'; it is sent all the same");
  return tool_arguments(parse_pairs(o.pairs), o.arguments, schema);
}

asio::awaitable<bool> visited(std::shared_ptr<surroundings> around, comcp::error why) {
  auto const required = comcp::url_elicitation_required_of(why);
  if (!required) co_return false;
  std::vector<std::string> ids;
  for (auto const& page : required->elicitations) ids.push_back(page.elicitation_id.value_or(""));
  auto const done = co_await around->dialog.visited(std::move(ids));
  co_return done;
}

asio::awaitable<int> run_command(session& s) {
  switch (s.opts().what) {
    case command::tools: return list_tools(s);
    case command::resources: return list_resources(s);
    case command::templates: return list_templates(s);
    case command::prompts: return list_prompts(s);
    case command::call: return call(s);
    case command::read: return read(s);
    case command::prompt: return prompt(s);
    case command::complete: return complete(s);
    case command::ping: return ping(s);
    case command::listen: return listen(s);
    case command::tasks: return tasks(s);
    default: break;
  }
  return info(s);
}

}  // namespace cli
