// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>

#include <comcp/trace/prometheus.hpp>
#include <comcp/visible.hpp>

namespace comcp {
namespace detail {

/// A name of letters, digits, '_' and, of metrics, ':' that no digit begins.
COMCP_DECL std::string prometheus_name(std::string_view text, bool of_metric) {
  std::string out;
  for (char const c : text) {
    bool const digit = c >= '0' && c <= '9';
    bool const fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || digit || c == '_' || (c == ':' && of_metric);
    if (digit && out.empty()) out += '_';
    out += fits ? c : '_';
  }
  if (out.empty()) out = "_";
  // Two underscores at the beginning are for labels of Prometheus' own.
  auto const underscores = std::min(out.find_first_not_of('_'), out.size());
  if (!of_metric && underscores > 1) out.erase(0, underscores - 1);
  return out;
}

/// A help text, or with `quotes` a label's value.
COMCP_DECL std::string prometheus_escaped(std::string_view text, bool quotes) {
  std::string out;
  out.reserve(text.size());
  for (character_scan at(text); at.next();) {
    if (!at.is_utf8()) out += "\xEF\xBF\xBD";
    else if (at.code() == '\\') out += "\\\\";
    else if (at.code() == '\n') out += "\\n";
    else if (at.code() == '"' && quotes) out += "\\\"";
    else out += at.bytes();
  }
  return out;
}

/// "" or {name="value",...}; of a name that comes twice the first counts.
COMCP_DECL std::string prometheus_label_text(prometheus_labels const& labels) {
  std::map<std::string, std::string> once;
  for (auto const& [name, value] : labels) once.emplace(prometheus_name(name, false), value);
  std::string out;
  for (auto const& [name, value] : once)
    out.append(out.empty() ? "{" : ",").append(name).append("=\"").append(prometheus_escaped(value, true)).append("\"");
  return out.empty() ? out : out + '}';
}

}  // namespace detail

COMCP_DECL std::string prometheus_text::counted(std::string_view name) {
  std::string out(name);
  return out.ends_with("_total") ? out : out + "_total";
}

COMCP_DECL std::string prometheus_text::real(double value) {
  if (std::isnan(value)) return "NaN";
  if (!std::isfinite(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

COMCP_DECL void prometheus_text::put(std::string name, std::string_view type, std::string_view help, std::string value,
                                     prometheus_labels const& labels) {
  name = detail::prometheus_name(name, true);
  auto& f = families_[name];
  if (f.head.empty()) {
    f.head.append("# HELP ").append(name).append(" ").append(detail::prometheus_escaped(help, false));
    f.head.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
  }
  f.samples.insert_or_assign(detail::prometheus_label_text(labels), std::move(value));
}

COMCP_DECL std::string prometheus_text::text() const {
  std::string out;
  for (auto const& [name, f] : families_) {
    out += f.head;
    for (auto const& [labels, value] : f.samples) out.append(name).append(labels).append(" ").append(value).append("\n");
  }
  return out;
}

}  // namespace comcp
