// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line as data. What is asked for is decided here; what it means to a server is not.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/config/configured_server.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/protocol/logging.hpp>
#include <comcp/protocol/roots.hpp>
#include <comcp/secret.hpp>

namespace cli {

enum class command { tools, resources, templates, prompts, call, read, prompt, complete, ping, info, listen };

/// What is done with configuration files, in place of a command.
enum class config_action { list, check, import };

/// A server that is reached by HTTP.
struct http_target {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  comcp::secret bearer;  // empty: none
  std::string ca_file, client_certificate, client_key;
  bool insecure = false;
  std::string proxy;  // empty: the environment's
  bool no_proxy = false;
  bool sse = false;
};

/// The server to talk to. Another way to reach one becomes another member here and another branch in connect().
struct target {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  bool inherit_environment = false;
  std::string directory;
  bool show_stderr = false;
  http_target http;
};

/// Which protocol versions to speak.
struct era_choice {
  bool legacy = false;
  std::optional<comcp::protocol_version> pinned;
};

/// Where servers are configured, and which one is meant.
struct config_choice {
  bool used = false;               // the target is a configured server
  std::optional<config_action> action;
  std::string source;              // a file or a program; empty: all that are found
  bool force = false, dry_run = false;
  std::vector<std::string> files;  // --config
  std::string server;              // --server
};

struct options {
  command what = command::info;
  target server;
  config_choice config;
  std::vector<comcp::configured_server> servers;  // not empty: the command is for all of these

  bool json = false;
  bool verbose = false;
  std::optional<std::chrono::nanoseconds> timeout, max_time;
  std::optional<comcp::log_level> log_level;
  bool hide_log = false;
  era_choice era;
  std::string trace_file;
  std::vector<comcp::root> roots;

  std::string name;                // of a tool or prompt; a uri or template; what to complete
  std::vector<std::string> pairs;  // key=value, key:=json
  std::string arguments;           // --args
  std::vector<std::string> uris;   // listen
  std::optional<std::size_t> count;
  bool watch = false;              // lists: again after each change
};

/// Fills `out`. Gives an exit code where there is nothing to run: help, version, or a wrong command line.
std::optional<int> parse_command_line(int argc, char const* const* argv, options& out);

}  // namespace cli
