// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The outermost step of a call's way, a hook on what comes in, and a listener to the connection's status.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include <comcp/client/core.hpp>
#include <comcp/client/spans.hpp>
#include <comcp/http/url.hpp>
#include <comcp/protocol/meta.hpp>
#include <comcp/trace/record.hpp>

namespace comcp {
namespace detail {

// What an attribute and a name say of the thing that is called: none of its parameters.
COMCP_LAZY void describe_target(span_start& s, std::string_view method, std::string const& target) {
  s.attributes.emplace_back("mcp.method.name", std::string(method));
  bool const is_tool = method == "tools/call";
  bool const is_prompt = method == "prompts/get";
  if (is_tool || is_prompt) {
    s.name += ' ' + target;
    s.attributes.emplace_back(is_tool ? "gen_ai.tool.name" : "gen_ai.prompt.name", target);
  } else if (!target.empty() && method.starts_with("resources/")) {
    s.attributes.emplace_back("mcp.resource.uri", redacted(target.substr(0, target.find_first_of("?#"))));
  }
  if (is_tool) s.attributes.emplace_back("gen_ai.operation.name", "execute_tool");
}

// What is true of all calls of a connection.
COMCP_LAZY void describe_connection(span_start& s, client_core const& core) {
  auto const about = core.connection.channel().info();
  char const* const transport = core.is_http() ? "tcp" : about.kind == "unix" ? "unix" : about.kind == "stdio" ? "pipe" : nullptr;
  if (transport) s.attributes.emplace_back("network.transport", transport);
  if (auto const version = core.facts.version())
    s.attributes.emplace_back("mcp.protocol.version", std::string(version->text()));
  auto const url = core.is_http() ? http_url::parse(about.origin) : result<http_url>(error(errc::invalid_argument));
  if (!url) return;
  s.attributes.emplace_back("network.protocol.name", "http");
  s.attributes.emplace_back("server.address", std::string(url->host_name()));
  s.attributes.emplace_back("server.port", std::int64_t{url->port()});
}

/// Each connection on its way up.
class connection_spans {
 public:
  connection_spans(client_core& core, span_hook hook) : core_(core), hook_(std::move(hook)) {}

  COMCP_LAZY void became(connection_status now);
  void failed(error const& why) noexcept { opening_.fail(why); }

 private:
  client_core& core_;
  span_hook const hook_;
  open_span opening_;
};

COMCP_LAZY_DECL void connection_spans::became(connection_status now) {
  switch (now) {
    case connection_status::connecting: {
      span_start s(span_layer::connection, span_kind::internal, "connect");
      describe_connection(s, core_);
      opening_ = open_span(hook_, std::move(s));
      break;
    }
    case connection_status::initializing: opening_.event("initializing"); break;
    case connection_status::ready:
      if (auto const version = core_.facts.version()) opening_.set("mcp.protocol.version", std::string(version->text()));
      opening_.end();
      break;
    case connection_status::closing: break;  // why is known at its end
    case connection_status::disconnected:
      if (opening_) opening_.fail(core_.end_reason().value_or(error(errc::closed)));
      break;
  }
}

class span_step {
 public:
  COMCP_LAZY span_step(client_core& core, span_hook hook);

  [[nodiscard]] bool concerns(std::string_view) const noexcept { return true; }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);
  void lost(error const& why) const noexcept { connections_->failed(why); }

 private:
  client_core& core_;
  span_hook const hook_;
  std::shared_ptr<connection_spans> const connections_;
};

COMCP_LAZY_DECL span_step::span_step(client_core& core, span_hook hook)
    : core_(core), hook_(hook), connections_(std::make_shared<connection_spans>(core, std::move(hook))) {
  core.connection.listeners()->add([to = connections_](connection_status now) { to->became(now); });
}

// What is not is refused, with spans and without.
inline bool has_sound_trace(call_options const& options) {
  auto const& all = options.meta();
  return std::all_of(all.begin(), all.end(), [](auto const& entry) {
    bool const concerns = entry.first == meta_key::traceparent || entry.first == meta_key::tracestate || entry.first == meta_key::baggage;
    return !concerns || check_meta(entry.first, entry.second);
  });
}

COMCP_LAZY_DECL asio::awaitable<reply> span_step::perform(prepared_call& c, performer next) {
  span_start s(span_layer::call, span_kind::client, c.method.text());
  describe_target(s, c.method.text(), wire::name_in(c.method, c.params).value_or(""));
  describe_connection(s, core_);
  s.parent = trace_of(c.options);
  open_span of(hook_, std::move(s));
  if (has_sound_trace(c.options)) c.options.trace(of.context());
  auto const id = c.told_id = std::make_shared<request_id>(0);
  bool const is_tool = c.method.is(wire::methods::call_tool);
  auto going = next(c);
  auto r = co_await std::move(going);
  if (*id) of.set("jsonrpc.request.id", std::to_string(*id));
  if (!r) {
    of.fail(r.error());
  } else if (auto const wrong = is_tool ? r->view().find("isError") : std::nullopt; wrong && wrong->get_bool() == true) {
    of.set("error.type", "tool_error");
    of.end("the tool's result is an error");
  } else {
    of.end();
  }
  co_return r;
}

COMCP_LAZY void begin_request_span(span_hook const& hook, incoming_request& r, void const* whose) {
  span_start s(span_layer::request, span_kind::server, r.method);
  s.attributes.emplace_back("mcp.method.name", r.method);
  if (auto const link = link_of(r.about)) describe_connection(s, link->core());
  s.parent = r.about.trace();
  r.kept[whose] = std::make_shared<open_span>(hook, std::move(s));
}

}  // namespace detail

COMCP_LAZY_DECL connect_options& connect_options::spans(span_hook hook) {
  auto const own = std::make_shared<span_hook const>(hook);
  incoming_hook requests;
  requests.before = [own](incoming_request& r) {
    detail::begin_request_span(*own, r, own.get());
    return detail::goes_on();
  };
  requests.after = [own](incoming_request const& r, result<json::fragment>& outcome) {
    auto const found = r.kept.find(own.get());
    auto const of = found == r.kept.end() ? nullptr : std::static_pointer_cast<detail::open_span>(found->second);
    if (of) of->end_with(outcome ? nullptr : &outcome.error());
    return detail::no_more();
  };
  settings_.steps[detail::connect_settings::tracing] = [hook = std::move(hook)](client_core& core) {
    return std::make_unique<detail::step_of<detail::span_step>>(core, hook);
  };
  detail::add_hook(settings_, std::move(requests), true);
  return *this;
}

}  // namespace comcp
