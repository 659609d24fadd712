// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <thread>

#include "prompts.hpp"
#include "resources.hpp"
#include "tasks.hpp"

namespace demo {

namespace {

constexpr char const* instructions = "A server to try MCP clients with. Call `echo`, `add` or `countdown` to begin.";

json::object server_info() {
  return json::object()
      .set("name", "comcp_demo_server")
      .set("title", "comcp demo server")
      .set("version", COMCP_VERSION_STRING);
}

/// How long a result may be cached, in milliseconds; nothing where the method has no such hint.
std::optional<int> time_to_live(std::string_view method) {
  if (method == "server/discover") return 3'600'000;
  if (method == "resources/read") return 0;
  if (method == "tools/list" || method == "prompts/list" || method == "resources/list" ||
      method == "resources/templates/list")
    return 60'000;
  return std::nullopt;
}

/// Adds what every modern result carries.
void complete_modern(json::object& result, std::string_view method, std::string_view type) {
  result.set("resultType", type);
  if (auto const ttl = time_to_live(method); ttl && type == "complete")
    result.set("ttlMs", *ttl).set("cacheScope", method == "resources/read" ? "private" : "public");
  result.set("_meta", json::object().set("io.modelcontextprotocol/serverInfo", server_info()));
}

json::object failed_result(tool_failure const& f) { return text_result(f.message).set("isError", true); }

json::fragment id_of(json::value const& message) {
  auto const id = message.find("id");
  bool const usable = id && (id->is_string() || id->get<std::int64_t>());
  return usable ? json::fragment::trusted(id->dump()) : json::fragment();
}

}  // namespace

server::server(options o, channel_ptr unasked) : options_(std::move(o)), subscribers_(std::move(unasked)) {}

void server::receive(std::string_view text, channel_ptr const& out) {
  if (text.empty()) return;
  auto const message = json::parse(text);
  if (!message) return out->send(error_text({}, {-32700, "This line is no JSON"}));
  receive(*message, out);
}

void server::receive(json::value const& message, channel_ptr const& out) {
  std::lock_guard const lock(turn_);
  try {
    on_message(message, out);
  } catch (rpc_error const& e) {
    out->send(error_text(id_of(message), e));
  }
}

void server::forget(channel const& out) {
  std::lock_guard const one_message(turn_);
  subscribers_.forget(out);
  std::lock_guard const lock(lock_);
  std::erase_if(running_, [&](auto const& c) {
    bool const concerned = c->out().get() == &out;
    if (concerned) c->cancel("its stream was closed");
    return concerned;
  });
}

void server::on_message(json::value const& message, channel_ptr const& out) {
  if (!message.is_object()) throw rpc_error{invalid_request, "A message must be an object"};
  auto const method = message.find("method");
  if (!method) return on_answer(message);
  if (!method->is_string()) throw rpc_error{invalid_request, "The method must be a string"};
  auto const name = method->as_string();
  if (!message.contains("id")) return on_notification(name, message);
  if (id_of(message).empty()) throw rpc_error{invalid_request, "An id must be a string or an integer"};
  if (handle_probe(name)) return;
  on_request(std::make_shared<call>(message, identify(message), out, questions_));
}

bool server::handle_probe(std::string_view method) {
  if (method != "server/discover" || initialized_) return false;
  if (options_.probe == on_probe::exit) std::_Exit(1);
  return options_.probe == on_probe::stay_silent;
}

void server::on_answer(json::value const& message) {
  auto const id = message.find("id");
  if (auto const asker = id ? questions_.take(id->dump()) : nullptr) asker->answered(message);
}

void server::on_notification(std::string_view method, json::value const& message) {
  if (method == "notifications/cancelled") return on_cancelled(message);
  if (method == "notifications/initialized" && initialized_) subscribers_.connect_legacy();
}

void server::on_cancelled(json::value const& message) {
  auto const id = message.pointer("/params/requestId");
  if (!id || subscribers_.cancel(id->dump())) return;
  auto const reason = message.pointer("/params/reason");
  std::lock_guard const lock(lock_);
  auto const wanted = id->dump();
  auto const at = std::find_if(running_.begin(), running_.end(), [&](auto const& c) { return c->id() == wanted; });
  if (at == running_.end()) return;
  (*at)->cancel(reason && reason->is_string() ? std::string(reason->as_string()) : "no reason given");
  running_.erase(at);
}

bool server::is_modern_request(json::value const& message) const {
  return offers_modern(options_) && message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion");
}

caller server::identify(json::value const& message) const {
  if (!is_modern_request(message)) return legacy_client_;
  check_modern_meta(message);
  caller from;
  from.modern = true;
  auto const meta = message["params"]["_meta"];
  from.capabilities = meta["io.modelcontextprotocol/clientCapabilities"];
  if (auto const level = meta.find("io.modelcontextprotocol/logLevel")) {
    from.least_log_level = level->is_string() ? log_level(level->as_string()) : std::nullopt;
    if (!from.least_log_level) throw rpc_error{invalid_params, "This logLevel does not exist"};
  }
  return from;
}

void server::check_modern_meta(json::value const& message) const {
  auto const meta = message["params"]["_meta"];
  auto const version = meta["io.modelcontextprotocol/protocolVersion"];
  if (!version.is_string()) throw rpc_error{invalid_params, "The protocolVersion must be a string"};
  auto const asked = version.as_string();
  auto const& offered = options_.versions;
  if (!is_modern(asked) || std::find(offered.begin(), offered.end(), asked) == offered.end()) throw unsupported(asked);
  auto const declared = meta.find("io.modelcontextprotocol/clientCapabilities");
  if (!declared || !declared->is_object())
    throw rpc_error{invalid_params, "params._meta needs io.modelcontextprotocol/clientCapabilities"};
}

rpc_error server::unsupported(std::string_view requested) const {
  return {-32022, "Unsupported protocol version", comcp::args("supported", options_.versions, "requested", requested)};
}

void server::on_request(std::shared_ptr<call> const& c) {
  bool const legacy = offers_legacy(options_), modern = offers_modern(options_);
  auto const method = c->method();
  if (c->modern() || initialized_ || method == "initialize" || (legacy && method == "ping")) return answer(c);
  if (!modern && method == "server/discover") throw rpc_error{method_not_found, "Method not found"};
  if (!legacy || method == "server/discover")
    throw rpc_error{invalid_params, "params._meta needs io.modelcontextprotocol/protocolVersion"};
  throw rpc_error{invalid_request, "Initialize first"};
}

void server::answer(std::shared_ptr<call> const& c) {
  if (c->method() == "tools/call") return call_tool(c);
  if (c->modern() && c->method() == "subscriptions/listen") {
    auto const filter = c->params().find("notifications");
    if (!filter || !filter->is_object()) throw rpc_error{invalid_params, "params.notifications must be an object"};
    return subscribers_.listen(c->id(), *filter, c->out());
  }
  finish(*c, [&] { return c->modern() ? answer_modern_only(*c) : answer_legacy_only(*c); });
}

json::object server::answer_legacy_only(call& c) {
  auto const method = c.method();
  if (method == "initialize") return initialize(c);
  if (method == "ping") return {};
  if (method == "logging/setLevel") {
    auto const level = log_level(c.text_param("level"));
    if (!level) throw rpc_error{invalid_params, "This level does not exist"};
    legacy_client_.least_log_level = level;
    return {};
  }
  if (method == "resources/subscribe") {
    auto uri = c.text_param("uri");
    if (!resource_exists(uri)) throw rpc_error{-32002, "Resource not found", comcp::args("uri", uri)};
    subscribers_.subscribe(std::move(uri));
    return {};
  }
  if (method == "resources/unsubscribe") return subscribers_.unsubscribe(c.text_param("uri")), json::object();
  return answer_common(c);
}

json::object server::answer_modern_only(call& c) {
  if (c.method() == "server/discover") return discover();
  return answer_common(c);
}

json::object server::answer_common(call& c) {
  auto const method = c.method();
  if (method == "tools/list") return page(c, "tools", tools_.list());
  if (method == "resources/list") return page(c, "resources", resource_list());
  if (method == "resources/templates/list") return page(c, "resourceTemplates", resource_template_list());
  if (method == "resources/read") return read_resource(c);
  if (method == "prompts/list") return page(c, "prompts", prompt_list());
  if (method == "prompts/get") return get_prompt(c);
  if (method == "completion/complete") return complete(c);
  if (method == "jobs/get" && c.declares(jobs_extension)) return jobs_.get(c);
  bool const has_tasks = !c.modern() || c.declares(tasks_extension);
  if (method == "tasks/get" && has_tasks) return task_book::shared().get(c);
  if (method == "tasks/cancel" && has_tasks) return task_book::shared().cancel(c);
  if (method == "tasks/result" && !c.modern()) return task_book::shared().result(c);
  if (method == "tasks/list" && !c.modern()) return task_book::shared().list(c);
  throw rpc_error{method_not_found, "Method not found"};
}

void server::call_tool(std::shared_ptr<call> const& c) {
  auto const name = c->text_param("name");
  auto const* found = tools_.find(name);
  if (found == nullptr) throw rpc_error{invalid_params, "Unknown tool: " + name};
  auto const run = found->run;
  if (!found->slow) return finish(*c, [&] { return run(*c); });
  began(c);
  std::thread([self = shared_from_this(), c, run] {
    self->finish(*c, [&] { return run(*c); });
    self->ended(*c);
  }).detach();
}

void server::on_end() {
  std::unique_lock lock(lock_);
  for (auto const& c : running_) c->cancel("stdin has ended");
  all_ended_.wait_for(lock, std::chrono::milliseconds(100), [this] { return slow_calls_ == 0; });
  lock.unlock();
  subscribers_.end_all_at_exit();
}

template <class Work>
void server::finish(call& c, Work const& work) {
  json::object result;
  std::string type = "complete";
  try {
    try {
      result = work();
    } catch (tool_failure const& f) {
      result = failed_result(f);
    } catch (other_result const& o) {
      type = o.type;
      result = o.result;
      if (!c.modern()) result.set("resultType", type);
    } catch (input_needed const& i) {
      type = "input_required";
      result.set("inputRequests", i.requests);
      if (!i.state.empty()) result.set("requestState", i.state);
    }
    if (c.modern()) complete_modern(result, c.method(), type);
    c.reply(std::move(result));
  } catch (rpc_error const& e) {
    c.fail(e);
  } catch (call_cancelled const&) {  // nothing is answered
  } catch (std::exception const& e) {
    c.fail({internal_error, e.what()});
  }
}

json::object server::initialize(call& c) {
  auto const requested = c.text_param("protocolVersion");
  std::string chosen;
  for (auto const& offered : options_.versions) {
    if (is_modern(offered)) continue;
    if (chosen.empty() || offered == requested) chosen = offered;
  }
  if (chosen.empty()) throw unsupported(requested);
  initialized_ = true;
  legacy_client_.capabilities = c.params().find("capabilities").value_or(json::value());
  legacy_client_.least_log_level = 0;
  return json::object()
      .set("protocolVersion", chosen)
      .set("capabilities", capabilities(chosen))
      .set("serverInfo", server_info())
      .set("instructions", instructions);
}

json::object server::discover() const {
  return json::object()
      .set("supportedVersions", options_.versions)
      .set("capabilities", capabilities(options_.versions.front()))
      .set("instructions", instructions);
}

json::object server::capabilities(std::string_view version) const {
  json::object const empty;
  auto all = json::object()
                 .set("tools", json::object().set("listChanged", true))
                 .set("resources", json::object().set("subscribe", true))
                 .set("prompts", empty)
                 .set("logging", empty)
                 .set("extensions", json::object().set(jobs_extension, empty).set(tasks_extension, empty));
  if (version >= "2025-03-26") all.set("completions", empty);
  if (version == "2025-11-25")
    all.set("tasks", json::raw(R"({"list":{},"cancel":{},"requests":{"tools":{"call":{}}}})"));
  return all;
}

json::object server::page(call& c, std::string_view key, std::vector<json::fragment> const& all) const {
  std::size_t first = 0;
  if (auto const cursor = c.params().find("cursor")) {
    auto const text = cursor->is_string() ? std::string(cursor->as_string()) : std::string();
    auto const* const end = text.data() + text.size();
    auto const read = std::from_chars(text.data() + std::min<std::size_t>(5, text.size()), end, first);
    if (!text.starts_with("from:") || read.ec != std::errc() || read.ptr != end || first > all.size())
      throw rpc_error{invalid_params, "Unknown cursor"};
  }
  auto const last = options_.page_size == 0 ? all.size() : std::min(all.size(), first + options_.page_size);
  json::array entries;
  for (auto i = first; i < last; ++i) entries.add(all[i]);
  auto result = json::object().set(key, entries);
  if (last < all.size()) result.set("nextCursor", "from:" + std::to_string(last));
  return result;
}

json::object server::read_resource(call& c) const {
  auto const uri = c.text_param("uri");
  auto const contents = resource_contents(uri);
  if (!contents) throw rpc_error{c.modern() ? invalid_params : -32002, "Resource not found", comcp::args("uri", uri)};
  return json::object().set("contents", json::array().add(*contents));
}

void server::began(std::shared_ptr<call> const& c) {
  std::lock_guard const lock(lock_);
  running_.push_back(c);
  ++slow_calls_;
}

void server::ended(call const& c) {
  std::lock_guard const lock(lock_);
  std::erase_if(running_, [&](auto const& one) { return one.get() == &c; });
  if (--slow_calls_ == 0) all_ended_.notify_all();
}

}  // namespace demo
