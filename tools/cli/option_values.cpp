// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "option_values.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include <comcp/json/value.hpp>
#include <comcp/system.hpp>

#include "exit_codes.hpp"
#include "platform.hpp"

namespace cli {
namespace {

std::string stripped(std::string_view text) {
  auto const* const blanks = " \t\r\n";
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

// As ssh has it: who owns a file guards it, and what others can read is no secret.
void check_private_file(std::string const& option, std::string const& file) {
  if (is_open_to_others(file))
    throw usage_error(option + ": others can read or change '" + file + "': " + how_to_close +
                      ", and think of what is in it as known");
}

comcp::secret from_environment(std::string const& option, std::string const& variable) {
  auto text = stripped(comcp::detail::environment_variable(variable).value_or(""));
  if (text.empty()) throw usage_error(option + ": there is no variable '" + variable + "', or nothing in it");
  return comcp::secret(std::move(text));
}

comcp::secret from_file(std::string const& option, std::string const& file) {
  check_private_file(option, file);
  constexpr std::size_t most = std::size_t{64} << 10;
  std::ifstream in(comcp::detail::path_from_text(file), std::ios::binary);
  std::string text(most + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > most) throw usage_error(option + ": '" + file + "' is longer than 64 KiB");
  auto found = stripped(text);
  if (found.empty()) throw usage_error(option + ": cannot read '" + file + "', or it is empty");
  return comcp::secret(std::move(found));
}

}  // namespace

std::chrono::nanoseconds parse_duration(std::string const& text) {
  std::string_view number = text;
  double unit = 1;
  auto const has_unit = [&number](std::string_view suffix) {
    if (!number.ends_with(suffix)) return false;
    number.remove_suffix(suffix.size());
    return true;
  };
  if (has_unit("ms")) {
    unit = 1e-3;
  } else if (has_unit("m")) {
    unit = 60;
  } else {
    has_unit("s");
  }
  auto const parsed = comcp::json::parse(number);
  auto const seconds = parsed ? parsed->view().get_double().value_or(0) * unit : 0;
  if (!(seconds > 0) || seconds > 86'400)
    throw usage_error("'" + text + "' is no time: write 5, 0.5, 500ms or 2m, at most a day");
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

era_choice parse_era(std::string const& text) {
  era_choice choice;
  if (text == "auto") return choice;
  choice.legacy = text == "legacy";
  if (choice.legacy) return choice;
  choice.pinned = text == "modern" ? comcp::version::latest : comcp::protocol_version::parse(text);
  if (choice.pinned) return choice;
  std::string known;
  for (auto const v : comcp::supported_versions()) known.append(", ").append(v.text());
  throw usage_error("'" + text + "' is no era: write auto, legacy, modern" + known);
}

bool parse_stderr(std::string const& text) {
  if (text == "inherit" || text == "hide") return text == "inherit";
  throw usage_error("--stderr: '" + text + "' is neither inherit nor hide");
}

std::optional<comcp::log_level> parse_log_level(std::string const& text) {
  if (text == "off") return {};
  if (auto const level = comcp::enum_from_text<comcp::log_level>(text)) return level;
  throw usage_error("--log-level: '" + text + "' is no level: write debug, info, notice, warning, error, critical, "
                    "alert, emergency or off");
}

std::pair<std::string, std::string> parse_variable(std::string const& text) {
  auto const equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) throw usage_error("'" + text + "' is no NAME=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

comcp::root parse_root(std::string const& directory) {
  std::error_code failed;
  auto const path = std::filesystem::canonical(comcp::detail::path_from_text(directory), failed);
  if (failed || !std::filesystem::is_directory(path, failed))
    throw usage_error("--root: '" + directory + "' is no directory");
  auto text = comcp::detail::text_of_path(path);
  constexpr char separator = static_cast<char>(std::filesystem::path::preferred_separator);
  std::replace(text.begin(), text.end(), separator, '/');
  std::string uri = text.starts_with('/') ? "file://" : "file:///";  // a drive comes first, or a folder
  for (char const c : text) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      char hex[4];
      std::snprintf(hex, sizeof hex, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      uri += hex;
    }
  }
  return comcp::root(uri, comcp::detail::text_of_path(path.filename()));
}

std::pair<std::string, std::string> parse_header(std::string const& text) {
  auto const colon = text.find(':');
  if (colon == 0 || colon == std::string::npos) throw usage_error("--header: write it as 'Name: value'");
  return {text.substr(0, colon), stripped(std::string_view(text).substr(colon + 1))};
}

std::pair<std::string, std::string> parse_header_variable(std::string const& text) {
  auto const colon = text.find(':');
  if (colon == 0 || colon == std::string::npos) throw usage_error("--header-env: write it as 'Name: VARIABLE'");
  auto const value = from_environment("--header-env", stripped(std::string_view(text).substr(colon + 1)));
  return {text.substr(0, colon), value.reveal()};
}

std::string private_file(std::string const& option, std::string const& file) {
  check_private_file(option, file);
  return file;
}

comcp::secret token_from_environment(std::string const& variable) { return from_environment("--bearer-env", variable); }
comcp::secret token_from_file(std::string const& file) { return from_file("--bearer-file", file); }
comcp::secret client_secret_from_environment(std::string const& variable) {
  return from_environment("--client-secret-env", variable);
}

comcp::private_key key_from_file(std::string const& file) {
  auto text = from_file("--key", file);
  return text.reveal().starts_with('{') ? comcp::private_key::jwk(std::move(text))
                                        : comcp::private_key::pem(std::move(text));
}

}  // namespace cli
