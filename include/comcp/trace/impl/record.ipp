// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <comcp/json/writer.hpp>
#include <comcp/trace/record.hpp>

namespace comcp {
namespace detail {

inline constexpr std::string_view hidden = "***";

inline char lower_ascii(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline bool is_name_char(char c) noexcept {
  auto const l = lower_ascii(c);
  return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}
// Ends a value in a query string, an assignment or a header.
inline bool ends_value(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || std::string_view("&;,#\"'<>|)]}").find(c) != std::string_view::npos;
}

COMCP_DECL std::string redacted_text(std::string_view text, unsigned depth);

/// Walks a value and writes it again without its secrets.
class redactor {
 public:
  explicit redactor(unsigned depth) noexcept : depth_(depth) {}

  // `secret`: of a secret key. It holds for strings and numbers and for those of an array, not for members further down:
  // they have keys of their own, and what a server calls "auth" would hide all that it sends. `schema`: inside a JSON
  // Schema, whose keys are names of fields and no secrets.
  void value(json::view v, bool secret, bool schema) {
    switch (v.kind()) {
      case json::kind::object: return object(v, secret, schema);
      case json::kind::array:
        w_.begin_array();
        for (auto const e : v.elements()) value(e, secret, schema);
        w_.end_array();
        return;
      case json::kind::null:
      case json::kind::boolean: w_.value(v); return;
      case json::kind::string:
        w_.string(secret && !schema ? std::string(hidden) : redacted_text(*v.get_string(), depth_));
        return;
      default:
        if (secret && !schema) {
          w_.string(hidden);
        } else {
          w_.value(v);
        }
    }
  }
  [[nodiscard]] std::string text() && { return std::move(w_).text(); }

 private:
  void object(json::view v, bool secret, bool schema) {
    auto const name = v.find("name");
    bool const pair = name && v.find("value") && is_secret_key(name->get_string().value_or(""));
    w_.begin_object();
    for (auto const m : v.members()) {
      w_.key(m.key);
      if (schema) {
        field_of_schema(m.key, m.value, secret && m.key != "properties");
      } else {
        bool const opens = m.key == "inputSchema" || m.key == "outputSchema" || m.key == "requestedSchema";
        bool const hide = (pair && m.key == "value") || secret_member(m.key, m.value);
        value(m.value, hide, opens && m.value.is_object() && !hide);
      }
    }
    w_.end_object();
  }

  void field_of_schema(std::string_view key, json::view v, bool secret) {
    bool const given = key == "default" || key == "const" || key == "examples";
    if (secret && given) return value(v, true, false);
    bool const named = secret_member(key, v);
    // A description of the field is an object; anything else under such a name is the secret itself.
    value(v, secret || named, !named || v.is_object());
  }

  static bool secret_member(std::string_view key, json::view v) {
    return is_secret_key(key) && !(v.is_number() && lower_ascii(key.back()) == 's');  // maxTokens: a count
  }

  json::writer w_;
  unsigned depth_;
};

inline bool starts_with_word(std::string_view text, std::string_view word) noexcept {
  if (text.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == lower_ascii(b); });
}

// How long the secret is that begins at `text`, after a name and '=' or after a scheme; 0 for none. `quote`: the
// quotation mark that it stands behind, if any.
inline std::size_t secret_length(std::string_view text, char quote = 0) noexcept {
  if (quote != 0) return std::min(text.find(quote), text.size());
  std::size_t n = 0;
  while (n < text.size() && !ends_value(text[n])) ++n;
  return n;
}

// "Bearer eyJ..." and "Basic dXNl...": the length of the scheme with its blank, when credentials follow.
inline std::size_t scheme_length(std::string_view text) noexcept {
  for (std::string_view const scheme : {"bearer ", "basic "}) {
    if (starts_with_word(text, scheme) && secret_length(text.substr(scheme.size())) >= 12) return scheme.size();
  }
  return 0;
}

// "://user:password@": the length up to '@' when `text` begins behind "://".
inline std::size_t userinfo_length(std::string_view text) noexcept {
  auto const end = text.find_first_of("/?# \"'<>\n");
  auto const at = text.substr(0, end).rfind('@');
  return at == std::string_view::npos ? 0 : at;
}

inline std::string redacted_prose(std::string_view text) {
  std::string out;
  std::size_t name = 0;  // where the name that stands before text[i] begins in text
  for (std::size_t i = 0; i < text.size();) {
    std::size_t shown = 0, secret = 0;
    bool const starts_word = i == 0 || !is_name_char(text[i - 1]);
    if (text[i] == '=' && name < i && is_secret_key(text.substr(name, i - name))) {
      char const next = i + 1 < text.size() ? text[i + 1] : '\0';
      bool const quoted = next == '"' || next == '\'';
      shown = quoted ? 2 : 1;
      secret = secret_length(text.substr(i + shown), quoted ? next : '\0');
    } else if (text.substr(i).starts_with("://")) {
      shown = 3;
      secret = userinfo_length(text.substr(i + 3));
    } else if (starts_word && (shown = scheme_length(text.substr(i))) != 0) {
      secret = secret_length(text.substr(i + shown));
    }
    if (secret != 0) {
      out.append(text.substr(i, shown)).append(hidden);
      i += shown + secret;
      name = i;
      continue;
    }
    out += text[i];
    if (!is_name_char(text[i])) name = i + 1;
    ++i;
  }
  return out;
}

COMCP_DECL std::string redacted_text(std::string_view text, unsigned depth) {
  auto const start = text.find_first_not_of(" \t\r\n");
  if (depth > 0 && start != std::string_view::npos && (text[start] == '{' || text[start] == '[')) {
    if (auto const nested = json::parse(text)) {
      redactor r(depth - 1);
      r.value(nested->view(), false, false);
      auto again = std::move(r).text();
      return again == nested->dump() ? std::string(text) : again;
    }
  }
  return redacted_prose(text);
}

inline void append_digits(std::string& out, std::int64_t n, std::size_t width) {
  auto const digits = std::to_string(n);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

// ISO 8601 in UTC with microseconds.
inline std::string utc_text(std::chrono::system_clock::time_point at) {
  using namespace std::chrono;
  auto const day = floor<days>(at);
  year_month_day const date(day);
  auto const of_day = duration_cast<microseconds>(at - day).count();
  std::string out;
  append_digits(out, static_cast<int>(date.year()), 4);
  append_digits(out += '-', static_cast<unsigned>(date.month()), 2);
  append_digits(out += '-', static_cast<unsigned>(date.day()), 2);
  append_digits(out += 'T', of_day / 3'600'000'000, 2);
  append_digits(out += ':', of_day / 60'000'000 % 60, 2);
  append_digits(out += ':', of_day / 1'000'000 % 60, 2);
  append_digits(out += '.', of_day % 1'000'000, 6);
  return out += 'Z';
}

}  // namespace detail

COMCP_DECL bool is_secret_key(std::string_view key) {
  std::string plain;
  for (char const c : key) {
    if (c != '-' && c != '_' && c != '.' && c != ' ') plain += detail::lower_ascii(c);
  }
  for (std::string_view const harmless : {"type", "endpoint", "length", "count"}) {
    if (plain.ends_with(harmless)) return false;
  }
  for (std::string_view const harmless : {"progresstoken", "pagetoken", "nexttoken"}) {
    if (plain.ends_with(harmless)) return false;
  }
  for (std::string_view const part : {"password", "passwd", "passphrase", "secret", "authorization", "apikey",
                                      "accesskey", "privatekey", "credential", "cookie", "sessionid", "bearer"}) {
    if (plain.find(part) != std::string::npos) return true;
  }
  for (std::string_view const end : {"token", "tokens", "pwd", "jwt"}) {
    if (plain.ends_with(end)) return true;
  }
  return plain == "auth" || plain == "pass" || plain == "otp";
}

COMCP_DECL std::string redacted(std::string_view text) { return detail::redacted_text(text, 3); }

COMCP_DECL std::string redacted(json::view v) {
  detail::redactor r(3);
  r.value(v, false, false);
  return std::move(r).text();
}

COMCP_DECL std::string record_line(direction way, std::string_view message,
                                   std::chrono::system_clock::time_point at) {
  auto const parsed = json::parse(message);
  json::writer w;
  w.begin_object().plain_key("time").string(detail::utc_text(at));
  w.plain_key("direction").string(way == direction::sent ? "sent" : "received");
  if (parsed) {
    w.plain_key("message").raw(redacted(parsed->view()));
  } else {
    w.plain_key("unreadable").unsigned_integer(message.size());
  }
  w.end_object();
  return std::move(w).text();
}

COMCP_DECL tracer record_to(std::function<void(std::string_view)> write,
                            std::function<std::chrono::system_clock::time_point()> now) {
  return [write = std::move(write), now = std::move(now)](direction way, std::string_view message) {
    write(record_line(way, message, now ? now() : std::chrono::system_clock::now()));
  };
}

}  // namespace comcp
