// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Running a pattern. Lookarounds are solved first, innermost first: one pass each marks the places where they hold
// (a lookahead runs its reversed program from the end), so that the main pass reads a bit.
#pragma once

#include <comcp/schema/impl/pattern_compiler.ipp>
#include <comcp/schema/pattern.hpp>

namespace comcp {
namespace schema_detail {

class pattern_run {
 public:
  pattern_run(pattern const& p, std::string_view text, std::uint64_t& steps)
      : p_(p), steps_(steps), seen_(p.program_.size(), 0), holds_(p.looks_.size()) {
    text_.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) text_.push_back(next_code_point(text, i));
  }

  std::optional<bool> search() {
    for (auto i = p_.looks_.size(); i-- > 0;) {
      holds_[i].assign(text_.size() + 1, false);
      if (!mark(p_.looks_[i], holds_[i])) return {};
    }
    bool const anchored = p_.program_.front().what == pattern::code::line_begin;
    start();
    for (std::size_t at = 0;; ++at) {
      if (at == 0 || !anchored) follow(0, at, states_);
      if (!pay()) return {};
      if (matched_) return true;
      if (at == text_.size() || (anchored && states_.empty())) return false;
      move(text_[at], at + 1);
    }
  }

 private:
  /// Marks every place where the lookaround's body matches; false when the steps are used up.
  bool mark(pattern::look const& l, std::vector<bool>& where) {
    start();
    for (std::size_t i = 0; i <= text_.size(); ++i) {
      auto const at = l.behind ? i : text_.size() - i;
      follow(l.start, at, states_);
      where[at] = matched_;
      if (!pay()) return false;
      if (i == text_.size()) break;
      if (l.behind) {
        move(text_[at], at + 1);
      } else {
        move(text_[at - 1], at - 1);
      }
    }
    return true;
  }

  void start() {
    ++round_;
    states_.clear();
    matched_ = false;
  }

  // Reads one character and arrives at the place `to`.
  void move(char32_t c, std::size_t to) {
    ++round_;
    matched_ = false;
    next_.clear();
    for (auto const pc : states_) {
      ++used_;
      if (contains(p_.sets_[p_.program_[pc].x], c)) follow(pc + 1, to, next_);
    }
    states_.swap(next_);
  }

  // Adds every state that is reached from `pc` without reading.
  void follow(std::uint32_t pc, std::size_t at, std::vector<std::uint32_t>& states) {
    stack_.push_back(pc);
    while (!stack_.empty()) {
      auto const i = stack_.back();
      stack_.pop_back();
      ++used_;
      if (seen_[i] == round_) continue;
      seen_[i] = round_;
      auto const& in = p_.program_[i];
      switch (in.what) {
        case pattern::code::set: states.push_back(i); break;
        case pattern::code::match: matched_ = true; break;
        case pattern::code::jump: stack_.push_back(in.x); break;
        case pattern::code::split:
          stack_.push_back(in.y);
          stack_.push_back(in.x);
          break;
        default:
          if (stands(in, at)) stack_.push_back(i + 1);
      }
    }
  }

  [[nodiscard]] bool stands(pattern::instruction const& in, std::size_t at) const {
    switch (in.what) {
      case pattern::code::line_begin: return at == 0;
      case pattern::code::line_end: return at == text_.size();
      case pattern::code::word_edge: return is_word_edge(at);
      case pattern::code::no_word_edge: return !is_word_edge(at);
      default: return holds_[in.x][at] != p_.looks_[in.x].negative;
    }
  }
  [[nodiscard]] bool is_word_edge(std::size_t at) const {
    return (at > 0 && is_word(text_[at - 1])) != (at < text_.size() && is_word(text_[at]));
  }
  static bool is_word(char32_t c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  bool pay() {
    bool const enough = used_ <= steps_;
    steps_ = enough ? steps_ - used_ : 0;
    used_ = 0;
    return enough;
  }

  pattern const& p_;
  std::uint64_t& steps_;
  std::uint64_t used_ = 0;
  std::vector<char32_t> text_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t round_ = 0;
  std::vector<std::uint32_t> states_, next_, stack_;
  bool matched_ = false;
  std::vector<std::vector<bool>> holds_;
};

}  // namespace schema_detail

COMCP_DECL std::optional<bool> pattern::search(std::string_view text, std::uint64_t& steps) const {
  // The text is decoded, and each search begins with a state of its own for the whole program.
  if (!schema_detail::pay(steps, 8 + text.size() / 8 + program_.size() / 8)) return std::nullopt;
  return schema_detail::pattern_run(*this, text, steps).search();
}

}  // namespace comcp
