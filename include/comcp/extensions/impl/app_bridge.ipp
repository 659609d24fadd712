// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <asio/cancellation_signal.hpp>

#include <comcp/extensions/impl/app_requests.ipp>
#include <comcp/jsonrpc/decode.hpp>
#include <comcp/jsonrpc/encode.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {
namespace detail {

inline constexpr std::string_view app_version = "2026-01-26";
inline constexpr std::size_t app_depth = 64, app_id_bytes = 128, app_held = 64;

// How far things are; each step is taken once.
enum class app_stage { loaded, asked, initialized };
enum class tool_stage { none, input, over };

// A request to the app that waits for its answer.
struct app_question {
  std::uint64_t id = 0;
  std::stop_source answered;
  error failure;
};

// All on the client's executor but `closed`.
class app_session : public std::enable_shared_from_this<app_session> {
 public:
  app_session(std::shared_ptr<client_link> c, app_host h, std::function<void(std::string)> sender)
      : core(c), requests_(std::move(c), std::move(h)), to_app_(std::move(sender)) {}

  COMCP_LAZY void receive(std::string text);
  void notify(std::string_view method, std::string const& params);
  void close() noexcept;
  // Where the tool is at `first` to `last` now.
  void tell_tool(std::string_view method, std::string const& params, tool_stage first, tool_stage last, tool_stage to);
  void change_context(std::string const& changes);
  void forget_tools();
  // Null where the app is not initialized.
  [[nodiscard]] std::shared_ptr<app_question> ask(std::string_view method, std::string const& params);
  void forget(app_question const& q) { asked_.erase(q.id); }
  [[nodiscard]] asio::any_io_executor const& home() const noexcept { return core->home(); }

  std::shared_ptr<client_link> const core;
  std::atomic<bool> closed{false};

 private:
  using request = app_requests::request;
  COMCP_LAZY static asio::awaitable<std::string> carry_out(std::shared_ptr<app_session> s, request what, json::value params);
  COMCP_LAZY static asio::awaitable<void> answer(std::shared_ptr<app_session> s, std::string id, request what, json::value params);

  COMCP_LAZY void begin(std::string id, std::string const& method, json::value const& params);
  void told(std::string const& method, json::value const& params);
  void initialize(std::string const& id, json::value const& params);
  void initialized();
  void answered(jsonrpc::envelope const& m);
  void finished(std::string const& id, std::string const& text);
  void refuse(std::string_view id, std::int64_t code, char const* why);
  void send(std::string text);
  // A host's code that nobody waits for: what it throws the observer hears of.
  template <class F, class... About>
  void call(F const& f, About&&... about) const {
    try {
      f(std::forward<About>(about)...);
    } catch (...) {
      core->fault(current_error());
    }
  }

  app_requests requests_;
  std::function<void(std::string)> const to_app_;
  app_stage stage_ = app_stage::loaded;
  tool_stage tool_ = tool_stage::none;
  std::map<std::string, std::shared_ptr<asio::cancellation_signal>, std::less<>> under_way_;  // by the id as it was written
  std::map<std::uint64_t, std::shared_ptr<app_question>> asked_;
  std::uint64_t last_question_ = 0;
  std::vector<std::string> held_;  // until the app is initialized
};

// What an app is told of a failure: the server's own words; of this side no more than its kind.
inline peer_error app_error(error const& e) {
  if (auto const* const peer = e.peer()) return *peer;
  return {e == errc::invalid_argument ? -32602 : -32000, e.code().message(), {}};
}

COMCP_DECL void app_session::send(std::string text) {
  if (!closed) call(to_app_, std::move(text));
}

COMCP_DECL void app_session::refuse(std::string_view id, std::int64_t code, char const* why) {
  send(jsonrpc::error_response(id, {code, why, {}}));
}

COMCP_LAZY_DECL void app_session::receive(std::string text) {
  if (closed) return;
  if (text.size() > requests_.host().max_bytes_) return refuse("null", -32600, "The message is too long");
  auto const parsed = json::parse(text, json::parse_options().max_depth(app_depth));
  if (!parsed && parsed.error() == errc::limit_exceeded) return refuse("null", -32600, "The message is too deep");
  if (!parsed) return refuse("null", -32700, "Parse error");
  auto const m = jsonrpc::decode(pad(text));
  auto const params = m.params.empty() ? json::value() : parsed->find("params").value_or(json::value());
  json::read_error why;
  bool const clear = json::unique_keys(*parsed, why) && m.raw_id.size() <= app_id_bytes;
  switch (clear ? m.kind : jsonrpc::message_kind::invalid) {
    case jsonrpc::message_kind::request: return begin(std::string(m.raw_id), m.method, params);
    case jsonrpc::message_kind::notification: return told(m.method, params);
    case jsonrpc::message_kind::response:
    case jsonrpc::message_kind::error: return answered(m);
    default: return refuse("null", -32600, "Invalid Request");
  }
}

COMCP_LAZY_DECL void app_session::begin(std::string id, std::string const& method, json::value const& params) {
  // An answer with its id would be taken for that of the request which is under way.
  if (under_way_.contains(id)) return refuse("null", -32600, "The id is in use");
  if (method == "ping") return send(jsonrpc::response(id, "{}"));
  if (method == "ui/initialize") return initialize(id, params);
  if (stage_ == app_stage::loaded) return refuse(id, -32600, "ui/initialize comes first");
  auto const what = app_requests::find(method);
  if (!what) return refuse(id, -32601, "Method not found");
  if (under_way_.size() >= requests_.host().max_requests_) return refuse(id, -32000, "Too many requests");
  auto const signal = std::make_shared<asio::cancellation_signal>();
  under_way_.emplace(id, signal);
  auto answering = answer(shared_from_this(), std::move(id), what, params);
  spawn(home(), std::move(answering), signal->slot(), signal);
}

// Where one is refused before it becomes a coroutine, too.
COMCP_LAZY_DECL asio::awaitable<std::string> app_session::carry_out(std::shared_ptr<app_session> s, request what,
                                                               json::value params) {
  auto working = (s->requests_.*what)(std::move(params));
  auto text = co_await std::move(working);
  co_return text;
}

COMCP_LAZY_DECL asio::awaitable<void> app_session::answer(std::shared_ptr<app_session> s, std::string id, request what,
                                                     json::value params) {
  auto working = carry_out(s, what, std::move(params));
  auto const result = co_await as_result(std::move(working));
  s->finished(id, result ? jsonrpc::response(id, *result) : jsonrpc::error_response(id, app_error(result.error())));
}

COMCP_DECL void app_session::finished(std::string const& id, std::string const& text) {
  if (under_way_.erase(id) != 0) send(text);  // else the app has cancelled it, or is gone
}

COMCP_DECL void app_session::initialize(std::string const& id, json::value const& params) {
  if (stage_ != app_stage::loaded) return refuse(id, -32600, "ui/initialize comes once");
  auto const can = params.find("appCapabilities");
  auto const version = params.find("protocolVersion");
  if (!can || !can->is_object() || !version || !version->is_string()) return refuse(id, -32602, "Invalid params");
  if (auto const known = can->find("availableDisplayModes")) {
    auto list = known->get<std::vector<std::string>>();
    if (!list) return refuse(id, -32602, "Invalid params");
    requests_.knows(*std::move(list));
  }
  auto const& context = app_object(requests_.host().context_, "");
  requests_.change_context(context);
  stage_ = app_stage::asked;
  auto const result = args("protocolVersion", app_version, "hostInfo", requests_.host().info_, "hostCapabilities",
                           requests_.offers(), "hostContext", json::raw(context));
  send(jsonrpc::response(id, result.text()));
}

COMCP_DECL void app_session::told(std::string const& method, json::value const& params) {
  if (method == "ui/notifications/initialized" && stage_ == app_stage::asked) return initialized();
  if (stage_ == app_stage::loaded) return;
  auto const& host = requests_.host();
  if (method == "notifications/cancelled") {
    auto const id = params.find("requestId");
    auto const found = id ? under_way_.extract(id->dump()) : decltype(under_way_)::node_type();
    if (found) found.mapped()->emit(asio::cancellation_type::terminal);
  } else if (method == "notifications/message" && host.log_) {
    if (auto const message = params.get<logging_message>()) call(host.log_, *message);
  } else if (method == "ui/notifications/size-changed" && host.size_) {
    if (auto const size = params.get<app_size>()) call(host.size_, *size);
  } else if (method == "ui/notifications/request-teardown" && host.teardown_) {
    call(host.teardown_);
  }
}

COMCP_DECL void app_session::initialized() {
  stage_ = app_stage::initialized;
  for (auto& each : std::exchange(held_, {})) send(std::move(each));
}

COMCP_DECL void app_session::answered(jsonrpc::envelope const& m) {
  auto const found = m.id ? asked_.extract(*m.id) : decltype(asked_)::node_type();
  if (!found) return;
  if (m.kind == jsonrpc::message_kind::error) found.mapped()->failure = jsonrpc::decode_error(m.error);
  found.mapped()->answered.request_stop();
}

COMCP_DECL void app_session::notify(std::string_view method, std::string const& params) {
  auto text = jsonrpc::notification(method, params);
  if (stage_ == app_stage::initialized) return send(std::move(text));
  if (closed) return;
  if (held_.size() >= app_held)
    return core->fault(error(errc::queue_full, "the app does not begin, and is not told any more"));
  held_.push_back(std::move(text));
}

COMCP_DECL void app_session::tell_tool(std::string_view method, std::string const& params, tool_stage first,
                                       tool_stage last, tool_stage to) {
  if (tool_ < first || tool_ > last)
    return core->fault({errc::invalid_argument, std::string(method) + " was not sent to the app: it comes out of order"});
  tool_ = to;
  auto const is_partial = [start = jsonrpc::notification("ui/notifications/tool-input-partial", "")](auto const& text) {
    return text.starts_with(std::string_view(start).substr(0, start.size() - 1));
  };
  std::erase_if(held_, is_partial);  // what comes now says more
  notify(method, params);
}

COMCP_DECL void app_session::forget_tools() {
  requests_.forget_tools();
  if (stage_ == app_stage::initialized) notify("notifications/tools/list_changed", "");
}

COMCP_DECL void app_session::change_context(std::string const& changes) {
  requests_.change_context(changes);
  notify("ui/notifications/host-context-changed", changes);
}

COMCP_DECL std::shared_ptr<app_question> app_session::ask(std::string_view method, std::string const& params) {
  if (stage_ != app_stage::initialized) return nullptr;
  auto q = std::make_shared<app_question>();
  q->id = ++last_question_;
  asked_.emplace(q->id, q);
  auto text = jsonrpc::begin_request(last_question_, method, params.size() + 16);
  send(text.append(R"(,"params":)").append(params).append("}"));
  return q;
}

COMCP_DECL void app_session::close() noexcept {
  closed = true;
  for (auto const& [id, signal] : std::exchange(under_way_, {})) signal->emit(asio::cancellation_type::terminal);
  for (auto const& [id, q] : std::exchange(asked_, {})) {
    q->failure = error(errc::closed, "the bridge to the app is gone");
    q->answered.request_stop();
  }
  held_.clear();
}

COMCP_LAZY asio::awaitable<void> tear_down(std::shared_ptr<app_session> s, std::string params,
                                           std::chrono::nanoseconds limit) {
  if (s->closed) throw exception(error(errc::closed, "the bridge to the app is gone"));
  auto const question = s->ask("ui/resource-teardown", params);
  if (!question) co_return;
  auto waiting = s->core->life().sleep(limit, question->answered.get_token());
  auto const ended = co_await std::move(waiting);
  s->forget(*question);
  if (question->failure) throw exception(question->failure);
  if (question->answered.stop_requested()) co_return;
  throw exception(ended ? ended : error(errc::timeout, "the app did not answer ui/resource-teardown"));
}

inline std::string tool_input_params(json::fragment const& arguments) {
  return R"({"arguments":)" + app_object(arguments, "the arguments of a tool are an object") + "}";
}

inline std::string reason_params(std::string_view reason) { return reason.empty() ? "{}" : args("reason", reason).text(); }

// Runs it on the client's executor.
template <class F>
void on_session(std::shared_ptr<app_session> const& s, F f) {
  if (!s) throw exception(error(errc::closed, "this bridge was moved from"));
  dispatch(s->home(), [s, f = std::move(f)] { f(*s); });
}

}  // namespace detail

COMCP_DECL app_bridge::app_bridge(app_operations const& of, app_host host, std::function<void(std::string)> to_app) {
  detail::require(of.client().core());
  session_ = std::make_shared<detail::app_session>(of.client().core(), std::move(host), std::move(to_app));
}

COMCP_DECL app_bridge& app_bridge::operator=(app_bridge&& other) noexcept {
  if (this == &other) return *this;
  let_go();
  session_ = std::move(other.session_);
  return *this;
}

COMCP_DECL app_bridge::~app_bridge() { let_go(); }

COMCP_DECL void app_bridge::let_go() noexcept {
  auto const s = std::exchange(session_, nullptr);
  if (!s) return;
  s->closed = true;
  try {
    detail::on_session(s, [](detail::app_session& it) { it.close(); });
  } catch (...) {  // no memory: what is under way ends by its own timeouts
  }
}

COMCP_LAZY_DECL void app_bridge::receive(std::string_view text) {
  detail::on_session(session_, [text = std::string(text)](detail::app_session& s) { s.receive(text); });
}

COMCP_DECL void app_bridge::tool_input_partial(json::fragment const& arguments) {
  detail::on_session(session_, [params = detail::tool_input_params(arguments)](detail::app_session& s) {
    using detail::tool_stage;
    s.tell_tool("ui/notifications/tool-input-partial", params, tool_stage::none, tool_stage::none, tool_stage::none);
  });
}

COMCP_DECL void app_bridge::tool_input(json::fragment const& arguments) {
  detail::on_session(session_, [params = detail::tool_input_params(arguments)](detail::app_session& s) {
    using detail::tool_stage;
    s.tell_tool("ui/notifications/tool-input", params, tool_stage::none, tool_stage::none, tool_stage::input);
  });
}

COMCP_DECL void app_bridge::tool_result(call_tool_result const& r) {
  detail::on_session(session_, [params = json::to_text(r)](detail::app_session& s) {
    using detail::tool_stage;
    s.tell_tool("ui/notifications/tool-result", params, tool_stage::input, tool_stage::input, tool_stage::over);
  });
}

COMCP_DECL void app_bridge::tool_cancelled(std::string_view reason) {
  detail::on_session(session_, [params = detail::reason_params(reason)](detail::app_session& s) {
    using detail::tool_stage;
    s.tell_tool("ui/notifications/tool-cancelled", params, tool_stage::none, tool_stage::input, tool_stage::over);
  });
}

COMCP_DECL void app_bridge::context_changed(json::fragment const& changes) {
  auto params = detail::app_object(changes, "the changes of a context are an object");
  detail::on_session(session_, [params = std::move(params)](detail::app_session& s) { s.change_context(params); });
}

COMCP_DECL void app_bridge::tools_changed() {
  detail::on_session(session_, [](detail::app_session& s) { s.forget_tools(); });
}

COMCP_LAZY_DECL asio::awaitable<void> app_bridge::teardown(std::string_view reason, timespan limit) const {
  if (!session_) return detail::failed<void>(errc::closed);
  auto work = detail::tear_down(session_, detail::reason_params(reason), limit);
  return detail::on_home(session_, std::move(work));
}

}  // namespace comcp
