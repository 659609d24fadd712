// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include <comcp/protocol/tool_ui.hpp>

namespace comcp {
namespace detail {

inline constexpr std::string_view ui_scheme = "ui://";

inline void read_ui_uri(std::optional<json::view> from, tool_ui& out) {
  auto const uri = from ? from->get_string() : std::nullopt;
  if (uri && uri->starts_with(ui_scheme) && uri->size() > ui_scheme.size()) out.resource_uri = *uri;
}

inline bool names(json::view visibility, std::string_view whom) {
  auto const all = visibility.elements();
  return std::any_of(all.begin(), all.end(), [whom](json::view one) { return one.get_string() == whom; });
}

}  // namespace detail

COMCP_DECL std::optional<tool_ui> ui_of(tool const& t) {
  auto const ui = t.meta.find("ui");
  auto const flat = t.meta.find("ui/resourceUri");
  bool const said = ui && ui->is_object();
  if (!said && !flat) return {};
  tool_ui out;
  if (flat) detail::read_ui_uri(flat->view(), out);
  if (!said) return out;
  if (auto const uri = ui->view().find("resourceUri")) {
    out.resource_uri.reset();
    detail::read_ui_uri(uri, out);
  }
  auto const visibility = ui->view().find("visibility");
  if (visibility && !visibility->is_null()) {
    out.for_model = detail::names(*visibility, "model");
    out.for_app = detail::names(*visibility, "app");
  }
  return out;
}

COMCP_DECL bool is_for_model(tool const& t) {
  auto const ui = ui_of(t);
  return !ui || ui->for_model;
}

COMCP_DECL bool is_for_app(tool const& t) {
  auto const ui = ui_of(t);
  return !ui || ui->for_app;
}

}  // namespace comcp
