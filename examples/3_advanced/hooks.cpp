// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Hooks both ways: an interceptor sees, changes or answers what is called; ready guards and a hook of your own see what
// the server sends before the handler does.
//
//   hooks SERVER [ARGUMENT...]
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <comcp/client/guards.hpp>
#include <comcp/comcp.hpp>

namespace {

// What servers may ask for: a "model", and a form.
struct answers {
  comcp::create_message_result create_message(comcp::create_message_params const&) {
    return comcp::create_message_result("tiny-model", "three bees");
  }
  comcp::elicit_result elicit(comcp::elicit_params const&) { return comcp::elicit_result::accept(comcp::args("name", "Ada")); }
};

// Each call says who it is for; a tool that must not run is answered here, and nothing is sent.
comcp::interceptor outgoing() {
  comcp::interceptor i;
  i.before = [](comcp::outgoing_call& call) -> asio::awaitable<std::optional<comcp::json::value>> {
    std::cout << "-> " << call.method << ' ' << call.name << '\n';
    call.options.meta("com.example/tenant", "bees");
    if (call.name == "crash") throw comcp::exception(comcp::error(comcp::errc::denied, "not here"));
    co_return std::nullopt;
  };
  return i;
}

// What the server tells and asks, as it comes.
comcp::incoming_hook incoming(int& told) {
  comcp::incoming_hook h;
  h.notified = [&told](comcp::incoming_notification& n) {
    std::cout << "<- " << n.method << '\n';
    ++told;
    return true;
  };
  return h;
}

// A person would be asked here: this one lets the model be used, and fills in no forms.
asio::awaitable<bool> ask_the_user(comcp::incoming_request const& r) {
  std::cout << "<- " << r.method << '\n';
  co_return r.method == "sampling/createMessage";
}

asio::awaitable<bool> visit(std::vector<std::string> server) {
  int told = 0;
  comcp::connect_options options;
  options.intercept(outgoing()).intercept(incoming(told)).intercept(comcp::approve(ask_the_user));
  options.intercept(comcp::rate_limit(100)).intercept(comcp::limit_sampling(comcp::sampling_budget().tokens(10'000)));
  auto client = co_await comcp::connect(comcp::stdio(std::move(server)), answers(), options);

  auto shown = comcp::call_options().on_progress([](comcp::progress_notification const&) {});
  co_await client.call_tool("countdown", comcp::args("steps", 3), shown);
  auto const summary = co_await client.call_tool("summarize", comcp::args("text", "bees, bees, bees"));
  auto const greeting = co_await client.call_tool("ask_name");
  std::cout << "   " << summary.text() << "\n   " << greeting.text() << '\n';
  bool denied = false;
  try {
    co_await client.call_tool("crash");
  } catch (comcp::exception const& e) {
    denied = e.error() == comcp::errc::denied;
  }
  co_await client.close();
  co_return denied && told >= 3 && summary.text() == "tiny-model says: three bees" && greeting.text().find("Ada") == std::string::npos;
}

}  // namespace

int main(int argc, char* argv[]) try {
  return argc > 1 && comcp::run(visit({argv + 1, argv + argc})) ? 0 : 1;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
