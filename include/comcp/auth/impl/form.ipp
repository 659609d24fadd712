// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include <comcp/auth/form.hpp>

namespace comcp {
namespace detail {

inline constexpr std::size_t max_form_fields = 256;

COMCP_DECL std::optional<std::string> form_decoded(std::string_view text) {
  auto const digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = static_cast<char>(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (text.size() - i < 3) return {};
    int const high = digit(text[i + 1]), low = digit(text[i + 2]);
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

COMCP_DECL void append_form_encoded(std::string& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || c == '*' || c == '-' || c == '.' || c == '_') {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
}

}  // namespace detail

COMCP_DECL result<form_fields> form_fields::parse(std::string_view text) {
  form_fields out;
  while (!text.empty()) {
    auto const end = text.find('&');
    auto const part = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (part.empty()) continue;
    if (out.fields_.size() == detail::max_form_fields) return error(errc::invalid_argument, "a form has more than 256 fields");
    auto const equals = part.find('=');
    auto name = detail::form_decoded(part.substr(0, equals));
    auto value = detail::form_decoded(equals == part.npos ? std::string_view() : part.substr(equals + 1));
    if (!name || !value) return error(errc::invalid_argument, "a form has a malformed escape");
    out.fields_.push_back({std::move(*name), std::move(*value)});
  }
  return out;
}

COMCP_DECL form_fields& form_fields::add(std::string_view name, std::string_view value) {
  fields_.push_back({std::string(name), std::string(value)});
  return *this;
}

COMCP_DECL form_fields& form_fields::set(std::string_view name, std::string_view value) {
  auto const same = [name](http_field const& f) { return f.name == name; };
  auto const first = std::find_if(fields_.begin(), fields_.end(), same);
  if (first == fields_.end()) return add(name, value);
  std::string text(value);  // may be part of what is erased
  fields_.erase(std::remove_if(first + 1, fields_.end(), same), fields_.end());
  first->value = std::move(text);
  return *this;
}

COMCP_DECL std::string const* form_fields::find(std::string_view name) const noexcept {
  for (auto const& f : fields_) {
    if (f.name == name) return &f.value;
  }
  return nullptr;
}

COMCP_DECL std::size_t form_fields::count(std::string_view name) const noexcept {
  return static_cast<std::size_t>(
      std::count_if(fields_.begin(), fields_.end(), [name](http_field const& f) { return f.name == name; }));
}

COMCP_DECL std::string form_fields::text() const {
  std::string out;
  for (auto const& f : fields_) {
    if (!out.empty()) out += '&';
    detail::append_form_encoded(out, f.name);
    out += '=';
    detail::append_form_encoded(out, f.value);
  }
  return out;
}

}  // namespace comcp
