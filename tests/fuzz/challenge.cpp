// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Challenges: each line of the input is a field. What is read keeps its bounds, and what is written is read back.
#include <comcp/auth/challenge.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/hold.hpp"

using namespace comcp;
using comcp_test::hold;

namespace {

using challenges = std::vector<auth_challenge>;

challenges parsed(std::string_view lines) {
  http_headers headers;
  while (!lines.empty()) {
    auto const line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    (void)headers.add("WWW-Authenticate", line);
  }
  return parse_challenges(headers);
}

// Takes the input apart into names and values of any text, and keeps what they were written as.
class written {
 public:
  explicit written(std::string_view data) : data_(data) {
    while (!data_.empty() && list.size() < 16 && text.size() < 8 * 1024) challenge();
  }
  challenges list;
  std::string text;

 private:
  unsigned next() {
    if (data_.empty()) return 0;
    auto const c = static_cast<unsigned char>(data_[0]);
    data_.remove_prefix(1);
    return c;
  }
  std::string token() {
    constexpr std::string_view digits = "abcXYZ019!#$%&'*+-.^_`|~";
    std::string out;
    for (auto left = 1 + next() % 6; left > 0; --left) out += digits[next() % digits.size()];
    return out;
  }
  std::string value() {
    std::string out;
    for (auto left = next() % 24; left > 0; --left) {
      auto const c = static_cast<char>(next());
      if (c != '\r' && c != '\n' && c != '\0') out += c;
    }
    return out;
  }
  void challenge() {
    auto& made = list.emplace_back(token());
    text += (text.empty() ? "" : ", ") + made.scheme();
    char const* before = " ";
    for (auto left = next() % 5; left > 0; --left) {
      auto const name = token(), said = value();
      text += before + name + "=\"";
      for (char const c : said) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
      text += '"';
      made.add(name, said);
      before = ", ";
    }
  }

  std::string_view data_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const input = comcp_test::text_of(data, size);
  auto const got = parsed(input);
  hold(got.size() <= 16, "16 challenges at most");
  for (auto const& c : got) {
    hold(is_http_token(c.scheme()) && c.is(c.scheme()), "a scheme is a token");
    hold(c.token68().find_first_of(" \t,\"") == std::string::npos, "token68 is one word");
  }
  if (auto const first = input.substr(0, input.find('\n')); first.size() < 16 * 1024 - 8)
    hold(parsed(first) == parsed(",, " + std::string(first)), "empty elements mean nothing");
  written const made(input);
  hold(parsed(made.text) == made.list, "what is written is read back");
  return 0;
}
