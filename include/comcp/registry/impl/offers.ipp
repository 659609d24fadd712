// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>

#include <comcp/registry/offers.hpp>
#include <comcp/version.hpp>

namespace comcp::detail {

template <class T>
inline constexpr auto pin_kind_of = std::same_as<T, tool> ? pin_kind::tool : pin_kind::prompt;

COMCP_LAZY_DECL error no_such_server(std::string_view name) {
  return {errc::unknown_server, "no server is called " + std::string(name)};
}

COMCP_LAZY_DECL registry_offers::registry_offers(registry_options const& options)
    : options_(options),
      views_(catalog_view<tool>(options.separator()), catalog_view<resource>(options.separator()),
             catalog_view<resource_template>(options.separator()), catalog_view<prompt>(options.separator())) {}

COMCP_LAZY_DECL std::vector<blocked_tool> registry_offers::blocked() const {
  std::lock_guard const lock(mutex_);
  std::vector<blocked_tool> every;
  for (auto const& [name, o] : all_) every.insert(every.end(), o->blocked.begin(), o->blocked.end());
  return every;
}

COMCP_LAZY_DECL std::vector<catalog_fault> registry_offers::faults() const {
  std::lock_guard const lock(mutex_);
  std::vector<catalog_fault> every;
  for (auto const& [name, o] : all_) {
    for (auto const& kind : o->faults) every.insert(every.end(), kind.begin(), kind.end());
  }
  return every;
}

COMCP_LAZY_DECL void registry_offers::count(std::vector<registry_statistics::server>& servers) const {
  std::lock_guard const lock(mutex_);
  for (auto& s : servers) {
    auto const listed = [&s](auto const& view) {
      auto const part = view.of(s.name);
      return part ? part->size() : std::size_t{0};
    };
    s.tools = listed(std::get<catalog_view<tool>>(views_));
    s.resources = listed(std::get<catalog_view<resource>>(views_));
    s.resource_templates = listed(std::get<catalog_view<resource_template>>(views_));
    s.prompts = listed(std::get<catalog_view<prompt>>(views_));
    auto const own = all_.find(s.name);
    if (own == all_.end()) continue;
    s.blocked = own->second->blocked.size();
    for (auto const& kind : own->second->faults) s.faults += kind.size();
  }
}

COMCP_LAZY_DECL result<std::string> registry_offers::instructions(std::string_view server) const {
  std::lock_guard const lock(mutex_);
  auto const found = all_.find(server);
  if (found == all_.end()) return no_such_server(server);
  return found->second->instructions;
}

COMCP_LAZY_DECL std::shared_ptr<server_offers> registry_offers::add(std::string const& server) {
  auto o = std::make_shared<server_offers>(server);
  std::lock_guard const lock(mutex_);
  all_.emplace(server, o);
  return o;
}

COMCP_LAZY_DECL void registry_offers::withdraw(server_offers& o) {
  o.withdrawn = true;
  std::shared_ptr<server_offers> last;
  {
    std::lock_guard const lock(mutex_);
    if (auto entry = all_.extract(o.server)) last = std::move(entry.mapped());
  }
  forget(o);
}

COMCP_LAZY_DECL void registry_offers::forget(server_offers& o) {
  server_offers nothing(o.server);
  {
    std::lock_guard const lock(mutex_);
    std::swap(o.faults, nothing.faults);
    std::swap(o.blocked, nothing.blocked);
    std::swap(o.instructions, nothing.instructions);
  }
  o.listed = {};
  o.findings.clear();
  publish<tool>(o, nullptr);
  publish<resource>(o, nullptr);
  publish<resource_template>(o, nullptr);
  publish<prompt>(o, nullptr);
}

template <class T>
void registry_offers::adopt(server_offers& o, result<listing<T>> listed) {
  if (o.withdrawn) return;
  constexpr auto kind = catalog_kind<T>::name;
  constexpr std::size_t place = catalog_kind<T>::place;
  std::vector<catalog_fault> faults;
  if (!listed) {
    auto const* const peer = listed.error().peer();
    bool const no_such_list = std::same_as<T, resource_template> && peer && peer->code == -32601;
    if (!no_such_list) {
      faults.emplace_back(o.server, kind, listed.error());
      return set_faults(o, place, std::move(faults));  // the part that is known stays
    }
    listed = listing<T>();
  }
  for (auto const& broken : listed->set_aside())
    faults.emplace_back(o.server, kind, error(errc::wrong_shape, "a definition was set aside: " + broken.reason));
  auto part = make_part<T>(o.server, options_.separator(), std::move(*listed).items(), faults);
  set_faults(o, place, std::move(faults));
  if (o.withdrawn) return;
  if constexpr (std::same_as<T, tool> || std::same_as<T, prompt>) {
    std::get<shared_part<T>>(o.listed) = std::move(part);
    check<T>(o);
  } else {
    publish<T>(o, std::move(part));
  }
}

// Offered is what the pins let through.
template <class T>
void registry_offers::check(server_offers& o) {
  if (o.withdrawn) return;
  auto const listed = std::get<shared_part<T>>(o.listed);
  if (!options_.pins() || !listed) return publish<T>(o, listed);
  auto const through = std::make_shared<catalog_part<T>>();
  std::vector<blocked_tool> held;
  std::vector<pin_finding> findings;
  for (auto const& entry : *listed) {
    auto found = options_.pins()->check(o.server, entry.definition);
    if (found.verdict != pin_verdict::block) through->push_back(entry);
    if constexpr (std::same_as<T, tool>) {
      if (found.verdict == pin_verdict::block) {
        auto& b = held.emplace_back();
        b.entry = entry;
        b.finding = found;
      }
    }
    findings.push_back(std::move(found));
  }
  options_.pins()->listed(o.server, pin_kind_of<T>);
  if (o.withdrawn) return;
  if constexpr (std::same_as<T, tool>) {
    std::lock_guard const lock(mutex_);
    o.blocked.swap(held);
  }
  tell_findings(o, pin_kind_of<T>, std::move(findings), [&] { publish<T>(o, through); });
}

COMCP_LAZY_DECL void registry_offers::adopt_instructions(server_offers& o, std::string const& text) {
  if (o.withdrawn) return;
  result<std::string> through = text;
  std::vector<pin_finding> findings;
  if (options_.pins()) {
    findings.push_back(options_.pins()->check_instructions(o.server, text));
    if (findings[0].verdict == pin_verdict::block) through = findings[0].to_error();
    if (o.withdrawn) return;
  }
  {
    std::lock_guard const lock(mutex_);
    std::swap(o.instructions, through);
  }
  tell_findings(o, pin_kind::instructions, std::move(findings), [] {});
}

// Whoever is told of a finding sees the catalog as it then is.
COMCP_LAZY_DECL void registry_offers::tell_findings(server_offers& o, pin_kind kind, std::vector<pin_finding> found,
                                                    std::function<void()> const& publish) {
  std::map<std::string, pin_finding> before;
  std::erase_if(o.findings, [&](auto& entry) {
    bool const same_kind = entry.first.first == kind;
    if (same_kind) before.emplace(entry.first.second, std::move(entry.second));
    return same_kind;
  });
  std::erase_if(found, [](pin_finding const& f) { return f.verdict == pin_verdict::allow; });
  for (auto const& f : found) o.findings.emplace(std::pair(kind, f.name), f);
  publish();
  for (auto const& f : found) {
    auto const known = before.find(f.name);
    if (known == before.end() || known->second.offered != f.offered || known->second.verdict != f.verdict)
      tell(options_.on_finding(), f);
  }
}

template <class T>
void registry_offers::publish(server_offers& o, shared_part<T> part) {
  auto& view = std::get<catalog_view<T>>(views_);
  auto const change = difference<T>(o.server, view.of(o.server), part);
  auto next = view.with(o.server, std::move(part));
  {
    std::lock_guard const lock(mutex_);
    std::swap(view, next);
  }
  if (!change.empty()) tell(options_.on_change(), change);
}

COMCP_LAZY_DECL void registry_offers::set_faults(server_offers& o, std::size_t kind,
                                                 std::vector<catalog_fault> faults) {
  auto const copies = faults;
  {
    std::lock_guard const lock(mutex_);
    o.faults[kind].swap(faults);
  }
  for (auto const& f : copies) tell(options_.on_fault(), f);
}

COMCP_LAZY_DECL std::vector<std::string> registry_offers::having_tool(std::string_view name) const {
  std::vector<std::string> having;
  for (auto const* const entry : std::get<catalog_view<tool>>(views_).find_all(name)) having.push_back(entry->server_name);
  if (options_.pins()) {
    for (auto const& [server, o] : all_) {
      if (held_back(*o, pin_kind::tool, name)) having.push_back(server);
    }
    std::sort(having.begin(), having.end());
  }
  return having;
}

COMCP_LAZY_DECL error registry_offers::held_back(server_offers const& o, pin_kind kind, std::string_view name) {
  auto const found = o.findings.find(std::pair(kind, std::string(name)));
  bool const held = found != o.findings.end() && found->second.verdict == pin_verdict::block;
  return held ? found->second.to_error() : error();
}

template <class T>
error registry_offers::blocks(server_offers& o, std::string_view name) {
  if (held_back(o, pin_kind_of<T>, name)) check<T>(o);
  return held_back(o, pin_kind_of<T>, name);
}

}  // namespace comcp::detail
