// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "resources.hpp"

#include <atomic>

namespace demo {

namespace {

constexpr std::string_view greeting = "demo://greeting", logo = "demo://logo", changes = "demo://changes",
                           note_prefix = "demo://notes/";
constexpr std::string_view logo_png =  // one transparent pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

std::atomic<int> change_count = 0;

std::string note_topic(std::string const& uri) {
  return uri.starts_with(note_prefix) ? uri.substr(note_prefix.size()) : std::string();
}

json::object text_contents(std::string const& uri, std::string const& text) {
  return json::object().set("uri", uri).set("mimeType", "text/plain").set("text", text);
}

}  // namespace

std::vector<json::fragment> resource_list() {
  return {
      comcp::args("uri", greeting, "name", "greeting", "title", "A greeting", "description", "A fixed text", "mimeType",
                  "text/plain"),
      comcp::args("uri", logo, "name", "logo", "description", "A very small picture", "mimeType", "image/png"),
      comcp::args("uri", changes, "name", "changes", "description", "Tells how often the tool `touch` was called",
                  "mimeType", "text/plain"),
  };
}

std::vector<json::fragment> resource_template_list() {
  return {
      comcp::args("uriTemplate", "demo://notes/{topic}", "name", "note", "description", "A note about any topic",
                  "mimeType", "text/plain"),
  };
}

bool resource_exists(std::string const& uri) {
  return uri == greeting || uri == logo || uri == changes || !note_topic(uri).empty();
}

std::optional<json::object> resource_contents(std::string const& uri) {
  if (uri == greeting) return text_contents(uri, "Hello from the comcp demo server.");
  if (uri == changes) return text_contents(uri, std::to_string(change_count.load()) + " changes");
  if (uri == logo) return json::object().set("uri", uri).set("mimeType", "image/png").set("blob", logo_png);
  if (auto const topic = note_topic(uri); !topic.empty()) return text_contents(uri, "A note about " + topic + '.');
  return std::nullopt;
}

void touch_resource(std::string const&) { ++change_count; }

}  // namespace demo
