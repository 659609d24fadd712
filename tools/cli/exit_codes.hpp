// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the exit status of `comcp` means. --help documents the same list.
#pragma once

#include <stdexcept>

#include <comcp/error.hpp>

namespace cli {

enum exit_code : int {
  exit_ok = 0,
  exit_tool_failed = 1,   // the tool said isError
  exit_usage = 2,         // the command line is wrong
  exit_connection = 3,    // the server could not be started or reached, or the connection broke
  exit_protocol = 4,      // the server answered with an error, lacks the feature, or broke the protocol
  exit_timeout = 5,
  exit_login = 6,         // the server wants a login, and there is none
  exit_incomplete = 7,    // done, but without servers of the configuration
  exit_output = 8,        // stdout could not be written
  exit_interrupted = 130  // SIGINT; SIGTERM: 143
};

/// The command line asks for something impossible; the text says what.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline exit_code exit_code_of(comcp::error const& e) noexcept {
  if (e.peer()) return exit_protocol;
  if (e.code().category() != comcp::comcp_category()) return exit_connection;
  switch (static_cast<comcp::errc>(e.code().value())) {
    case comcp::errc::connect_timeout:
    case comcp::errc::response_timeout:
    case comcp::errc::idle_timeout:
    case comcp::errc::exchange_timeout:
    case comcp::errc::timeout: return exit_timeout;
    case comcp::errc::cancelled: return exit_interrupted;
    case comcp::errc::login_required: return exit_login;
    case comcp::errc::unknown_server:
    case comcp::errc::unknown_tool:
    case comcp::errc::ambiguous_name:
    case comcp::errc::invalid_argument: return exit_usage;
    case comcp::errc::not_ready:
    case comcp::errc::closed:
    case comcp::errc::outcome_unknown:
    case comcp::errc::connect_failed:
    case comcp::errc::transport_failed:
    case comcp::errc::tls_failed:
    case comcp::errc::proxy_failed:
    case comcp::errc::queue_full: return exit_connection;
    default: return exit_protocol;
  }
}

}  // namespace cli
