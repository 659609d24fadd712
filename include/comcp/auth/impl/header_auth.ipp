// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <comcp/auth/header_auth.hpp>

namespace comcp {

struct header_auth::state {
  state() {
    static std::atomic<std::uint64_t> count{0};
    number = ++count;
  }

  void add(std::string name, secret const& value) {
    if (unusable) return;
    if (is_protocol_header(name)) {
      unusable = error(errc::invalid_argument, "a header that only comcp may set: " + name);
    } else if (auto const added = fields.set(std::move(name), value.reveal()); !added) {
      unusable = added.error();
    }
  }

  std::uint64_t number = 0;
  http_headers fields;
  error unusable;
};

COMCP_LAZY_DECL header_auth::header_auth(std::string name, secret value) : state_(std::make_shared<state>()) {
  state_->add(std::move(name), value);
}

COMCP_DECL header_auth& header_auth::add(std::string name, secret value) & {
  state_->add(std::move(name), value);
  return *this;
}

COMCP_DECL header_auth&& header_auth::add(std::string name, secret value) && {
  return std::move(add(std::move(name), std::move(value)));
}

COMCP_LAZY_DECL asio::awaitable<result<http_headers>> header_auth::headers(auth_request const&) {
  auto const s = state_;
  if (s->unusable) co_return s->unusable;
  co_return s->fields;
}

COMCP_LAZY_DECL asio::awaitable<result<auth_verdict>> header_auth::challenged(auth_request const&, http_headers const&,
                                                                              http_response_head const&) {
  co_return auth_verdict::give_up;
}

COMCP_LAZY_DECL std::string header_auth::identity() const { return "header " + std::to_string(state_->number); }

}  // namespace comcp
