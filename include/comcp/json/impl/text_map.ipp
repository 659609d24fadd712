// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include <comcp/json/text_map.hpp>

namespace comcp::detail {

inline bool is_json_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Behind the string that begins at `at`, or the end of the text.
inline std::size_t end_of_json_string(std::string_view text, std::size_t at) noexcept {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// How long the comment is that begins at `at`; 0 for none, or for one that does not end.
inline std::size_t comment_length(std::string_view text, std::size_t at) noexcept {
  auto const rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(rest.find('\n'), rest.size());
  if (!rest.starts_with("/*")) return 0;
  auto const end = rest.find("*/", 2);
  return end == std::string_view::npos ? 0 : end + 2;
}

COMCP_DECL std::string without_comments(std::string_view text) {
  std::string out(text);
  constexpr auto none = std::string_view::npos;
  std::size_t last = none, before = none;  // the last two characters that are no blank
  for (std::size_t i = 0; i < out.size();) {
    if (auto const length = comment_length(text, i)) {
      for (auto const end = i + length; i < end; ++i) {
        if (out[i] != '\n' && out[i] != '\r') out[i] = ' ';
      }
      continue;
    }
    auto const next = out[i] == '"' ? end_of_json_string(text, i) : i + 1;
    if (!is_json_blank(out[i])) {
      bool const closes = out[i] == '}' || out[i] == ']';
      bool const trailing = closes && last != none && out[last] == ',' && before != none &&
                            std::string_view("[{,:").find(out[before]) == none;
      if (trailing) out[last] = ' ';
      before = last;
      last = next - 1;
    }
    i = next;
  }
  return out;
}

/// One walk over a text by the grammar of RFC 8259.
class text_map::scanner {
 public:
  scanner(std::string_view text, std::vector<node>& nodes) noexcept : text_(text), nodes_(nodes) {}

  bool whole() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    blanks();
    if (!value(at_, 0)) return false;
    blanks();
    return ended() || fail("something behind the end of the JSON value");
  }
  /// The end of the string, number or word that begins at `offset`.
  std::size_t leaf_end(std::size_t offset) {
    at_ = offset;
    (void)leaf();
    return at_;
  }
  failure const& why() const noexcept { return why_; }

 private:
  static constexpr unsigned max_depth = 200;

  bool ended() const noexcept { return at_ >= text_.size(); }
  char now() const noexcept { return ended() ? '\0' : text_[at_]; }
  void blanks() noexcept {
    while (!ended() && is_json_blank(text_[at_])) ++at_;
  }
  bool fail(char const* what) {
    why_.offset = std::min(at_, text_.size());
    why_.what = ended() ? std::string("the text ends here, too early") : std::string(what);
    return false;
  }
  bool take(char c, char const* what) {
    if (now() != c || ended()) return fail(what);
    ++at_;
    return true;
  }

  bool value(std::size_t key, unsigned depth) {
    auto const index = nodes_.size();
    nodes_.push_back({static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(at_), 0});
    bool good = false;
    if (depth > max_depth) {
      good = fail("too many brackets inside each other");
    } else if (now() == '{') {
      good = items(depth, '}', true);
    } else if (now() == '[') {
      good = items(depth, ']', false);
    } else {
      good = leaf();
    }
    nodes_[index].next = static_cast<std::uint32_t>(nodes_.size());
    return good;
  }
  bool items(unsigned depth, char closing, bool keys) {
    auto const* const between = keys ? "expected ',' or '}' here" : "expected ',' or ']' here";
    ++at_;
    blanks();
    if (now() == closing) return ++at_, true;
    for (;;) {
      auto const start = at_;
      if (keys && !key()) return false;
      if (!value(keys ? start : at_, depth + 1)) return false;
      blanks();
      if (now() == closing) return ++at_, true;
      if (!take(',', between)) return false;
      blanks();
    }
  }
  bool key() {
    if (now() != '"') return fail("expected a key in double quotes here");
    if (!string()) return false;
    blanks();
    if (!take(':', "expected ':' here")) return false;
    blanks();
    return true;
  }
  bool leaf() {
    char const c = now();
    if (c == '"') return string();
    if (c == '-' || (c >= '0' && c <= '9')) return number();
    for (std::string_view const word : {"true", "false", "null"}) {
      if (text_.substr(at_).starts_with(word)) return at_ += word.size(), true;
    }
    return fail("expected a value here");
  }
  bool string() {
    for (++at_; !ended(); ++at_) {
      auto const c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') return ++at_, true;
      if (c < 0x20) return fail("a line break or control character in a string; is a quotation mark missing?");
      if (c == '\\' && !escape()) return false;
    }
    return fail("");
  }
  bool escape() {
    ++at_;
    if (ended()) return fail("");
    if (std::string_view("\"\\/bfnrt").find(now()) != std::string_view::npos) return true;
    if (now() != 'u') return fail("an unknown escape; a backslash itself is written as two");
    for (int i = 0; i < 4; ++i) {
      ++at_;
      if (ended() || std::string_view("0123456789abcdefABCDEF").find(now()) == std::string_view::npos)
        return fail("\\u needs four hexadecimal digits");
    }
    return true;
  }
  bool digits() {
    if (now() < '0' || now() > '9') return fail("a malformed number");
    while (now() >= '0' && now() <= '9') ++at_;
    return true;
  }
  bool number() {
    if (now() == '-') ++at_;
    if (now() == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (now() == '.' && (++at_, !digits())) return false;
    if (now() != 'e' && now() != 'E') return true;
    ++at_;
    if (now() == '+' || now() == '-') ++at_;
    return digits();
  }

  std::string_view text_;
  std::vector<node>& nodes_;
  std::size_t at_ = 0;
  failure why_;
};

COMCP_DECL text_map::text_map(std::string_view text) : text_(text), lines_{0} {
  for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    lines_.push_back(static_cast<std::uint32_t>(at + 1));
  scanner s(text, nodes_);
  if (!s.whole()) broken_ = s.why();
}

COMCP_DECL std::optional<text_map::failure> text_map::unreadable() const {
  std::vector<node> unused;
  scanner s(text_, unused);
  for (auto const& n : nodes_) {
    for (auto const offset : {n.key, n.value}) {
      if (text_[offset] == '{' || text_[offset] == '[') continue;
      auto const leaf = json::parse(text_.substr(offset, s.leaf_end(offset) - offset));
      if (!leaf) return failure{offset, std::string(leaf.error().message())};
    }
  }
  return {};
}

COMCP_DECL text_place text_map::place(std::size_t offset) const noexcept {
  auto const next = std::upper_bound(lines_.begin(), lines_.end(), offset);
  auto const line = static_cast<std::size_t>(next - lines_.begin());
  return {line, offset - lines_[line - 1] + 1};
}

COMCP_DECL std::optional<located> find_member(text_map const& map, located of, std::string_view key) {
  std::optional<located> found;
  each_member(map, of, [&](std::string_view name, located m) {
    if (!found && name == key) found = m;
  });
  return found;
}

}  // namespace comcp::detail
