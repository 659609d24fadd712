// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What an app's host is to it: how it is called, what it tells and grants, and what it decides when the app asks. What a
// host does not decide, the app is refused. Spec: the extension io.modelcontextprotocol/ui, version 2026-01-26.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call_options.hpp>
#include <comcp/extensions/apps.hpp>
#include <comcp/json/build.hpp>
#include <comcp/protocol/content.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/protocol/logging.hpp>

namespace comcp {

/// How an app is shown.
enum class display_mode { in_line, fullscreen, pip };
constexpr auto texts(std::type_identity<display_mode>) {
  return std::array<std::string_view, 3>{"inline", "fullscreen", "pip"};
}

/// What an app wants the model to know from now on; each replaces the one before.
struct app_context {
  app_context() = default;

  std::vector<content_block> content;
  json::value structured_content;  ///< An object; null where absent.
  json::value raw;
};
constexpr auto describe(std::type_identity<app_context>) {
  using t = app_context;
  return json::fields(json::defaulted("content", &t::content),
                      detail::optional_object("structuredContent", &t::structured_content), json::rest(&t::raw));
}

/// How large an app would like to be, in pixels. Untrusted: bound it.
struct app_size {
  app_size() = default;

  std::optional<double> width, height;
  json::value raw;
};
constexpr auto describe(std::type_identity<app_size>) {
  using t = app_size;
  return json::fields(json::field("width", &t::width), json::field("height", &t::height), json::rest(&t::raw));
}

namespace detail {
class app_requests;
class app_session;
}

/// What app_bridge is told. Callbacks are called on the client's executor; one that gives an awaitable may take its time,
/// which ends with the bridge. What they throw becomes -32603 without its text. All that comes from an app is untrusted.
class app_host {
 public:
  /// The app is refused where it is false.
  using decision = asio::awaitable<bool>;

  app_host(std::string name, std::string version) : info_(std::move(name), std::move(version)) {}

  /// `hostContext`, an object: theme, locale, toolInfo, containerDimensions, ... Its displayMode is the one to begin with.
  app_host& context(json::fragment c) { return context_ = std::move(c), *this; }
  /// What the frame runs under, for the app to know.
  app_host& grants(app_csp c) { return csp_ = std::move(c), *this; }
  app_host& grants(app_permissions p) { return permissions_ = std::move(p), *this; }

  /// ui/open-link. Only http and https come here.
  app_host& on_open_link(std::function<decision(std::string url)> f) { return open_link_ = std::move(f), *this; }
  /// ui/message: the user says this to the model.
  app_host& on_message(std::function<decision(std::vector<content_block>)> f) { return message_ = std::move(f), *this; }
  /// ui/update-model-context.
  app_host& on_update_context(std::function<decision(app_context)> f) { return update_ = std::move(f), *this; }
  /// ui/download-file of the draft: embedded resources, and links, whose uris may be of any scheme.
  app_host& on_download(std::function<decision(std::vector<content_block>)> f) { return download_ = std::move(f), *this; }
  /// ui/request-display-mode: gives the mode that there is then (default: as it is). Not asked for what the app did not say
  /// it can.
  app_host& on_display_mode(std::function<asio::awaitable<display_mode>(display_mode)> f) {
    return display_ = std::move(f), *this;
  }
  /// notifications/message.
  app_host& on_log(std::function<void(logging_message const&)> f) { return log_ = std::move(f), *this; }
  /// ui/notifications/size-changed.
  app_host& on_size(std::function<void(app_size const&)> f) { return size_ = std::move(f), *this; }
  /// ui/notifications/request-teardown of the draft: who agrees calls app_bridge::teardown().
  app_host& on_teardown_request(std::function<void()> f) { return teardown_ = std::move(f), *this; }

  /// For the calls that the app makes of its server.
  app_host& options(call_options o) { return options_ = std::move(o), *this; }
  /// The longest message of the app, in bytes (default 4 MiB), and the most of its requests at once (default 32).
  app_host& limits(std::size_t message_bytes, std::size_t requests) {
    return max_bytes_ = message_bytes, max_requests_ = requests, *this;
  }

 private:
  friend class detail::app_requests;
  friend class detail::app_session;

  implementation info_;
  json::fragment context_;
  std::optional<app_csp> csp_;
  std::optional<app_permissions> permissions_;
  std::function<decision(std::string)> open_link_;
  std::function<decision(std::vector<content_block>)> message_, download_;
  std::function<decision(app_context)> update_;
  std::function<asio::awaitable<display_mode>(display_mode)> display_;
  std::function<void(logging_message const&)> log_;
  std::function<void(app_size const&)> size_;
  std::function<void()> teardown_;
  call_options options_;
  std::size_t max_bytes_ = std::size_t{4} << 20, max_requests_ = 32;
};

}  // namespace comcp
