// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <system_error>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/auth/token_store.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/version.hpp>

namespace comcp {
namespace detail {

COMCP_LAZY_DECL result<void> check_secret_name(std::string const& name) {
  bool const fits = name.size() <= 1024 && std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (fits) return {};
  return error(errc::invalid_argument, "the name of a secret is at most 1,024 printable ASCII characters");
}

COMCP_LAZY_DECL asio::steady_timer::time_point lock_deadline(std::chrono::milliseconds most) {
  std::chrono::milliseconds const longest = std::chrono::hours(24 * 365);
  return std::chrono::steady_clock::now() + std::clamp(most, std::chrono::milliseconds(0), longest);
}

COMCP_LAZY_DECL error lock_timeout() { return {errc::timeout, "somebody else holds the lock of these credentials"}; }

}  // namespace detail

struct memory_token_store::state {
  // In the line for one name, whose first holds the lock. Leaving it, however that comes, lets the next go on.
  class place {
   public:
    place(std::shared_ptr<state> s, std::string name) : state_(std::move(s)), name_(std::move(name)) {
      state_->lines[name_].push_back(this);
    }
    place(place const&) = delete;
    place& operator=(place const&) = delete;
    ~place() {
      auto const found = state_->lines.find(name_);
      auto& line = found->second;
      std::erase(line, this);
      if (line.empty()) {
        state_->lines.erase(found);
      } else if (line.front()->timer) {
        line.front()->wake();
      }
    }
    [[nodiscard]] bool first() const { return state_->lines.find(name_)->second.front() == this; }

    std::optional<asio::steady_timer> timer;  // while it waits: the lock may be kept longer than its executor lives

   private:
    // It goes on later, never from here.
    void wake() noexcept {
      try {
        timer->cancel();
      } catch (std::system_error const&) {
        // Documented to throw, never seen to.
      }
    }

    std::shared_ptr<state> state_;
    std::string name_;
  };

  COMCP_LAZY static asio::awaitable<result<std::optional<secret>>> load(std::shared_ptr<state> self, std::string name) {
    auto const known = detail::check_secret_name(name);
    if (!known) co_return known.error();
    auto const found = self->texts.find(name);
    if (found == self->texts.end()) co_return std::optional<secret>();
    co_return std::optional<secret>(found->second);
  }

  COMCP_LAZY static asio::awaitable<result<void>> save(std::shared_ptr<state> self, std::string name, secret text) {
    auto const known = detail::check_secret_name(name);
    if (known) self->texts.insert_or_assign(std::move(name), std::move(text));
    co_return known;
  }

  COMCP_LAZY static asio::awaitable<result<void>> remove(std::shared_ptr<state> self, std::string name) {
    auto const known = detail::check_secret_name(name);
    if (known) self->texts.erase(name);
    co_return known;
  }

  COMCP_LAZY static asio::awaitable<result<std::shared_ptr<void>>> lock(std::shared_ptr<state> self, std::string name,
                                                                        std::chrono::milliseconds most) {
    auto const known = detail::check_secret_name(name);
    if (!known) co_return known.error();
    auto const mine = std::make_shared<place>(self, std::move(name));
    if (!mine->first()) {
      auto const executor = co_await asio::this_coro::executor;
      mine->timer.emplace(executor, detail::lock_deadline(most));
      bool late = false;
      while (!mine->first() && !late) {
        auto const [aborted] = co_await net::async_wait(*mine->timer);
        late = !aborted;
      }
      mine->timer.reset();
      if (!mine->first()) co_return detail::lock_timeout();
    }
    std::shared_ptr<void> held = mine;
    co_return held;
  }

  std::map<std::string, secret> texts;
  std::map<std::string, std::deque<place*>> lines;
};

COMCP_LAZY_DECL memory_token_store::memory_token_store() : state_(std::make_shared<state>()) {}

COMCP_LAZY_DECL asio::awaitable<result<std::optional<secret>>> memory_token_store::load(std::string name) {
  return state::load(state_, std::move(name));
}
COMCP_LAZY_DECL asio::awaitable<result<void>> memory_token_store::save(std::string name, secret text) {
  return state::save(state_, std::move(name), std::move(text));
}
COMCP_LAZY_DECL asio::awaitable<result<void>> memory_token_store::remove(std::string name) {
  return state::remove(state_, std::move(name));
}
COMCP_LAZY_DECL asio::awaitable<result<std::shared_ptr<void>>> memory_token_store::lock(
    std::string name, std::chrono::milliseconds most) {
  return state::lock(state_, std::move(name), most);
}

COMCP_LAZY_DECL any_token_store::any_token_store() : any_token_store(memory_token_store()) {}

}  // namespace comcp
