// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Shows an app: calls a tool that has one, and serves the page to a browser on this machine. The browser has two origins
// (ports): the host's page, which relays messages to the bridge, and the sandbox, whose policy the app's frame inherits.
// Prints its URL and ends at the end of its input, or after ten minutes.
//
//   app_host TOOL ARGUMENTS URL                  ARGUMENTS are JSON, such as '{"by":1}'
//   app_host TOOL ARGUMENTS SERVER [ARGUMENT...]
#include <chrono>
#include <condition_variable>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <httplib.h>
#include <poll.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_future.hpp>

#include <comcp/extensions/app_bridge.hpp>
#include <comcp/http.hpp>
#include <comcp/visible.hpp>

namespace {

using namespace std::chrono_literals;
namespace json = comcp::json;

constexpr auto host_page = R"(<!DOCTYPE html><meta charset="utf-8"><title>app_host</title><script type="module" src="/host.js"></script>)";

// Only messages of the sandbox's frame count, one after the other.
constexpr auto host_script = R"js(
const view = await (await fetch('/view', { method: 'POST' })).json();
const origin = new URL(view.sandbox).origin;
const frame = Object.assign(document.createElement('iframe'), { src: view.sandbox, allow: view.allow, width: 600, height: 400 });
frame.sandbox = 'allow-scripts allow-same-origin';
let sent = Promise.resolve();
addEventListener('message', ({ source, origin: from, data }) => {
  if (source !== frame.contentWindow || from !== origin) return;
  if (data?.method === 'ui/notifications/sandbox-proxy-ready')
    source.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-resource-ready', params: view.resource }, origin);
  else
    sent = sent.then(() => fetch('/message?view=' + view.id, { method: 'POST', body: JSON.stringify(data) }));
});
document.body.append(frame);
for (;;) {
  const answer = await fetch('/messages?view=' + view.id);
  if (!answer.ok) break;
  for (const message of await answer.json()) frame.contentWindow.postMessage(message, origin);
}
frame.remove();
)js";

constexpr auto sandbox_script = R"js(
const host = document.currentScript.dataset.host;
const app = document.createElement('iframe');
app.sandbox = 'allow-scripts';
app.style = 'border: 0; width: 100%; height: 95vh';
addEventListener('message', ({ source, origin, data }) => {
  if (source === parent && origin === host) {
    if (data?.method !== 'ui/notifications/sandbox-resource-ready') return app.contentWindow?.postMessage(data, '*');
    Object.assign(app, { allow: data.params.allow, srcdoc: data.params.html });
    document.body.append(app);
  } else if (app.contentWindow && source === app.contentWindow && !String(data?.method).startsWith('ui/notifications/sandbox-')) {
    parent.postMessage(data, host);
  }
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, host);
)js";

// Runs it where the client lives.
template <class T>
T run(asio::thread_pool& home, asio::awaitable<T> operation) {
  return asio::co_spawn(home, std::move(operation), asio::use_future).get();
}

// What the bridge says, until the page asks for it.
class outbox {
 public:
  void push(std::string text) {
    std::lock_guard const lock(mutex_);
    waiting_ += (waiting_.empty() ? "" : ",") + text;
    changed_.notify_all();
  }
  void close() {
    std::lock_guard const lock(mutex_);
    closed_ = true, changed_.notify_all();
  }
  // A list of messages, perhaps none yet; false at the end.
  bool take(std::string& out) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, 10s, [this] { return closed_ || !waiting_.empty(); });
    out = "[" + std::exchange(waiting_, {}) + "]";
    return !closed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  bool closed_ = false;
};

// The page as it is loaded once.
struct view {
  view(comcp::client const& client, comcp::app_host host)
      : bridge(client.extension<comcp::apps>(), std::move(host), [to = out](std::string text) { to->push(std::move(text)); }) {}
  std::shared_ptr<outbox> out = std::make_shared<outbox>();
  comcp::app_bridge bridge;
};

// What is shown.
struct shown {
  std::string tool;
  json::fragment arguments;
  comcp::app_resource app;
  std::string policy;
};

template <class Server>
asio::awaitable<comcp::client> connected(Server server) {
  auto client = co_await comcp::connect(std::move(server), comcp::connect_options().extension(comcp::apps()));
  co_return comcp::client(std::move(client));
}

asio::awaitable<void> find_app(comcp::client const& client, shown& what) {
  auto const tools = co_await client.list_tools();
  for (auto const& tool : tools) {
    auto const ui = tool.name == what.tool ? comcp::ui_of(tool) : std::nullopt;
    if (!ui || !ui->resource_uri) continue;
    what.app = co_await client.extension<comcp::apps>().read(*ui->resource_uri);
    what.policy = comcp::content_security_policy(what.app.ui.csp).value();
    co_return;
  }
  throw std::runtime_error("there is no tool " + what.tool + " with an app");
}

asio::awaitable<void> call_tool(comcp::client const& client, shown const& what, std::shared_ptr<view> v) {
  v->bridge.tool_input(what.arguments);
  auto const result = co_await comcp::as_result(client.call_tool(what.tool, what.arguments));
  if (result) v->bridge.tool_result(*result);
  else v->bridge.tool_cancelled("the call failed");
}

class pages {
 public:
  pages(asio::thread_pool& home, comcp::client const& client, shown const& what) : home_(home), client_(client), what_(what) {
    for (auto* const each : {&host_, &sandbox_}) {
      each->new_task_queue = [] { return new httplib::ThreadPool(16); };
      each->set_keep_alive_timeout(1);
    }
    host_url_ = "http://127.0.0.1:" + std::to_string(host_.bind_to_any_port("127.0.0.1"));
    sandbox_url_ = "http://127.0.0.1:" + std::to_string(sandbox_.bind_to_any_port("127.0.0.1"));
    serve_host();
    serve_sandbox();
    for (auto* const each : {&host_, &sandbox_}) {
      threads_.emplace_back([each] { each->listen_after_bind(); });
      while (!each->is_running()) std::this_thread::yield();
    }
  }
  ~pages() {
    if (auto const v = current()) {
      (void)run(home_, comcp::as_result(v->bridge.teardown("the host ends", 1s)));
      v->out->close();
    }
    host_.stop();
    sandbox_.stop();
    for (auto& each : threads_) each.join();
  }
  [[nodiscard]] std::string const& url() const { return host_url_; }

 private:
  void serve_host() {
    host_.set_default_headers({{"Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; frame-src " + sandbox_url_}});
    // What changes something comes from the host's own page, whatever other pages the browser shows.
    host_.set_pre_routing_handler([this](httplib::Request const& q, httplib::Response& r) {
      bool const own = "http://" + q.get_header_value("Host") == host_url_ &&
                       (q.method == "GET" || q.get_header_value("Origin") == host_url_);
      if (!own) r.status = 403;
      return own ? httplib::Server::HandlerResponse::Unhandled : httplib::Server::HandlerResponse::Handled;
    });
    host_.Get("/", [](auto const&, auto& r) { r.set_content(host_page, "text/html"); });
    host_.Get("/host.js", [](auto const&, auto& r) { r.set_content(host_script, "text/javascript"); });
    host_.Post("/view", [this](auto const&, auto& r) { r.set_content(begin(), "application/json"); });
    host_.Post("/message", [this](auto const& q, auto& r) {
      auto const v = current(q.get_param_value("view"));
      if (v) v->bridge.receive(q.body);
      r.status = v ? 204 : 410;
    });
    host_.Get("/messages", [this](auto const& q, auto& r) {
      auto const v = current(q.get_param_value("view"));
      std::string messages;
      if (!v || !v->out->take(messages)) return void(r.status = 410);
      r.set_content(messages, "application/json");
    });
  }

  void serve_sandbox() {
    sandbox_.Get("/", [this](auto const&, auto& r) {
      r.set_header("Content-Security-Policy", what_.policy + "; frame-ancestors " + host_url_);
      r.set_content("<!DOCTYPE html><meta charset=\"utf-8\"><body><script data-host=\"" + host_url_ + "\">" + sandbox_script + "</script>",
                    "text/html");
    });
  }

  // The page is loaded: the app begins anew, and its tool is called.
  std::string begin() {
    comcp::app_permissions granted;  // of all that an app may want
    granted.clipboard_write = what_.app.ui.permissions.value_or(comcp::app_permissions()).clipboard_write;
    comcp::app_host host("comcp app_host", "1");
    host.context(comcp::args("displayMode", "inline", "platform", "web")).grants(granted).grants(what_.app.ui.csp.value_or(comcp::app_csp()));
    host.on_log([](comcp::logging_message const& m) { std::cerr << "the app: " << comcp::visible(m.data.dump()) << '\n'; });
    auto const v = std::make_shared<view>(client_, std::move(host));
    asio::co_spawn(home_, call_tool(client_, what_, v), asio::detached);
    std::lock_guard const lock(mutex_);
    if (view_) view_->out->close();
    view_ = v;
    auto const allow = comcp::allow_attribute(granted);
    auto const resource = comcp::args("html", what_.app.html, "allow", allow);
    return comcp::args("id", std::to_string(++id_), "sandbox", sandbox_url_ + "/", "allow", allow, "resource", resource).text();
  }

  std::shared_ptr<view> current(std::string const& id = {}) {
    std::lock_guard const lock(mutex_);
    return id.empty() || id == std::to_string(id_) ? view_ : nullptr;
  }

  asio::thread_pool& home_;
  comcp::client const& client_;
  shown const& what_;
  httplib::Server host_, sandbox_;
  std::string host_url_, sandbox_url_;
  std::mutex mutex_;
  std::shared_ptr<view> view_;
  int id_ = 0;
  std::vector<std::thread> threads_;
};

void wait_for_end() {
  pollfd input{0, POLLIN, 0};
  char buffer[256];
  while (::poll(&input, 1, 600'000) > 0 && ::read(0, buffer, sizeof buffer) > 0) continue;
}

}  // namespace

int main(int argc, char* argv[]) try {
  if (argc < 4) return std::cerr << "usage: app_host TOOL ARGUMENTS URL|SERVER [ARGUMENT...]\n", 2;
  std::vector<std::string> const server(argv + 3, argv + argc);
  asio::thread_pool home(1);
  auto client = server[0].starts_with("http") ? run(home, connected(comcp::http(server[0]))) : run(home, connected(comcp::stdio(server)));
  shown what{argv[1], json::raw(argv[2]), {}, {}};
  run(home, find_app(client, what));
  {
    pages const served(home, client, what);
    std::cout << served.url() << '/' << std::endl;
    wait_for_end();
  }
  run(home, client.close());
  return 0;
} catch (std::exception const& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
