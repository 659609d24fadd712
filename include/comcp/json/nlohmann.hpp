// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Optional: nlohmann::json wherever comcp reads or writes JSON. Include it after or before comcp; it needs
// nlohmann/json.hpp, which comcp itself does not.
#pragma once

#include <string>

#include <comcp/json/describe.hpp>
#include <nlohmann/json.hpp>

namespace comcp::json {

/// Reading keeps 64-bit integers exactly; of several members with one key the first counts. Writing throws
/// comcp::exception (invalid_argument) for binary values and for strings that are not UTF-8.
template <>
struct codec<nlohmann::json> {
  using json = nlohmann::json;

  static bool read(view v, json& out, read_error&) { return out = from(v), true; }

  static void write(writer& w, json const& j) {
    switch (j.type()) {
      case json::value_t::boolean: w.boolean(j.get_ref<bool const&>()); return;
      case json::value_t::number_integer: w.integer(j.get_ref<json::number_integer_t const&>()); return;
      case json::value_t::number_unsigned: w.unsigned_integer(j.get_ref<json::number_unsigned_t const&>()); return;
      case json::value_t::number_float: w.real(j.get_ref<json::number_float_t const&>()); return;
      case json::value_t::string: w.string(j.get_ref<std::string const&>()); return;
      case json::value_t::array: return write_array(w, j);
      case json::value_t::object: return write_object(w, j);
      case json::value_t::binary: throw exception(error(errc::invalid_argument, "JSON has no binary values"));
      default: w.null(); return;
    }
  }

 private:
  static json from(view v) {
    switch (v.kind()) {
      case kind::boolean: return json(*v.get_bool());
      case kind::integer: return json(*v.get_int64());
      case kind::unsigned_integer: return json(*v.get_uint64());
      case kind::real: return json(*v.get_double());
      case kind::string: return json(std::string(*v.get_string()));
      case kind::array: return from_array(v);
      case kind::object: return from_object(v);
      default: return json();
    }
  }
  static json from_array(view v) {
    json out = json::array();
    for (auto const element : v.elements()) out.push_back(from(element));
    return out;
  }
  static json from_object(view v) {
    json out = json::object();
    for (auto const m : v.members()) out.emplace(std::string(m.key), from(m.value));
    return out;
  }

  static void write_array(writer& w, json const& j) {
    w.begin_array();
    for (auto const& element : j) write(w, element);
    w.end_array();
  }
  static void write_object(writer& w, json const& j) {
    w.begin_object();
    for (auto const& item : j.items()) {
      w.key(item.key());
      write(w, item.value());
    }
    w.end_object();
  }
};

}  // namespace comcp::json
