// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include <asio/any_io_executor.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>

#include <comcp/jsonrpc/encode.hpp>
#include <comcp/net/asio_compat.hpp>
#include <comcp/test/scripted_transport.hpp>

namespace comcp::test {

struct script::state : std::enable_shared_from_this<script::state> {
  enum class kind { expect, deliver, close, act };
  struct step {
    kind what = kind::expect;
    std::string name;  // of the expected message
    matcher also;
    std::string label;
    std::string line;  // to deliver, with $id
    error why;
    std::function<void()> action;
  };

  // How the server behaves beside its steps; one that breaks is like the one that it was made of.
  struct manners {
    std::set<std::string> ignored;
    bool closes = true;
    bool abandon_tells = false;
  };

  // What the client did.
  struct record {
    std::vector<json::value> sent;
    std::vector<request_id> abandoned;
    unsigned opened = 0;
    transport_info counts;
  };

  std::vector<step> steps;
  std::size_t at = 0;
  manners ways;
  bool opens = true;
  error open_refusal;
  bool broken = false;

  inbox* in = nullptr;
  std::optional<asio::any_io_executor> executor;
  asio::steady_timer* stuck = nullptr;  // what an open() or close() that never completes waits for, in its frame
  bool scheduled = false;
  std::deque<std::size_t> unread;  // indices into seen.sent
  record seen;
  std::map<std::string, std::string, std::less<>> ids;
  error failure;

  static std::string name_of(json::value const& message) {
    if (auto const method = message.find("method")) return std::string(method->is_string() ? method->as_string() : "?");
    return message.contains("error") ? "error" : "result";
  }

  void schedule() {
    if (std::exchange(scheduled, true)) return;
    asio::post(*executor, [self = shared_from_this()] { self->turn(); });
  }

  // One step, then a new post for the next.
  void turn() {
    scheduled = false;
    if (in == nullptr) return;
    skip_ignored();
    if (at == steps.size()) return after_the_end();
    auto const& s = steps[at];
    if (s.what == kind::expect) {
      if (!unread.empty()) read_expected(s);
      return;
    }
    ++at;
    if (s.what == kind::act) {
      auto const action = s.action;
      action();
    } else if (s.what == kind::close) {
      return leave(s.why);
    } else {
      deliver(s.line);
    }
    if (in != nullptr) schedule();
  }

  void skip_ignored() {
    while (!unread.empty() && ways.ignored.contains(name_of(seen.sent[unread.front()]))) unread.pop_front();
  }

  void after_the_end() {
    if (unread.empty()) return;
    if (broken) return unread.clear();
    mismatch("nothing more", seen.sent[unread.front()]);
  }

  void read_expected(step const& s) {
    auto const& message = seen.sent[unread.front()];
    unread.pop_front();
    if (name_of(message) != s.name) return mismatch(s.name, message);
    if (s.also && !s.also(message)) return mismatch(s.name + " that satisfies its matcher", message);
    if (auto const id = message.find("id")) {
      ids[""] = id->dump();
      if (!s.label.empty()) ids[s.label] = id->dump();
    }
    ++at;
    schedule();
  }

  void mismatch(std::string const& wanted, json::value const& got) {
    auto const text = "step " + std::to_string(at) + ": expected " + wanted + ", but was sent " + got.dump();
    if (!broken) failure = error(errc::protocol_violation, text);
    leave(error(errc::transport_failed, "the script was not kept: " + text));
  }

  void deliver(std::string const& pattern) {
    auto line = with_ids(pattern);
    ++seen.counts.messages_in;
    seen.counts.bytes_in += line.size();
    in->delivered(pad(line), 0);
  }

  std::string with_ids(std::string const& pattern) const {
    std::string out;
    for (std::size_t from = 0;;) {
      auto const found = pattern.find("$id", from);
      out.append(pattern, from, found - from);
      if (found == pattern.npos) return out;
      from = found + 3;
      std::string label;
      if (from < pattern.size() && pattern[from] == ':') {
        auto const end = std::find_if_not(pattern.begin() + static_cast<std::ptrdiff_t>(from) + 1, pattern.end(),
                                          [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
        label.assign(pattern.begin() + static_cast<std::ptrdiff_t>(from) + 1, end);
        from = static_cast<std::size_t>(end - pattern.begin());
      }
      auto const id = ids.find(label);
      out += id == ids.end() ? std::string("null") : id->second;
    }
  }

  void leave(error why) {
    unread.clear();
    executor.reset();
    if (auto* const told = std::exchange(in, nullptr)) told->closed(std::move(why));
  }

  void abort() noexcept {
    in = nullptr;
    unread.clear();
    executor.reset();  // a script may outlive its io_context
    if (stuck) stuck->cancel();
  }

  static asio::awaitable<void> get_stuck(std::shared_ptr<state> s) {
    auto const here = co_await asio::this_coro::executor;
    asio::steady_timer gate(here, asio::steady_timer::time_point::max());
    struct entered {
      entered(state& of, asio::steady_timer& gate) : self(of) { self.stuck = &gate; }
      ~entered() { self.stuck = nullptr; }
      entered(entered const&) = delete;
      entered& operator=(entered const&) = delete;
      state& self;
    };
    entered const here_until_told(*s, gate);
    (void)co_await gate.async_wait(net::tuple_awaitable);
  }

  step& add(kind what) {
    steps.emplace_back();
    steps.back().what = what;
    if (executor && in != nullptr) schedule();
    return steps.back();
  }
};

COMCP_DECL script::script() : state_(std::make_shared<state>()) {}

COMCP_DECL script& script::expect(std::string name) { return expect(std::move(name), {}); }
COMCP_DECL script& script::expect(std::string name, matcher also) {
  auto& s = state_->add(state::kind::expect);
  s.name = std::move(name);
  s.also = std::move(also);
  return *this;
}
COMCP_DECL script& script::as(std::string label) {
  state_->steps.back().label = std::move(label);
  return *this;
}

COMCP_DECL script& script::raw(std::string line) {
  state_->add(state::kind::deliver).line = std::move(line);
  return *this;
}
COMCP_DECL script& script::reply(std::string result) { return raw(jsonrpc::response("$id", result)); }
COMCP_DECL script& script::reply_to(std::string_view label, std::string result) {
  return raw(jsonrpc::response("$id:" + std::string(label), result));
}
COMCP_DECL script& script::fail(std::int64_t code, std::string message, std::string data) {
  return raw(jsonrpc::error_response("$id", {code, std::move(message), std::move(data)}));
}
COMCP_DECL script& script::fail_to(std::string_view label, std::int64_t code, std::string message, std::string data) {
  return raw(jsonrpc::error_response("$id:" + std::string(label), {code, std::move(message), std::move(data)}));
}
COMCP_DECL script& script::notify(std::string_view method, std::string params) {
  return raw(jsonrpc::notification(method, params));
}
COMCP_DECL script& script::request(std::string_view id, std::string_view method, std::string params) {
  std::string line = R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) + '"';
  if (!params.empty()) line += R"(,"params":)" + params;
  return raw(line + '}');
}
COMCP_DECL script& script::close(error reason) {
  state_->add(state::kind::close).why = std::move(reason);
  return *this;
}
COMCP_DECL script& script::then(std::function<void()> action) {
  state_->add(state::kind::act).action = std::move(action);
  return *this;
}

COMCP_DECL script& script::ignore(std::string name) { return state_->ways.ignored.insert(std::move(name)), *this; }
COMCP_DECL script& script::never_opens() { return state_->opens = false, *this; }
COMCP_DECL script& script::never_closes() { return state_->ways.closes = false, *this; }
COMCP_DECL script& script::abandon_tells() { return state_->ways.abandon_tells = true, *this; }
COMCP_DECL script& script::refuse_open(error why) { return state_->open_refusal = std::move(why), *this; }

COMCP_DECL scripted_transport script::transport() const { return scripted_transport(state_); }

COMCP_DECL error script::verdict() const {
  if (state_->failure) return state_->failure;
  if (state_->at == state_->steps.size()) return {};
  auto const& next = state_->steps[state_->at];
  auto const what = next.what == state::kind::expect ? "expecting " + next.name : std::string("a delivery or an action");
  return {errc::not_found, "the script stands at step " + std::to_string(state_->at) + " of " +
                               std::to_string(state_->steps.size()) + ": " + what};
}

COMCP_DECL std::vector<json::value> const& script::sent() const noexcept { return state_->seen.sent; }
COMCP_DECL std::vector<std::string> script::sent_names() const {
  std::vector<std::string> out;
  for (auto const& message : state_->seen.sent) out.push_back(state::name_of(message));
  return out;
}
COMCP_DECL std::vector<request_id> const& script::abandoned() const noexcept { return state_->seen.abandoned; }
COMCP_DECL unsigned script::opened() const noexcept { return state_->seen.opened; }

COMCP_DECL std::size_t script::deliveries() const {
  return static_cast<std::size_t>(std::count_if(state_->steps.begin(), state_->steps.end(),
                                                [](auto const& s) { return s.what == state::kind::deliver; }));
}

COMCP_DECL script script::broken_at(std::size_t n, breakage how) const {
  script out;
  auto& to = *out.state_;
  to.ways = state_->ways;
  to.broken = true;
  for (auto const& s : state_->steps) {
    if (s.what != state::kind::deliver || n-- > 0) {
      to.steps.push_back(s);
      continue;
    }
    switch (how) {
      case breakage::connection_closes: out.close(error(errc::transport_failed, "broken by the test")); break;
      case breakage::error_answer: out.fail(-32603, "broken by the test"); break;
      case breakage::garbage_line: out.raw("}{ broken by the test"); break;
    }
    break;
  }
  return out;
}

COMCP_DECL scripted_transport& scripted_transport::operator=(scripted_transport&& other) noexcept {
  if (this == &other) return *this;
  if (state_) state_->abort();
  state_ = std::move(other.state_);
  return *this;
}

COMCP_DECL scripted_transport::~scripted_transport() {
  if (state_) state_->abort();
}

COMCP_DECL asio::awaitable<result<void>> scripted_transport::open(inbox& in) { return open_impl(state_, in); }

COMCP_DECL asio::awaitable<result<void>> scripted_transport::open_impl(std::shared_ptr<script::state> s, inbox& in) {
  auto executor = co_await asio::this_coro::executor;
  if (!s->opens) {
    co_await script::state::get_stuck(s);
    co_return error(errc::cancelled);
  }
  if (s->open_refusal) co_return s->open_refusal;
  if (s->in != nullptr) co_return error(errc::connect_failed, "the script is open already");
  s->executor = executor;
  s->in = &in;
  ++s->seen.opened;
  s->scheduled = false;
  s->schedule();
  co_return result<void>();
}

COMCP_DECL result<void> scripted_transport::send(outgoing message) {
  auto& s = *state_;
  if (s.in == nullptr) return error(errc::closed, "the channel is closed");
  auto parsed = json::parse(message.text);
  if (!parsed) return error(errc::invalid_json, "the client sent what is no JSON: " + message.text);
  ++s.seen.counts.messages_out;
  s.seen.counts.bytes_out += message.text.size();
  s.seen.sent.push_back(std::move(*parsed));
  s.unread.push_back(s.seen.sent.size() - 1);
  s.schedule();
  return {};
}

COMCP_DECL bool scripted_transport::abandon(request_id id) noexcept {
  state_->seen.abandoned.push_back(id);
  return state_->ways.abandon_tells;
}

COMCP_DECL asio::awaitable<void> scripted_transport::close() { return close_impl(state_); }

COMCP_DECL asio::awaitable<void> scripted_transport::close_impl(std::shared_ptr<script::state> s) {
  if (s->in == nullptr) co_return;
  // A script that is out of step is found out before the end.
  auto const executor = *s->executor;
  do {
    co_await asio::post(executor, asio::use_awaitable);
  } while (s->scheduled && s->in != nullptr);
  if (!s->ways.closes && s->in != nullptr) co_await script::state::get_stuck(s);
  s->leave(error(errc::closed, "closed by this side"));
}

COMCP_DECL transport_info scripted_transport::info() const {
  auto out = state_->seen.counts;
  out.kind = "script";
  return out;
}

static_assert(transport<scripted_transport>);

}  // namespace comcp::test
