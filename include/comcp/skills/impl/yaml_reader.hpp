// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The bundled reader of YAML: recursive descent over lines, which writes JSON as it goes. Every function that reads begins
// at the first character of what it reads, and says false once the text is refused.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/writer.hpp>
#include <comcp/result.hpp>

namespace comcp::detail {

/// A document's lines, where it is read, and what it has become so far.
class yaml_lines {
 public:
  explicit yaml_lines(std::string_view text);

  // One more collection, for as long as it is read.
  struct level {
    explicit level(yaml_lines& l) : of(l) { ++of.depth; }
    level(level const&) = delete;
    level& operator=(level const&) = delete;
    ~level() { --of.depth; }
    yaml_lines& of;
  };

  bool fail(std::string_view why, errc code = errc::wrong_shape);
  [[nodiscard]] bool at_end() const noexcept { return row == lines.size(); }
  [[nodiscard]] std::string_view rest() const noexcept { return lines[row].substr(col); }
  [[nodiscard]] bool at_dash() const noexcept;
  bool next_content();
  bool end_line();
  bool deeper();
  bool add_key(std::set<std::string>& keys, std::string const& key);

  std::vector<std::string_view> lines;
  std::size_t row = 0, col = 0, depth = 0;
  json::writer out;
  error fault;
};

// `n` is the indentation of the collection that a value is in, -1 for none.

class yaml_scalars {
 public:
  explicit yaml_scalars(yaml_lines& in) : in_(in) {}

  bool plain(int n);
  bool plain_line(std::string_view& piece, bool flow);
  [[nodiscard]] bool plain_starts(bool flow) const noexcept;
  bool refuse_start();
  bool quoted(std::string& out, int n);
  bool resolve(std::string_view text);
  bool block_scalar(int n);

 private:
  bool fold_quoted(std::string& out, int n, bool escaped);
  bool escape(std::string& out);
  bool hex(std::size_t digits, char32_t& out);
  bool block_header(int n, char& chomping, std::size_t& indent);
  bool block_indent(int n, std::size_t from, std::size_t& indent);

  yaml_lines& in_;
};

class yaml_flow {
 public:
  yaml_flow(yaml_lines& in, yaml_scalars& scalars) : in_(in), scalars_(scalars) {}

  bool node(int n);

 private:
  bool sequence(int n);
  bool mapping(int n);
  bool take_key(std::string& key, bool& was_quoted, int n);
  bool space(int n);
  bool next(char close, bool& more, int n);

  yaml_lines& in_;
  yaml_scalars& scalars_;
};

class yaml_reader {
 public:
  explicit yaml_reader(std::string_view text) : in_(text) {}
  /// The one document as JSON text.
  result<std::string> to_json();

 private:
  bool block_node(int n);
  bool inline_node(int n);
  bool mapping(std::string key);
  bool sequence();
  bool value_behind(int n, bool of_key);
  bool key_here(std::string& key, bool& found);
  bool quoted_key(std::string& key, bool& found);

  yaml_lines in_;
  yaml_scalars scalars_{in_};
  yaml_flow flow_{in_, scalars_};
  std::size_t key_column_ = 0;  // where key_here() looked last
};

inline constexpr std::size_t yaml_max_bytes = 64 * 1024;
inline constexpr std::size_t yaml_max_depth = 32;

inline bool yaml_space(char c) noexcept { return c == ' ' || c == '\t'; }
inline bool yaml_blank(std::string_view line) noexcept { return line.find_first_not_of(" \t") == std::string_view::npos; }
/// Whether it begins or ends a document wherever it stands, in quotes and brackets too.
inline bool yaml_marker(std::string_view line) noexcept { return line.starts_with("---") || line.starts_with("..."); }
/// Whether a plain scalar with this text is a string.
bool yaml_is_text(std::string_view plain);

}  // namespace comcp::detail
