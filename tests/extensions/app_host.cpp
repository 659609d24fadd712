// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/extensions/app_host.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "extensions/app_server.hpp"

using namespace comcp_test;

namespace {

app_host::decision answer(bool yes) { co_return yes; }
app_host::decision fails() {
  (void)co_await asio::this_coro::executor;
  throw std::runtime_error("a secret");
}

}  // namespace

TEST_CASE("app_host: an app that begins is told what there is", "[extensions]") {
  talk plain;
  plain.view.begin();
  CHECK(plain.view.last() == R"({"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2026-01-26","hostInfo":{"name":"host","version":"1"},)"
                             R"("hostCapabilities":{"serverTools":{"listChanged":true},"serverResources":{}},"hostContext":{}}})");
  app_host host("host", "1");
  app_permissions camera;
  camera.camera = true;
  host.context(args("theme", "dark")).grants(app_csp()).grants(camera).on_open_link([](auto) { return answer(true); });
  host.on_log([](logging_message const&) {}).on_message([](auto) { return answer(true); });
  talk rich(host);
  rich.view.begin();
  auto const result = rich.view.got->back()["result"];
  CHECK(result["hostContext"].dump() == R"({"theme":"dark"})");
  CHECK(result["hostCapabilities"]["sandbox"].dump() == R"({"csp":{},"permissions":{"camera":{}}})");
  CHECK(result["hostCapabilities"].contains("openLinks"));
  CHECK(result["hostCapabilities"].contains("logging"));
  CHECK(result["hostCapabilities"]["message"].contains("text"));
  CHECK_FALSE(result["hostCapabilities"].contains("downloadFile"));
}

TEST_CASE("app_host: what the host does not decide is refused", "[extensions]") {
  talk t;
  t.view.begin();
  CHECK(t.view.code("ui/open-link", R"({"url":"https://a.example"})") == -32000);
  CHECK(t.view.code("ui/message", R"({"role":"user","content":{"type":"text","text":"x"}})") == -32000);
  CHECK(t.view.code("ui/update-model-context", R"({"structuredContent":{}})") == -32000);
  CHECK(t.view.code("ui/download-file", R"({"contents":[]})") == -32000);
  CHECK(t.view.ask("ui/request-display-mode", R"({"mode":"pip"})")["result"].dump() == R"({"mode":"inline"})");
}

TEST_CASE("app_host: the host decides", "[extensions]") {
  std::vector<std::string> seen;
  bool yes = true;
  app_host host("host", "1");
  host.on_open_link([&](std::string url) { return seen.push_back(url), answer(yes); });
  host.on_message([&](std::vector<content_block> content) { return seen.push_back(text_of(content)), answer(yes); });
  host.on_update_context([&](app_context c) { return seen.push_back(c.structured_content.dump() + text_of(c.content)), answer(yes); });
  host.on_download([&](std::vector<content_block> c) { return seen.push_back(std::to_string(c.size())), answer(yes); });
  talk t(host);
  t.view.begin();
  auto const ask_all = [&t] {
    return std::vector<std::int64_t>{t.view.code("ui/open-link", R"({"url":"https://a.example/?q=1"})"),
                                     t.view.code("ui/message", R"({"role":"user","content":{"type":"text","text":"one"}})"),
                                     t.view.code("ui/message", R"({"role":"user","content":[{"type":"text","text":"two"}]})"),
                                     t.view.code("ui/update-model-context", R"({"content":[{"type":"text","text":"c"}],"structuredContent":{"a":1}})"),
                                     t.view.code("ui/download-file", R"({"contents":[{"type":"resource_link","uri":"u","name":"n"}]})")};
  };
  CHECK(ask_all() == std::vector<std::int64_t>(5, 0));
  CHECK(seen == std::vector<std::string>{"https://a.example/?q=1", "one", "two", R"({"a":1}c)", "1"});
  yes = false;
  CHECK(ask_all() == std::vector<std::int64_t>(5, -32000));
  seen.clear();
  for (auto const* const url : {"javascript:alert(1)", "file:///etc/passwd", "https://a b", "http://a\\nb", "HTTPS://A", "", "https://a\\u202eb"}) {
    CAPTURE(url);
    CHECK(t.view.code("ui/open-link", std::string(R"({"url":")") + url + "\"}") == -32000);
  }
  for (auto const* const bad : {R"({"role":"assistant","content":[]})", R"({"role":"user"})", R"({"role":"user","content":"x"})", R"({"role":"user","content":[1]})"})
    CHECK(t.view.code("ui/message", bad) == -32602);
  CHECK(t.view.code("ui/update-model-context", R"({"structuredContent":[]})") == -32602);
  CHECK(t.view.code("ui/update-model-context", "[]") == -32602);
  CHECK(t.view.code("ui/download-file", R"({"contents":[{"type":"text","text":"x"}]})") == -32602);
  CHECK(t.view.code("ui/request-display-mode", R"({"mode":"huge"})") == -32602);
  CHECK(seen.empty());
}

TEST_CASE("app_host: what a host's code throws is nothing to the app", "[extensions]") {
  app_host host("host", "1");
  host.on_open_link([](auto const&) { return fails(); });
  host.on_message([](auto const&) -> app_host::decision { throw comcp::exception(error::from_peer({1, "a secret", {}})); });
  host.on_log([](logging_message const&) { throw std::runtime_error("a secret"); });
  talk t(host);
  t.view.begin();
  CHECK(t.view.ask("ui/open-link", R"({"url":"https://a"})")["error"].dump() == R"({"code":-32603,"message":"Internal error"})");
  CHECK(t.view.code("ui/message", R"({"role":"user","content":[]})") == -32603);
  t.view.send(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}})");
  CHECK(t.c.faults.size() == 1);
  CHECK(t.view.code("ping") == 0);
}

TEST_CASE("app_host: display modes that the app does not know are not asked for", "[extensions]") {
  std::vector<display_mode> asked;
  app_host host("host", "1");
  host.context(args("displayMode", "pip"));
  host.on_display_mode([&asked](display_mode m) -> asio::awaitable<display_mode> { co_return asked.push_back(m), m; });
  talk t(host);
  t.view.begin(R"({"availableDisplayModes":["inline","pip"]})");
  auto const mode = [&t](std::string const& wanted) {
    return t.view.ask("ui/request-display-mode", R"({"mode":")" + wanted + "\"}")["result"]["mode"].as<std::string>();
  };
  CHECK(mode("fullscreen") == "pip");
  CHECK(mode("inline") == "inline");
  CHECK(mode("inline") == "inline");
  t.view.bridge.context_changed(args("displayMode", "pip"));
  t.c.settle();
  CHECK(mode("fullscreen") == "pip");
  CHECK(asked == std::vector{display_mode::in_line});
}

TEST_CASE("app_host: an app tells its size, its log and that it is done", "[extensions]") {
  std::vector<std::string> told;
  app_host host("host", "1");
  host.on_size([&told](app_size const& s) { told.push_back(std::to_string(static_cast<int>(*s.width))); });
  host.on_log([&told](logging_message const& m) { told.push_back(m.data.dump()); });
  host.on_teardown_request([&told] { told.emplace_back("done"); });
  talk t(host);
  std::string const size = R"({"jsonrpc":"2.0","method":"ui/notifications/size-changed","params":)";
  t.view.send(size + R"({"width":1}})");
  CHECK(told.empty());
  t.view.begin();
  t.view.got->clear();
  t.view.send(size + R"({"width":300.5,"height":20}})");
  t.view.send(size + R"({"width":"wide"}})");
  t.view.send(size + "[]}");
  t.view.send(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"a":1}}})");
  t.view.send(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"shout"}})");
  t.view.send(R"({"jsonrpc":"2.0","method":"ui/notifications/request-teardown"})");
  CHECK(told == std::vector<std::string>{"300", R"({"a":1})", "done"});
  CHECK(t.view.got->empty());
}
