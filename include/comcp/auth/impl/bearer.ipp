// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <comcp/auth/bearer.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {

struct bearer::state {
  explicit state(secret t, token_source s) : token(std::move(t)), source(std::move(s)) {
    static std::atomic<std::uint64_t> count{0};
    number = ++count;
  }

  // Asks the source in a coroutine of its own, so that cancelling one of those who wait does not end it for all.
  COMCP_LAZY static asio::awaitable<result<void>> renew(std::shared_ptr<state> self, token_need need) {
    if (!self->asking) {
      auto const executor = co_await asio::this_coro::executor;
      self->asking.emplace(executor, asio::steady_timer::time_point::max());
      auto work = ask(self, need);
      detail::spawn(executor, std::move(work));
    }
    auto const round = self->rounds;
    while (self->asking && self->rounds == round) co_await net::async_wait(*self->asking);
    if (self->failure) co_return self->failure;
    co_return result<void>();
  }

  // Lets those go on who wait, also when the coroutine is destroyed.
  struct end_of_round {
    explicit end_of_round(state& s) noexcept : of(s) {}
    end_of_round(end_of_round const&) = delete;
    end_of_round& operator=(end_of_round const&) = delete;
    ~end_of_round() {
      ++of.rounds;
      auto const waiting = std::exchange(of.asking, std::nullopt);
    }
    state& of;
  };

  COMCP_LAZY static asio::awaitable<void> ask(std::shared_ptr<state> self, token_need need) {
    end_of_round const at_the_end(*self);
    error failure;
    secret fresh;
    try {
      fresh = co_await self->source(need);
      if (fresh.empty()) failure = error(errc::unauthorized, "the token source gave no token");
    } catch (exception const& e) {
      failure = e.error();
    } catch (...) {
      failure = error(errc::unauthorized, "the token source failed");
    }
    if (!failure) self->token = std::move(fresh);
    self->failure = std::move(failure);
  }

  secret token;
  token_source source;
  std::uint64_t number = 0;
  std::uint64_t rounds = 0;
  std::optional<asio::steady_timer> asking;  // while the source is asked; ends when it answered
  error failure;                             // of the last time
};

COMCP_LAZY_DECL bearer::bearer(secret token) : state_(std::make_shared<state>(std::move(token), token_source())) {}
COMCP_LAZY_DECL bearer::bearer(token_source source) : state_(std::make_shared<state>(secret(), std::move(source))) {}

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> bearer::headers(auth_request const&) {
  auto const s = state_;
  if (s->token.empty() && s->source) {
    auto const got = co_await state::renew(s, token_need::first);
    if (!got) co_return got.error();
  }
  http_headers out;
  auto const added = out.add("Authorization", "Bearer " + s->token.reveal());
  if (!added) co_return error(errc::invalid_argument, "the token has characters that no header carries");
  co_return out;
}

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> bearer::challenged(auth_request const& request, http_headers const& sent,
                                                                    http_response_head const& got) {
  auto const s = state_;
  bool const again = request.challenges > 0;
  if (got.status != 401 || !s->source) co_return auth_verdict::give_up;
  auto const* const header = sent.find("Authorization");
  auto const used = header ? *header : std::string();
  bool const is_current = used == "Bearer " + s->token.reveal();
  if (again && is_current) co_return auth_verdict::give_up;
  if (!is_current) co_return auth_verdict::try_again;  // another request has renewed it meanwhile
  auto const renewed = co_await state::renew(s, token_need::refused);
  if (!renewed) co_return renewed.error();
  bool const is_new = used != "Bearer " + s->token.reveal();
  co_return is_new ? auth_verdict::try_again : auth_verdict::give_up;
}

COMCP_LAZY_DECL std::string bearer::identity() const { return "bearer " + std::to_string(state_->number); }

}  // namespace comcp
