// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// SKILL.md and its frontmatter: any text. What is read is bounded JSON, and reads the same when it is written as YAML's
// flow style, which JSON is.
#include <comcp/skills/frontmatter.hpp>

#include <algorithm>
#include <string>

#include <comcp/json/describe.hpp>

#include "fuzz/hold.hpp"

using namespace comcp;
using comcp_test::hold;

namespace {

std::size_t depth_of(json::view v) {
  std::size_t deepest = 0;
  for (auto const e : v.elements()) deepest = std::max(deepest, depth_of(e));
  for (auto const& [key, value] : v.members()) deepest = std::max(deepest, depth_of(value));
  return deepest + (v.is_array() || v.is_object() ? 1 : 0);
}

void read(std::string_view yaml) {
  auto const got = read_frontmatter(yaml);
  if (!got) {
    hold(got.error() == errc::wrong_shape || got.error() == errc::limit_exceeded, "there are two ways to be refused");
    hold(got.error().message().size() < yaml.size() + 200, "what is said about it is short");
    return;
  }
  hold(depth_of(*got) <= 32, "what is read is not deeper than was said");
  auto const text = got->dump();
  if (text.find('\x7F') != text.npos || text.find("\xEF\xBB\xBF") != text.npos) return;
  auto const again = read_frontmatter(text);
  hold(again && *again == *got, "JSON is read as what it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const input = comcp_test::text_of(data, size);
  read(input);
  auto const parts = split_skill(input);
  if (!parts) return 0;
  auto const fence = parts->frontmatter.data() - input.data();
  hold(fence >= 4 && parts->body.data() + parts->body.size() == input.data() + input.size(), "the parts are of the text");
  hold(parts->frontmatter.empty() || parts->frontmatter.ends_with('\n'), "frontmatter is of whole lines");
  read(parts->frontmatter);
  return 0;
}
