// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line as data. What is asked for is decided here; what it means to a server is not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <comcp/auth/registration.hpp>
#include <comcp/config/configured_server.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/protocol/logging.hpp>
#include <comcp/protocol/roots.hpp>
#include <comcp/secret.hpp>

namespace cli {

enum class command {
  tools, resources, templates, prompts, call, read, prompt, complete, ping, info, listen, tasks,
  login, logout, whoami, doctor,  // about a login to one server over HTTP
};

/// What is done with configuration files, in place of a command.
enum class config_action { list, check, import };

/// A server that is reached by HTTP.
struct http_target {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::string> shown_headers;  // names of those in the command line that look like secrets
  comcp::secret bearer;  // empty: none
  std::string ca_file, client_certificate, client_key;
  bool insecure = false;
  std::string proxy;  // empty: the environment's
  bool no_proxy = false;
  bool sse = false;
};

/// Whether requests carry a token or a header of the user's own: then no stored login is used.
bool has_own_credentials(http_target const& http);

/// How one logs in to a server over HTTP, and where logins are kept.
struct login_choice {
  std::string store;  // empty: the variable's, else the usual place
  std::string client_id, client_metadata_url;
  comcp::secret client_secret;
  std::optional<comcp::private_key> key;
  std::optional<std::string> scope, issuer;
  std::uint16_t callback_port = 0;
  bool client_credentials = false, dpop = false;
  bool no_browser = false, paste = false;
};

/// The server to talk to. Another way to reach one becomes another member here and another branch in connect().
struct target {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  bool inherit_environment = false;
  std::string directory;
  bool show_stderr = false;
  http_target http;
  login_choice login;
};

/// Which protocol versions to speak.
struct era_choice {
  bool legacy = false;
  std::optional<comcp::protocol_version> pinned;
};

/// A configured server that cannot be used; a file's entry without a name where it is not even a server.
struct missing_server {
  std::string name;
  comcp::error why;
};

/// Where servers are configured, and which one is meant.
struct config_choice {
  bool used = false;               // the target is a configured server
  std::optional<config_action> action;
  std::string source;              // a file or a program; empty: all that are found
  bool force = false, dry_run = false;
  bool yes = false;                // to what would be asked about files
  std::vector<std::string> files;  // --config
  std::string server;              // --server
  std::vector<missing_server> missing;
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

  std::string command_name;
  std::string name;                // of a tool or prompt; a uri or template; what to complete
  std::vector<std::string> pairs;  // key=value, key:=json
  std::string arguments;           // --args
  bool as_task = false, detach = false;  // call
  std::string action;              // tasks
  std::vector<std::string> uris;   // listen
  std::optional<std::size_t> count;
  bool watch = false;              // lists: again after each change
};

/// Whether the command is about a login, and not for the server itself.
constexpr bool is_about_login(command what) noexcept { return what >= command::login; }

/// Fills `out`. Gives an exit code where there is nothing to run: help or version. Throws usage_error.
std::optional<int> parse_command_line(int argc, char const* const* argv, options& out);

}  // namespace cli
