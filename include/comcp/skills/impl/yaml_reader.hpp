// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The bundled reader of YAML: recursive descent over lines, which writes JSON as it goes. Every function that reads says
// false once the text is refused. Blocks are in yaml_blocks.ipp, scalars and brackets in yaml_scalars.ipp.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/json/writer.hpp>
#include <comcp/result.hpp>

namespace comcp::detail {

class yaml_reader {
 public:
  explicit yaml_reader(std::string_view text);
  /// The one document as JSON text.
  result<std::string> to_json();

 private:
  // One more collection, for as long as it is read.
  struct level {
    explicit level(yaml_reader& r) : reader(r) { ++reader.depth_; }
    level(level const&) = delete;
    level& operator=(level const&) = delete;
    ~level() { --reader.depth_; }
    yaml_reader& reader;
  };

  bool fail(std::string_view why, errc code = errc::wrong_shape);
  [[nodiscard]] bool at_end() const noexcept { return line_ == lines_.size(); }
  [[nodiscard]] std::string_view rest() const noexcept { return lines_[line_].substr(col_); }
  [[nodiscard]] bool at_dash() const noexcept;
  bool next_content();
  bool end_line();
  bool deeper();

  // `n` is the indentation of the collection that a value is in, -1 for none.
  bool block_node(int n);
  bool mapping(std::string key);
  bool sequence();
  bool value_behind(int n, bool of_key);
  bool key_here(std::string& key, bool& found);
  bool quoted_key(std::string& key, bool& found);
  bool add_key(std::set<std::string>& keys, std::string const& key);

  bool inline_node(int n);
  bool plain(int n);
  bool plain_line(std::string_view& piece, bool flow);
  [[nodiscard]] bool plain_starts(bool flow) const noexcept;
  bool refuse_start();
  bool quoted(std::string& out, int n);
  bool fold_quoted(std::string& out, int n, bool escaped);
  bool escape(std::string& out);
  bool hex(std::size_t digits, char32_t& out);
  bool resolve(std::string_view text);
  bool block_scalar(int n);
  bool block_header(int n, char& chomping, std::size_t& indent);
  bool block_indent(int n, std::size_t from, std::size_t& indent);

  bool flow_node(int n);
  bool flow_sequence(int n);
  bool flow_mapping(int n);
  bool flow_key(std::string& key, bool& was_quoted, int n);
  bool flow_space(int n);
  bool flow_next(char close, bool& more, int n);

  std::vector<std::string_view> lines_;
  std::size_t line_ = 0, col_ = 0, depth_ = 0;
  std::size_t key_column_ = 0;  // where key_here() looked last
  json::writer w_;
  error error_;
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
