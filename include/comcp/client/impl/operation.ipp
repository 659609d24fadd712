// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/error.hpp>

#include <comcp/client/operation.hpp>

namespace comcp::detail {

COMCP_DECL prepared_call tool_call(std::string_view name, json::fragment arguments, call_options options) {
  json::writer w(std::string(R"({"name":)"));
  w.string(name);
  auto params = std::move(w).text();
  bool const object = arguments.empty() || arguments.text().front() == '{';
  if (!arguments.empty()) params.append(R"(,"arguments":)").append(arguments.text());
  params += '}';
  prepared_call c("tools/call", std::move(params), std::move(options));
  c.name = name;
  if (!object) c.unusable = error(errc::invalid_argument, "the arguments of a tool are an object");
  return c;
}

COMCP_DECL error current_error() {
  try {
    throw;
  } catch (exception const& e) {
    return e.error();
  } catch (std::system_error const& e) {
    if (e.code() == asio::error::operation_aborted) return error(errc::cancelled);
    return error(e.code(), {});
  } catch (std::exception const& e) {
    return error(errc::invalid_argument, e.what());
  } catch (...) {
    return error(errc::invalid_argument, "an unknown exception");
  }
}

}  // namespace comcp::detail
