// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <comcp/client/core.hpp>
#include <comcp/client/extension.hpp>
#include <comcp/client/extensions.hpp>
#include <comcp/client/prepared.hpp>
#include <comcp/net/spawn.hpp>

namespace comcp {
namespace detail {

// The keys of `_meta` that the caller has set, in the options or in the parameters.
COMCP_LAZY std::set<std::string, std::less<>> own_meta_keys(prepared_call const& c) {
  std::set<std::string, std::less<>> keys;
  for (auto const& [key, text] : c.options.meta()) keys.insert(key);
  auto const params = c.params.empty() ? result<json::value>(json::value()) : json::parse(c.params);
  auto const meta = params && params->is_object() ? params->view().find("_meta") : std::nullopt;
  if (!meta || !meta->is_object()) return keys;
  for (auto const m : meta->members()) keys.emplace(m.key);
  return keys;
}

/// The last step of a call's way: it has what the server answered, and nobody above sees anything but the end.
class extension_step {
 public:
  COMCP_LAZY explicit extension_step(client_core& core) : core_(core), all_(core) {}
  extension_step(extension_step const&) = delete;
  extension_step& operator=(extension_step const&) = delete;

  [[nodiscard]] bool concerns(std::string_view) const noexcept { return true; }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);
  COMCP_LAZY void listens(subscription_filter& wanted) const { all_.listen(wanted); }

 private:
  client_core& core_;
  extensions all_;
  std::function<bool(std::string_view, json::view)> const claims_ = [this](std::string_view method, json::view r) {
    return all_.claimant(method, r) != nullptr;
  };
};

COMCP_LAZY_DECL void add_extension(connect_settings& settings, brought_extension e) {
  settings.brought.push_back(std::move(e));
  settings.steps[connect_settings::extending] = [](client_core& core) {
    return std::make_unique<step_of<extension_step>>(core);
  };
}

COMCP_LAZY_DECL extensions::extensions(client_core& core) : core_(core) {
  bool listens = false;
  for (auto const& each : core.settings.brought) {
    parts_.push_back(each.make());
    listens |= each.listens;
  }
  if (listens) core.subscriptions.hub([](client_core& c) { return make_subscriptions(c); });
  core.inbound.add(notification_sink(*this));
}

/// In the frame of who waits for an answer: whether it went away before.
template <class Extensions>  // so that what it calls is compiled by who calls
class leaving {
 public:
  template <class Core>
  leaving(Core& core, Extensions& all, extension_part* part, prepared_call& c) : all_(all), part_(part), call_(c) {
    bool const modern = core.is_modern();
    c.is_seen_to = part && !modern && part->abandons();
    // The modern era's response over HTTP is closed, which the server hears.
    bool const may_hear = modern ? !core.is_http() && !c.repeatable && all.abandon_calls() : c.is_seen_to;
    if (may_hear || c.options.wants_progress()) {
      if (!c.told_id) c.told_id = std::make_shared<request_id>(0);
    }
    is_gone_ = may_hear;
  }
  leaving(leaving const&) = delete;
  leaving& operator=(leaving const&) = delete;
  ~leaving() {
    if (is_gone_ && *call_.told_id) all_.left(*call_.told_id, part_, call_);
  }
  void ended(reply const& r) noexcept {
    if (r || (r.error() != errc::cancelled && r.error() != errc::timeout)) is_gone_ = false;
  }

 private:
  Extensions& all_;
  extension_part* part_;
  prepared_call& call_;
  bool is_gone_;
};

COMCP_LAZY_DECL asio::awaitable<reply> extension_step::perform(prepared_call& c, performer next) {
  auto* part = c.earlier ? nullptr : all_.prepare(c);
  c.claims = &claims_;
  reply r = error(errc::cancelled);
  if (c.earlier) {
    r = c.earlier->value;
  } else {
    leaving here(core_, all_, part, c);
    auto asking = next(c);
    r = co_await std::move(asking);
    here.ended(r);
    // One that nobody listed may be a tool that has to be called in an extension's way: it was refused unread.
    bool const unread = !r && r.error().peer() && r.error().peer()->code == -32601;
    if (unread && !part && core_.facts.task_support(c) == task_support::unknown) {
      auto listing = core_.exchange.list_again(c);
      bool const found = co_await std::move(listing);
      if (found) part = all_.prepare(c);
      if (part) {
        leaving again(core_, all_, part, c);
        auto repeating = next(c);
        r = co_await std::move(repeating);
        again.ended(r);
      }
    }
  }
  if (r && !part) part = all_.claimant(c.method.name(), r->view());
  if (r && part && !c.handed_over) {
    auto completing = all_.complete(*part, c, *std::move(r));
    r = co_await std::move(completing);
  }
  co_return r;
}

COMCP_LAZY_DECL bool extensions::add_params(extension_part const& part, prepared_call& c) const {
  unsent_call const o(c, core_.facts.capabilities, core_.is_modern() ? era::modern : era::legacy, core_.facts.task_support(c).value_or(task_support::forbidden));
  auto const brings = part.params(o);
  if (brings.empty()) return false;
  auto const added = json::parse(brings.text());
  auto const given = json::parse(c.params.empty() ? "{}" : c.params);
  if (!added || !added->is_object() || !given || !given->is_object()) {
    c.unusable = error(errc::invalid_argument, "parameters, and what an extension brings for them, are objects");
    return false;
  }
  json::writer w;
  w.begin_object();
  bool changed = false;
  for (auto const m : given->view().members()) w.key(m.key).value(m.value);
  for (auto const m : added->view().members()) {
    if (given->contains(m.key)) continue;  // the caller's own
    w.key(m.key).value(m.value);
    changed = true;
  }
  w.end_object();
  if (changed) c.params = std::move(w).text();
  return changed;
}

COMCP_LAZY_DECL extension_part* extensions::prepare(prepared_call& c) const {
  extension_part* whose = nullptr;
  for (auto const& part : parts_) {
    auto const name = c.method.text();
    if (auto const* const own = part->method(name)) c.method = *own;
    if (add_params(*part, c)) whose = part.get();
    auto const brings = part->meta(name);
    if (brings.empty()) continue;
    auto const members = json::parse(brings.text());
    if (!members || !members->is_object()) {
      c.unusable = error(errc::invalid_argument, "what an extension brings for _meta is an object");
      return whose;
    }
    auto const said = own_meta_keys(c);
    for (auto const m : members->view().members()) {
      if (!said.contains(m.key)) c.options.meta(std::string(m.key), json::raw(m.value.dump()));
    }
  }
  return whose;
}

COMCP_LAZY_DECL bool extensions::abandon_calls() const noexcept {
  return std::any_of(parts_.begin(), parts_.end(), [](auto const& part) { return part->abandons(); });
}

COMCP_LAZY_DECL extension_part* extensions::claimant(std::string_view method, json::view result) const {
  if (!result.is_object()) return nullptr;
  auto const type = result.find("resultType");
  auto const text = type ? type->get_string() : std::nullopt;
  if (!text) return nullptr;
  for (auto const& part : parts_) {
    if (part->claims(method, *text)) return part.get();
  }
  return nullptr;
}

COMCP_LAZY_DECL bool extensions::notified(std::string const& method, json::value const& params) const {
  for (auto const& part : parts_) {
    try {
      part->notified(method, params);
    } catch (...) {
      core_.fault(current_error());
    }
  }
  return false;  // whoever else listens hears of it, too
}

COMCP_LAZY_DECL void extensions::listen(subscription_filter& wanted) const {
  for (auto const& part : parts_) {
    auto const& facts = core_.facts;
    if (!facts.is_undiscovered() && !facts.capabilities.supports(part->identifier())) continue;
    try {
      wanted.unite(part->listen());
    } catch (...) {
      core_.fault(current_error());
    }
  }
}

COMCP_LAZY_DECL extension_client checked_extension(std::shared_ptr<client_link> const& core, std::string name,
                                                   bool is_offered, bool claims) {
  client_core const& own = core->core();
  auto const& brought = own.settings.brought;
  bool const is_brought = std::any_of(brought.begin(), brought.end(), [&](auto const& each) { return each.name == name; });
  if (!core->declares(name) || (claims && !is_brought))  // by its name alone nobody would complete its results
    throw exception(error(errc::not_in_protocol, "connect_options().extension() was not given " + name));
  if (!is_offered && own.settings.check_capabilities)
    throw exception(error(errc::capability_missing, "the server did not declare " + name));
  return extension_client(core);
}

COMCP_LAZY_DECL prepared_call extension_call(wire::method_rules const& m, json::fragment params, call_options options) {
  auto bad = check_params(params);
  prepared_call c(m, std::move(params).text(), std::move(options));
  c.unusable = std::move(bad);
  return c;
}

COMCP_LAZY_DECL call_options within(client_link& core, call_options const& of,
                                    std::chrono::steady_clock::time_point end, call_options own) {
  auto const left = std::max<std::chrono::nanoseconds>(end - core.bounds(of).now, std::chrono::nanoseconds(1));
  if (own.timeout()) own.timeout(std::min(*own.timeout(), left));  // a hard timeout is never below it
  own.hard_timeout(left);
  return own.stop(of.stop());
}

COMCP_LAZY_DECL asio::awaitable<void> wait_within(std::shared_ptr<client_link> core, std::chrono::nanoseconds d,
                                                  std::stop_token wake, std::chrono::steady_clock::time_point end) {
  auto const left = end - core->bounds({}).now;
  auto waiting = core->life().sleep(std::min(d, std::chrono::nanoseconds(left)), wake);
  auto const why = co_await std::move(waiting);
  if (why == errc::cancelled && wake.stop_requested()) co_return;
  if (why) throw exception(why);
  if (d >= left) throw exception(error(errc::timeout, "the hard timeout of the call is over"));
}

COMCP_LAZY_DECL void listen_again(client_link& core) {
  if (era_of(core) == era::modern) subscriptions_of<client_core>(core).refresh();
}

}  // namespace detail

COMCP_LAZY_DECL asio::awaitable<void> unfinished_call::wait(timespan d, std::stop_token wake) const {
  if (is_over()) return detail::failed<void>(errc::cancelled);
  return detail::wait_within(core_, d, std::move(wake), end_);
}

COMCP_LAZY_DECL asio::awaitable<json::fragment> unfinished_call::answer(input_requests asked) {
  if (is_over()) throw exception(error(errc::cancelled));
  client_core& core = core_->core();
  if (++rounds_ > core.settings.limits.input_rounds())
    throw exception(error(errc::limit_exceeded, "more input rounds than limits().input_rounds()"));
  input_required_result required;
  required.input_requests = std::move(asked);
  auto answering = core.exchange.answer(std::move(required), call_.options.stop(), end_);
  auto answers = co_await std::move(answering);
  if (!answers) throw exception(answers.error());
  co_return json::fragment::trusted(*std::move(answers));
}

COMCP_LAZY_DECL void unfinished_call::listen_again() const { detail::listen_again(*core_); }

COMCP_LAZY_DECL asio::awaitable<json::value> extension_client::begin_tool(std::string_view name, json::fragment arguments,
                                                                          call_options options) const {
  auto c = detail::tool_call(name, std::move(arguments), std::move(options));
  c.handed_over = true;
  return detail::typed_call<json::value>(core_, std::move(c));
}

COMCP_LAZY_DECL asio::awaitable<call_tool_result> extension_client::finish_tool(
    std::string_view name, std::shared_ptr<detail::earlier_answer> first, call_options options) const {
  auto c = detail::tool_call(name, {}, std::move(options));
  c.earlier = std::move(first);
  c.internal = !c.unusable;
  return detail::typed_call<call_tool_result>(core_, std::move(c));
}

COMCP_LAZY_DECL void unfinished_call::progress(progress_notification p) {
  if (is_over()) return;
  progress_ = p;
  auto const& told = call_.options.on_progress();
  if (!told) return;
  try {
    told(p);
  } catch (...) {
    core_->fault(error(errc::invalid_argument, "a progress callback threw"));
  }
}

}  // namespace comcp
