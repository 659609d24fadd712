// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What all servers offer, as it was at one moment. Immutable; each server's part is shared between versions, so that a
// refresh of one server costs nothing for the others. When to refresh is the registry's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <comcp/error.hpp>
#include <comcp/protocol/prompts.hpp>
#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/tools.hpp>
#include <comcp/registry/qualified_name.hpp>

namespace comcp {

/// A definition and where it came from.
template <class T>
struct catalog_entry {
  catalog_entry() = default;
  std::string server_name;
  std::string original_name;  ///< The server's own: of a tool or prompt its name, of a resource its uri, of a template its uriTemplate.
  std::string name;           ///< server_name + separator + original_name.
  T definition;
};

/// What came and went with one refresh, or with a server. Names are original_name, in order.
struct catalog_change {
  catalog_change() = default;
  std::string server_name;
  std::string kind;  ///< "tools", "resources", "resource_templates" or "prompts".
  std::vector<std::string> added, removed, changed;

  [[nodiscard]] bool empty() const noexcept { return added.empty() && removed.empty() && changed.empty(); }
};

/// Something that is missing from the catalog, and why: a definition that cannot be read, one whose name comes twice, or
/// a whole list that the server did not give (the one it gave before stays).
struct catalog_fault {
  catalog_fault() = default;
  catalog_fault(std::string server, std::string_view of, error why)
      : server_name(std::move(server)), kind(of), reason(std::move(why)) {}
  std::string server_name;
  std::string kind;
  error reason;
};

namespace detail {

template <class T>
struct catalog_kind;
template <>
struct catalog_kind<tool> {
  static constexpr std::string_view name = "tools";
  static constexpr std::size_t place = 0;
  static std::string& key(tool& t) { return t.name; }
};
template <>
struct catalog_kind<resource> {
  static constexpr std::string_view name = "resources";
  static constexpr std::size_t place = 1;
  static std::string& key(resource& r) { return r.uri; }
};
template <>
struct catalog_kind<resource_template> {
  static constexpr std::string_view name = "resource_templates";
  static constexpr std::size_t place = 2;
  static std::string& key(resource_template& t) { return t.uri_template; }
};
template <>
struct catalog_kind<prompt> {
  static constexpr std::string_view name = "prompts";
  static constexpr std::size_t place = 3;
  static std::string& key(prompt& p) { return p.name; }
};

/// One server's entries of one kind, by original_name, none twice.
template <class T>
using catalog_part = std::vector<catalog_entry<T>>;
template <class T>
using shared_part = std::shared_ptr<catalog_part<T> const>;

/// All servers' entries of one kind: by server_name, then by original_name.
template <class T>
struct catalog_contents {
  explicit catalog_contents(std::string sep) : separator(std::move(sep)) {}

  std::string separator;
  std::vector<std::pair<std::string, shared_part<T>>> parts;
  std::vector<catalog_entry<T> const*> all;
};

}  // namespace detail

/// All entries of one kind, in order: by server, then by name. A cheap snapshot that never changes and keeps alive what
/// it holds; references and iterators live as long as some copy of it. Safe from any thread.
template <class T>
class catalog_view {
 public:
  using value_type = catalog_entry<T>;

  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = catalog_entry<T>;
    using difference_type = std::ptrdiff_t;
    using pointer = value_type const*;
    using reference = value_type const&;

    iterator() = default;
    explicit iterator(value_type const* const* at) noexcept : at_(at) {}
    reference operator*() const noexcept { return **at_; }
    pointer operator->() const noexcept { return *at_; }
    iterator& operator++() noexcept { return ++at_, *this; }
    iterator operator++(int) noexcept { return iterator(at_++); }
    friend bool operator==(iterator const&, iterator const&) = default;

   private:
    value_type const* const* at_ = nullptr;
  };
  using const_iterator = iterator;

  explicit catalog_view(std::string separator = "/")
      : contents_(std::make_shared<detail::catalog_contents<T>>(std::move(separator))) {}

  [[nodiscard]] iterator begin() const noexcept { return iterator(contents_->all.data()); }
  [[nodiscard]] iterator end() const noexcept { return iterator(contents_->all.data() + contents_->all.size()); }
  [[nodiscard]] std::size_t size() const noexcept { return contents_->all.size(); }
  [[nodiscard]] bool empty() const noexcept { return contents_->all.empty(); }
  [[nodiscard]] value_type const& operator[](std::size_t i) const noexcept { return *contents_->all[i]; }

  /// By its qualified name; null if there is none.
  [[nodiscard]] value_type const* find(std::string_view name) const noexcept {
    auto const& separator = contents_->separator;
    auto const at = name.find(separator);
    return at == name.npos ? nullptr : find(name.substr(0, at), name.substr(at + separator.size()));
  }
  [[nodiscard]] value_type const* find(std::string_view server, std::string_view original_name) const noexcept {
    auto const part = of(server);
    return part ? find_in(*part, original_name) : nullptr;
  }
  /// Each server's entry of this bare name.
  [[nodiscard]] std::vector<value_type const*> find_all(std::string_view original_name) const {
    std::vector<value_type const*> found;
    for (auto const& [server, part] : contents_->parts) {
      if (auto const* const entry = find_in(*part, original_name)) found.push_back(entry);
    }
    return found;
  }

  /// One server's entries, null if it has none.
  [[nodiscard]] detail::shared_part<T> of(std::string_view server) const noexcept {
    auto const at = place(contents_->parts, server);
    return at != contents_->parts.end() && at->first == server ? at->second : nullptr;
  }
  /// The same catalog with another part for one server; null takes it out.
  [[nodiscard]] catalog_view with(std::string_view server, detail::shared_part<T> part) const {
    catalog_view next(contents_->separator);
    auto& to = *next.contents_;
    to.parts = contents_->parts;
    auto const at = place(to.parts, server);
    bool const there = at != to.parts.end() && at->first == server;
    if (part && !part->empty()) {
      if (there) at->second = std::move(part);
      else to.parts.emplace(at, server, std::move(part));
    } else if (there) {
      to.parts.erase(at);
    }
    std::size_t total = 0;
    for (auto const& p : to.parts) total += p.second->size();
    to.all.reserve(total);
    for (auto const& p : to.parts) {
      for (auto const& entry : *p.second) to.all.push_back(&entry);
    }
    return next;
  }

 private:
  template <class Parts>
  static auto place(Parts& parts, std::string_view server) {
    return std::lower_bound(parts.begin(), parts.end(), server, [](auto const& p, std::string_view s) { return p.first < s; });
  }
  static value_type const* find_in(detail::catalog_part<T> const& part, std::string_view name) noexcept {
    auto const at = std::lower_bound(part.begin(), part.end(), name,
                                     [](auto const& e, std::string_view n) { return e.original_name < n; });
    return at != part.end() && at->original_name == name ? &*at : nullptr;
  }

  std::shared_ptr<detail::catalog_contents<T>> contents_;  // changed by with() alone, before anybody sees it
};

namespace detail {

/// One server's part from its list. Of a name that comes twice the first counts; what is left out is told as faults.
template <class T>
shared_part<T> make_part(std::string const& server, std::string_view separator, std::vector<T> definitions,
                         std::vector<catalog_fault>& faults) {
  using kind = catalog_kind<T>;
  std::vector<T*> sorted;
  sorted.reserve(definitions.size());
  for (auto& definition : definitions) sorted.push_back(&definition);
  // Of one name in the order of the list. (Not stable_sort: clang warns of what libstdc++ 12 does there.)
  std::sort(sorted.begin(), sorted.end(), [](T* x, T* y) {
    int const order = kind::key(*x).compare(kind::key(*y));
    return order != 0 ? order < 0 : std::less<T*>()(x, y);
  });
  auto part = std::make_shared<catalog_part<T>>();
  part->reserve(sorted.size());
  for (auto* const definition : sorted) {
    catalog_entry<T> e;
    e.server_name = server;
    e.original_name = kind::key(*definition);
    e.name = qualified_name(server, e.original_name, separator);
    e.definition = std::move(*definition);
    part->push_back(std::move(e));
  }
  auto const again = [&](auto const& a, auto const& b) {
    if (a.original_name != b.original_name) return false;
    faults.emplace_back(server, kind::name, error(errc::protocol_violation, b.original_name + " comes twice: the first counts"));
    return true;
  };
  part->erase(std::unique(part->begin(), part->end(), again), part->end());
  return part;
}

/// What came, went or is another now. Null is a part without entries.
template <class T>
catalog_change difference(std::string const& server, shared_part<T> const& before, shared_part<T> const& after) {
  static catalog_part<T> const none;
  auto const& was = before ? *before : none;
  auto const& is = after ? *after : none;
  catalog_change c;
  c.server_name = server;
  c.kind = catalog_kind<T>::name;
  auto a = was.begin();
  auto b = is.begin();
  while (a != was.end() || b != is.end()) {
    if (b == is.end() || (a != was.end() && a->original_name < b->original_name)) {
      c.removed.push_back((a++)->original_name);
    } else if (a == was.end() || b->original_name < a->original_name) {
      c.added.push_back((b++)->original_name);
    } else {
      if (!(a->definition.raw == b->definition.raw)) c.changed.push_back(b->original_name);
      ++a, ++b;
    }
  }
  return c;
}

}  // namespace detail
}  // namespace comcp
