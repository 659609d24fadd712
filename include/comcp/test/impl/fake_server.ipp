// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include <comcp/jsonrpc/encode.hpp>
#include <comcp/test/fake_server.hpp>

namespace comcp::test {
namespace detail {

struct fake_state final : std::enable_shared_from_this<fake_state> {
  // One connection's end and inbox; the state forgets it when it closes.
  struct line final : inbox {
    line(std::weak_ptr<fake_state> s, memory_transport e, unsigned n)
        : server(std::move(s)), end(std::move(e)), number(n) {}

    void delivered(padded_text text, request_id) override {
      if (auto const hold = server.lock()) hold->received_text(*this, text);
    }
    void stream_ended(request_id, error) override {}
    void closed(error) override {
      auto const hold = server.lock();
      if (!hold || hold->current.get() != this) return;
      auto const self = std::exchange(hold->current, nullptr);
      hold->listens.clear();
    }
    void fault(error) override {}

    std::weak_ptr<fake_state> server;
    memory_transport end;
    unsigned number;
  };

  explicit fake_state(asio::any_io_executor ex) : executor(std::move(ex)) {}

  asio::any_io_executor executor;
  std::vector<protocol_version> versions{std::begin(all), std::end(all)};
  std::string capabilities =
      R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
      R"("prompts":{"listChanged":true},"completions":{},"logging":{}})";
  std::string instructions;
  std::map<std::string, fake_server::request_handler, std::less<>> handlers;
  std::map<std::int64_t, fake_server::answer_handler> asked;
  std::int64_t next_id = 1;
  std::vector<json::value> received;
  std::vector<json::value> listens;  // ids of open listen streams
  std::shared_ptr<line> current;
  unsigned connections = 0;

  static constexpr auto all = supported_versions();
  static constexpr char const* info_text = R"({"name":"fake-server","version":"1.0"})";

  asio::awaitable<void> serve(memory_transport end) {
    auto const l = std::make_shared<line>(weak_from_this(), std::move(end), ++connections);
    current = l;
    auto const opened = co_await l->end.open(*l);
    if (!opened && current == l) current = nullptr;
  }

  void send(std::string text) {
    if (auto const l = current) (void)l->end.send(outgoing(std::move(text)));
  }

  void received_text(line& from, padded_text text) {
    auto parsed = json::parse(text.view());
    if (!parsed) return;
    received.push_back(*parsed);
    auto const method = parsed->find("method");
    auto const id = parsed->find("id");
    if (!method) return answered(*parsed);
    if (!id) return notified(*method, *parsed);
    fake_request r;
    r.server_ = weak_from_this();
    r.connection_ = from.number;
    r.method_ = method->as_string();
    r.params_ = parsed->find("params").value_or(json::value());
    r.id_ = *id;
    r.answered_ = std::make_shared<bool>(false);
    dispatch(r);
  }

  void answered(json::value const& message) {
    auto const id = message.find("id");
    auto const number = id ? id->view().get_int64() : std::nullopt;
    auto const found = number ? asked.find(*number) : asked.end();
    if (found == asked.end()) return;
    auto const then = std::move(found->second);
    asked.erase(found);
    if (then) then(message);
  }

  void notified(json::value const& method, json::value const& message) {
    if (method.as_string() != "notifications/cancelled") return;
    auto const params = message.find("params");
    auto const id = params ? params->find("requestId") : std::nullopt;
    if (id) std::erase(listens, *id);
  }

  void dispatch(fake_request const& r) {
    if (auto const found = handlers.find(r.method_); found != handlers.end()) {
      auto const f = found->second;
      return f(r);
    }
    if (!speaks(r)) return;
    if (r.method_ == "server/discover" && has(era::modern)) return discover(r);
    if (r.method_ == "initialize" && has(era::legacy)) return initialize(r);
    if (r.method_ == "ping" && has(era::legacy)) return r.reply(json::object());
    if (r.method_ == "subscriptions/listen" && has(era::modern)) return listen(r);
    if (r.method_ == "resources/subscribe" || r.method_ == "resources/unsubscribe" || r.method_ == "logging/setLevel")
      return r.reply(json::object());
    r.fail(-32601, "Method not found");
  }

  [[nodiscard]] bool has(era e) const {
    return std::any_of(versions.begin(), versions.end(), [e](protocol_version const& v) { return v.era() == e; });
  }

  // A modern request names its version; one that is not spoken here is refused with those that are.
  [[nodiscard]] bool speaks(fake_request const& r) const {
    auto const named = r.meta("io.modelcontextprotocol/protocolVersion");
    bool const is_initialize = r.method_ == "initialize";
    if (!has(era::modern) || (named.is_null() && !is_initialize) || (is_initialize && has(era::legacy))) return true;
    auto const text = named.is_string() ? std::string(named.as_string()) : std::string();
    auto const v = protocol_version::parse(text);
    if (v && std::find(versions.begin(), versions.end(), *v) != versions.end()) return true;
    r.fail(-32022, "Unsupported protocol version", json::args("supported", version_texts(), "requested", text));
    return false;
  }

  [[nodiscard]] std::vector<std::string> version_texts() const {
    std::vector<std::string> out;
    for (auto const& v : versions) out.emplace_back(v.text());
    return out;
  }

  void discover(fake_request const& r) const {
    json::object result;
    result.set("resultType", "complete").set("supportedVersions", version_texts());
    result.set("capabilities", json::fragment::trusted(capabilities));
    if (!instructions.empty()) result.set("instructions", instructions);
    result.set("_meta", json::args("io.modelcontextprotocol/serverInfo", json::fragment::trusted(info_text)));
    r.reply(result);
  }

  void initialize(fake_request const& r) const {
    auto const named = r.params_.find("protocolVersion");
    auto const asked_for = named ? protocol_version::parse(named->is_string() ? named->as_string() : "") : std::nullopt;
    auto chosen = protocol_version::at(0);
    for (auto const& v : versions) {
      if (v.era() == era::legacy && chosen < v) chosen = v;
    }
    if (asked_for && std::find(versions.begin(), versions.end(), *asked_for) != versions.end()) chosen = *asked_for;
    json::object result;
    result.set("protocolVersion", chosen.text()).set("capabilities", json::fragment::trusted(capabilities));
    result.set("serverInfo", json::fragment::trusted(info_text));
    if (!instructions.empty()) result.set("instructions", instructions);
    r.reply(result);
  }

  void listen(fake_request const& r) {
    listens.push_back(r.id_);
    json::object params;
    params.set("notifications", r.params_.find("notifications").value_or(json::value()));
    params.set("_meta", json::args("io.modelcontextprotocol/subscriptionId", r.id_));
    send(jsonrpc::notification("notifications/subscriptions/acknowledged", params.text()));
  }

  static void answer(fake_request const& r, std::string text) {
    auto const server = r.server_.lock();
    if (!server || *r.answered_) return;
    *r.answered_ = true;
    if (server->current && server->current->number == r.connection_) server->send(std::move(text));
  }
  static void tell(fake_request const& r, std::string text) {
    auto const server = r.server_.lock();
    if (server && server->current && server->current->number == r.connection_) server->send(std::move(text));
  }
};

}  // namespace detail

COMCP_DECL json::value fake_request::meta(std::string_view key) const {
  auto const meta = params_.find("_meta");
  if (!meta) return {};
  return meta->find(key).value_or(json::value());
}
COMCP_DECL void fake_request::reply(json::fragment result) const {
  detail::fake_state::answer(*this, jsonrpc::response(id_.dump(), result.text()));
}
COMCP_DECL void fake_request::fail(std::int64_t code, std::string message, json::fragment data) const {
  detail::fake_state::answer(*this, jsonrpc::error_response(id_.dump(), {code, std::move(message), data.text()}));
}
COMCP_DECL void fake_request::progress(double done, double total) const {
  auto const token = meta("progressToken");
  if (token.is_null()) return;
  json::object params;
  params.set("progressToken", token).set("progress", done);
  if (total > 0) params.set("total", total);
  detail::fake_state::tell(*this, jsonrpc::notification("notifications/progress", params.text()));
}
COMCP_DECL void fake_request::raw(std::string line) const {
  auto const id = id_.dump();
  for (auto at = line.find("$id"); at != line.npos; at = line.find("$id", at + id.size())) line.replace(at, 3, id);
  detail::fake_state::tell(*this, std::move(line));
}

COMCP_DECL fake_server::fake_server(asio::any_io_executor executor)
    : state_(std::make_shared<detail::fake_state>(std::move(executor))) {}
COMCP_DECL fake_server& fake_server::versions(std::vector<protocol_version> v) {
  return state_->versions = std::move(v), *this;
}
COMCP_DECL fake_server& fake_server::capabilities(std::string text) {
  return state_->capabilities = std::move(text), *this;
}
COMCP_DECL fake_server& fake_server::instructions(std::string text) {
  return state_->instructions = std::move(text), *this;
}
COMCP_DECL fake_server& fake_server::on(std::string method, request_handler f) {
  return state_->handlers[std::move(method)] = std::move(f), *this;
}
COMCP_DECL fake_server& fake_server::answer(std::string method, json::fragment result) {
  return on(std::move(method), [result = std::move(result)](fake_request const& r) { r.reply(result); });
}

COMCP_DECL void fake_server::notify(std::string_view method, json::fragment params) const {
  state_->send(jsonrpc::notification(method, params.text()));
}
COMCP_DECL std::int64_t fake_server::request(std::string_view method, json::fragment params, answer_handler then) const {
  auto const id = state_->next_id++;
  state_->asked[id] = std::move(then);
  auto text = jsonrpc::begin_request(static_cast<std::uint64_t>(id), method, params.text().size() + 16);
  if (!params.empty()) text.append(R"(,"params":)").append(params.text());
  state_->send(text + '}');
  return id;
}
COMCP_DECL void fake_server::notify_listeners(std::string_view method, json::fragment params) const {
  for (auto const& id : std::vector<json::value>(state_->listens)) {
    json::object out;
    if (!params.empty()) {
      auto const given = json::parse(params.text()).value();
      for (auto const m : given.members()) out.set(m.key, m.value.share());
    }
    out.set("_meta", json::args("io.modelcontextprotocol/subscriptionId", id));
    state_->send(jsonrpc::notification(method, out.text()));
  }
}
COMCP_DECL void fake_server::raw(std::string line) const { state_->send(std::move(line)); }
COMCP_DECL void fake_server::drop() const {
  auto const gone = std::exchange(state_->current, nullptr);
  state_->listens.clear();
}

COMCP_DECL fake_connection fake_server::transport() const { return fake_connection(state_); }

COMCP_DECL std::vector<json::value> const& fake_server::received() const noexcept { return state_->received; }
COMCP_DECL std::size_t fake_server::count(std::string_view method) const {
  auto const& all = state_->received;
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](json::value const& m) {
    auto const found = m.view().find("method");
    return found && found->get_string() == method;
  }));
}
COMCP_DECL json::value fake_server::last(std::string_view method) const {
  auto const& all = state_->received;
  for (auto i = all.rbegin(); i != all.rend(); ++i) {
    auto const found = i->view().find("method");
    if (found && found->get_string() == method) return i->find("params").value_or(json::value());
  }
  return {};
}
COMCP_DECL unsigned fake_server::connections() const noexcept { return state_->connections; }
COMCP_DECL asio::any_io_executor fake_server::get_executor() const { return state_->executor; }

COMCP_DECL asio::awaitable<result<void>> fake_connection::open(inbox& in) {
  auto const server = server_.lock();
  auto const refuse = []() -> asio::awaitable<result<void>> {
    co_return error(errc::connect_failed, "the fake server is gone");
  };
  if (!server) return refuse();
  auto pair = memory_pair();
  end_ = std::make_unique<memory_transport>(std::move(pair.first));
  auto const start = [](std::shared_ptr<detail::fake_state> s, memory_transport end) -> asio::awaitable<void> {
    co_await s->serve(std::move(end));
  };
  asio::co_spawn(server->executor, start(server, std::move(pair.second)), asio::detached);
  return end_->open(in);
}

COMCP_DECL result<void> fake_connection::send(outgoing message) {
  if (!end_) return error(errc::closed, "not open");
  return end_->send(std::move(message));
}
COMCP_DECL bool fake_connection::abandon(request_id id) noexcept { return end_ && end_->abandon(id); }
COMCP_DECL asio::awaitable<void> fake_connection::close() {
  auto const nothing = []() -> asio::awaitable<void> { co_return; };
  return end_ ? end_->close() : nothing();
}
COMCP_DECL transport_info fake_connection::info() const { return end_ ? end_->info() : transport_info(); }

static_assert(transport<fake_connection>);

}  // namespace comcp::test
