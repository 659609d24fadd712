// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What one tool call costs inside the client: encode, register, decode, resume. The transport is the least that can
// answer, so that nearly all of it is the client's own work. Allocations are counted at malloc, where all of them end.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/defer.hpp>
#include <asio/io_context.hpp>
#include <asio/strand.hpp>

#include <comcp/client/connect.hpp>
#include <comcp/client/spans.hpp>
#include <comcp/jsonrpc/encode.hpp>

#include "calls.hpp"

namespace {
std::uint64_t allocations = 0;
}

// What g++ sees of Asio then is a block of aligned_alloc that free() takes: that is as it should be.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

[[gnu::noinline]] void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
[[gnu::noinline]] void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
[[gnu::noinline]] void* realloc(void* block, std::size_t size) {
  ++allocations;
  return __libc_realloc(block, size);
}
[[gnu::noinline]] void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace {

constexpr std::string_view initialized =
    R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}}})";
constexpr std::string_view echoed = R"(,"result":{"content":[{"type":"text","text":"hello"}]}})";

/// Answers what was sent since, in one turn of the executor.
class answering_transport {
 public:
  asio::awaitable<comcp::result<void>> open(comcp::inbox& in) { return open_impl(state_, in); }

  comcp::result<void> send(comcp::outgoing message) {
    if (message.id == 0) return {};
    state_->asked.push_back(message.id);
    state_->schedule();
    return {};
  }

  bool abandon(comcp::request_id) noexcept { return true; }
  asio::awaitable<void> close() { return close_impl(state_); }
  comcp::transport_info info() const { return {}; }

 private:
  struct state {
    // Goes on with what its own answers made callers send, as memory_transport does, for some turns.
    void answer() {
      for (int turn = 0; turn < 32 && !asked.empty(); ++turn) {
        answered.swap(asked);
        for (auto const id : answered) deliver(id);
        answered.clear();
      }
      scheduled = false;
      if (!asked.empty()) schedule();
    }

    void deliver(comcp::request_id id) {
      line = R"({"jsonrpc":"2.0","id":)";
      comcp::jsonrpc::append_number(line, id);
      line += ready ? echoed : initialized;
      ready = true;
      in->delivered(comcp::pad(line), 0);
    }

    void schedule() {
      if (std::exchange(scheduled, true)) return;
      asio::defer(executor, [this] { answer(); });
    }

    asio::any_io_executor executor;
    comcp::inbox* in = nullptr;
    std::vector<comcp::request_id> asked, answered;
    std::string line;
    bool scheduled = false;
    bool ready = false;
  };

  static asio::awaitable<comcp::result<void>> open_impl(std::shared_ptr<state> s, comcp::inbox& in) {
    s->executor = co_await asio::this_coro::executor;
    s->in = &in;
    co_return comcp::result<void>();
  }
  static asio::awaitable<void> close_impl(std::shared_ptr<state> s) {
    s->in->closed(comcp::error(comcp::errc::closed));
    co_return;
  }

  std::shared_ptr<state> state_ = std::make_shared<state>();
};

asio::awaitable<void> measure(std::string kind, comcp::connect_options options, std::size_t calls, int rounds) {
  options.legacy();
  comcp::client const c = co_await comcp::connect(answering_transport(), options);
  (void)co_await bench::many_calls(c, calls / 10, 64);
  std::vector<double> one, many;
  std::uint64_t counted = 0;
  for (int i = 0; i < rounds; ++i) {
    auto const before = allocations;
    one.push_back(co_await bench::many_calls(c, calls, 1, bench::thread_clock));
    counted = allocations - before;
    many.push_back(co_await bench::many_calls(c, calls, 64, bench::thread_clock));
  }
  auto const n = static_cast<double>(calls);
  bench::print(("call_cost." + kind + "one.ns").c_str(), bench::median(one) / n * 1e9);
  bench::print(("call_cost." + kind + "one.allocations").c_str(), static_cast<double>(counted) / n);
  bench::print(("call_cost." + kind + "many.ns").c_str(), bench::median(many) / n * 1e9);
}

comcp::connect_options with_interceptor() {
  comcp::interceptor hook;
  hook.before = [](comcp::outgoing_call&) -> asio::awaitable<std::optional<comcp::json::value>> {
    co_return std::nullopt;
  };
  return comcp::connect_options().intercept(std::move(hook));
}

// A tracing system that keeps nothing: what comcp itself does for spans.
comcp::connect_options with_spans() {
  struct forgotten final : comcp::span {
    void end(std::string_view) override {}
  };
  return comcp::connect_options().spans([](comcp::span_start const&) { return std::make_shared<forgotten>(); });
}

// A client that is at home on a strand, which its callers are not on.
asio::awaitable<void> elsewhere(std::size_t calls, int rounds) {
  asio::any_io_executor const here = co_await asio::this_coro::executor;
  asio::any_io_executor const home = asio::make_strand(*here.target<asio::io_context::executor_type>());
  co_await measure("elsewhere.", comcp::connect_options().executor(home), calls, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  bench::pinned const here;
  std::size_t const calls = argc > 1 ? std::stoul(argv[1]) : 100'000;
  int const rounds = argc > 1 ? 1 : 9;
  std::string const only = argc > 2 ? argv[2] : "";
  if (only.empty() || only == "plain") bench::run(measure("", {}, calls, rounds));
  if (only.empty() || only == "elsewhere") bench::run(elsewhere(calls, rounds));
  if (only.empty() || only == "traced") bench::run(measure("traced.", with_spans(), calls, rounds));
  if (only.empty() || only == "intercepted") bench::run(measure("intercepted.", with_interceptor(), calls, rounds));
}
