// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/server_facts.hpp>
#include <comcp/http/message.hpp>
#include <comcp/protocol/meta.hpp>
#include <comcp/visible.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL std::optional<protocol_version> server_facts::version() const noexcept {
  if (!codec) return {};
  return codec->version();
}

COMCP_LAZY_DECL era_verdict server_facts::verdict() const {
  era_verdict v;
  v.date = era_learned;
  if (!is_modern()) return v;
  v.era = era::modern;
  v.discovered = discovered;
  if (!discovered) v.versions.push_back(codec->version());
  else
    for (auto const& text : discovered->supported_versions) {
      if (auto const known = protocol_version::parse(text)) v.versions.push_back(*known);
    }
  return v;
}

COMCP_LAZY_DECL error server_facts::refuses(prepared_call const& c, bool check_capabilities) const {
  if (!codec->offers(c.method))
    return {errc::not_in_protocol, c.method.text() + " does not exist in " + std::string(codec->version().text())};
  if (!check_capabilities) return {};
  auto const& rules = c.method.rules();
  if (!rules.missing || codec->version() < rules.declared_since) return {};
  if (is_undiscovered() && !rules.wants_sight) return {};
  auto const* const missing = rules.missing(capabilities);
  if (!missing) return {};
  return {errc::capability_missing, std::string("the server did not declare ") + missing + ", which " + c.method.text() + " needs"};
}

COMCP_LAZY_DECL error server_facts::refuses_subscriptions() const {
  if (is_undiscovered() || capabilities.supports_subscribe()) return {};
  return {errc::capability_missing, "the server did not declare resources.subscribe"};
}

COMCP_LAZY_DECL error server_facts::refuses_without_task(prepared_call const& c) const {
  if (task_support(c) != comcp::task_support::required) return {};
  auto const params = json::parse(c.params);
  if (!params || params->contains("task")) return {};
  return {errc::capability_missing, "the tool " + wire::name_in(c.method, c.params).value_or("") +
                                        " can only be called as a task (its execution.taskSupport is \"required\"): "
                                        "connect_options().extension(tasks())"};
}

// Specification: 2025-11-25, basic/utilities/tasks#tool-level-negotiation
COMCP_LAZY_DECL std::optional<comcp::task_support> server_facts::task_support(prepared_call const& c) const {
  bool const may_be = capabilities.tasks && capabilities.tasks->supports("tools", "call");
  if (!may_be || is_modern() || !c.method.is(wire::methods::call_tool)) return {};
  return tools.support(c);
}

COMCP_LAZY_DECL void server_facts::learn(list_tools_result& page, std::size_t most, bool over_http) {
  if (!is_modern() && capabilities.tasks) tools.learn_tasks(page, most);
  if (over_http && is_modern()) tools.learn_headers(page);
}

COMCP_LAZY_DECL bool server_facts::learn_name(json::value const& result) {
  if (!info.name.empty()) return false;
  auto const meta = result.view().find("_meta");
  auto named = meta ? server_info_of(*meta) : std::nullopt;
  if (!named) return false;
  info = std::move(*named);
  return true;
}

COMCP_LAZY_DECL task_support listed_tools::support(prepared_call const& c) const {
  auto const given = c.options.task_support();
  if (given != task_support::unknown || tasks_.empty()) return given;
  auto const known = tasks_.find(wire::name_in(c.method, c.params).value_or(""));
  return known == tasks_.end() ? given : known->second;
}

COMCP_LAZY_DECL void listed_tools::learn_tasks(list_tools_result const& page, std::size_t most) {
  for (auto const& t : page.tools) {
    if (tasks_.size() >= most && !tasks_.contains(t.name)) tasks_.clear();  // of tools that came and went, maybe
    if (most > 0) tasks_.insert_or_assign(t.name, t.task_support());
  }
}

COMCP_LAZY_DECL void listed_tools::learn_headers(list_tools_result& page) {
  auto const unusable = [this, &page](tool const& t) {
    auto wanted = wire::find_param_headers(t.input_schema.view());
    if (!wanted) {
      comcp::set_aside broken;
      broken.raw = t.raw;
      broken.reason = "the tool " + t.name + ": " + std::string(wanted.error().message());
      page.set_aside.push_back(std::move(broken));
      headers_.erase(t.name);
      return true;
    }
    if (wanted->empty()) {
      headers_.erase(t.name);
    } else {
      headers_.insert_or_assign(t.name, std::move(*wanted));
    }
    return false;
  };
  std::erase_if(page.tools, unusable);
}

COMCP_LAZY_DECL result<wire::header_list> listed_tools::mirrored(prepared_call const& c,
                                                                 std::string const& tool) const {
  std::vector<wire::param_header> given;
  auto const* wanted = &given;
  if (!c.options.input_schema().is_null()) {
    auto found = wire::find_param_headers(c.options.input_schema().view());
    if (!found) return found.error().with_code(make_error_code(errc::invalid_argument));
    given = std::move(*found);
  } else {
    auto const known = headers_.find(tool);
    if (known == headers_.end()) return wire::header_list();
    wanted = &known->second;
  }
  if (wanted->empty()) return wire::header_list();
  auto text = c.params;
  auto const params = json::parse(pad(text));
  if (!params) return params.error();
  auto const arguments = params->view().find("arguments");
  return wire::param_headers(*wanted, arguments.value_or(json::view()));
}

COMCP_LAZY_DECL void label(outgoing& message, server_facts const& server) {
  message.stateless = server.is_modern();
  if (!server.codec) return;
  auto const version = server.codec->version();
  message.headers.emplace_back("MCP-Protocol-Version", version.text());
  if (message.method.empty()) return;
  message.established = !message.stateless && message.method == "notifications/initialized";
  if (!message.stateless) return;
  if (auto mirrors = wire::request_headers(version, message.method, std::nullopt)) message.headers = std::move(*mirrors);
}

// What a call's own options or an interceptor ask for.
COMCP_LAZY result<void> add_headers(outgoing& message, call_options const& options) {
  http_headers checked;
  for (auto const& [name, value] : options.headers()) {
    if (is_protocol_header(name))
      return error(errc::invalid_argument, "a header that only comcp may set: " + visible(name, line_breaks::blank));
    if (auto const ok = checked.set(name, value); !ok) return ok.error();
  }
  for (auto const& field : checked) message.headers.emplace_back(field.name, field.value);
  return {};
}

COMCP_LAZY_DECL result<void> label(outgoing& message, pending_entry const& e, wire::codec const& codec,
                                   listed_tools const& tools) {
  auto const& c = *e.call;
  message.repeatable = c.repeatable || c.options.is_idempotent() || e.handshake;
  message.stateless = codec.is_modern();
  if (!message.stateless) {
    if (!e.handshake) message.headers.emplace_back("MCP-Protocol-Version", codec.version().text());
    return c.options.headers().empty() ? result<void>() : add_headers(message, c.options);
  }
  auto const name = wire::name_in(c.method, c.params);  // of what goes out, whoever wrote it
  auto mirrors = wire::request_headers(codec.version(), c.method, name);
  if (!mirrors) return mirrors.error();
  message.headers = std::move(*mirrors);
  if (!c.options.headers().empty()) {
    if (auto const added = add_headers(message, c.options); !added) return added;
  }
  if (!c.method.is(wire::methods::call_tool)) return {};
  auto arguments = tools.mirrored(c, *name);
  if (!arguments) return arguments.error();
  for (auto& header : *arguments) message.headers.push_back(std::move(header));
  return {};
}

}  // namespace comcp::detail
