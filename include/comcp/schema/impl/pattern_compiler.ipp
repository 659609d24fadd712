// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From the tree of a pattern to a program.
#pragma once

#include <comcp/schema/impl/pattern_parser.ipp>
#include <comcp/schema/pattern.hpp>

namespace comcp::schema_detail {

class pattern_compiler {
 public:
  pattern_compiler(std::string_view text, std::uint64_t& steps) : in_(text, steps) {}

  result<pattern> run() {
    auto const root = in_.run();
    out_.sets_ = std::move(in_.sets);
    if (!in_.text.fault) {
      emit(root, false);
      add(pattern::code::match);
    }
    for (std::size_t k = 0; k < out_.looks_.size() && !in_.text.fault; ++k) {
      out_.looks_[k].start = here();
      emit(look_bodies_[k], !out_.looks_[k].behind);
      add(pattern::code::match);
    }
    if (in_.text.fault) return in_.text.fault;
    return std::move(out_);
  }

 private:
  using kind = pattern_parser::kind;
  static constexpr auto unset = pattern_parser::unset;

  [[nodiscard]] std::uint32_t here() const noexcept { return static_cast<std::uint32_t>(out_.program_.size()); }
  std::uint32_t add(pattern::code what, std::uint32_t x = 0) {
    out_.program_.push_back({what, x, 0});
    return here() - 1;
  }

  // Appends code that goes on behind itself after a match of `n`; for text that is read backwards if `reverse`.
  void emit(std::uint32_t n, bool reverse) {
    if (++work_ > 5 * pattern::max_program || out_.program_.size() > pattern::max_program)
      return in_.text.fail("too large", errc::limit_exceeded);
    if (!in_.text.pay(1)) return;
    auto const& t = in_.nodes[n];
    switch (t.what) {
      case kind::nothing: break;
      case kind::set: add(pattern::code::set, t.set); break;
      case kind::assertion: add(t.assertion); break;
      case kind::look: emit_look(n); break;
      case kind::sequence:
        for (std::size_t k = 0; k < t.children.size() && !in_.text.fault; ++k)
          emit(t.children[reverse ? t.children.size() - 1 - k : k], reverse);
        break;
      case kind::choice: emit_choice(t, reverse); break;
      case kind::repeat: emit_repeat(t, reverse); break;
    }
  }

  void emit_look(std::uint32_t n) {
    auto& t = in_.nodes[n];
    if (t.look == unset) {
      t.look = static_cast<std::uint32_t>(out_.looks_.size());
      out_.looks_.push_back({0, t.behind, t.negative});
      look_bodies_.push_back(t.children[0]);
    }
    add(pattern::code::look, t.look);
  }

  void emit_choice(pattern_parser::tree const& t, bool reverse) {
    std::vector<std::uint32_t> ends;
    for (std::size_t k = 0; k < t.children.size() && !in_.text.fault; ++k) {
      bool const last = k + 1 == t.children.size();
      auto const fork = last ? 0 : add(pattern::code::split);
      if (!last) out_.program_[fork].x = here();
      emit(t.children[k], reverse);
      if (last) break;
      ends.push_back(add(pattern::code::jump));
      out_.program_[fork].y = here();
    }
    for (auto const e : ends) out_.program_[e].x = here();
  }

  void emit_repeat(pattern_parser::tree const& t, bool reverse) {
    for (std::uint32_t k = 0; k < t.min && !in_.text.fault; ++k) emit(t.children[0], reverse);
    std::vector<std::uint32_t> forks;
    auto const optional_copies = t.max == unset ? 1 : t.max - t.min;
    for (std::uint32_t k = 0; k < optional_copies && !in_.text.fault; ++k) {
      forks.push_back(add(pattern::code::split));
      out_.program_[forks.back()].x = here();
      emit(t.children[0], reverse);
    }
    if (t.max == unset) out_.program_[add(pattern::code::jump)].x = forks.back();
    for (auto const f : forks) out_.program_[f].y = here();
  }

  pattern_parser in_;
  std::vector<std::uint32_t> look_bodies_;
  std::size_t work_ = 0;
  pattern out_;
};

}  // namespace comcp::schema_detail

namespace comcp {

COMCP_DECL result<pattern> pattern::compile(std::string_view text) {
  std::uint64_t steps = 100 * max_program;
  return compile(text, steps);
}

COMCP_DECL result<pattern> pattern::compile(std::string_view text, std::uint64_t& steps) {
  if (text.size() > max_program) return error(errc::limit_exceeded, "pattern longer than max_program");
  return schema_detail::pattern_compiler(text, steps).run();
}

}  // namespace comcp
