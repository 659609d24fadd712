// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The transport seam: what carries messages. A transport knows no methods and no versions; what a message
// means is decided above it.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/json/padded_text.hpp>
#include <comcp/result.hpp>

namespace comcp {

/// The id of one of our requests on the wire; 0 means none (a notification, an answer, a shared channel).
using request_id = std::uint64_t;

/// One message on its way out. `text` is a whole JSON-RPC message without a newline.
struct outgoing {
  outgoing() = default;
  explicit outgoing(std::string message, request_id request = 0) : text(std::move(message)), id(request) {}

  std::string text;
  request_id id = 0;           ///< Set for requests of ours.
  std::string method;          ///< Set for requests and notifications that an HTTP transport must label.
  std::vector<std::pair<std::string, std::string>> headers;  ///< What the era wants in HTTP headers.
  bool handshake = false;      ///< `initialize` or the era probe: never cancelled on the wire.
  bool established = false;    ///< The last message of the handshake: streams for what the server says may open.
  bool stateless = false;      ///< Of an era without sessions, where closing its response stream cancels a request.
  bool repeatable = false;     ///< It may be sent again after the server refused it for now.
  bool open_ended = false;     ///< No deadline ends it: over HTTP, silence does.
  bool is_seen_to = false;     ///< Legacy HTTP: once it is under way, only the second abandon() closes its response.
};

/// A session that outlives its connection (legacy era, HTTP), as client.session() gives it. Its id is a secret.
struct saved_session {
  saved_session() = default;
  std::string id;
  std::string initialize_result;  ///< JSON text: the negotiated version and what the server can do.
};

/// Where a transport delivers. Called on the transport's executor, one call at a time, never from inside
/// `open`'s initiation, `send` or `abandon`. What a call is given is valid for that call only. Any call may
/// close or destroy the transport: look at nothing of it afterwards without holding it. An inbox lives as long as what
/// was opened with it: until its closed() was called, or until close() completed or the destructor of the transport
/// returned; afterwards it is not to be called, nor looked at. message_transport and byte_stream see to all of this for
/// what they are built upon.
class inbox {
 public:
  /// One whole message. `stream` is the request whose response stream brought it, 0 on a shared channel.
  virtual void delivered(padded_text text, request_id stream) = 0;
  /// The response of `id` ended (HTTP only). Where its answer is still awaited this is its end.
  virtual void stream_ended(request_id id, error why) = 0;
  /// Whether the answer to this request is still awaited.
  [[nodiscard]] virtual bool awaits(request_id) const { return true; }
  /// The server refused a message because it does not know its session any more: a new handshake is due. `id` is 0
  /// where that was no request.
  virtual void session_lost(request_id id, error why) { stream_ended(id, std::move(why)); }
  /// HTTP, legacy era: what the server says unasked does not come any more, and why; without an error: it does again.
  virtual void deaf(error why) { (void)why; }
  /// Whether anybody waits for what the server says unasked.
  [[nodiscard]] virtual bool listens() const { return true; }
  /// Credentials are being obtained, for which a user may be asked: until as many false as true came, and no longer than
  /// the connection lives, no deadline but the hard ones ends a request.
  virtual void authorizing(bool begins) { (void)begins; }
  /// The channel is gone. Exactly once for each successful `open`; nothing is delivered after it.
  virtual void closed(error reason) = 0;
  /// A fault that loses nothing but itself, for statistics and observers (a line over the limit, ...).
  virtual void fault(error what) = 0;

 protected:
  ~inbox() = default;
};

/// What a transport tells about itself; a snapshot.
struct transport_info {
  std::string kind;                      ///< "stdio", "memory", "unix", ...
  std::string target;                    ///< Command line or address, without secrets.
  std::string origin;                    ///< HTTP: scheme, host and port; what is learned of a server is kept by it.
  std::string identity;                  ///< HTTP: whose credentials, as authenticator.identity() says.
  std::vector<std::string> extensions;   ///< HTTP: what the authenticator declares, as its extensions() says.
  std::string server;                    ///< HTTP: equal where all else in a request is; empty where that is not known.
  std::string session_id;                ///< HTTP, legacy era: a secret.
  std::size_t open_streams = 0;          ///< HTTP: event streams that are open.
  std::optional<int> pid;                ///< stdio: the server process.
  std::optional<int> exit_code;          ///< stdio: set once it exited.
  std::optional<int> term_signal;        ///< stdio: set when a signal ended it.
  std::string stderr_tail;               ///< stdio: the end of what it wrote to stderr.
  std::string unfinished;                ///< Byte streams: how a line begins whose end has not come.
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

/// Carries messages. `open` takes the executor from this_coro::executor and may be called again after
/// `closed`. `send` takes the message over whole or refuses it (errc::queue_full, errc::closed) and never
/// completes anything inside itself. `abandon(id)`: the caller of that request is gone; true says that closing
/// its stream has told the server, so that no notifications/cancelled is needed; a request that is still
/// queued is removed silently, which also counts as told. `close` is bounded, and is graceful; the destructor is
/// abrupt. After `close` completed `inbox::closed` has been called.
template <class T>
concept transport = std::move_constructible<T> &&
    requires(T t, T const& ct, inbox& in, outgoing message, request_id id) {
      { t.open(in) } -> std::same_as<asio::awaitable<result<void>>>;
      { t.send(std::move(message)) } -> std::same_as<result<void>>;
      { t.abandon(id) } noexcept -> std::same_as<bool>;
      { t.close() } -> std::same_as<asio::awaitable<void>>;
      { ct.info() } -> std::same_as<transport_info>;
    };

/// A transport over HTTP says so: its messages need headers, and the rules for finding the era are others.
template <class T>
concept over_http = requires(T const& t) {
  requires T::is_http;
  { t.resumed() } -> std::same_as<std::optional<saved_session>>;  // what it goes on with instead of a handshake
};

/// A transport that something outlives (a process) may say what ends it from any thread and at once, for whoever cannot
/// wait until its executor comes to the destructor.
template <class T>
concept has_cutter = requires(T const& t) {
  { t.cutter() } -> std::same_as<std::function<void()>>;
};

namespace detail {

/// Ends what is connected to it, from any thread; once pulled, also what is connected later.
class kill_switch {
 public:
  /// In place of what was connected before.
  void connect(std::function<void()> end) {
    std::lock_guard const lock(mutex_);
    end_ = std::move(end);
    if (pulled_ && end_) end_();
  }
  void pull() noexcept {
    std::lock_guard const lock(mutex_);
    pulled_ = true;
    if (end_) end_();
  }

 private:
  std::mutex mutex_;
  std::function<void()> end_;
  bool pulled_ = false;
};

}  // namespace detail

/// Any transport, type-erased: one allocation, one virtual call for each operation.
class any_transport {
 public:
  any_transport() = default;
  template <class T>
    requires(!std::same_as<T, any_transport>)
  explicit any_transport(T t) : self_(std::make_unique<model<T>>(std::move(t))) {
    static_assert(transport<T>,
                  "comcp: this type is no transport: it needs open(inbox&), send(outgoing), abandon(request_id) "
                  "noexcept, close() and info() as comcp/transport/transport.hpp says");
  }

  [[nodiscard]] asio::awaitable<result<void>> open(inbox& in) { return self_->open(in); }
  result<void> send(outgoing&& message) { return self_->send(std::move(message)); }
  bool abandon(request_id id) noexcept { return self_->abandon(id); }
  [[nodiscard]] asio::awaitable<void> close() { return self_->close(); }
  [[nodiscard]] transport_info info() const { return self_->info(); }
  [[nodiscard]] std::function<void()> cutter() const { return self_ ? self_->cutter() : std::function<void()>(); }
  [[nodiscard]] bool is_http() const noexcept { return self_ && self_->http; }
  [[nodiscard]] std::optional<saved_session> resumed() const { return self_->resumed(); }
  explicit operator bool() const noexcept { return static_cast<bool>(self_); }

 private:
  struct base {
    virtual ~base() = default;
    virtual asio::awaitable<result<void>> open(inbox&) = 0;
    virtual result<void> send(outgoing&&) = 0;
    virtual bool abandon(request_id) noexcept = 0;
    virtual asio::awaitable<void> close() = 0;
    virtual transport_info info() const = 0;
    virtual std::optional<saved_session> resumed() const { return {}; }
    virtual std::function<void()> cutter() const { return {}; }
    bool http = false;
  };

  template <class T>
  struct model final : base {
    explicit model(T t) : impl(std::move(t)) { this->http = over_http<T>; }
    asio::awaitable<result<void>> open(inbox& in) override { return impl.open(in); }
    result<void> send(outgoing&& m) override { return impl.send(std::move(m)); }
    bool abandon(request_id id) noexcept override { return impl.abandon(id); }
    asio::awaitable<void> close() override { return impl.close(); }
    transport_info info() const override { return impl.info(); }
    std::optional<saved_session> resumed() const override {
      if constexpr (over_http<T>) return impl.resumed();
      return {};
    }
    std::function<void()> cutter() const override {
      if constexpr (has_cutter<T>) return impl.cutter();
      return {};
    }
    T impl;
  };

  std::unique_ptr<base> self_;
};

}  // namespace comcp
