// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A stdio transport to the server that misbehaves, and what must be gone at its end.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <asio/post.hpp>

#include <comcp/test/manual_clock.hpp>
#include <comcp/transport/stdio.hpp>

#include "support/transport_box.hpp"
#include "support/under_wine.hpp"

namespace stdio_test {

using comcp::errc;
using comcp::outgoing;
using comcp::stderr_target;
using comcp_test::transport_box;
using strings = std::vector<std::string>;
using namespace std::chrono_literals;

template <class... Args>
comcp::stdio server(Args... arguments) {
  return comcp::stdio(std::string(COMCP_TEST_SERVERS_DIR) + "/comcp_test_misbehaving", arguments...)
      .exit_wait(50ms)
      .term_wait(30s);
}

// One transport, its box and its context; checks at the end that nothing is left behind.
class fixture {
 public:
  template <class Talk>
  void run(Talk talk) {
    comcp_test::run(*io_, talk());
    transport.reset();
    CHECK_FALSE(comcp_test::has_children());
    io_->restart();
    io_->run();
    CHECK(box->after_closed == 0);
    lines = box->lines;
    reason = box->reason;
    box.reset();
    io_.reset();
    CHECK(comcp_test::open_descriptors() == descriptors_);
  }

  asio::io_context& io() { return *io_; }

 private:
  std::size_t descriptors_ = comcp_test::open_descriptors();
  std::optional<asio::io_context> io_{std::in_place};

 public:
  explicit fixture(comcp::stdio t) : transport(std::move(t)), box(std::in_place, io_->get_executor()) {}
  std::optional<comcp::stdio> transport;
  std::optional<transport_box> box;
  strings lines;
  std::optional<comcp::error> reason;
};

inline asio::awaitable<void> until_closed(fixture& f) {
  (co_await f.transport->open(*f.box)).value();
  co_await f.box->until_closed();
}

}  // namespace stdio_test
