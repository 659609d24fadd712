// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What is on the list of requests, and how each is carried out. app_bridge.ipp reads the messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <comcp/client/client.hpp>
#include <comcp/client/prepared.hpp>
#include <comcp/extensions/app_bridge.hpp>
#include <comcp/visible.hpp>

namespace comcp::detail {

inline exception app_refusal(std::int64_t code, char const* why) { return exception(error::from_peer({code, why, {}})); }

template <class T>
T app_params(json::value const& from) {
  auto read = from.get<T>();
  if (!from.is_object() || !read) throw app_refusal(-32602, "Invalid params");
  return *std::move(read);
}

inline std::string app_text(json::value const& params, std::string_view key) {
  auto const found = params.find(key);
  if (!found || !found->is_string()) throw app_refusal(-32602, "Invalid params");
  return std::string(found->as_string());
}

template <class T, class About>
asio::awaitable<T> decide(std::function<asio::awaitable<T>(About)> const& f, About about) {
  auto deciding = f(std::move(about));
  auto const decision = co_await std::move(deciding);
  co_return decision;
}

// A host's own code: what it throws is not the app's to read.
template <class T, class About>
asio::awaitable<T> decided(std::function<asio::awaitable<T>(About)> const& f, About about) {
  auto deciding = decide(f, std::move(about));
  auto const outcome = co_await as_result(std::move(deciding));
  if (!outcome) throw app_refusal(-32603, "Internal error");
  co_return *outcome;
}

// What an app asks for and the host may refuse.
template <class About>
asio::awaitable<std::string> allowed(std::function<asio::awaitable<bool>(About)> const& f, About about,
                                     char const* refusal) {
  if (!f) throw app_refusal(-32000, refusal);
  auto deciding = decided(f, std::move(about));
  bool const yes = co_await std::move(deciding);
  if (!yes) throw app_refusal(-32000, refusal);
  co_return "{}";
}

// An object's text.
inline std::string const& app_object(json::fragment const& f, char const* what) {
  if (auto const bad = check_params(f)) throw exception(bad.with_message(what));
  static std::string const none = "{}";
  return f.empty() ? none : f.text();
}

// What an app may ask for. All on the client's executor; who calls keeps this alive.
class app_requests {
 public:
  using request = asio::awaitable<std::string> (app_requests::*)(json::value);

  app_requests(std::shared_ptr<client_link> c, app_host h) : core_(std::move(c)), host_(std::move(h)) {
    app_object(host_.context_, "app_host::context() is not an object");
    host_.options_.manual_input(false);  // an app is given results alone
  }

  // Null for what is not on the list.
  COMCP_LAZY static request find(std::string_view method) noexcept;
  // What the host can do, as ui/initialize tells it.
  [[nodiscard]] json::fragment offers() const;
  void change_context(std::string const& changes);
  void forget_tools() noexcept { ++changes_; }
  void knows(std::vector<std::string> display_modes) { modes_ = std::move(display_modes); }
  [[nodiscard]] app_host const& host() const noexcept { return host_; }

  // They give the result's text, or throw.
  COMCP_LAZY asio::awaitable<std::string> call_tool(json::value params);
  COMCP_LAZY asio::awaitable<std::string> list_tools(json::value params);
  COMCP_LAZY asio::awaitable<std::string> read_resource(json::value params);
  COMCP_LAZY asio::awaitable<std::string> open_link(json::value params);
  COMCP_LAZY asio::awaitable<std::string> say(json::value params);
  COMCP_LAZY asio::awaitable<std::string> update_context(json::value params);
  COMCP_LAZY asio::awaitable<std::string> download(json::value params);
  COMCP_LAZY asio::awaitable<std::string> change_display(json::value params);

 private:
  std::shared_ptr<client_link> const core_;
  app_host host_;
  display_mode mode_ = display_mode::in_line;
  std::optional<std::vector<std::string>> modes_;      // that the app knows
  std::map<std::string, bool, std::less<>> tools_;     // whether apps may call it
  std::uint64_t changes_ = 1, seen_ = 0;               // of the tools; how many `tools_` has seen
};

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::list_tools(json::value) {
  auto const before = changes_;
  auto listing_them = comcp::client(core_, false).list_tools(host_.options_);
  auto const all = co_await std::move(listing_them);
  json::writer w;
  w.begin_object().key("tools").begin_array();
  tools_.clear();
  seen_ = before;  // what has changed since is looked for at the next call
  for (auto const& one : all) {
    bool const may = is_for_app(one);
    auto const [at, is_new] = tools_.try_emplace(one.name, may);
    at->second = at->second && may;
    if (may && is_new) json::codec<comcp::tool>::write(w, one);
  }
  w.end_array().end_object();
  co_return std::move(w).text();
}

// The name and the arguments alone go on: an app's `_meta` is nothing that its host would have said.
COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::call_tool(json::value params) {
  auto const name = app_text(params, "name");
  auto const arguments = params.find("arguments");
  if (arguments && !arguments->is_object() && !arguments->is_null()) throw app_refusal(-32602, "Invalid params");
  if (seen_ != changes_ || !tools_.contains(name)) {
    auto looking = list_tools(json::value());
    (void)co_await std::move(looking);
  }
  auto const known = tools_.find(name);
  if (known == tools_.end() || !known->second) throw app_refusal(-32602, "The app may not call this tool");
  auto text = arguments && arguments->is_object() ? arguments->dump() : std::string("{}");
  auto calling = comcp::client(core_, false).call_tool(name, json::fragment::trusted(std::move(text)), host_.options_);
  auto const result = co_await std::move(calling);
  co_return json::to_text(result);
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::read_resource(json::value params) {
  auto reading = comcp::client(core_, false).read_resource(app_text(params, "uri"), host_.options_);
  auto const result = co_await std::move(reading);
  co_return json::to_text(result);
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::open_link(json::value params) {
  auto url = app_text(params, "url");
  bool const is_plain = url.find_first_of(" \t\r\n\"<>\\") == url.npos && visible(url) == url;
  if (!is_plain || !(url.starts_with("https://") || url.starts_with("http://"))) throw app_refusal(-32000, "Invalid URL");
  return allowed(host_.open_link_, std::move(url), "Link opening denied");
}

// One block, as the specification has it, or a list, as its SDK sends it.
inline std::vector<content_block> app_content(json::value const& params, std::string_view key) {
  auto const found = params.find(key);
  if (found && found->is_object()) return {app_params<content_block>(*found)};
  auto read = found ? found->get<std::vector<content_block>>() : result<std::vector<content_block>>(errc::not_found);
  if (!read) throw app_refusal(-32602, "Invalid params");
  return *std::move(read);
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::say(json::value params) {
  if (app_text(params, "role") != "user") throw app_refusal(-32602, "Invalid params");
  return allowed(host_.message_, app_content(params, "content"), "Message sending denied");
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::update_context(json::value params) {
  return allowed(host_.update_, app_params<app_context>(params), "Context update denied");
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::download(json::value params) {
  auto contents = app_content(params, "contents");
  for (auto const& one : contents) {
    if (!std::holds_alternative<embedded_resource>(one) && !std::holds_alternative<resource_link>(one))
      throw app_refusal(-32602, "Invalid params");
  }
  return allowed(host_.download_, std::move(contents), "Download denied");
}

COMCP_LAZY_DECL asio::awaitable<std::string> app_requests::change_display(json::value params) {
  auto const text = app_text(params, "mode");
  auto const wanted = enum_from_text<display_mode>(text);
  if (!wanted) throw app_refusal(-32602, "Invalid params");
  bool const knows = !modes_ || std::find(modes_->begin(), modes_->end(), text) != modes_->end();
  if (host_.display_ && knows && *wanted != mode_) {
    auto deciding = decided(host_.display_, *wanted);
    mode_ = co_await std::move(deciding);
  }
  co_return args("mode", mode_).text();
}

COMCP_LAZY_DECL app_requests::request app_requests::find(std::string_view method) noexcept {
  if (method == "tools/call") return &app_requests::call_tool;
  if (method == "tools/list") return &app_requests::list_tools;
  if (method == "resources/read") return &app_requests::read_resource;
  if (method == "ui/open-link") return &app_requests::open_link;
  if (method == "ui/message") return &app_requests::say;
  if (method == "ui/update-model-context") return &app_requests::update_context;
  if (method == "ui/download-file") return &app_requests::download;
  if (method == "ui/request-display-mode") return &app_requests::change_display;
  return nullptr;
}

COMCP_DECL json::fragment app_requests::offers() const {
  auto const server = core_->server();
  auto const media = json::fragment::trusted(
      R"({"text":{},"image":{},"audio":{},"resource":{},"resourceLink":{},"structuredContent":{}})");
  json::object all, sandbox;
  if (server->capabilities.tools) all.set("serverTools", args("listChanged", true));
  if (server->capabilities.resources) all.set("serverResources", json::object());
  if (host_.log_) all.set("logging", json::object());
  if (host_.open_link_) all.set("openLinks", json::object());
  if (host_.download_) all.set("downloadFile", json::object());
  if (host_.message_) all.set("message", media);
  if (host_.update_) all.set("updateModelContext", media);
  if (host_.csp_) sandbox.set("csp", *host_.csp_);
  if (host_.permissions_) sandbox.set("permissions", *host_.permissions_);
  if (host_.csp_ || host_.permissions_) all.set("sandbox", sandbox);
  return all;
}

COMCP_DECL void app_requests::change_context(std::string const& changes) {
  auto const read = json::parse(changes);
  auto const now = read ? read->find("displayMode") : std::nullopt;
  auto const known = now && now->is_string() ? enum_from_text<display_mode>(now->as_string()) : std::nullopt;
  if (known) mode_ = *known;
}

}  // namespace comcp::detail
