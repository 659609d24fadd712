// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What an evaluation may still spend and what it has found. Running out of steps ends it; so do enough violations.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/schema/impl/evaluated.ipp>
#include <comcp/schema/impl/program.ipp>

namespace comcp::schema_detail {

/// A subschema and the part of the instance that it is applied to.
struct site {
  node const& at;
  spot const& on;
};

class findings {
 public:
  /// Collects violations until there are `wanted`.
  findings(std::size_t wanted, std::uint64_t budget) : steps(budget), wanted_(wanted) {}

  std::vector<violation> violations;
  char const* limit = nullptr;  // the name of the bound that ended the evaluation
  std::uint64_t steps;          // for what counts its work by itself: then ask enough()

  bool step(std::uint64_t n = 1) {
    if (limit) return false;
    if (n > steps) return limit = "max_steps", false;
    steps -= n;
    return true;
  }
  bool enough() {
    if (steps == 0) limit = "max_steps";
    return !limit;
  }
  /// Nobody is told of what is found meanwhile.
  bool quietly(auto const& work) {
    ++quiet_;
    bool const good = work();
    --quiet_;
    return good;
  }
  [[nodiscard]] bool is_quiet() const noexcept { return quiet_ > 0; }
  [[nodiscard]] bool is_told() const noexcept { return !quiet_ && !limit && violations.size() < wanted_; }
  /// Whether the rest can change nothing any more.
  [[nodiscard]] bool stop(bool good) const { return limit || (!good && (quiet_ || violations.size() >= wanted_)); }

  /// Keeps a violation, if anybody wants it; its bytes are steps. False, as what calls it.
  bool report(site const& f, std::string_view keyword, std::string text) {
    if (!is_told()) return false;
    auto path = path_of(f.on);
    auto where = f.at.path + (keyword.empty() ? "" : "/" + std::string(keyword));
    if (step(path.size() + where.size() + text.size()))
      violations.push_back({std::move(path), std::move(where), std::move(text)});
    return false;
  }
  bool report(rule const& r, site const& f, std::initializer_list<std::string_view> text) {
    if (!is_told()) return false;
    std::string whole;
    for (auto const piece : text) whole += shortened(piece);
    return report(f, r.keyword, std::move(whole));
  }
  /// The keyword's own value follows the text.
  bool report_value(rule const& r, site const& f, std::string_view text) {
    if (!is_told()) return false;
    if (r.arg.size() > 20) return report(r, f, {text, "the listed values"});
    auto const value = r.arg.dump();
    return step(value.size()) && report(r, f, {text, value});
  }

 private:
  std::size_t wanted_;
  std::size_t quiet_ = 0;
};

}  // namespace comcp::schema_detail
