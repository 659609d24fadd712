// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <comcp/config/load.hpp>
#include <comcp/config/locations.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/system.hpp>

namespace comcp {
namespace detail {

// More than `most` bytes where the file is larger, so that the caller sees it.
inline result<std::string> text_of_file(std::string const& name, std::size_t most) {
  auto const path = path_from_text(name);
  auto const from = open_regular(path);
  if (!from && from.error() == errc::denied) return error(errc::not_found, "cannot be read: it is no regular file");
  if (!from) return error(errc::not_found, "cannot be read: there is no such file, or it may not be read");
  auto text = read_rest(*from, most, path);
  if (!text) return error(errc::not_found, "cannot be read");
  return text;
}

}  // namespace detail

COMCP_DECL config_file load_config(std::string const& path, config_options options) {
  if (options.file().empty()) options.file(path);
  auto const text = detail::text_of_file(path, options.max_bytes());
  if (text) return read_config(*text, options);
  config_file out;
  out.path = options.file();
  out.problems.push_back({out.path, 0, 0, "", errc::not_found, std::string(text.error().message())});
  return out;
}

COMCP_DECL config_variables process_variables() {
  config_variables out;
  out.environment(detail::environment_variable);
  std::error_code failed;
  auto const here = std::filesystem::current_path(failed);
  if (!failed) out.workspace_folder(detail::text_of_path(here));
  auto const* const home = this_platform() == config_platform::windows ? "USERPROFILE" : "HOME";
  out.home(detail::environment_variable(home).value_or(""));
  out.files([](std::string const& path) -> result<std::string> {
    constexpr std::size_t most = std::size_t{1} << 20;
    auto text = detail::text_of_file(path, most);
    if (text && text->size() > most) return error(errc::limit_exceeded, "larger than 1 MiB");
    return text;
  });
  return out;
}

}  // namespace comcp
