// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include <comcp/json/writer.hpp>
#include <comcp/sansio/cache.hpp>

namespace comcp {

COMCP_DECL bool covers(cache_change const& change, cache_key const& key) noexcept {
  if (change.server != key.server || change.method != key.method) return false;
  if (change.uri.empty() || change.uri == key.uri) return true;
  if (key.uri.empty() || !change.uri.starts_with(key.uri)) return false;
  constexpr std::string_view ends("/?#");
  return ends.find(change.uri[key.uri.size()]) != ends.npos || key.uri.back() == '/';
}

namespace sansio {
namespace detail {

COMCP_DECL void write_canonical(json::writer& w, json::view v, bool outermost);

COMCP_DECL void write_sorted(json::writer& w, json::view object, bool outermost) {
  std::vector<json::member> members;
  for (auto const m : object.members()) {
    if (!outermost || m.key != "_meta") members.push_back(m);
  }
  // Keys lie in memory in the order of the text. (Not stable_sort: clang warns of what libstdc++ 12 does there.)
  std::sort(members.begin(), members.end(), [](auto const& a, auto const& b) {
    return a.key == b.key ? std::less<>()(a.key.data(), b.key.data()) : a.key < b.key;
  });
  w.begin_object();
  for (auto const& m : members) {
    w.key(m.key);
    write_canonical(w, m.value, false);
  }
  w.end_object();
}

COMCP_DECL void write_canonical(json::writer& w, json::view v, bool outermost) {
  if (v.is_object()) return write_sorted(w, v, outermost);
  if (!v.is_array()) return void(w.value(v));
  w.begin_array();
  for (auto const e : v.elements()) write_canonical(w, e, false);
  w.end_array();
}

}  // namespace detail

COMCP_DECL bool is_cacheable(std::string_view method) noexcept {
  constexpr std::array<std::string_view, 6> all{"tools/list",     "resources/read",           "resources/list",
                                                "prompts/list",   "resources/templates/list", "server/discover"};
  return std::find(all.begin(), all.end(), method) != all.end();
}

COMCP_DECL std::optional<cache_request> read_cache_request(std::string_view method, std::string_view params) {
  if (!is_cacheable(method)) return {};
  cache_request out;
  bool const reads = method == "resources/read";
  if (params.empty() || params == "{}") return reads ? std::nullopt : std::optional(std::move(out));
  auto const parsed = json::parse(params);
  if (!parsed || !parsed->is_object()) return {};
  auto const v = parsed->view();
  if (v.find("inputResponses") || v.find("requestState")) return {};
  if (reads) {
    auto const uri = v.find("uri");
    auto const text = uri ? uri->get_string() : std::nullopt;
    if (!text) return {};
    out.uri = *text;
  }
  out.has_cursor = v.find("cursor").has_value();
  json::writer w;
  detail::write_canonical(w, v, true);
  if (w.text() != "{}") out.params = std::move(w).text();
  return out;
}

COMCP_DECL std::optional<cache_hints> read_cache_hints(json::view result, std::chrono::milliseconds without_hint) {
  if (!result.is_object()) return {};
  auto const kind = result.find("resultType");
  if (kind && kind->get_string() != "complete") return {};
  cache_hints out;
  auto const ttl = result.find("ttlMs");
  bool const said = ttl && !ttl->is_null();
  out.time_to_live = time_to_live(said ? ttl->get_int64() : std::optional<std::int64_t>(without_hint.count()));
  auto const scope = result.find("cacheScope");
  if (scope && scope->get_string() == "public") out.scope = cache_scope::public_;
  return out;
}

COMCP_DECL std::vector<cache_change> read_cache_changes(std::string_view notification, json::view params) {
  std::vector<cache_change> out;
  if (notification == "notifications/tools/list_changed") out.emplace_back("tools/list", "");
  if (notification == "notifications/prompts/list_changed") out.emplace_back("prompts/list", "");
  if (notification == "notifications/resources/list_changed") {
    out.emplace_back("resources/list", "");
    out.emplace_back("resources/templates/list", "");
  }
  if (notification == "notifications/resources/updated") {
    constexpr std::size_t longest = 4096;  // beyond that: every read
    auto const uri = params.find("uri");
    auto const text = uri ? uri->get_string().value_or("") : std::string_view();
    if (!text.empty()) out.emplace_back("resources/read", text.size() > longest ? std::string() : std::string(text));
  }
  return out;
}

COMCP_DECL bool is_outage(error const& e) noexcept {
  if (e.peer()) return false;
  if (e == errc::http_status) return e.detail() && e.detail()->http_status.value_or(0) >= 500;
  constexpr std::array all{errc::timeout,         errc::outcome_unknown,  errc::connect_failed, errc::transport_failed,
                           errc::connect_timeout, errc::response_timeout, errc::idle_timeout,   errc::exchange_timeout,
                           errc::tls_failed,      errc::proxy_failed,     errc::missing_answer};
  return std::any_of(all.begin(), all.end(), [&e](errc c) { return e == c; });
}

COMCP_DECL std::optional<cached_result> cache_table::find(cache_key const& key, time_point now) {
  auto const found = entries_.find(key);
  if (found == entries_.end()) return {};
  auto& e = found->second;
  if (std::chrono::ceil<std::chrono::milliseconds>(now - e.kept.received) > bounds_.max_age()) {
    ++usage_.evictions;
    remove(found);
    return {};
  }
  used_.splice(used_.begin(), used_, e.place);
  return e.kept;
}

COMCP_DECL bool cache_table::store(cache_key key, cached_result r, std::uint64_t ticket) {
  constexpr std::size_t nodes = 512;  // what the entry itself takes
  auto const text = key.server.size() + key.method.size() + key.uri.size() + key.version.size() + key.audience.size() +
                    key.params.size();
  auto const bytes = nodes + text + r.result.memory();
  if (changed_since(ticket, key)) return false;
  erase(key);
  if (bytes > bounds_.max_result_bytes() || bytes > bounds_.max_bytes()) return false;
  auto const at = entries_.emplace(std::move(key), entry()).first;
  used_.push_front(&at->first);
  at->second = {std::move(r), bytes, used_.begin()};
  usage_.bytes += bytes;
  usage_.results = entries_.size();
  while (usage_.bytes > bounds_.max_bytes()) {
    ++usage_.evictions;
    remove(entries_.find(*used_.back()));
  }
  return true;
}

COMCP_DECL bool cache_table::erase(cache_key const& key) {
  auto const found = entries_.find(key);
  if (found == entries_.end()) return false;
  remove(found);
  return true;
}

COMCP_DECL void cache_table::invalidate(cache_change change) {
  cache_key first;
  first.server = change.server;
  first.method = change.method;
  for (auto i = entries_.lower_bound(first); i != entries_.end(); ++i) {
    if (i->first.server != change.server || i->first.method != change.method) break;
    if (covers(change, i->first)) i->second.kept.fresh_until = time_point::min();
  }
  recent_.push_back(std::move(change));
  if (recent_.size() > most_recent) recent_.pop_front();
  ++changes_;
}

COMCP_DECL void cache_table::clear() noexcept {
  used_.clear();
  entries_.clear();
  recent_.clear();  // as if everything had changed, for what is under way
  ++changes_;
  usage_.results = usage_.bytes = 0;
}

// What was forgotten of the changes may have concerned it.
COMCP_DECL bool cache_table::changed_since(std::uint64_t ticket, cache_key const& key) const noexcept {
  auto const since = changes_ - ticket;
  if (since > recent_.size()) return true;
  return std::any_of(recent_.end() - static_cast<std::ptrdiff_t>(since), recent_.end(),
                     [&key](cache_change const& c) { return covers(c, key); });
}

COMCP_DECL void cache_table::remove(entries::iterator at) noexcept {
  usage_.bytes -= at->second.bytes;
  used_.erase(at->second.place);
  entries_.erase(at);
  usage_.results = entries_.size();
}

}  // namespace sansio
}  // namespace comcp
