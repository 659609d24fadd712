// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include <comcp/auth/challenge.hpp>

namespace comcp {
namespace detail {

inline constexpr std::size_t max_challenge_text = 16 * 1024, max_challenges = 16, max_challenge_parameters = 32;

/// Reads one field. A comma separates challenges and parameters alike: what follows one is a parameter where it has an
/// equals sign, else the next scheme.
class challenge_reader {
 public:
  challenge_reader(std::string_view text, std::vector<auth_challenge>& out) noexcept : rest_(text), out_(out) {}

  void run() {
    for (skip(" \t,"); !rest_.empty(); skip(" \t,")) {
      if (parameter()) continue;
      auto const scheme = run_of(is_token);
      if (scheme.empty() || !(rest_.empty() || at(" \t,"))) {
        pass_over();
        continue;
      }
      if (out_.size() == max_challenges) return;
      current_ = &out_.emplace_back(std::string(scheme));
      count_ = 0;
      token68();
    }
  }

 private:
  static bool is_token(char c) noexcept { return is_http_token(std::string_view(&c, 1)); }
  [[nodiscard]] bool at(std::string_view any) const noexcept { return !rest_.empty() && any.find(rest_[0]) != any.npos; }
  void skip(std::string_view any) noexcept {
    while (at(any)) rest_.remove_prefix(1);
  }
  std::string_view run_of(auto fits) {
    auto const end = std::find_if_not(rest_.begin(), rest_.end(), fits);
    auto const out = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(out.size());
    return out;
  }

  /// From its quote on; nothing, and nothing left, where it is not closed.
  std::optional<std::string> quoted() {
    std::string out;
    for (rest_.remove_prefix(1); !rest_.empty(); rest_.remove_prefix(1)) {
      if (rest_[0] == '"') return rest_.remove_prefix(1), out;
      if (rest_[0] == '\\') rest_.remove_prefix(1);
      if (rest_.empty()) break;
      out += rest_[0];
    }
    return {};
  }

  /// Whether a parameter, however broken its value is, was here; it goes to the current challenge.
  bool parameter() {
    auto const before = rest_;
    auto const name = run_of(is_token);
    skip(" \t");
    if (name.empty() || !at("=")) return rest_ = before, false;
    rest_.remove_prefix(1);
    skip(" \t");
    bool const in_quotes = at("\"");
    auto const plain = [](char c) { return std::string_view(" \t,\"").find(c) == std::string_view::npos; };
    auto value = in_quotes ? quoted() : std::optional(std::string(run_of(plain)));
    if (!value || (value->empty() && !in_quotes) || !current_ || count_ == max_challenge_parameters) return true;
    current_->add(std::string(name), std::move(*value));
    ++count_;
    return true;
  }

  /// What follows a scheme, if it is one and nothing else follows it.
  void token68() {
    auto const before = rest_;
    skip(" \t");
    auto const start = rest_;
    auto const digits = run_of([](char c) {
      return c == '/' || (is_token(c) && std::string_view("!#$%&'*^`|").find(c) == std::string_view::npos);
    });
    auto const padding = run_of([](char c) { return c == '='; });
    auto const text = start.substr(0, digits.size() + padding.size());
    skip(" \t");
    if (digits.empty() || !(rest_.empty() || at(","))) {
      rest_ = before;
    } else {
      current_->token68(std::string(text));
    }
  }

  void pass_over() {
    while (!rest_.empty() && !at(",")) {
      if (at("\"")) {
        (void)quoted();
      } else {
        rest_.remove_prefix(1);
      }
    }
  }

  std::string_view rest_;
  std::vector<auth_challenge>& out_;
  auth_challenge* current_ = nullptr;  // the last of out_, once this field began one
  std::size_t count_ = 0;              // its parameters
};

}  // namespace detail

COMCP_DECL bool auth_challenge::is(std::string_view scheme) const noexcept {
  return http_detail::same_name(scheme_, scheme);
}

COMCP_DECL std::string const* auth_challenge::find(std::string_view name) const noexcept {
  for (auto const& p : parameters_) {
    if (http_detail::same_name(p.name, name)) return &p.value;
  }
  return nullptr;
}

COMCP_DECL std::vector<auth_challenge> parse_challenges(http_headers const& headers) {
  std::vector<auth_challenge> out;
  auto left = detail::max_challenge_text;
  for (auto text : headers.all("WWW-Authenticate")) {
    if (text.size() > left) {
      // Cut between two parts: half a value would be another one.
      text = text.substr(0, left);
      auto const comma = text.rfind(',');
      text = text.substr(0, comma == text.npos ? 0 : comma);
      left = text.size();
    }
    left -= text.size();
    detail::challenge_reader(text, out).run();
  }
  return out;
}

}  // namespace comcp
