// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The outermost step of a call's way, a hook on what comes in, and a listener to the connection's status.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <comcp/client/core.hpp>
#include <comcp/client/spans.hpp>
#include <comcp/http/url.hpp>
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
    s.attributes.emplace_back("mcp.resource.uri", redacted(target));
  }
  if (is_tool) s.attributes.emplace_back("gen_ai.operation.name", "execute_tool");
}

/// Each connection on its way up; what is true of all of its calls.
class connection_spans {
 public:
  COMCP_LAZY connection_spans(client_core& core, span_hook hook);

  COMCP_LAZY void add_to(span_start& s) const;
  COMCP_LAZY void became(connection_status now);

 private:
  client_core& core_;
  span_hook const hook_;
  std::vector<span_attribute> common_;
  open_span opening_;
};

COMCP_LAZY_DECL connection_spans::connection_spans(client_core& core, span_hook hook)
    : core_(core), hook_(std::move(hook)) {
  auto const about = core.connection.channel().info();
  common_.emplace_back("network.transport", core.is_http() ? "tcp" : "pipe");
  if (!core.is_http()) return;
  common_.emplace_back("network.protocol.name", "http");
  auto const url = http_url::parse(about.origin);
  if (!url) return;
  common_.emplace_back("server.address", std::string(url->host_name()));
  common_.emplace_back("server.port", std::int64_t{url->port()});
}

COMCP_LAZY_DECL void connection_spans::add_to(span_start& s) const {
  s.attributes.insert(s.attributes.end(), common_.begin(), common_.end());
  if (auto const version = core_.facts.version())
    s.attributes.emplace_back("mcp.protocol.version", std::string(version->text()));
}

COMCP_LAZY_DECL void connection_spans::became(connection_status now) {
  switch (now) {
    case connection_status::connecting: {
      span_start s(span_layer::connection, span_kind::internal, "connect");
      s.attributes = common_;
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

 private:
  span_hook const hook_;
  std::shared_ptr<connection_spans> const connections_;
};

COMCP_LAZY_DECL span_step::span_step(client_core& core, span_hook hook)
    : hook_(hook), connections_(std::make_shared<connection_spans>(core, std::move(hook))) {
  core.connection.listeners()->add([to = connections_](connection_status now) { to->became(now); });
}

COMCP_LAZY_DECL asio::awaitable<reply> span_step::perform(prepared_call& c, performer next) {
  span_start s(span_layer::call, span_kind::client, c.method.text());
  describe_target(s, c.method.text(), wire::name_in(c.method, c.params).value_or(""));
  connections_->add_to(s);
  s.parent = trace_of(c.options);
  open_span of(hook_, std::move(s));
  c.options.trace(of.context());
  bool const is_tool = c.method.is(wire::methods::call_tool);
  auto going = next(c);
  auto r = co_await std::move(going);
  if (c.id) of.set("jsonrpc.request.id", std::to_string(c.id));
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

/// Requests of the server that are being answered.
class request_spans {
 public:
  explicit request_spans(span_hook hook) : hook_(std::move(hook)) {}

  void begin(incoming_request const& r) {
    span_start s(span_layer::request, span_kind::server, r.method);
    s.attributes.emplace_back("mcp.method.name", r.method);
    s.parent = r.about.trace();
    open_span of(hook_, std::move(s));
    std::scoped_lock const alone(mutex_);
    open_.insert_or_assign(&r, std::move(of));
  }
  void end(incoming_request const& r, error const* why) {
    std::unique_lock alone(mutex_);
    auto of = open_.extract(&r);
    alone.unlock();
    if (of) of.mapped().end_with(why);
  }

 private:
  span_hook const hook_;
  std::mutex mutex_;  // connections with the same options share it
  std::map<incoming_request const*, open_span> open_;
};

}  // namespace detail

COMCP_LAZY_DECL connect_options& connect_options::spans(span_hook hook) {
  auto const requests = std::make_shared<detail::request_spans>(hook);
  incoming_hook incoming;
  incoming.before = [requests](incoming_request& r) {
    requests->begin(r);
    return detail::goes_on();
  };
  incoming.after = [requests](incoming_request const& r, result<json::fragment>& outcome) {
    requests->end(r, outcome ? nullptr : &outcome.error());
    return detail::no_more();
  };
  settings_.steps[detail::connect_settings::tracing] = [hook = std::move(hook)](client_core& core) {
    return std::make_unique<detail::step_of<detail::span_step>>(core, hook);
  };
  detail::add_hook(settings_, std::move(incoming), true);
  return *this;
}

}  // namespace comcp
