// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "suggest.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "text.hpp"

namespace cli {
namespace {

constexpr std::size_t longest_compared = 64;  // of a name that is compared: a server may list long ones, and many

char plain(char c) noexcept {
  if (c == '-') return '_';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// How many letters are missing, superfluous, wrong, or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) noexcept {
  using line = std::array<std::size_t, longest_compared + 1>;
  line before_last{}, last{}, now{};
  for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, now);
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      bool const same = plain(a[i - 1]) == plain(b[j - 1]);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      bool const swapped = i > 1 && j > 1 && plain(a[i - 1]) == plain(b[j - 2]) && plain(a[i - 2]) == plain(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
  }
  return now[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view given, std::vector<std::string> const& known) {
  std::string const* best = nullptr;
  auto least = std::max<std::size_t>(given.size() / 3, 1) + 1;
  for (auto const& name : known) {
    if (given.size() > longest_compared || name.size() > longest_compared) continue;
    bool const begins = given.size() > 2 && name.size() > given.size() && name.starts_with(given);
    auto const away = begins ? 1 : distance(given, name);
    if (away >= least) continue;
    least = away;
    best = &name;
  }
  return best ? "; did you mean '" + one_line(*best) + "'?" : std::string();
}

}  // namespace cli
