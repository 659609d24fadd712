// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/auth/file_token_store.hpp>
#include <comcp/hash/sha256.hpp>
#include <comcp/json/value.hpp>
#include <comcp/json/writer.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/private_file.hpp>
#include <comcp/replace_file.hpp>
#include <comcp/sansio/backoff.hpp>
#include <comcp/system.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace detail {

inline constexpr std::size_t largest_token_file = std::size_t{4} << 20;
inline constexpr std::chrono::milliseconds longest_save{5000};  // of others, until a save of ours gives up

using secret_texts = std::map<std::string, std::string, std::less<>>;

COMCP_LAZY result<secret_texts> parse_secrets(std::string_view text, std::filesystem::path const& file) {
  auto const foreign = [&] { return error(errc::wrong_shape, text_of_path(file) + " is no file of credentials of comcp's"); };
  auto const parsed = json::parse(text);
  if (!parsed) return foreign();
  auto const all = parsed->view();
  auto const version = all.find("version");
  auto const entries = all.find("entries");
  if (all.size() != 2 || !version || version->get_int64() != 1 || !entries || !entries->is_object()) return foreign();
  secret_texts out;
  for (auto const& [name, value] : entries->members()) {
    auto const one = value.get_string();
    if (!one) return foreign();
    out.emplace(name, *one);
  }
  return out;
}

COMCP_LAZY result<secret_texts> read_secrets(std::filesystem::path const& file) {
  auto const fd = open_private(file);
  if (!fd) return fd.error();
  if (fd->get() < 0) return secret_texts();
  auto const text = read_rest(*fd, largest_token_file, file);
  if (!text) return text.error();
  if (text->size() > largest_token_file) return error(errc::limit_exceeded, text_of_path(file) + " is larger than 4 MiB");
  return parse_secrets(*text, file);
}

COMCP_LAZY result<void> write_secrets(secret_texts const& texts, std::filesystem::path const& file) {
  json::writer w;
  try {
    w.begin_object().key("version").integer(1).key("entries").begin_object();
    for (auto const& [name, text] : texts) w.key(name).string(text);
    w.end_object().end_object();
  } catch (exception const&) {
    return error(errc::invalid_argument, "the text of a secret is no UTF-8");
  }
  if (w.text().size() > largest_token_file) return error(errc::limit_exceeded, text_of_path(file) + " would exceed 4 MiB");
  return replace_file(file, w.text(), 0600);
}

// Waits by asking again: what waits for a file's lock stops the whole thread. The end of the descriptor ends the lock.
COMCP_LAZY asio::awaitable<result<std::shared_ptr<void>>> take_file_lock(std::filesystem::path file,
                                                                         std::chrono::milliseconds most) {
  auto made = make_private_folders(file.parent_path());
  if (!made) co_return made.error();
  auto opened = open_private_lock(file);
  if (!opened) co_return opened.error();
  auto const until = lock_deadline(most);
  auto const executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor);
  sansio::backoff pauses(reconnect_policy::forever().delay(std::chrono::milliseconds(5), std::chrono::milliseconds(50)));
  for (auto locked = try_lock(*opened, file); !locked || !*locked; locked = try_lock(*opened, file)) {
    if (!locked) co_return locked.error();
    auto const now = std::chrono::steady_clock::now();
    if (now >= until) co_return lock_timeout();
    pause.expires_at(std::min(until, now + pauses.failed(0).value()));
    co_await pause.async_wait(net::tuple_awaitable);
  }
  std::shared_ptr<void> held = std::make_shared<file_descriptor>(std::move(*opened));
  co_return held;
}

}  // namespace detail

struct file_token_store::state {
  explicit state(std::filesystem::path f) {
    std::error_code ignored;
    file = std::filesystem::absolute(f, ignored);
    if (file.empty()) file = std::move(f);
  }

  static std::filesystem::path beside(std::filesystem::path file, std::string const& ending) { return file += ending; }

  // Where the file is now, if it and the name can be used.
  [[nodiscard]] result<std::filesystem::path> target(std::string const& name) const {
    if (auto const known = detail::check_secret_name(name); !known) return known.error();
    if (!file.has_filename()) return error(errc::invalid_argument, "no file for the credentials");
    return detail::link_target(file);
  }

  COMCP_LAZY static asio::awaitable<result<std::optional<secret>>> load(std::shared_ptr<state> self, std::string name) {
    auto const target = self->target(name);
    if (!target) co_return target.error();
    auto texts = detail::read_secrets(*target);
    if (!texts) co_return texts.error();
    auto const found = texts->find(name);
    if (found == texts->end()) co_return std::optional<secret>();
    co_return std::optional<secret>(secret(std::move(found->second)));
  }

  COMCP_LAZY static asio::awaitable<result<void>> replace(std::shared_ptr<state> self, std::string name,
                                                          std::optional<secret> text) {
    auto const target = self->target(name);
    if (!target) co_return target.error();
    auto const guard = co_await detail::take_file_lock(beside(*target, ".lock"), detail::longest_save);
    if (!guard) co_return guard.error();
    auto texts = detail::read_secrets(*target);
    if (!texts) co_return texts.error();
    if (text) {
      texts->insert_or_assign(std::move(name), text->reveal());
    } else if (texts->erase(name) == 0) {
      co_return result<void>();
    }
    co_return detail::write_secrets(*texts, *target);
  }

  COMCP_LAZY static asio::awaitable<result<std::shared_ptr<void>>> lock(std::shared_ptr<state> self, std::string name,
                                                                        std::chrono::milliseconds most) {
    auto const target = self->target(name);
    if (!target) co_return target.error();
    auto file = beside(*target, "." + to_hex(sha256(name)).substr(0, 16) + ".lock");
    auto held = co_await detail::take_file_lock(std::move(file), most);
    co_return held;
  }

  std::filesystem::path file;
};

COMCP_LAZY_DECL file_token_store::file_token_store(std::filesystem::path file)
    : state_(std::make_shared<state>(std::move(file))) {}

COMCP_LAZY_DECL result<std::filesystem::path> file_token_store::usual_path() {
  auto data = detail::user_data_folder();
  if (!data) return data.error();
  return *data / "comcp" / "tokens.json";
}

COMCP_LAZY_DECL asio::awaitable<result<std::optional<secret>>> file_token_store::load(std::string name) {
  return state::load(state_, std::move(name));
}
COMCP_LAZY_DECL asio::awaitable<result<void>> file_token_store::save(std::string name, secret text) {
  return state::replace(state_, std::move(name), std::move(text));
}
COMCP_LAZY_DECL asio::awaitable<result<void>> file_token_store::remove(std::string name) {
  return state::replace(state_, std::move(name), std::nullopt);
}
COMCP_LAZY_DECL asio::awaitable<result<std::shared_ptr<void>>> file_token_store::lock(std::string name,
                                                                                      std::chrono::milliseconds most) {
  return state::lock(state_, std::move(name), most);
}

}  // namespace comcp
