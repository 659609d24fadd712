// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <comcp/http/message.hpp>

namespace comcp {
namespace http_detail {

constexpr char field_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

COMCP_DECL bool same_name(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && (a == b || std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return field_lower(x) == field_lower(y); }));
}

COMCP_DECL std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), field_lower);
  return out;
}

constexpr bool is_field_blank(char c) noexcept { return c == ' ' || c == '\t'; }

COMCP_DECL std::string_view without_field_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_field_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_field_blank(text.back())) text.remove_suffix(1);
  return text;
}

inline constexpr auto token_characters = [] {
  std::array<bool, 256> fits{};
  for (char const c : std::string_view("!#$%&'*+-.^_`|~")) fits[static_cast<unsigned char>(c)] = true;
  for (unsigned i = 0; i < 26; ++i) fits['a' + i] = fits['A' + i] = true;
  for (unsigned i = 0; i < 10; ++i) fits['0' + i] = true;
  return fits;
}();

COMCP_DECL bool breaks_its_line(std::string_view value) noexcept {
  return value.find('\r') != value.npos || value.find('\n') != value.npos || value.find('\0') != value.npos;
}

COMCP_DECL result<http_field> checked_field(std::string&& name, std::string_view value) {
  if (!is_http_token(name)) return error(errc::invalid_argument, "a header's name is not a token");
  if (breaks_its_line(value))
    return error(errc::invalid_argument, "the value of header " + name + " has CR, LF or NUL");
  return http_field{std::move(name), std::string(without_field_blanks(value))};
}

/// Takes texts apart from the left. What does not fit stays, and `ok` becomes false for good.
class field_scanner {
 public:
  explicit field_scanner(std::string_view text) noexcept : rest_(text) {}

  field_scanner& literal(std::string_view expected) noexcept {
    if (rest_.starts_with(expected)) {
      rest_.remove_prefix(expected.size());
    } else {
      ok_ = false;
    }
    return *this;
  }
  /// Exactly so many digits.
  field_scanner& number(std::size_t digits, unsigned& out) noexcept {
    out = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_.empty() || rest_[0] < '0' || rest_[0] > '9') return ok_ = false, *this;
      out = out * 10 + static_cast<unsigned>(rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return *this;
  }
  /// 1 for the first of `names`.
  field_scanner& one_of(auto const& names, unsigned& out) noexcept {
    out = 1;
    for (std::string_view const name : names) {
      if (rest_.starts_with(name)) return literal(name);
      ++out;
    }
    return ok_ = false, *this;
  }
  [[nodiscard]] bool at(char c) const noexcept { return rest_.starts_with(c); }
  [[nodiscard]] bool finished() const noexcept { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

inline constexpr std::array<std::string_view, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
inline constexpr std::array<std::string_view, 7> short_days = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
inline constexpr std::array<std::string_view, 7> long_days = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                              "Friday", "Saturday", "Sunday"};

struct date_parts {
  unsigned year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, weekday = 0;

  [[nodiscard]] std::optional<std::chrono::sys_seconds> time() const noexcept {
    using namespace std::chrono;
    year_month_day const date(std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                              std::chrono::day(day));
    if (!date.ok() || hour > 23 || minute > 59 || second > 60) return {};  // 60: a leap second
    return sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
  }
};

inline void scan_clock(field_scanner& s, date_parts& d) noexcept {
  s.number(2, d.hour).literal(":").number(2, d.minute).literal(":").number(2, d.second);
}

/// Sun, 06 Nov 1994 08:49:37 GMT
COMCP_DECL std::optional<std::chrono::sys_seconds> fixed_date(std::string_view text) noexcept {
  date_parts d;
  field_scanner s(text);
  s.one_of(short_days, d.weekday).literal(", ").number(2, d.day).literal(" ").one_of(months, d.month);
  s.literal(" ").number(4, d.year).literal(" ");
  scan_clock(s, d);
  return s.literal(" GMT").finished() ? d.time() : std::nullopt;
}

/// Sun Nov  6 08:49:37 1994
COMCP_DECL std::optional<std::chrono::sys_seconds> asctime_date(std::string_view text) noexcept {
  date_parts d;
  field_scanner s(text);
  s.one_of(short_days, d.weekday).literal(" ").one_of(months, d.month).literal(" ");
  if (s.at(' ')) {
    s.literal(" ").number(1, d.day);
  } else {
    s.number(2, d.day);
  }
  s.literal(" ");
  scan_clock(s, d);
  return s.literal(" ").number(4, d.year).finished() ? d.time() : std::nullopt;
}

/// Sunday, 06-Nov-94 08:49:37 GMT: a year that would be more than 50 years ahead is of the century before.
COMCP_DECL std::optional<std::chrono::sys_seconds> obsolete_date(std::string_view text,
                                                                 std::chrono::system_clock::time_point now) noexcept {
  using namespace std::chrono;
  date_parts d;
  field_scanner s(text);
  s.one_of(long_days, d.weekday).literal(", ").number(2, d.day).literal("-").one_of(months, d.month);
  s.literal("-").number(2, d.year).literal(" ");
  scan_clock(s, d);
  if (!s.literal(" GMT").finished()) return {};
  auto const current = static_cast<int>(year_month_day(floor<days>(now)).year());
  auto full = current / 100 * 100 + static_cast<int>(d.year);
  if (full > current + 50) full -= 100;
  if (full < current - 49) full += 100;
  d.year = static_cast<unsigned>(full);
  return d.time();
}

/// The parameter at the start of `rest`, which is cut off with its semicolon; its name is empty where it is malformed.
COMCP_DECL http_field next_parameter(std::string_view& rest) {
  auto const equals = rest.find_first_of("=;");
  http_field out{in_lower_case(without_field_blanks(rest.substr(0, equals))), {}};
  bool good = equals != rest.npos && rest[equals] == '=' && is_http_token(out.name);
  rest.remove_prefix(std::min(equals, rest.size()));
  if (rest.starts_with("=\"")) {
    std::size_t at = 2;
    for (; at < rest.size() && rest[at] != '"'; ++at) {
      if (rest[at] == '\\' && at + 1 < rest.size()) ++at;
      out.value += rest[at];
    }
    good = good && at < rest.size();
    rest.remove_prefix(std::min(at + 1, rest.size()));
    good = good && without_field_blanks(rest.substr(0, rest.find(';'))).empty();
  } else if (rest.starts_with('=')) {
    out.value = without_field_blanks(rest.substr(1, rest.find(';') - 1));
    good = good && is_http_token(out.value);
  }
  auto const semicolon = rest.find(';');
  rest.remove_prefix(semicolon == rest.npos ? rest.size() : semicolon + 1);
  if (!good) out.name.clear();
  return out;
}

}  // namespace http_detail

COMCP_DECL bool is_http_token(std::string_view text) noexcept {
  static constexpr auto& fits = http_detail::token_characters;
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return fits[static_cast<unsigned char>(c)]; });
}

COMCP_DECL bool is_protocol_header(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 10> names{
      "accept", "accept-encoding", "connection",        "content-length", "content-type",
      "host",   "last-event-id",   "transfer-encoding", "te",             "upgrade"};
  return http_detail::same_name(name.substr(0, 4), "mcp-") ||
         std::any_of(names.begin(), names.end(), [&](auto n) { return http_detail::same_name(name, n); });
}

COMCP_DECL result<void> http_headers::add(std::string name, std::string_view value) {
  auto checked = http_detail::checked_field(std::move(name), value);
  if (!checked) return checked.error();
  if (fields_.empty()) fields_.reserve(6);
  fields_.push_back(std::move(*checked));
  return {};
}

COMCP_DECL result<void> http_headers::set(std::string name, std::string_view value) {
  auto checked = http_detail::checked_field(std::move(name), value);
  if (!checked) return checked.error();
  remove(checked->name);
  fields_.push_back(std::move(*checked));
  return {};
}

COMCP_DECL std::size_t http_headers::remove(std::string_view name) {
  std::string const wanted(name);  // it may be a field's own
  return std::erase_if(fields_, [&](http_field const& f) { return http_detail::same_name(f.name, wanted); });
}

COMCP_DECL std::string const* http_headers::find(std::string_view name) const noexcept {
  for (auto const& field : fields_)
    if (http_detail::same_name(field.name, name)) return &field.value;
  return nullptr;
}

COMCP_DECL std::vector<std::string_view> http_headers::all(std::string_view name) const {
  std::vector<std::string_view> out;
  for (auto const& field : fields_)
    if (http_detail::same_name(field.name, name)) out.emplace_back(field.value);
  return out;
}

COMCP_DECL std::optional<media_type> media_type::parse(std::string_view text) {
  auto const semicolon = text.find(';');
  auto const essence = http_detail::without_field_blanks(text.substr(0, semicolon));
  auto const slash = essence.find('/');
  if (slash == essence.npos || !is_http_token(essence.substr(0, slash)) || !is_http_token(essence.substr(slash + 1)))
    return {};
  media_type out;
  out.essence_ = http_detail::in_lower_case(essence);
  auto rest = semicolon == text.npos ? std::string_view() : text.substr(semicolon + 1);
  while (!rest.empty()) {
    auto parameter = http_detail::next_parameter(rest);
    if (!parameter.name.empty() && !out.parameter(parameter.name)) out.parameters_.push_back(std::move(parameter));
  }
  return out;
}

COMCP_DECL bool media_type::is(std::string_view essence) const noexcept {
  return http_detail::same_name(essence_, essence);
}

COMCP_DECL std::string const* media_type::parameter(std::string_view name) const noexcept {
  for (auto const& p : parameters_)
    if (http_detail::same_name(p.name, name)) return &p.value;
  return nullptr;
}

COMCP_DECL bool has_media_type(http_headers const& headers, std::string_view essence) noexcept {
  auto const* const type = headers.find("Content-Type");
  if (type == nullptr) return false;
  std::string_view const text = *type;
  if (text == essence) return true;
  return http_detail::same_name(http_detail::without_field_blanks(text.substr(0, text.find(';'))), essence);
}

COMCP_DECL std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text,
                                                                   std::chrono::system_clock::time_point now) noexcept {
  text = http_detail::without_field_blanks(text);
  if (auto const time = http_detail::fixed_date(text)) return time;
  if (auto const time = http_detail::asctime_date(text)) return time;
  return http_detail::obsolete_date(text, now);
}

COMCP_DECL std::optional<std::chrono::seconds> parse_retry_after(std::string_view text,
                                                                 std::chrono::system_clock::time_point now,
                                                                 std::chrono::seconds most) noexcept {
  using namespace std::chrono;
  text = http_detail::without_field_blanks(text);
  if (text.empty()) return {};
  if (text.find_first_not_of("0123456789") == text.npos) {
    seconds wait{0};
    for (char const c : text) {
      wait = wait * 10 + seconds(c - '0');
      if (wait >= most || wait >= hours(24 * 365 * 100)) return most;
    }
    return wait;
  }
  auto const time = parse_http_date(text, now);
  if (!time) return {};
  return std::min<seconds>(std::max<seconds>(*time - floor<seconds>(now), seconds(0)), most);
}

}  // namespace comcp
