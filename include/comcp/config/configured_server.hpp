// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What a configuration file says, as values: its servers, the inputs that it asks for, and what is wrong with it.
// Nothing here shows a value of env or of headers.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/json/value.hpp>
#include <comcp/version.hpp>

namespace comcp {

/// One thing that is wrong with a configuration file. The texts never hold a value of the file.
struct config_problem {
  std::string file;
  std::size_t line = 0, column = 0;  ///< From 1, columns in bytes; 0 where the file as such is meant.
  std::string key;                   ///< Such as mcpServers.github.args[1]; empty for the file as such.
  errc code = errc::wrong_shape;     ///< invalid_json, wrong_shape, invalid_argument, not_found, limit_exceeded, denied.
  std::string text;

  /// "mcp.json:12:7: mcpServers.github.args[1]: not a string"
  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] comcp::error to_error() const { return {code, to_string()}; }
  friend bool operator==(config_problem const&, config_problem const&) = default;
};

/// How a configured server is reached.
enum class configured_kind {
  stdio,  ///< "stdio", or a `command` without `type`.
  http,   ///< "http", "streamable-http", "streamableHttp", or a `url` without `type`; falls back to HTTP+SSE.
  sse,    ///< "sse": HTTP+SSE of 2024-11-05.
};
/// "stdio", "http", "sse".
char const* to_string(configured_kind kind) noexcept;

/// Where one key of an entry is.
struct config_place {
  std::string key;  ///< Such as args[1] or env.TOKEN; empty for the entry itself.
  std::size_t line = 0, column = 0;
  friend bool operator==(config_place const&, config_place const&) = default;
};

/// One server of a configuration file. As it is written, until expand_server() has replaced its variables. Regular.
struct configured_server {
  std::string name;
  configured_kind kind = configured_kind::stdio;

  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;  ///< May hold secrets. Without those that are null.
  std::string env_file;                                  ///< `envFile`: NAME=value lines; `env` wins over them.
  std::string cwd;                                       ///< Empty: that of the host.

  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  ///< May hold secrets.

  std::optional<std::chrono::milliseconds> timeout;  ///< Of a request; `timeout`, in milliseconds.
  bool disabled = false;                             ///< `disabled` is true or `enabled` false.

  std::string file;                  ///< Where it is from.
  std::string path;                  ///< Its key there: mcpServers.github.
  std::vector<config_place> places;  ///< Of its texts, for errors.
  json::value raw;                   ///< The whole entry as written, unknown keys too. Holds what env and headers hold.

  friend bool operator==(configured_server const&, configured_server const&) = default;
};

/// The command line or URL as written, without what looks like a secret and without the URL's query. For people.
[[nodiscard]] std::string shown_endpoint(configured_server const& s);
/// One line: name, kind, endpoint, the names of env and headers.
[[nodiscard]] std::string to_string(configured_server const& s);

/// A question that the user answers before a server can be used: ${input:id}.
struct config_input {
  std::string id;
  std::string type;  ///< "promptString", "pickString", or one that comcp does not know.
  std::string description;
  std::optional<std::string> default_value;
  bool password = false;
  std::vector<std::string> options;  ///< Of pickString: the values.
  json::value raw;
  friend bool operator==(config_input const&, config_input const&) = default;
};

/// What a file holds. One broken entry does not spoil the others.
struct config_file {
  std::string path;
  std::vector<configured_server> servers;  ///< In the order of the file, names unique.
  std::vector<config_input> inputs;
  std::vector<config_problem> problems;
  json::value raw;  ///< All of it; null where it is no JSON.

  [[nodiscard]] configured_server const* find(std::string_view name) const noexcept;
};

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/config/impl/configured_server.ipp>
#endif
