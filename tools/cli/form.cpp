// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "form.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <comcp/http/url_warnings.hpp>
#include <comcp/json/build.hpp>
#include <comcp/schema/elicitation.hpp>

#include "text.hpp"

namespace cli {
namespace {

using namespace comcp;
using choice = std::pair<std::string, std::string>;  // value, what to show

template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

std::vector<choice> titled(std::vector<titled_option> const& options) {
  std::vector<choice> all;
  for (auto const& o : options) all.emplace_back(o.value, o.title);
  return all;
}

std::vector<choice> plain(std::vector<std::string> const& values, std::vector<std::string> const& names = {}) {
  std::vector<choice> all;
  for (std::size_t i = 0; i < values.size(); ++i) all.emplace_back(values[i], i < names.size() ? names[i] : values[i]);
  return all;
}

std::vector<choice> choices_of(primitive_schema_definition const& schema) {
  return std::visit(overloaded{[](untitled_single_select_enum_schema const& s) { return plain(s.values); },
                               [](legacy_titled_enum_schema const& s) { return plain(s.values, s.names); },
                               [](titled_single_select_enum_schema const& s) { return titled(s.options); },
                               [](untitled_multi_select_enum_schema const& s) { return plain(s.items.values); },
                               [](titled_multi_select_enum_schema const& s) { return titled(s.items.options); },
                               [](auto const&) { return std::vector<choice>(); }},
                    schema);
}

bool takes_many(primitive_schema_definition const& schema) {
  return std::holds_alternative<untitled_multi_select_enum_schema>(schema) ||
         std::holds_alternative<titled_multi_select_enum_schema>(schema);
}

std::string type_of(primitive_schema_definition const& schema) {
  return std::visit(overloaded{[](string_schema const& s) { return s.format.value_or("text"); },
                               [](number_schema const& s) { return std::string(enum_text(s.type)); },
                               [](boolean_schema const&) { return std::string("yes or no"); },
                               [](unknown_schema const&) { return std::string("JSON"); },
                               [](auto const&) { return std::string("one of these"); }},
                    schema);
}

std::optional<std::string> text_at(json::value const& raw, std::string_view key) {
  auto const found = raw.view().find(key);
  auto const text = found ? found->get_string() : std::nullopt;
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

json::value raw_of(form_field const& field) {
  return std::visit([](auto const& s) { return s.raw; }, field.schema);
}

std::string trimmed(std::string const& text) {
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

result<std::string> chosen(std::vector<choice> const& all, std::string const& answer) {
  for (auto const& [value, title] : all) {
    if (value == answer) return json::to_text(value);
  }
  for (auto const& [value, title] : all) {
    if (title == answer) return json::to_text(value);
  }
  auto const number = json::parse(answer);
  auto const i = number ? number->view().get_uint64().value_or(0) : 0;
  if (i >= 1 && i <= all.size()) return json::to_text(all[i - 1].first);
  return error(errc::validation_failed, "'" + answer + "' is none of the choices");
}

result<std::string> chosen_many(std::vector<choice> const& all, std::string const& answer) {
  std::string text;
  for (std::size_t from = 0; from <= answer.size();) {
    auto const comma = std::min(answer.find(',', from), answer.size());
    auto const part = trimmed(answer.substr(from, comma - from));
    from = comma + 1;
    if (part.empty()) continue;
    auto const one = chosen(all, part);
    if (!one) return one.error();
    text.append(text.empty() ? "" : ",").append(*one);
  }
  return "[" + text + "]";
}

result<std::string> yes_or_no(std::string const& answer) {
  for (auto const* const yes : {"y", "yes", "true", "Y", "Yes"}) {
    if (answer == yes) return std::string("true");
  }
  for (auto const* const no : {"n", "no", "false", "N", "No"}) {
    if (answer == no) return std::string("false");
  }
  return error(errc::validation_failed, "answer yes or no");
}

result<std::string> as_json(std::string const& answer, bool number) {
  auto const parsed = json::parse(answer);
  if (parsed && (!number || parsed->is_number())) return parsed->dump();
  return error(errc::validation_failed, "'" + answer + "' is no " + (number ? "number" : "JSON"));
}

}  // namespace

std::string field_heading(form_field const& field) {
  auto const raw = raw_of(field);
  auto out = "\n" + one_line(text_at(raw, "title").value_or(field.name));
  out.append(" (").append(one_line(field.name)).append(": ");
  out.append(takes_many(field.schema) ? "any of these, with commas" : one_line(type_of(field.schema)));
  out.append(field.required ? ", required)\n" : ")\n");
  if (auto const about = text_at(raw, "description")) out.append("  ").append(one_line(*about)).append("\n");
  std::size_t i = 0;
  for (auto const& [value, title] : choices_of(field.schema)) {
    out.append("  ").append(std::to_string(++i)).append(") ").append(one_line(title)).append("\n");
  }
  return out;
}

std::string field_default(form_field const& field) {
  auto const raw = raw_of(field);
  auto const preset = raw.view().find("default");
  if (!preset || preset->is_null()) return {};
  if (auto const b = preset->get_bool()) return *b ? "yes" : "no";
  std::string text;
  for (auto const e : preset->elements()) text.append(text.empty() ? "" : ", ").append(e.get_string().value_or("?"));
  if (preset->is_array()) return one_line(text);
  return one_line(preset->is_string() ? std::string(*preset->get_string()) : preset->dump());
}

result<std::string> field_value(form_field const& field, std::string const& answer) {
  auto const choices = choices_of(field.schema);
  if (takes_many(field.schema)) return chosen_many(choices, answer);
  if (!choices.empty()) return chosen(choices, trimmed(answer));
  if (std::holds_alternative<boolean_schema>(field.schema)) return yes_or_no(trimmed(answer));
  if (std::holds_alternative<number_schema>(field.schema)) return as_json(trimmed(answer), true);
  if (std::holds_alternative<unknown_schema>(field.schema)) return as_json(answer, false);
  try {
    return json::to_text(answer == "\"\"" ? std::string() : answer);
  } catch (exception const&) {
    return error(errc::validation_failed, "this is no UTF-8");
  }
}

result<void> check_field(elicit_params const& form, form_field const& field, std::string const& json_text) {
  auto const properties = form.requested_schema.view().find("properties");
  auto const schema = properties ? properties->find(field.name) : std::nullopt;
  if (!schema) return {};
  json::object properties_text;
  properties_text.set(field.name, schema->share());
  auto const whole = json::to_value(json::object().set("type", "object").set("properties", properties_text));
  auto const content = json::to_value(json::object().set(field.name, json::fragment::trusted(json_text)));
  return check_content(whole.view(), content.view());
}

url_parts split_url(std::string_view url) {
  url_parts parts;
  auto const colon = url.find(':');
  if (colon == std::string_view::npos) return parts;
  parts.scheme = url.substr(0, colon);
  for (auto& c : parts.scheme) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  auto rest = url.substr(colon + 1);
  if (!rest.starts_with("//")) return parts;
  rest.remove_prefix(2);
  rest = rest.substr(0, rest.find_first_of("/?#\\"));
  if (auto const at = rest.rfind('@'); at != std::string_view::npos) {
    parts.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  auto const end = rest.starts_with('[') ? rest.find(']') : rest.find(':');
  parts.host = rest.substr(0, rest.starts_with('[') && end != std::string_view::npos ? end + 1 : end);
  return parts;
}

// A page of this machine is no surprise to who runs a tool on it.
std::vector<std::string> url_warnings(std::string_view url) {
  auto const found = comcp::url_warnings(url);
  bool const here = std::find(found.begin(), found.end(), url_warning::this_machine) != found.end();
  std::vector<std::string> all;
  for (auto const w : found) {
    if (!here || (w != url_warning::this_machine && w != url_warning::plain_http)) all.emplace_back(to_text(w));
  }
  return all;
}

}  // namespace cli
