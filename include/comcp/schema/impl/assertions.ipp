// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The keywords that ask something of a value itself and apply no subschema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <comcp/schema/formats.hpp>
#include <comcp/schema/impl/equality.ipp>
#include <comcp/schema/impl/findings.ipp>
#include <comcp/schema/impl/numbers.ipp>
#include <comcp/schema/impl/unicode.ipp>

namespace comcp::schema_detail {

class assertions {
 public:
  explicit assertions(findings& found) : found_(found) {}

  /// True for a rule that is no assertion.
  bool check(rule const& r, site const& f) {
    auto const v = f.on.value;
    switch (r.what) {
      case rule_kind::type: return has_type(v, r.number) || found_.report_value(r, f, "is not of type ");
      case rule_kind::enumeration: return check_enumeration(r, f);
      case rule_kind::constant: return equal(v, r.arg) || found_.report(r, f, {"is not the constant"});
      case rule_kind::number_bound: return !v.is_number() || check_bound(r, f);
      case rule_kind::multiple:
        return !v.is_number() || (is_multiple(v, r.arg, found_.steps) && found_.enough()) ||
               found_.report_value(r, f, "is not a multiple of ");
      case rule_kind::length: return check_length(r, f);
      case rule_kind::text_pattern:
        return !v.is_string() || search(r.patterns[0].first, *v.get_string()) ||
               found_.report_value(r, f, "does not match the pattern ");
      case rule_kind::format:
        return !v.is_string() ||
               (is_format(*r.arg.get_string(), *v.get_string(), found_.steps) && found_.enough()) ||
               found_.report_value(r, f, "is not a valid ");
      case rule_kind::unique: return is_unique(v) || found_.report(r, f, {"has equal elements"});
      case rule_kind::required: return !v.is_object() || check_required(r, f, r.names);
      case rule_kind::dependent_required: return check_dependent_required(r, f);
      default: return true;
    }
  }

  bool search(pattern const& p, std::string_view text) {
    auto const found = p.search(text, found_.steps);
    if (!found) found_.limit = "max_steps";
    return found.value_or(false);
  }

  bool has_member(json::view v, std::string_view name) {
    return found_.step(1 + v.size() / 16 * (1 + name.size() / 32)) && v.find(name).has_value();
  }

 private:
  bool equal(json::view a, json::view b) { return comparison(found_.steps).equal(a, b) && found_.enough(); }
  bool is_unique(json::view v) { return comparison(found_.steps).is_unique(v) && found_.enough(); }

  bool check_enumeration(rule const& r, site const& f) {
    for (auto const e : r.arg.elements()) {
      if (equal(f.on.value, e)) return true;
    }
    return found_.report_value(r, f, "is none of ");
  }

  bool check_bound(rule const& r, site const& f) {
    auto const v = f.on.value;
    switch (r.compare) {
      case bound::at_least: return !less(v, r.arg) || found_.report_value(r, f, "is less than ");
      case bound::above: return less(r.arg, v) || found_.report_value(r, f, "is not greater than ");
      case bound::at_most: return !less(r.arg, v) || found_.report_value(r, f, "is greater than ");
      case bound::below: return less(v, r.arg) || found_.report_value(r, f, "is not less than ");
    }
    return true;
  }

  bool check_length(rule const& r, site const& f) {
    auto const v = f.on.value;
    std::size_t n = 0;
    char const* what = " elements";
    if (r.counts == counted::characters) {
      if (!v.is_string() || !found_.step(v.get_string()->size() / 64)) return true;
      n = count_code_points(*v.get_string());
      what = " characters";
    } else if (r.counts == counted::items) {
      if (!v.is_array()) return true;
      n = v.size();
    } else {
      if (!v.is_object()) return true;
      n = v.size();
      what = " members";
    }
    if (n < r.number) return found_.report(r, f, {"has fewer than ", std::to_string(r.number), what});
    if (n > r.limit) return found_.report(r, f, {"has more than ", std::to_string(r.limit), what});
    return true;
  }

  bool check_required(rule const& r, site const& f, std::vector<std::string_view> const& names) {
    bool good = true;
    for (auto const name : names) {
      if (!has_member(f.on.value, name)) good = found_.report(r, f, {"has no member \"", name, "\""});
      if (found_.limit || (!good && found_.is_quiet())) break;
    }
    return good;
  }

  bool check_dependent_required(rule const& r, site const& f) {
    bool good = true;
    for (auto const& [name, needed] : r.lists) {
      if (has_member(f.on.value, name)) good = check_required(r, f, needed) && good;
      if (found_.stop(good)) return false;
    }
    return good;
  }

  findings& found_;
};

}  // namespace comcp::schema_detail
