// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON Schema: 2020-12, and draft-07 where $schema says so. Compiling resolves every reference and finds every
// fault of the schema; validating is bounded in depth and work. Nothing is ever fetched from a network. Bundled, as
// Debian 12 has no C++ library for 2020-12: libvalijson 1.0 stops at draft-07.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <comcp/json/value.hpp>
#include <comcp/result.hpp>

namespace comcp {

namespace schema_detail {
struct program;
}

enum class schema_dialect : std::uint8_t { draft_2020_12, draft_7 };

/// How a schema is compiled, and the bounds for it.
class schema_options {
 public:
  schema_options() = default;
  /// The dialect of schemas without $schema. Default 2020-12, as MCP says.
  schema_options& default_dialect(schema_dialect d) noexcept { return default_dialect_ = d, *this; }
  /// Whether `format` is checked. Default: it is an annotation (unless a metaschema asks for format-assertion).
  schema_options& assert_formats(bool on) noexcept { return assert_formats_ = on, *this; }
  /// Deepest nesting of subschemas, at compiling and when one applies another at validating. Default 384. Each level
  /// takes about 1 KiB of stack.
  schema_options& max_depth(std::size_t n) noexcept { return max_depth_ = n, *this; }
  /// Most subschemas, those of referenced documents counted. Default 20,000.
  schema_options& max_subschemas(std::size_t n) noexcept { return max_subschemas_ = n, *this; }
  /// Most work and memory that compiling may take: about one step for each keyword, each sixteen bytes of paths and
  /// names, and each instruction and range of characters of a pattern. Default 2 million, which is some 30 MB.
  schema_options& max_compile_steps(std::uint64_t n) noexcept { return max_compile_steps_ = n, *this; }
  /// Most work in one validation: about one step for each keyword, value and state of a pattern. Default 20 million
  /// (below a second). Steps stand in for a time budget: they bound the time as well, and whether a value passes does
  /// not depend on the machine or its load.
  schema_options& max_steps(std::uint64_t n) noexcept { return max_steps_ = n, *this; }
  /// Most entries that violations() returns. Default 100.
  schema_options& max_violations(std::size_t n) noexcept { return max_violations_ = n, *this; }
  /// A document that references may name by `uri`; also a metaschema with $vocabulary.
  schema_options& add_document(std::string uri, json::value text) {
    return documents_.emplace_back(std::move(uri), std::move(text)), *this;
  }

  [[nodiscard]] schema_dialect default_dialect() const noexcept { return default_dialect_; }
  [[nodiscard]] bool assert_formats() const noexcept { return assert_formats_; }
  [[nodiscard]] std::size_t max_depth() const noexcept { return max_depth_; }
  [[nodiscard]] std::size_t max_subschemas() const noexcept { return max_subschemas_; }
  [[nodiscard]] std::uint64_t max_compile_steps() const noexcept { return max_compile_steps_; }
  [[nodiscard]] std::uint64_t max_steps() const noexcept { return max_steps_; }
  [[nodiscard]] std::size_t max_violations() const noexcept { return max_violations_; }
  [[nodiscard]] std::vector<std::pair<std::string, json::value>> const& documents() const noexcept {
    return documents_;
  }

 private:
  schema_dialect default_dialect_ = schema_dialect::draft_2020_12;
  bool assert_formats_ = false;
  std::size_t max_depth_ = 384;
  std::size_t max_subschemas_ = 20'000;
  std::uint64_t max_compile_steps_ = 2'000'000;
  std::uint64_t max_steps_ = 20'000'000;
  std::size_t max_violations_ = 100;
  std::vector<std::pair<std::string, json::value>> documents_;
};

/// One place where an instance does not match.
struct violation {
  std::string instance;  ///< JSON Pointer into the instance; "" is the whole.
  std::string schema;    ///< JSON Pointer of the keyword; with the document's URI before '#' if it is another one.
  std::string text;      ///< What is wrong, without the value itself.

  /// One line: `/a/b: is shorter than 3 characters (/properties/a/minLength)`.
  [[nodiscard]] std::string to_string() const;
};

/// A compiled schema. Copies share it and are cheap; safe to use from any thread.
class schema {
 public:
  /// Errors: invalid_argument (not a schema, or a pattern that comcp::pattern refuses; the text has the place),
  /// unsupported_dialect, not_found (a reference to nothing known), limit_exceeded.
  static result<schema> compile(json::value const& text, schema_options const& options = {});

  /// Errors: validation_failed with the text of the first violations (three at most), limit_exceeded (max_depth,
  /// max_steps).
  [[nodiscard]] result<void> validate(json::view instance) const;
  /// Every violation, up to max_violations; empty if and only if validate() succeeds. Where a limit ended the check
  /// early, the last entry says so.
  [[nodiscard]] std::vector<violation> violations(json::view instance) const;

  /// The text that was compiled.
  [[nodiscard]] json::value const& text() const noexcept;
  [[nodiscard]] schema_dialect dialect() const noexcept;

 private:
  explicit schema(std::shared_ptr<schema_detail::program const> p) noexcept : program_(std::move(p)) {}
  std::shared_ptr<schema_detail::program const> program_;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/schema/impl/schema.ipp>
#endif
