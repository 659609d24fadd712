// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <comcp/client/introduction.hpp>
#include <comcp/json/writer.hpp>
#include <comcp/version.hpp>
#include <comcp/wire/modern.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL introduction::introduction(any_handler const& handler, connect_settings const& settings,
                                           transport_info const& about)
    : info_(settings.client_info.value_or(implementation("comcp", COMCP_VERSION_STRING))),
      anonymous_(settings.anonymous) {
  handler.declare(capabilities_);
  auto const entries = [](auto const& from, capability_entries& to) {
    for (auto const& [name, value] : from) to[name] = json::parse(value.empty() ? "{}" : value.text()).value();
  };
  for (auto const& name : about.extensions) capabilities_.extensions[name] = json::parse("{}").value();
  entries(settings.experimental, capabilities_.experimental);
  entries(settings.extensions, capabilities_.extensions);
  for (auto const& each : settings.brought) {
    auto text = json::parse(each.settings.empty() ? "{}" : each.settings.text());
    if (!text || !text->is_object())
      throw exception(error(errc::invalid_argument, "the settings of " + each.name + " are no object"));
    capabilities_.extensions[each.name] = *std::move(text);
  }
  for (auto const& [name, value] : capabilities_.extensions) {
    bool const completed = std::any_of(settings.brought.begin(), settings.brought.end(),
                                       [&n = name](auto const& each) { return each.claims && each.name == n; });
    if (wire::has_result_types(name) && !completed)
      throw exception(error(errc::invalid_argument, name + " has result types, which nobody here completes"));
  }
  modern_text_ = text_ = json::to_text(capabilities_);
  if (capabilities_.tasks) {  // the modern era has them as an extension
    auto without = capabilities_;
    without.tasks.reset();
    modern_text_ = json::to_text(without);
  }
  // capabilities() of a handler may narrow, and add what belongs to a member; it cannot promise what nobody answers.
  auto const unanswered = [&handler](bool declared, char const* method) {
    if (declared && !handler.answers(method))
      throw exception(error(errc::invalid_argument, std::string("the handler declares what it has no member for: ") + method));
  };
  unanswered(capabilities_.sampling.has_value(), "sampling/createMessage");
  unanswered(capabilities_.roots.has_value(), "roots/list");
  unanswered(capabilities_.elicitation.has_value(), "elicitation/create");
}

COMCP_LAZY_DECL std::unique_ptr<wire::codec> introduction::modern(protocol_version v) const {
  return std::make_unique<wire::modern>(v, anonymous_ ? nullptr : &info_, modern_text_);
}

COMCP_LAZY_DECL std::string introduction::initialize(protocol_version v) const {
  json::writer w;
  w.begin_object().plain_key("protocolVersion").string(v.text());
  w.plain_key("capabilities").raw(text_);
  w.plain_key("clientInfo");
  json::write(w, info_);
  w.end_object();
  return std::move(w).text();
}

}  // namespace comcp::detail
