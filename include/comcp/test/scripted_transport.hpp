// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A transport whose conversation is a script: what the client must send, in order, and what comes back. For tests of
// code that uses a client; needs no test framework, the verdict is an error that the test reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/json/value.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/version.hpp>

namespace comcp::test {

class scripted_transport;

/// What the script does instead of one of its deliveries: see script::broken_at().
enum class breakage { connection_closes, error_answer, garbage_line };

/// A conversation, written before it runs. A cheap handle: copies are the same script. Use it on the client's
/// executor, or before and after it runs.
///
///   script s;
///   s.expect("server/discover").fail(-32601, "Method not found");
///   s.expect("initialize").reply(R"({"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{...}})");
///   s.expect("notifications/initialized");
///   auto client = co_await connect(s.transport(), connect_options());
///   ...
///   assert(!s.verdict());
///
/// A message is named by its method, an answer of the client's by "result" or "error". Each delivery is posted.
/// What the client sends out of order closes the channel and is the verdict. After a close the script goes on when the
/// transport is opened again.
class script {
 public:
  using matcher = std::function<bool(json::value const& message)>;

  script();

  /// The next message of the client has this name, and where a matcher is given, satisfies it.
  script& expect(std::string name);
  script& expect(std::string name, matcher also);
  /// Names the message that was just expected, for reply_to() and `$id:label`.
  script& as(std::string label);

  /// Answers the last expected request with this result (JSON text; `$id` as in raw()).
  script& reply(std::string result);
  script& reply_to(std::string_view label, std::string result);
  /// Answers it with an error; `data` is JSON text or empty.
  script& fail(std::int64_t code, std::string message, std::string data = {});
  script& fail_to(std::string_view label, std::int64_t code, std::string message, std::string data = {});
  /// The server speaks on its own: a notification, a request (its id is JSON text: `7`, `"a"`), or any line, in which
  /// `$id` stands for the id of the last expected request and `$id:label` for that of a named one.
  script& notify(std::string_view method, std::string params = {});
  script& request(std::string_view id, std::string_view method, std::string params = {});
  script& raw(std::string line);
  /// The channel closes by itself.
  script& close(error reason = error(errc::transport_failed, "the script closed"));
  /// Runs `action` when its turn comes: to advance a manual_clock, for instance.
  script& then(std::function<void()> action);

  /// Messages of this name are recorded, but may come at any time without being expected.
  script& ignore(std::string name);
  /// open() or close() of the transport never complete: for timeouts.
  script& never_opens();
  script& never_closes();
  /// abandon() says that closing a stream has told the server, as HTTP in the modern era does.
  script& abandon_tells();
  /// Every open() from now on fails so.
  script& refuse_open(error why);

  /// The transport that plays this script; it may be opened again and again, but not by two clients at once.
  [[nodiscard]] scripted_transport transport() const;

  /// No error when all was sent and delivered as written; else what came in its place, or what is missing.
  [[nodiscard]] error verdict() const;
  /// Everything that the client sent, in order, whether or not it was expected.
  [[nodiscard]] std::vector<json::value> const& sent() const noexcept;
  /// The names of what was sent.
  [[nodiscard]] std::vector<std::string> sent_names() const;
  [[nodiscard]] std::vector<request_id> const& abandoned() const noexcept;
  [[nodiscard]] unsigned opened() const noexcept;

  /// How many steps of this script deliver something, and a copy of it, not yet played, that breaks at the n-th of
  /// them and says no more. Matchers and actions are shared with the original.
  [[nodiscard]] std::size_t deliveries() const;
  [[nodiscard]] script broken_at(std::size_t n, breakage how) const;

 private:
  friend class scripted_transport;
  struct state;
  explicit script(std::shared_ptr<state> s) noexcept : state_(std::move(s)) {}

  std::shared_ptr<state> state_;
};

/// See script. Delivers through posts on the executor of open().
class scripted_transport {
 public:
  scripted_transport(scripted_transport&&) noexcept = default;
  scripted_transport& operator=(scripted_transport&& other) noexcept;
  ~scripted_transport();

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  result<void> send(outgoing message);
  bool abandon(request_id id) noexcept;
  [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;

 private:
  friend class script;
  explicit scripted_transport(std::shared_ptr<script::state> s) noexcept : state_(std::move(s)) {}
  static asio::awaitable<result<void>> open_impl(std::shared_ptr<script::state> s, inbox& in);
  static asio::awaitable<void> close_impl(std::shared_ptr<script::state> s);

  std::shared_ptr<script::state> state_;
};

}  // namespace comcp::test

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/test/impl/scripted_transport.ipp>
#endif
