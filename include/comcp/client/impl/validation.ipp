// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// The checks on both sides of a tool call, and where the schemas for them come from. A step of the pipeline.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <comcp/client/core.hpp>
#include <comcp/client/validation.hpp>
#include <comcp/schema/elicitation.hpp>

namespace comcp {
namespace detail {

class validation_step {
 public:
  validation_step(client_core& core, validation_options options) : core_(core), options_(std::move(options)) {}

  [[nodiscard]] bool concerns(std::string_view method) const noexcept {
    return method == "tools/call" || method == "tools/list";
  }
  COMCP_LAZY asio::awaitable<reply> perform(prepared_call& c, performer next);
  void notified(std::string_view method, json::value const&) {
    if (method == "notifications/tools/list_changed") ++now_;
  }
  void connected(bool) { ++now_; }
  [[nodiscard]] bool wants(std::string_view list) const { return list == "tools"; }
  [[nodiscard]] std::uint64_t moment() const noexcept { return now_; }
  COMCP_LAZY void learn(json::view page, std::uint64_t asked);

 private:
  struct side {
    json::value text;  // null: no schema
    std::shared_ptr<any_schema const> compiled;
    error unusable;
  };
  struct rule {
    side input, output;
    std::uint64_t learned = 0;
  };
  using rules = std::map<std::string, std::shared_ptr<rule>, std::less<>>;
  /// One walk through the list, and who waits for its end.
  struct listing_now {
    std::vector<request_id> waiting;
    error failure;
    bool over = false;
  };
  static constexpr std::size_t most_kept = 1000;  // compiled schemas; definitions of calls' own

  COMCP_LAZY asio::awaitable<reply> list(prepared_call& c, performer next);
  COMCP_LAZY asio::awaitable<reply> call(prepared_call& c, performer next);
  COMCP_LAZY asio::awaitable<error> know_tools(prepared_call& c);
  COMCP_LAZY asio::awaitable<void> list_all(std::shared_ptr<client_core> hold, std::shared_ptr<listing_now> l);
  COMCP_LAZY asio::awaitable<error> walk();
  COMCP_LAZY [[nodiscard]] std::shared_ptr<rule> find(std::string_view name, call_options const& o);
  COMCP_LAZY [[nodiscard]] error before(rule& r, std::string const& name, json::view params);
  COMCP_LAZY [[nodiscard]] error after(rule& r, std::string const& name, json::view answer);
  COMCP_LAZY void prepare(side& s);
  COMCP_LAZY [[nodiscard]] error judge(validation v, error const& e, std::string const& what) const;
  [[nodiscard]] bool is_strict() const noexcept {
    return options_.arguments() == validation::strict || options_.output() == validation::strict;
  }

  static bool is_same(rule const& r, json::view input, json::view output) {
    return r.input.text.view() == input && r.output.text.view() == output;
  }
  static void keep(std::shared_ptr<rule>& kept, json::view input, json::view output) {
    if (kept && is_same(*kept, input, output)) return;
    kept = std::make_shared<rule>();
    kept->input.text = input.share().compact();
    kept->output.text = output.share().compact();
  }

  client_core& core_;
  validation_options options_;
  rules listed_, given_;
  std::size_t compiled_ = 0;    // about as many as are kept
  std::uint64_t now_ = 1;       // counts the changes of the list
  std::uint64_t complete_ = 0;  // since this change every tool is known
  std::shared_ptr<listing_now> listing_;
};

COMCP_LAZY_DECL asio::awaitable<reply> validation_step::perform(prepared_call& c, performer next) {
  return c.method.is(wire::methods::call_tool) ? call(c, std::move(next)) : list(c, std::move(next));
}

COMCP_LAZY_DECL asio::awaitable<reply> validation_step::list(prepared_call& c, performer next) {
  auto const asked = now_;
  auto work = next(c);
  auto r = co_await std::move(work);
  if (r && !c.outdated) learn(r->view(), asked);
  co_return r;
}

COMCP_LAZY_DECL asio::awaitable<reply> validation_step::call(prepared_call& c, performer next) {
  auto const hold = core_.shared_from_this();
  if (auto bad = core_.exchange.check(c)) co_return reply(std::move(bad));
  auto text = c.params;
  auto const params = json::parse(pad(text), core_.settings.limits.json());
  if (!params) co_return reply(params.error());
  auto const named = params->view().find("name");
  std::string const name(named ? named->get_string().value_or("") : "");
  auto tool = find(name, c.options);
  if (!tool) {
    auto failure = co_await know_tools(c);
    if (failure) co_return reply(failure.with_outcome(call_outcome::not_sent));
    tool = find(name, c.options);
  }
  if (tool && !c.earlier) {
    if (auto bad = before(*tool, name, params->view())) co_return reply(std::move(bad));
  }
  auto work = next(c);
  auto r = co_await std::move(work);
  // What comes of a task that was only begun is no result of the tool.
  bool const is_begun = params->contains("task") || (c.handed_over && r && !r->view().find("content"));
  if (!r || !tool || is_begun) co_return r;
  if (auto bad = after(*tool, name, r->view())) co_return reply(bad.with_outcome(call_outcome::open));
  co_return r;
}

// Of the given definition and the listed one, equal ones are one.
COMCP_LAZY_DECL std::shared_ptr<validation_step::rule> validation_step::find(std::string_view name,
                                                                             call_options const& o) {
  auto const known = listed_.find(name);
  if (o.input_schema().is_null() && o.output_schema().is_null())
    return known != listed_.end() && known->second->learned == now_ ? known->second : nullptr;
  auto const input = o.input_schema().view();
  auto const output = o.output_schema().view();
  if (known != listed_.end() && is_same(*known->second, input, output)) return known->second;
  if (given_.size() >= most_kept) given_.clear();
  auto& kept = given_[std::string(name)];
  keep(kept, input, output);
  return kept;
}

// Not from an answer that may be older than the last change.
COMCP_LAZY_DECL void validation_step::learn(json::view page, std::uint64_t asked) {
  auto const tools = page.find("tools");
  if (!tools || asked != now_) return;
  for (auto const t : tools->elements()) {
    auto const named = t.find("name");
    auto const name = named ? named->get_string() : std::nullopt;
    if (!name) continue;
    auto found = listed_.find(*name);
    if (found == listed_.end()) {
      if (listed_.size() >= core_.settings.limits.items()) return;
      found = listed_.emplace(*name, nullptr).first;
    }
    keep(found->second, t.find("inputSchema").value_or(json::view()), t.find("outputSchema").value_or(json::view()));
    found->second->learned = now_;
    if (auto const why = t.find(unreadable_key))
      found->second->input.unusable = found->second->output.unusable =
          error(errc::limit_exceeded, std::string(why->get_string().value_or("")));
  }
}

// Nothing once the list is complete, and where it could not be had but that only warns.
COMCP_LAZY_DECL asio::awaitable<error> validation_step::know_tools(prepared_call& c) {
  if (complete_ == now_) co_return error();
  auto const began = core_.calls.now();
  auto const timeout = core_.calls.timeout(c.options);
  auto const hard = core_.calls.hard_limit(c.options);
  if (c.options.stop().stop_requested()) co_return error(errc::cancelled);
  if (!listing_) {
    listing_ = std::make_shared<listing_now>();
    core_.spawn(list_all(core_.shared_from_this(), listing_));
  }
  auto const l = listing_;
  if (l && !l->over) {
    pending_entry e(pending_entry::span::client);
    if (!core_.calls.enlist(e, began, std::min(timeout, hard), later(began, hard), c.counted))
      co_return error(errc::queue_full, "more calls in flight than limits().pending_calls()");
    core_.calls.end_with(c.options.stop(), e);
    core_.calls.table().line_up(l->waiting, e.id);
    auto const waited = co_await core_.calls.wait(e);
    if (!waited) co_return waited.error() == errc::timeout ? error(errc::timeout, c.method.text()) : waited.error();
  }
  // The call itself has what is left.
  if (c.started == std::chrono::steady_clock::time_point()) c.started = began;
  c.options.extend_on_progress(c.options.extends_on_progress()).hard_timeout(hard);
  auto const spent = std::min<std::chrono::nanoseconds>(timeout, core_.calls.now() - began);
  c.options.timeout(std::max(timeout - spent, std::chrono::nanoseconds(1)));
  if (!l || !l->failure) co_return error();
  auto why =
      l->failure.with_message("the tools could not be listed for validation: " + std::string(l->failure.message()));
  if (is_strict()) co_return why;
  core_.fault(std::move(why));
  co_return error();
}

COMCP_LAZY_DECL asio::awaitable<void> validation_step::list_all(std::shared_ptr<client_core> hold,
                                                                std::shared_ptr<listing_now> l) {
  for (unsigned walks = 0; walks < 3 && complete_ != now_; ++walks) {  // again where the list changed meanwhile
    auto const before = now_;
    try {
      auto work = walk();
      l->failure = co_await std::move(work);
    } catch (...) {
      l->failure = current_error();
    }
    if (l->failure) break;
    if (before != now_) continue;
    complete_ = now_;
    std::erase_if(listed_, [this](auto const& entry) { return entry.second->learned != now_; });
  }
  if (!l->failure && complete_ != now_) l->failure = error(errc::limit_exceeded, "they changed while they were listed, again and again");
  listing_.reset();
  l->over = true;
  hold->calls.wake(l->waiting, json::value());
}

COMCP_LAZY_DECL asio::awaitable<error> validation_step::walk() {
  auto const end = later(core_.calls.now(), core_.calls.hard_limit(call_options()));
  std::optional<std::string> from;
  std::set<std::pair<std::size_t, std::size_t>> seen;  // lengths and hashes
  std::size_t bytes = 0;
  for (std::size_t pages = 0; pages < core_.settings.limits.pages(); ++pages) {
    prepared_call c(wire::methods::list_tools, from ? args("cursor", *from).text() : std::string(), call_options());
    c.internal = true;
    c.repeatable = true;
    auto const asked = now_;
    auto work = core_.exchange.perform(c);
    auto const r = co_await std::move(work);
    if (!r) co_return r.error();
    learn(r->view(), asked);
    if (!core_.is_modern() && core_.facts.capabilities.tasks) {
      auto page = json::read<list_tools_result>(r->view());
      if (page) core_.facts.learn(*page, core_.settings.limits.items(), core_.is_http());
    }
    auto const next = r->view().find("nextCursor");
    auto const cursor = next ? next->get_string() : std::nullopt;
    if (!cursor) co_return error();
    bytes += r->text_size();
    if (bytes > core_.settings.limits.list_bytes()) co_return error(errc::limit_exceeded, "more bytes than limits().list_bytes()");
    auto const hash = std::hash<std::string_view>()(*cursor);
    if (!seen.emplace(cursor->size(), hash).second) co_return error(errc::protocol_violation, "the server gave one cursor twice");
    if (core_.calls.now() > end) co_return error(errc::timeout, "the list was not complete within the hard timeout");
    from = std::string(*cursor);
  }
  co_return error(errc::limit_exceeded, "more pages than limits().pages()");
}

COMCP_LAZY_DECL void validation_step::prepare(side& s) {
  if (s.compiled || s.unusable || s.text.is_null()) return;
  if (compiled_ >= most_kept) {
    for (auto* const all : {&listed_, &given_}) {
      for (auto const& [name, r] : *all) r->input.compiled = r->output.compiled = nullptr;
    }
    compiled_ = 0;
  }
  auto made = options_.validator().compile(s.text);
  if (!made) {
    s.unusable = made.error();
    return;
  }
  s.compiled = std::move(*made);
  ++compiled_;
}

COMCP_LAZY_DECL error validation_step::judge(validation v, error const& e, std::string const& what) const {
  auto said = e.with_message(what + ": " + std::string(e.message()));
  if (v == validation::strict) return said;
  core_.fault(std::move(said));
  return {};
}

// Both schemas are looked at before the tool is called: a bad one must not come out when it has been.
COMCP_LAZY_DECL error validation_step::before(rule& r, std::string const& name, json::view params) {
  if (options_.output() != validation::off) {
    prepare(r.output);
    if (r.output.unusable) {
      auto bad = judge(options_.output(), r.output.unusable, "the outputSchema of the tool " + name);
      if (bad) return bad;
    }
  }
  if (options_.arguments() == validation::off) return {};
  prepare(r.input);
  if (r.input.unusable) return judge(options_.arguments(), r.input.unusable, "the inputSchema of the tool " + name);
  if (!r.input.compiled) return {};
  static json::value const none = json::parse("{}").value();
  auto const ok = r.input.compiled->validate(params.find("arguments").value_or(none.view()));
  return ok ? error() : judge(options_.arguments(), ok.error(), "the arguments of the tool " + name);
}

COMCP_LAZY_DECL error validation_step::after(rule& r, std::string const& name, json::view answer) {
  if (options_.output() == validation::off) return {};
  prepare(r.output);
  auto const kind = answer.find("resultType");
  if (!r.output.compiled || (kind && kind->get_string() != "complete")) return {};
  auto const failed = answer.find("isError");
  if (failed && failed->get_bool().value_or(false)) return {};
  auto const content = answer.find("structuredContent");
  auto const ok = content ? r.output.compiled->validate(*content)
                          : result<void>(error(errc::validation_failed, "there is no structuredContent"));
  if (ok) return {};
  return judge(options_.output(), ok.error(),
               "the tool " + name + " was called, but its result does not match its outputSchema");
}

class plan_of_options final : public validation_plan {
 public:
  explicit plan_of_options(validation_options o) : options_(std::move(o)) {}

  [[nodiscard]] result<void> check_answer(json::view requested_schema, json::view content) const override {
    if (options_.elicitation() == validation::off) return {};
    if (options_.is_bundled()) return check_content(requested_schema, content);
    if (auto const ok = check_primitive_content(content); !ok) return ok.error();
    auto const text = requested_schema.share();
    auto const compiled = options_.validator().compile(text);
    if (!compiled) return compiled.error();
    return (*compiled)->validate(content);
  }

  [[nodiscard]] bool only_warns_of_answers() const noexcept override {
    return options_.elicitation() == validation::warn;
  }

 private:
  validation_options options_;
};

}  // namespace detail

COMCP_LAZY_DECL validation_options::validation_options()
    : validator_(std::make_shared<detail::validator_model<bundled_validator>>(bundled_validator())) {}

COMCP_LAZY_DECL connect_options& connect_options::validate(validation_options const& o) {
  settings_.answers = std::make_shared<detail::plan_of_options>(o);
  settings_.steps[detail::connect_settings::validation] = [o](client_core& core) -> std::unique_ptr<detail::call_step> {
    if (o.arguments() == validation::off && o.output() == validation::off) return nullptr;
    core.subscriptions.hub([](client_core& c) { return detail::make_subscriptions(c); });
    return std::make_unique<detail::step_of<detail::validation_step>>(core, o);
  };
  return *this;
}

}  // namespace comcp
