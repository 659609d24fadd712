// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An MCP server of both eras in the client's own process, for tests: a function for each method, answers at once, later
// or never. It answers the handshake, ping and subscriptions/listen by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <comcp/json/build.hpp>
#include <comcp/json/value.hpp>
#include <comcp/protocol/lifecycle.hpp>
#include <comcp/transport/memory.hpp>
#include <comcp/transport/transport.hpp>
#include <comcp/version.hpp>

namespace comcp::test {

class fake_server;
class fake_connection;

namespace detail {
struct fake_state;
}

/// One request that the server received. A handle: keep a copy to answer later. The first answer counts; one that
/// comes after the connection went away is dropped.
class fake_request {
 public:
  [[nodiscard]] std::string const& method() const noexcept { return method_; }
  [[nodiscard]] json::value const& params() const noexcept { return params_; }
  [[nodiscard]] json::value const& id() const noexcept { return id_; }
  /// A member of `_meta`, null where absent.
  [[nodiscard]] json::value meta(std::string_view key) const;

  void reply(json::fragment result) const;
  void fail(std::int64_t code, std::string message, json::fragment data = json::fragment()) const;
  /// notifications/progress, if the request carried a token.
  void progress(double done, double total = 0) const;
  /// Any line in place of an answer; `$id` stands for the id.
  void raw(std::string line) const;

 private:
  friend struct detail::fake_state;
  std::weak_ptr<detail::fake_state> server_;
  unsigned connection_ = 0;
  std::string method_;
  json::value params_, id_;
  std::shared_ptr<bool> answered_;
};

/// The server. A cheap handle: copies are the same server. Everything of it runs on `executor` (a strand where that is
/// multi-threaded) and is to be called there, or while nothing runs. At most one connection at a time, but one
/// after the other.
///
///   fake_server server(io.get_executor());
///   server.on("tools/call", [](fake_request r) { r.reply(args("content", json::array())); });
///   auto client = co_await connect(server.transport());
class fake_server {
 public:
  using request_handler = std::function<void(fake_request)>;
  using answer_handler = std::function<void(json::value answer)>;  ///< The whole answer: `result` or `error` in it.

  explicit fake_server(asio::any_io_executor executor);

  /// The versions that it speaks (default: all): a list of legacy ones alone has no server/discover, one of modern ones
  /// alone no initialize.
  fake_server& versions(std::vector<protocol_version> v);
  fake_server& legacy(protocol_version v = version::latest_legacy) { return versions({v}); }
  fake_server& modern() { return versions({version::v2026_07_28}); }
  /// What it declares, as JSON text. Default: tools, resources with subscribe, prompts, completions, logging, and
  /// listChanged everywhere.
  fake_server& capabilities(std::string text);
  fake_server& instructions(std::string text);

  /// Who answers a method, before the built-in answers. Without anybody: -32601.
  fake_server& on(std::string method, request_handler f);
  /// Always this result.
  fake_server& answer(std::string method, json::fragment result);
  /// Never an answer.
  fake_server& silent(std::string method) {
    return on(std::move(method), [](fake_request const&) {});
  }

  /// Speaks on its own. Without a connection nothing happens.
  void notify(std::string_view method, json::fragment params = json::fragment()) const;
  /// A request to the client (legacy era). Returns its id.
  std::int64_t request(std::string_view method, json::fragment params = json::fragment(),
                       answer_handler then = answer_handler()) const;
  /// A notification on every listen stream (modern era).
  void notify_listeners(std::string_view method, json::fragment params = json::fragment()) const;
  /// Any line.
  void raw(std::string line) const;
  /// Goes away without a word.
  void drop() const;

  /// The client's end. Every open() of it is a new connection.
  [[nodiscard]] fake_connection transport() const;

  /// Every message that it received, in order, of all connections.
  [[nodiscard]] std::vector<json::value> const& received() const noexcept;
  /// How many requests or notifications with this method it received, and the params of the last (null if none).
  [[nodiscard]] std::size_t count(std::string_view method) const;
  [[nodiscard]] json::value last(std::string_view method) const;
  [[nodiscard]] unsigned connections() const noexcept;
  [[nodiscard]] asio::any_io_executor get_executor() const;

 private:
  std::shared_ptr<detail::fake_state> state_;
};

/// A transport to a fake_server. Errors: connect_failed once the server was destroyed.
class fake_connection {
 public:
  explicit fake_connection(std::weak_ptr<detail::fake_state> server) : server_(std::move(server)) {}

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in);
  result<void> send(outgoing message);
  bool abandon(request_id id) noexcept;
  [[nodiscard]] asio::awaitable<void> close();
  [[nodiscard]] transport_info info() const;

 private:
  std::weak_ptr<detail::fake_state> server_;
  std::unique_ptr<memory_transport> end_;
};

}  // namespace comcp::test

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/test/impl/fake_server.ipp>
#endif
