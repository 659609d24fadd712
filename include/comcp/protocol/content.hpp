// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What tools, prompts, resources and samples are made of. Kinds that comcp does not know are kept as they came.
// Spec: server/tools, server/resources, client/sampling.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <comcp/protocol/base64.hpp>
#include <comcp/protocol/codec.hpp>
#include <comcp/protocol/icon.hpp>

namespace comcp {

/// Who speaks, or for whom something is.
enum class role { user, assistant };
constexpr auto texts(std::type_identity<role>) { return std::array<std::string_view, 2>{"user", "assistant"}; }

/// Hints for whoever shows content; untrusted.
struct annotations {
  annotations() = default;

  std::vector<role> audience;
  std::optional<double> priority;            ///< 0 (least) to 1 (required).
  std::optional<std::string> last_modified;  ///< ISO 8601.
  json::value raw;
};
constexpr auto describe(std::type_identity<annotations>) {
  using t = annotations;
  return json::fields(json::defaulted("audience", &t::audience), json::field("priority", &t::priority),
                      json::field("lastModified", &t::last_modified), json::rest(&t::raw));
}

struct text_content {
  static constexpr std::string_view kind = "text";
  text_content() = default;
  text_content(std::string words) : text(std::move(words)) {}
  text_content(char const* words) : text(words) {}

  std::string text;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<text_content>) {
  using t = text_content;
  return json::fields(json::tag("type", t::kind), json::field("text", &t::text),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct image_content {
  static constexpr std::string_view kind = "image";
  image_content() = default;
  image_content(std::span<std::byte const> bytes, std::string type)
      : data(to_base64(bytes)), mime_type(std::move(type)) {}

  std::string data;  ///< Base64.
  std::string mime_type;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;

  /// The decoded data; bad Base64 is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const { return from_base64(data); }
};
constexpr auto describe(std::type_identity<image_content>) {
  using t = image_content;
  return json::fields(json::tag("type", t::kind), json::field("data", &t::data), json::field("mimeType", &t::mime_type),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

struct audio_content {
  static constexpr std::string_view kind = "audio";
  audio_content() = default;
  audio_content(std::span<std::byte const> bytes, std::string type)
      : data(to_base64(bytes)), mime_type(std::move(type)) {}

  std::string data;  ///< Base64.
  std::string mime_type;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;

  /// The decoded data; bad Base64 is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const { return from_base64(data); }
};
constexpr auto describe(std::type_identity<audio_content>) {
  using t = audio_content;
  return json::fields(json::tag("type", t::kind), json::field("data", &t::data), json::field("mimeType", &t::mime_type),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// A resource that the server names instead of sending it: read it with read_resource(uri).
struct resource_link {
  static constexpr std::string_view kind = "resource_link";
  resource_link() = default;
  resource_link(std::string address, std::string its_name) : uri(std::move(address)), name(std::move(its_name)) {}

  std::string uri;
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::string> mime_type;
  std::optional<std::int64_t> size;  ///< Bytes, before any encoding.
  std::optional<comcp::annotations> annotations;
  std::vector<icon> icons;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<resource_link>) {
  using t = resource_link;
  return json::fields(json::tag("type", t::kind), json::field("uri", &t::uri), json::field("name", &t::name),
                      json::field("title", &t::title), json::field("description", &t::description),
                      json::field("mimeType", &t::mime_type), json::field("size", &t::size),
                      json::field("annotations", &t::annotations), json::defaulted("icons", &t::icons),
                      detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// The contents of a resource: text or blob.
struct resource_contents {
  resource_contents() = default;
  resource_contents(std::string address, std::string words) : uri(std::move(address)), text(std::move(words)) {}

  std::string uri;
  std::optional<std::string> mime_type;
  std::optional<std::string> text;
  std::optional<std::string> blob;  ///< Base64.
  json::value meta;
  json::value raw;

  [[nodiscard]] bool is_text() const noexcept { return text.has_value(); }
  /// The decoded blob, or the bytes of the text. Bad Base64, or neither of both, is errc::wrong_shape.
  [[nodiscard]] result<std::vector<std::byte>> bytes() const;
};
constexpr auto describe(std::type_identity<resource_contents>) {
  using t = resource_contents;
  return json::fields(json::field("uri", &t::uri), json::field("mimeType", &t::mime_type),
                      json::field("text", &t::text), json::field("blob", &t::blob), detail::meta_of(&t::meta),
                      json::rest(&t::raw));
}

struct embedded_resource {
  static constexpr std::string_view kind = "resource";
  embedded_resource() = default;
  explicit embedded_resource(resource_contents contents) : resource(std::move(contents)) {}

  resource_contents resource;
  std::optional<comcp::annotations> annotations;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<embedded_resource>) {
  using t = embedded_resource;
  return json::fields(json::tag("type", t::kind), json::field("resource", &t::resource),
                      json::field("annotations", &t::annotations), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// Content of a kind that comcp does not know; everything is in `raw`.
struct unknown_content {
  static constexpr std::string_view kind = "";
  unknown_content() = default;

  std::string type;
  json::value raw;
};
constexpr auto describe(std::type_identity<unknown_content>) {
  return json::fields(json::field("type", &unknown_content::type), json::rest(&unknown_content::raw));
}

/// One piece of a tool's result or of a prompt.
using content_block =
    std::variant<text_content, image_content, audio_content, resource_link, embedded_resource, unknown_content>;

/// The texts among these pieces, a newline between them. Those of a temporary are moved out.
std::string text_of(std::vector<content_block> const& content);
std::string text_of(std::vector<content_block>&& content);

/// A model's wish to call a tool. Spec: client/sampling.
struct tool_use_content {
  static constexpr std::string_view kind = "tool_use";
  tool_use_content() = default;
  tool_use_content(std::string use_id, std::string tool_name, json::value arguments)
      : id(std::move(use_id)), name(std::move(tool_name)), input(std::move(arguments)) {}

  std::string id;
  std::string name;
  json::value input;  ///< An object.
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_use_content>) {
  using t = tool_use_content;
  return json::fields(json::tag("type", t::kind), json::field("id", &t::id), json::field("name", &t::name),
                      detail::object("input", &t::input), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// What a tool answered to a tool_use_content. Spec: client/sampling.
struct tool_result_content {
  static constexpr std::string_view kind = "tool_result";
  tool_result_content() = default;
  tool_result_content(std::string use_id, std::vector<content_block> pieces)
      : tool_use_id(std::move(use_id)), content(std::move(pieces)) {}

  std::string tool_use_id;
  std::vector<content_block> content;
  json::value structured_content;  ///< Null where absent.
  bool is_error = false;
  json::value meta;
  json::value raw;
};
constexpr auto describe(std::type_identity<tool_result_content>) {
  using t = tool_result_content;
  return json::fields(json::tag("type", t::kind), json::field("toolUseId", &t::tool_use_id),
                      json::always("content", &t::content),
                      json::defaulted("structuredContent", &t::structured_content),
                      json::defaulted("isError", &t::is_error), detail::meta_of(&t::meta), json::rest(&t::raw));
}

/// One piece of a sampling message.
using sampling_message_content_block =
    std::variant<text_content, image_content, audio_content, tool_use_content, tool_result_content, unknown_content>;

namespace detail {
/// Content is told apart by its "type".
template <class... Kinds>
struct content_codec {
  using block = std::variant<Kinds...>;

  static bool read(json::view v, block& out, json::read_error& e) {
    if (!v.is_object()) return e.expected(v, "object");
    auto const type = v.find("type");
    if (!type) return e.missing(v, "type");
    auto const text = type->get_string();
    if (!text) return e.expected(*type, "string");
    bool ok = false;
    (void)(read_as<Kinds>(*text, v, out, e, ok) || ...);
    return ok;
  }
  static void write(json::writer& w, block const& from) {
    std::visit([&](auto const& piece) { json::write(w, piece); }, from);
  }

 private:
  template <class Kind>
  static bool read_as(std::string_view type, json::view v, block& out, json::read_error& e, bool& ok) {
    if (!Kind::kind.empty() && type != Kind::kind) return false;
    ok = json::codec<Kind>::read(v, out.template emplace<Kind>(), e);
    return true;
  }
};
}  // namespace detail

template <>
struct json::codec<content_block> : comcp::detail::content_codec<text_content, image_content, audio_content,
                                                                 resource_link, embedded_resource, unknown_content> {};
template <>
struct json::codec<sampling_message_content_block>
    : comcp::detail::content_codec<text_content, image_content, audio_content, tool_use_content, tool_result_content,
                                   unknown_content> {};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/protocol/impl/content.ipp>
#endif
