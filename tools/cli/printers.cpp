// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "printers.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <string_view>

#include "login.hpp"
#include "platform.hpp"
#include "schema_text.hpp"
#include "text.hpp"

namespace cli {
namespace {

std::string described(std::optional<std::string> const& title, std::optional<std::string> const& description,
                      std::string const& name) {
  std::string text;
  if (title && *title != name) text = *title;
  if (description && !description->empty()) text.append(text.empty() ? "" : "\n").append(*description);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// Data for a pipe stays as it is.
void print_text(std::string_view text) {
  if (is_terminal(standard_output)) {
    std::cout << text;
  } else {
    std::cout << raw_text{text};
  }
  if (!text.ends_with('\n')) std::cout << '\n';
}

std::size_t decoded_size(std::string const& base64) {
  auto const bytes = comcp::from_base64(base64);
  return bytes ? bytes->size() : 0;
}

void print_binary(char const* what, std::string const& type, std::string const& base64) {
  std::cout << '[' << what << ' ' << one_line(type) << ", " << decoded_size(base64) << " bytes]\n";
}

struct content_printer {
  void operator()(comcp::text_content const& c) const { print_text(c.text); }
  void operator()(comcp::image_content const& c) const { print_binary("image", c.mime_type, c.data); }
  void operator()(comcp::audio_content const& c) const { print_binary("audio", c.mime_type, c.data); }
  void operator()(comcp::resource_link const& c) const {
    std::cout << "[link " << one_line(c.uri) << ' ' << one_line(c.title.value_or(c.name)) << "]\n";
  }
  void operator()(comcp::embedded_resource const& c) const {
    auto const& r = c.resource;
    std::cout << "[resource " << one_line(r.uri) << "]\n";
    if (r.text) print_text(*r.text);
    if (r.blob) print_binary("binary", r.mime_type.value_or("data"), *r.blob);
  }
  void operator()(comcp::unknown_content const& c) const { print_text(pretty(c.raw.view())); }
};

constexpr std::size_t most_arguments = 200;  // that are shown of one tool

std::set<std::string_view> required_names(comcp::json::view schema) {
  std::set<std::string_view> names;
  auto const list = schema.find("required").value_or(comcp::json::view());
  for (auto const name : list.elements()) names.insert(name.get_string().value_or(""));
  return names;
}

void add_kind(std::string& out, std::string const& kind, std::string const& extras) {
  if (!out.empty()) out += ", ";
  out += kind;
  if (!extras.empty()) out.append(" (").append(extras).append(")");
}

std::string capability_text(comcp::server_capabilities const& c) {
  std::string out;
  if (c.tools) add_kind(out, "tools", c.tools->list_changed ? "tells changes" : "");
  if (c.resources) {
    std::string extras = c.resources->list_changed ? "tells changes" : "";
    if (c.resources->subscribe) extras.append(extras.empty() ? "" : ", ").append("subscribe");
    add_kind(out, "resources", extras);
  }
  if (c.prompts) add_kind(out, "prompts", c.prompts->list_changed ? "tells changes" : "");
  if (!c.logging.is_null()) add_kind(out, "logging", {});
  if (!c.completions.is_null()) add_kind(out, "completions", {});
  if (c.tasks) add_kind(out, "tasks", {});
  for (auto const& [name, settings] : c.experimental) add_kind(out, one_line(name), "experimental");
  for (auto const& [name, settings] : c.extensions) add_kind(out, one_line(name), "extension");
  return out.empty() ? "none" : out;
}

// What to do about it; empty where nobody knows.
std::string advice(comcp::error const& e, options const& o) {
  if (e == comcp::errc::url_elicitation_required) return "once that is done, run the same command again";
  auto const* const detail = e.detail();
  auto const status = detail ? detail->http_status.value_or(0) : 0;
  bool const refused = e == comcp::errc::unauthorized || e == comcp::errc::login_required ||
                       e == comcp::errc::protocol_violation;
  if (refused && o.what == command::login)
    return "to see each step that comes before the first one that changes anything, and what becomes of a token: " +
           command_about(o, "doctor");
  if (wants_login(e) && !has_own_credentials(o.server.http))
    return "the server wants a login: " + command_about(o, "login") + " (or give a token: see --bearer-env and --bearer-file)";
  if (status == 401) return "the server wants another token: see --bearer-env and --bearer-file";
  if (status == 404 && !e.peer()) return "is this the URL of its MCP endpoint? Many end with /mcp or /sse";
  return {};
}

}  // namespace

void print_field(char const* name, std::string const& text) {
  auto const width = terminal_width(standard_output);
  auto head = padded(name, 14);
  for (auto const& line : wrap(printable(text), width > 24 ? width - 14 : 10)) {
    std::cout << head << line << '\n';
    head = std::string(14, ' ');
  }
}

row row_of(comcp::tool const& t) {
  row r{one_line(t.name), described(t.title, t.description, t.name), {}};
  if (t.task_support() == comcp::task_support::required)
    r.description.insert(0, "(it runs as a task)\n");
  auto const schema = t.input_schema.view();
  auto const properties = schema.find("properties");
  if (!properties) return r;
  schema_reader reader(schema);
  auto const required = required_names(schema);
  for (auto const m : properties->members()) {
    if (r.arguments.size() == most_arguments) break;
    argument_row a{one_line(m.key), reader.type_text(m.value), {}};
    if (required.contains(m.key)) a.type += ", required";
    auto const about = reader.resolved(m.value);
    if (auto const preset = reader.default_text(about); !preset.empty()) a.type.append(", default ").append(preset);
    if (auto const text = about.find("description")) a.description = text->get_string().value_or("");
    reader.spend((a.type.size() + a.description.size()) / 64);
    r.arguments.push_back(std::move(a));
  }
  if (properties->size() > most_arguments)
    r.arguments.push_back({"...", "and " + std::to_string(properties->size() - most_arguments) + " more: see --json", {}});
  return r;
}

row row_of(comcp::resource const& r) {
  auto text = described(r.title ? r.title : r.name, r.description, r.uri);
  if (r.mime_type) text.append(text.empty() ? "" : "\n").append(one_line(*r.mime_type));
  if (r.size) text.append(", ").append(std::to_string(*r.size)).append(" bytes");
  return {one_line(r.uri), std::move(text), {}};
}

row row_of(comcp::resource_template const& t) {
  auto text = described(t.title ? t.title : t.name, t.description, t.uri_template);
  if (t.mime_type) text.append(text.empty() ? "" : "\n").append(one_line(*t.mime_type));
  return {one_line(t.uri_template), std::move(text), {}};
}

row row_of(comcp::prompt const& p) {
  row r{one_line(p.name), described(p.title, p.description, p.name), {}};
  for (auto const& a : p.arguments) {
    r.arguments.push_back({one_line(a.name), a.required ? "required" : "optional",
                           described(a.title, a.description, a.name)});
  }
  return r;
}

void print_rows(std::vector<row> const& rows, char const* nothing) {
  if (rows.empty()) std::cout << nothing << '\n';
  print_table(std::cout, rows, terminal_width(standard_output), standard_output);
}

void print_content(comcp::content_block const& block) { std::visit(content_printer(), block); }

void print_result(comcp::call_tool_result const& r) {
  for (auto const& block : r.content) print_content(block);
  if (r.structured_content.is_null()) return;
  auto const same = comcp::json::parse(r.text());  // most servers say it twice
  if (same && *same == r.structured_content) return;
  print_text(pretty(r.structured_content.view()));
}

void print_result(comcp::read_resource_result const& r) {
  for (auto const& c : r.contents) {
    if (c.text) {
      if (is_terminal(standard_output)) {
        print_text(*c.text);
      } else {
        std::cout << raw_text{*c.text};
      }
    } else if (is_terminal(standard_output)) {
      print_binary("binary", c.mime_type.value_or("data"), c.blob.value_or(""));
    } else {
      auto const bytes = c.bytes().value();
      std::cout.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
  }
}

void print_result(comcp::get_prompt_result const& r) {
  if (r.description) std::cout << bold(one_line(*r.description), standard_output) << "\n\n";
  for (auto const& m : r.messages) {
    std::cout << bold(enum_text(m.role), standard_output) << ":\n";
    print_content(m.content);
  }
}

void print_result(comcp::complete_result const& r) {
  for (auto const& value : r.values()) std::cout << one_line(value) << '\n';
  auto const& c = r.completion;
  auto const all = c.total.value_or(static_cast<std::int64_t>(c.values.size()));
  if (c.has_more.value_or(false) || all > static_cast<std::int64_t>(c.values.size()))
    std::cerr << "(" << c.values.size() << " of " << (c.total ? std::to_string(all) : "more") << ")\n";
}

void print_info(comcp::client const& c) {
  auto const& server = c.server_info();
  auto name = server.name + (server.version.empty() ? "" : " " + server.version);
  if (server.title && *server.title != server.name) name.append(" (").append(*server.title).append(")");
  print_field("server", one_line(name.empty() ? "(no name)" : name));
  if (server.description) print_field("", one_line(*server.description));
  if (server.website_url) print_field("website", one_line(*server.website_url));
  print_field("era", c.era() == comcp::era::modern ? "modern" : "legacy");
  print_field("protocol", std::string(c.protocol_version().text()));
  print_field("capabilities", capability_text(c.capabilities()));
  if (!c.instructions().empty()) print_field("instructions", printable(c.instructions()));
}

void print_info_json(comcp::client const& c) {
  comcp::json::object out;
  out.set("server", c.server_info()).set("era", c.era() == comcp::era::modern ? "modern" : "legacy");
  out.set("protocolVersion", c.protocol_version().text()).set("capabilities", c.capabilities());
  if (!c.instructions().empty()) out.set("instructions", c.instructions());
  std::cout << json_text(out.text()) << '\n';
}

void print_notification(comcp::any_notification const& n, bool json) {
  if (json) {
    comcp::json::object out;
    out.set("method", n.method);
    if (!n.params.is_null()) out.set("params", n.params);
    std::cout << json_text(out.text()) << std::endl;
    return;
  }
  std::string_view method = n.method;
  if (method.starts_with("notifications/")) method.remove_prefix(14);
  std::cout << one_line(method);
  auto const uri = n.params.view().find("uri");
  if (uri && uri->get_string()) {
    std::cout << "  " << one_line(*uri->get_string());
  } else {
    for (auto const m : n.params.view().members()) {
      if (m.key != "_meta") std::cout << "  " << one_line(m.key) << '=' << one_line(m.value.dump());
    }
  }
  std::cout << std::endl;
}

comcp::error in_words(comcp::error const& e) {
  if (e.peer() || (e != comcp::errc::limit_exceeded && e != comcp::errc::queue_full)) return e;
  std::string text;
  for (std::string_view rest = e.message(); !rest.empty();) {
    auto const end = std::min(rest.find(' '), rest.size() - 1) + 1;
    auto word = rest.substr(0, end);
    rest.remove_prefix(end);
    auto const calls = word.find("()");
    if (calls == std::string_view::npos && !word.starts_with("max_")) {
      text += word;
      continue;
    }
    auto const closed = word.rfind("()");
    auto const tail = calls == std::string_view::npos ? word.substr(word.find_last_not_of(" ,;.") + 1) : word.substr(closed + 2);
    auto name = word.substr(0, calls == std::string_view::npos ? word.size() - tail.size() : closed);
    if (auto const dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
    if (name.starts_with("max_")) name.remove_prefix(4);
    text.append("the limit of ");
    for (char const c : name) text += c == '_' ? ' ' : c;
    text += tail;
  }
  return e.with_message(std::move(text));
}

std::string failure_text(options const& o, int code, std::string const& text, std::string const& server) {
  if (!o.json) return "comcp: " + printable(text);
  comcp::json::object out;
  if (!server.empty()) out.set("server", server);
  out.set("exit", code).set("message", printable(text));  // JSON is UTF-8
  return json_text(comcp::json::object().set("error", out).text());
}

void print_error(console& err, comcp::error const& e, options const& o, int code) {
  auto told = in_words(e);
  if (o.server.show_stderr && e.detail()) {
    auto detail = *e.detail();
    detail.stderr_tail.clear();
    told = told.with_detail(std::move(detail));
  }
  auto const* const peer = e.peer();
  if (o.json) {
    comcp::json::object out;
    out.set("exit", code).set("message", one_line(told.to_string()));
    if (peer) out.set("code", peer->code).set("peerMessage", peer->message);
    auto const data = peer && !peer->data.empty() ? comcp::json::parse(peer->data) : comcp::error();
    if (data) out.set("data", *data);
    return err.line(json_text(comcp::json::object().set("error", out).text()));
  }
  auto text = "comcp: " + told.to_string();
  if (peer) text.append(" (").append(std::to_string(peer->code)).append(")");
  while (text.ends_with('\n')) text.pop_back();
  err.line(text);
  if (auto const what_to_do = advice(e, o); !what_to_do.empty()) err.line("comcp: " + one_line(what_to_do));
}

}  // namespace cli
