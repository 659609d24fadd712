// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Replacing the variables of a configured server, and checking what comes out. Where values are from is said by
// functions, so that nothing here touches the process: load.hpp has those of this process.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/config/configured_server.hpp>
#include <comcp/secret.hpp>

namespace comcp {

/// Where the values of variables are from. What is not set has no value. Copyable.
class config_variables {
 public:
  using lookup = std::function<std::optional<std::string>(std::string_view name)>;
  using asker = std::function<result<secret>(config_input const& asked)>;
  using reader = std::function<result<std::string>(std::string const& path)>;

  config_variables() {}
  /// ${NAME}, ${NAME:-default} and ${env:NAME}.
  config_variables& environment(lookup f) { return environment_ = std::move(f), *this; }
  /// The names that environment() is asked for; any other is a problem with errc::denied, whatever its default. For
  /// files that somebody else wrote: show variables_read(), let a person decide, and give what was allowed. Default: all.
  config_variables& only(std::vector<std::string> names) { return only_ = std::move(names), *this; }
  /// ${workspaceFolder}, ${workspaceFolderBasename} and ${cwd}: an absolute path.
  config_variables& workspace_folder(std::string path) { return folder_ = std::move(path), *this; }
  /// ${userHome}.
  config_variables& home(std::string path) { return home_ = std::move(path), *this; }
  /// ${input:id}. Asked at each use: who asks a person keeps the answers. Default: the input's default.
  config_variables& inputs(asker f) { return inputs_ = std::move(f), *this; }
  /// Reads `envFile`.
  config_variables& files(reader f) { return files_ = std::move(f), *this; }

  [[nodiscard]] lookup const& environment() const noexcept { return environment_; }
  [[nodiscard]] std::optional<std::vector<std::string>> const& only() const noexcept { return only_; }
  [[nodiscard]] std::string const& workspace_folder() const noexcept { return folder_; }
  [[nodiscard]] std::string const& home() const noexcept { return home_; }
  [[nodiscard]] asker const& inputs() const noexcept { return inputs_; }
  [[nodiscard]] reader const& files() const noexcept { return files_; }

 private:
  lookup environment_;
  asker inputs_;
  reader files_;
  std::optional<std::vector<std::string>> only_;
  std::string folder_, home_;
};

/// A server that can be connected to when there are no problems. Any of its texts may hold secrets now; only
/// to_string() and shown_endpoint() show it as written.
struct expanded_server {
  configured_server server;
  std::vector<config_problem> problems;  ///< Name file, line and key; hold no values.
  [[nodiscard]] bool ok() const noexcept { return problems.empty(); }
};

/// Replaces the variables in command, args, env, envFile, cwd, url and headers, once: what a value holds is taken as it
/// is, and no shell sees it. A variable that is not set and has no default is a problem that names it; one that is set
/// to nothing is set. A $ without { is plain text. Then checks the result: names of env and headers, the URL.
/// `inputs` are those of the server's file.
[[nodiscard]] expanded_server expand_server(configured_server const& s, std::vector<config_input> const& inputs,
                                            config_variables const& variables);

/// The environment variables that expanding this server reads, as written, sorted and each once. A server of somebody
/// else's file can send them anywhere.
[[nodiscard]] std::vector<std::string> variables_read(configured_server const& s);

/// The NAME=value lines of an `envFile`: blank lines and # comments are skipped, `export ` is dropped, values may stand
/// in quotes (in double quotes, \n, \", \\ and \$ are escapes), nothing is expanded. Errors: invalid_argument with the
/// line's number, never with its text.
[[nodiscard]] result<std::vector<std::pair<std::string, std::string>>> parse_env_file(std::string_view text);

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/config/impl/env_file.ipp>
#include <comcp/config/impl/expand.ipp>
#endif
