// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands, one function each; listening has a file of its own.
#include "commands.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "arguments.hpp"
#include "exit_codes.hpp"
#include "printers.hpp"

namespace cli {
namespace {

template <class T>
void print_listing(session& s, comcp::listing<T> const& all, char const* nothing) {
  for (auto const& broken : all.set_aside())
    s.around->err.line("comcp: a definition that cannot be read was left out: " + one_line(broken.reason));
  if (s.opts().json) {
    std::cout << items_json(all) << '\n';
    return;
  }
  std::vector<row> rows;
  for (auto const& item : all) rows.push_back(row_of(item));
  print_rows(rows, nothing);
}

template <class Result>
void print(session& s, Result const& r) {
  if (s.opts().json) {
    std::cout << r.raw.dump() << '\n';
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

asio::awaitable<comcp::json::value> input_schema(session& s) {
  auto options = s.call_options();
  auto const all = co_await s.client.list_tools(std::move(options));
  auto const* const found = all.find(s.opts().name);
  comcp::json::value schema;
  if (found) schema = found->input_schema;
  co_return schema;
}

asio::awaitable<int> call(session& s) {
  auto const& o = s.opts();
  auto const pairs = parse_pairs(o.pairs);
  comcp::json::value schema;
  if (need_schema(pairs)) schema = co_await input_schema(s);
  auto arguments = tool_arguments(pairs, o.arguments, schema.view());
  auto options = s.call_options();
  auto const r = co_await s.client.call_tool(o.name, std::move(arguments), std::move(options));
  s.around->err.clear();
  if (r.is_error) s.around->err.line("comcp: the tool failed");
  print(s, r);
  co_return r.is_error ? exit_tool_failed : exit_ok;
}

asio::awaitable<int> read(session& s) {
  auto const& o = s.opts();
  auto const pairs = parse_pairs(o.pairs);
  auto options = s.call_options();
  if (pairs.empty()) {
    auto const r = co_await s.client.read_resource(o.name, std::move(options));
    print(s, r);
    co_return exit_ok;
  }
  comcp::resource_template const pattern(o.name, o.name);
  auto const variables = template_variables(pairs);
  auto const r = co_await s.client.read_resource(pattern, variables, std::move(options));
  print(s, r);
  co_return exit_ok;
}

asio::awaitable<int> prompt(session& s) {
  auto const& o = s.opts();
  auto const given = string_arguments(parse_pairs(o.pairs));
  comcp::json::fragment arguments;
  if (!given.empty()) arguments = comcp::json::fragment::of(given);
  auto options = s.call_options();
  auto const r = co_await s.client.get_prompt(o.name, std::move(arguments), std::move(options));
  print(s, r);
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
  auto options = s.call_options();
  auto const r = co_await s.client.complete(what, std::move(options));
  print(s, r);
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
    default: break;
  }
  return info(s);
}

}  // namespace cli
