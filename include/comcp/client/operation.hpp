// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// From a prepared call to a typed value: the coroutine behind every operation. Internal, but for as_result and
// all, which are users' tools.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/this_coro.hpp>

#include <comcp/client/link.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/protocol/tools.hpp>

namespace comcp {
namespace detail {

inline error not_connected() { return {errc::closed, "this client is not connected"}; }
inline void require(std::shared_ptr<client_link> const& core) {
  if (!core) throw exception(not_connected());
}

/// Why a call without a client fails.
inline error not_connected(prepared_call const& c) { return c.unusable ? c.unusable : not_connected(); }

/// An operation that ends with this error, so that even what is wrong from the start reaches whoever awaits it.
template <class T>
asio::awaitable<T> failed(error e) {
  (void)co_await asio::this_coro::executor;
  throw exception(std::move(e));
}

/// What ends with an error as its value fails with it.
COMCP_LAZY asio::awaitable<void> as_failure(asio::awaitable<error> operation);

/// Decodes a result; one that manual_input() stopped keeps only its kind and its raw value.
template <class T>
T decode_result(json::value const& v, [[maybe_unused]] bool may_be_stopped = true) {
  if constexpr (requires(T& t) { t.result_type = std::string(); t.raw = v; }) {
    auto const kind = may_be_stopped ? v.view().find("resultType") : std::nullopt;
    if (kind && kind->get_string() == "input_required") {
      T stopped;
      stopped.result_type = "input_required";
      stopped.raw = v;
      return stopped;
    }
  }
  T out{};
  json::read_error e;
  if (!json::codec<T>::read(v.view(), out, e))
    throw exception(e.to_error().with_code(make_error_code(errc::protocol_violation)));
  return out;
}

/// One call through the pipeline and back, from any executor. It lives in the frame of who waits for it: Asio recycles two
/// frames of up to 1020 bytes, so that a call has that one and the wait's.
class performance {
 public:
  performance(call_link& core, prepared_call& c) noexcept : core_(core), call_(c) {}
  /// What is to be awaited next.
  asio::awaitable<reply> begin(asio::any_io_executor const& here) {
    call_.room = &entry_.room;
    return core_.begin(here, call_, entry_, is_plain_);
  }
  /// Whether that was not the end of it.
  [[nodiscard]] bool goes_on(reply const& r) const { return is_plain_ && core_.needs_settling(call_, r); }
  asio::awaitable<reply> go_on(reply r) { return core_.settle(call_, std::move(r)); }

 private:
  call_link& core_;
  prepared_call& call_;
  pending_entry entry_;
  bool is_plain_ = false;
};
/// What is known of a call that failed, as its operation tells it.
error failure_of(prepared_call const& c, error why);
/// Throws where it is an error.
json::value outcome_of(prepared_call const& c, reply&& r);
/// The parameters of a call that goes on: the original ones with what a round adds. All texts are objects, or empty.
std::string with_answers(std::string_view params, std::string const& responses, std::optional<std::string> const& state);
/// A round that manual_input() gave to the caller goes on with its answers.
COMCP_LAZY asio::awaitable<json::value> resume_rounds(std::shared_ptr<client_link> core, prepared_call c, json::value required,
                                           json::fragment responses);

/// The call as a typed value.
template <class T>
asio::awaitable<T> typed_call(std::shared_ptr<client_link> core, prepared_call c) {
  if (!core) throw exception(not_connected(c));
  auto const here = co_await asio::this_coro::executor;
  performance p(*core, c);
  auto work = p.begin(here);
  auto r = co_await std::move(work);
  if (p.goes_on(r)) {
    auto rest = p.go_on(std::move(r));
    r = co_await std::move(rest);
  }
  auto const v = outcome_of(c, std::move(r));
  if constexpr (!std::is_void_v<T>) co_return decode_result<T>(v, c.options.is_manual_input());
}

template <class T>
asio::awaitable<T> structured_call(std::shared_ptr<client_link> core, prepared_call c) {
  auto const r = co_await typed_call<call_tool_result>(std::move(core), std::move(c));
  r.or_throw();
  auto out = r.template structured<T>();
  if (!out) throw exception(out.error().with_outcome(call_outcome::open));
  co_return *std::move(out);
}

template <class T>
asio::awaitable<T> resumed(std::shared_ptr<client_link> core, json::value required, json::fragment responses,
                           call_options options) {
  require(core);
  prepared_call c({}, {}, std::move(options));
  auto const v = co_await resume_rounds(core, std::move(c), std::move(required), std::move(responses));
  co_return decode_result<T>(v);
}

}  // namespace detail

/// Turns an operation that throws into one that gives a result.
template <class T>
asio::awaitable<result<T>> as_result(asio::awaitable<T> operation) {
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(operation);
      co_return result<void>();
    } else {
      auto value = co_await std::move(operation);
      co_return result<T>(std::move(value));
    }
  } catch (...) {
    co_return detail::current_error();
  }
}

/// The same for closed(), whose value is an error already.
template <std::same_as<error> T>
asio::awaitable<T> as_result(asio::awaitable<T> operation) {
  try {
    auto reason = co_await std::move(operation);
    co_return reason;
  } catch (...) {
    co_return detail::current_error();
  }
}

namespace detail {
/// Starts all of it on the caller's executor and waits; cancelling cancels each.
COMCP_LAZY asio::awaitable<void> gather(std::vector<asio::awaitable<void>> work);

template <class T>
asio::awaitable<void> put_outcome(result<T>& place, asio::awaitable<T> op) {
  auto outcome = co_await as_result(std::move(op));
  place = std::move(outcome);
}
}  // namespace detail

/// Runs operations concurrently on this coroutine's executor; one failure cancels nobody, and cancelling the whole
/// cancels each (where several threads run that executor, it takes a strand to cancel, as with everything of Asio).
/// Results stand in the order of the operations.
template <class T>
asio::awaitable<std::vector<result<T>>> all(std::vector<asio::awaitable<T>> operations) {
  std::vector<result<T>> outcomes(operations.size(), result<T>(error(errc::cancelled)));
  std::vector<asio::awaitable<void>> work;
  work.reserve(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i)
    work.push_back(detail::put_outcome(outcomes[i], std::move(operations[i])));
  auto done = detail::gather(std::move(work));
  co_await std::move(done);
  co_return outcomes;
}

}  // namespace comcp

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/client/impl/operation.ipp>
#endif
