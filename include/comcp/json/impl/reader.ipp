// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <comcp/json/impl/simdjson.hpp>
#include <comcp/json/impl/value.ipp>
#include <comcp/json/impl/writer.ipp>
#include <comcp/json/reader.hpp>

namespace comcp::json {
namespace detail {

namespace ondemand = simdjson::ondemand;

// One parser a thread, and one more for a scan inside a sink.
class scanner {
 public:
  scanner() noexcept : first_(!std::exchange(shared().busy, true)) {}
  scanner(scanner const&) = delete;
  scanner& operator=(scanner const&) = delete;
  ~scanner() {
    if (!first_) return;
    if (shared().parser.capacity() > (std::size_t{4} << 20)) shared().parser = ondemand::parser();
    shared().busy = false;
  }
  ondemand::parser& parser() { return first_ ? shared().parser : own_.emplace(); }

 private:
  struct state {
    ondemand::parser parser;
    bool busy = false;
  };
  static state& shared() noexcept {
    thread_local state s;
    return s;
  }
  bool first_;
  std::optional<ondemand::parser> own_;
};

COMCP_DECL std::string_view trimmed(std::string_view s) noexcept {
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\n' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

// The raw text of a value, which is thereby consumed.
COMCP_DECL simdjson::error_code raw_of(ondemand::value v, std::string_view& raw) noexcept {
  ondemand::json_type type;
  if (auto const code = v.type().get(type)) return code;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (auto const code = v.get_object().get(object)) return code;
    auto const code = object.raw_json().get(raw);
    return raw = trimmed(raw), code;
  }
  if (type == ondemand::json_type::array) {
    ondemand::array array;
    if (auto const code = v.get_array().get(array)) return code;
    auto const code = array.raw_json().get(raw);
    return raw = trimmed(raw), code;
  }
  raw = trimmed(v.raw_json_token());
  return simdjson::SUCCESS;
}

inline error scan_error(simdjson::error_code code) {
  if (code == simdjson::MEMALLOC) return errc::out_of_memory;
  return {code == simdjson::INCORRECT_TYPE ? errc::wrong_shape : errc::invalid_json, parse_failure(code)};
}

COMCP_DECL simdjson::error_code scan_members(ondemand::document& doc, member_sink& sink) {
  ondemand::object object;
  if (auto const code = doc.get_object().get(object)) return code;
  for (auto item : object) {
    ondemand::field field;
    if (auto const code = std::move(item).get(field)) return code;
    std::string_view key, raw;
    if (auto const code = field.unescaped_key().get(key)) return code;
    if (auto const code = raw_of(field.value(), raw)) return code;
    if (!sink.on_member(key, raw)) return simdjson::SUCCESS;
  }
  return doc.current_location().error() == simdjson::OUT_OF_BOUNDS ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

COMCP_DECL simdjson::error_code scan_elements(ondemand::document& doc, member_sink& sink) {
  ondemand::array array;
  if (auto const code = doc.get_array().get(array)) return code;
  for (auto item : array) {
    ondemand::value element;
    if (auto const code = std::move(item).get(element)) return code;
    std::string_view raw;
    if (auto const code = raw_of(element, raw)) return code;
    if (!sink.on_member({}, raw)) return simdjson::SUCCESS;
  }
  return doc.current_location().error() == simdjson::OUT_OF_BOUNDS ? simdjson::SUCCESS : simdjson::TAPE_ERROR;
}

using scan_function = simdjson::error_code (*)(ondemand::document&, member_sink&);

COMCP_DECL result<void> scan(padded_text text, member_sink& sink, scan_function function) {
  auto const view = without_bom(text.view());
  if (view.empty()) return scan_error(simdjson::EMPTY);
  if (view.starts_with(bom)) return scan_error(simdjson::TAPE_ERROR);
  scanner lease;
  ondemand::document doc;
  simdjson::padded_string_view const padded(view.data(), view.size(), view.size() + padded_text::spare);
  auto code = lease.parser().iterate(padded).get(doc);
  if (!code) code = function(doc, sink);
  if (code) return scan_error(code);
  return {};
}

}  // namespace detail

COMCP_DECL result<void> scan_object(padded_text text, member_sink& sink) {
  return detail::scan(text, sink, detail::scan_members);
}

COMCP_DECL result<void> scan_array(padded_text text, member_sink& sink) {
  return detail::scan(text, sink, detail::scan_elements);
}

COMCP_DECL result<std::string> unescape(std::string_view raw_string) {
  if (raw_string.size() < 2 || raw_string.front() != '"' || raw_string.back() != '"')
    return error(errc::wrong_shape, "not a JSON string");
  auto const inner = raw_string.substr(1, raw_string.size() - 2);
  bool ascii = true;
  if (detail::plain_prefix(inner.data(), inner.size(), ascii) == inner.size() && ascii) return std::string(inner);
  auto const parsed = parse(raw_string);
  if (!parsed) return parsed.error();
  return std::string(parsed->as_string());
}

}  // namespace comcp::json
