// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// An HTTP server in memory behind an engine: the test is the server, which takes requests and answers them piece by
// piece. No sockets, so that it runs under a manual clock.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <comcp/http/engine.hpp>
#include <comcp/net/asio_compat.hpp>

namespace comcp_test {

/// Wakes whoever waits, each time.
class bell {
 public:
  explicit bell(asio::any_io_executor on) : timer_(std::move(on), asio::steady_timer::time_point::max()) {}
  void ring() { timer_.cancel(); }
  asio::awaitable<void> wait() { co_await timer_.async_wait(comcp::net::tuple_awaitable); }

 private:
  asio::steady_timer timer_;
};

/// One request, and what the test answers.
class fake_exchange {
 public:
  using header_list = std::vector<std::pair<char const*, std::string>>;

  fake_exchange(asio::any_io_executor on, comcp::http_request r) : request(std::move(r)), changed(std::move(on)) {}

  comcp::http_request request;

  [[nodiscard]] std::string header(std::string_view name) const {
    auto const* const value = request.headers.find(name);
    return value ? *value : std::string();
  }
  /// Whether the body holds this text.
  [[nodiscard]] bool says(std::string_view text) const { return request.body.find(text) != std::string::npos; }
  /// The id of the JSON-RPC request in the body, as text.
  [[nodiscard]] std::string id() const {
    auto const at = request.body.find("\"id\":");
    return at == std::string::npos ? "null" : request.body.substr(at + 5, request.body.find_first_of(",}", at) - at - 5);
  }

  fake_exchange& head(int status, header_list const& headers = {}) {
    answer.emplace();
    answer->status = status;
    for (auto const& [name, value] : headers) (void)answer->headers.add(name, value);
    changed.ring();
    return *this;
  }
  fake_exchange& piece(std::string text) {
    pieces.push_back(std::move(text));
    changed.ring();
    return *this;
  }
  void end() {
    ended = true;
    changed.ring();
  }
  void fail(comcp::error why) {
    failure = std::move(why);
    changed.ring();
  }

  // The usual answers.
  void json(std::string const& text, int status = 200, header_list const& headers = {}) {
    head(status, headers);
    (void)answer->headers.add("Content-Type", "application/json");
    piece(text).end();
  }
  void result(std::string const& text, header_list const& headers = {}) {
    json(R"({"jsonrpc":"2.0","id":)" + id() + R"(,"result":)" + text + "}", 200, headers);
  }
  void error(int status, int code, std::string const& message, std::string const& data = {}) {
    json(R"({"jsonrpc":"2.0","id":)" + id() + R"(,"error":{"code":)" + std::to_string(code) + R"(,"message":")" + message +
             "\"" + (data.empty() ? "" : ",\"data\":" + data) + "}}",
         status);
  }
  void status(int code, header_list const& headers = {}, std::string const& body = {}) {
    head(code, headers);
    if (!body.empty()) piece(body);
    end();
  }
  fake_exchange& stream() { return head(200, {{"Content-Type", "text/event-stream"}}); }
  fake_exchange& event(std::string const& data, std::string const& id = {}) {
    return piece((id.empty() ? "" : "id: " + id + "\n") + "data: " + data + "\n\n");
  }
  fake_exchange& result_event(std::string const& text, std::string const& event_id = {}) {
    return event(R"({"jsonrpc":"2.0","id":)" + id() + R"(,"result":)" + text + "}", event_id);
  }

  std::optional<comcp::http_response_head> answer;
  std::deque<std::string> pieces;
  std::string current;
  bool ended = false;
  bool abandoned = false;  ///< By the client, before the end.
  std::optional<comcp::error> failure;
  bell changed;
};

class fake_http {
 public:
  explicit fake_http(asio::io_context& io) : state_(std::make_shared<state>(io.get_executor())) {}

  /// The next request, in order of arrival; null where none waits.
  std::shared_ptr<fake_exchange> take() {
    if (state_->waiting.empty()) return {};
    auto first = std::move(state_->waiting.front());
    state_->waiting.pop_front();
    return first;
  }
  [[nodiscard]] std::size_t waiting() const { return state_->waiting.size(); }
  [[nodiscard]] std::size_t requests() const { return state_->count; }

 private:
  struct state {
    explicit state(asio::any_io_executor on) : executor(std::move(on)) {}
    asio::any_io_executor executor;
    std::deque<std::shared_ptr<fake_exchange>> waiting;
    std::size_t count = 0;
  };

 public:
  class response {
   public:
    explicit response(std::shared_ptr<fake_exchange> x) : x_(std::move(x)) {}
    response(response&&) noexcept = default;
    response& operator=(response&& other) noexcept {
      leave();
      x_ = std::move(other.x_);
      return *this;
    }
    ~response() { leave(); }

    [[nodiscard]] comcp::http_response_head const& head() const { return *x_->answer; }
    asio::awaitable<comcp::result<std::string_view>> next() { return read(x_); }

   private:
    static asio::awaitable<comcp::result<std::string_view>> read(std::shared_ptr<fake_exchange> x) {
      for (;;) {
        if (!x->pieces.empty()) {
          x->current = std::move(x->pieces.front());
          x->pieces.pop_front();
          if (x->current.empty()) continue;
          co_return std::string_view(x->current);
        }
        if (x->failure) co_return *x->failure;
        if (x->ended) co_return std::string_view();
        co_await x->changed.wait();
      }
    }
    void leave() noexcept {
      if (x_ && !x_->ended) x_->abandoned = true;
    }
    std::shared_ptr<fake_exchange> x_;
  };

  class engine {
   public:
    using response = fake_http::response;
    explicit engine(std::shared_ptr<state> s) : state_(std::move(s)) {}
    asio::awaitable<comcp::result<response>> open(comcp::http_request r) { return open_one(state_, std::move(r)); }

   private:
    static asio::awaitable<comcp::result<response>> open_one(std::shared_ptr<state> s, comcp::http_request r) {
      auto const x = std::make_shared<fake_exchange>(s->executor, std::move(r));
      response owner(x);  // says so when the wait below is given up
      s->waiting.push_back(x);
      ++s->count;
      while (!x->answer && !x->failure) co_await x->changed.wait();
      if (x->answer) co_return std::move(owner);
      co_return *x->failure;
    }
    std::shared_ptr<state> state_;
  };

  [[nodiscard]] engine make_engine() const { return engine(state_); }

 private:
  std::shared_ptr<state> state_;
};

}  // namespace comcp_test
