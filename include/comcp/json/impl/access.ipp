// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Access that fails with a path in its text: the typed accessors of value, and JSON Pointer.
#pragma once

#include <comcp/json/impl/value.ipp>
#include <comcp/json/value.hpp>

namespace comcp::json {
namespace detail {

COMCP_DECL char const* kind_name(kind k) noexcept {
  switch (k) {
    case kind::null: return "null";
    case kind::boolean: return "boolean";
    case kind::integer:
    case kind::unsigned_integer: return "integer";
    case kind::real: return "number";
    case kind::string: return "string";
    case kind::array: return "array";
    case kind::object: return "object";
  }
  return "?";
}

COMCP_DECL std::string place(view v) {
  auto path = v.path();
  return path.empty() ? std::string("the root") : path;
}

[[noreturn]] COMCP_DECL void throw_kind(view v, char const* wanted) {
  throw exception(error(errc::wrong_shape,
                        std::string("expected ") + wanted + " at " + place(v) + ", found " + kind_name(v.kind())));
}

COMCP_DECL void escape_pointer(std::string& out, std::string_view key) {
  out += '/';
  for (char const c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

COMCP_DECL std::optional<std::string> unescape_pointer(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
    } else if (i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out += token[++i] == '0' ? '~' : '/';
    } else {
      return {};
    }
  }
  return out;
}

COMCP_DECL std::optional<std::size_t> pointer_index(std::string_view token) {
  if (token.empty() || token.size() > 18 || (token.size() > 1 && token[0] == '0')) return {};
  std::size_t n = 0;
  for (char const c : token) {
    if (c < '0' || c > '9') return {};
    n = n * 10 + static_cast<std::size_t>(c - '0');
  }
  return n;
}

}  // namespace detail

COMCP_DECL std::string view::path() const { return owner_ ? path(owner_->at(0)) : std::string(); }

COMCP_DECL std::string view::path(view base) const {
  if (!owner_) return {};
  std::string path;
  struct walk {
    static bool find(view at, std::size_t sought, std::string& out) {
      if (at.at_ == sought) return true;
      auto const size = out.size();
      std::size_t index = 0;
      for (auto const e : at.elements()) {
        out.append("/").append(std::to_string(index++));
        if (find(e, sought, out)) return true;
        out.resize(size);
      }
      for (auto const m : at.members()) {
        detail::escape_pointer(out, m.key);
        if (find(m.value, sought, out)) return true;
        out.resize(size);
      }
      return false;
    }
  };
  walk::find(base, at_, path);
  return path;
}

COMCP_DECL result<view> view::pointer(std::string_view json_pointer) const {
  view at = *this;
  if (json_pointer.empty()) return at;
  if (json_pointer[0] != '/') return error(errc::invalid_argument, "a JSON Pointer starts with '/'");
  auto const whole = json_pointer;
  while (!json_pointer.empty()) {
    json_pointer.remove_prefix(1);
    auto const end = json_pointer.find('/');
    auto const token = detail::unescape_pointer(json_pointer.substr(0, end));
    if (!token) return error(errc::invalid_argument, "bad '~' in the JSON Pointer " + std::string(whole));
    auto const index = at.is_array() ? detail::pointer_index(*token) : std::nullopt;
    auto const next = index ? at.at(*index) : at.find(*token);
    if (!next) return error(errc::not_found, "nothing at " + std::string(whole));
    at = *next;
    json_pointer = end == json_pointer.npos ? std::string_view() : json_pointer.substr(end);
  }
  return at;
}

COMCP_DECL bool value::as_bool() const {
  auto const b = view().get_bool();
  if (!b) detail::throw_kind(view(), "boolean");
  return *b;
}

COMCP_DECL std::int64_t value::as_int64() const {
  auto const i = view().get_int64();
  if (!i) detail::throw_kind(view(), "a 64-bit integer");
  return *i;
}

COMCP_DECL std::uint64_t value::as_uint64() const {
  auto const i = view().get_uint64();
  if (!i) detail::throw_kind(view(), "an unsigned 64-bit integer");
  return *i;
}

COMCP_DECL double value::as_double() const {
  auto const d = view().get_double();
  if (!d) detail::throw_kind(view(), "number");
  return *d;
}

COMCP_DECL std::string_view value::as_string() const& {
  auto const s = view().get_string();
  if (!s) detail::throw_kind(view(), "string");
  return *s;
}

COMCP_DECL value value::operator[](std::string_view key) const {
  auto const v = view();
  if (!v.is_object()) detail::throw_kind(v, "object");
  auto const found = v.find(key);
  if (!found) throw exception(error(errc::not_found, "no member \"" + std::string(key) + "\" at " + detail::place(v)));
  return found->share();
}

COMCP_DECL value value::operator[](std::size_t index) const {
  auto const v = view();
  if (!v.is_array()) detail::throw_kind(v, "array");
  auto const found = v.at(index);
  if (!found)
    throw exception(error(errc::not_found, "no element " + std::to_string(index) + " at " + detail::place(v)));
  return found->share();
}

COMCP_DECL std::optional<value> value::find(std::string_view key) const {
  auto const found = view().find(key);
  return found ? std::optional(found->share()) : std::nullopt;
}

COMCP_DECL result<value> value::pointer(std::string_view json_pointer) const {
  auto const found = view().pointer(json_pointer);
  if (!found) return found.error();
  return found->share();
}

}  // namespace comcp::json
