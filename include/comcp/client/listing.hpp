// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A list that a server gave: all pages in one, with what was set aside. And the pager, which walks lazily.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <asio/awaitable.hpp>

#include <comcp/client/call.hpp>
#include <comcp/client/link.hpp>
#include <comcp/client/operation.hpp>
#include <comcp/net/spawn.hpp>
#include <comcp/protocol/prompts.hpp>
#include <comcp/protocol/resources.hpp>
#include <comcp/protocol/tools.hpp>

namespace comcp {

/// A whole list. One broken definition is set aside with its reason; the rest is here.
template <class T>
class listing {
 public:
  listing() = default;
  [[nodiscard]] auto begin() const noexcept { return items_.begin(); }
  [[nodiscard]] auto end() const noexcept { return items_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] bool empty() const noexcept { return items_.empty(); }
  [[nodiscard]] T const& operator[](std::size_t i) const noexcept { return items_[i]; }
  [[nodiscard]] std::vector<T> const& items() const& noexcept { return items_; }
  [[nodiscard]] std::vector<T> items() && noexcept { return std::move(items_); }
  [[nodiscard]] std::vector<comcp::set_aside> const& set_aside() const noexcept { return set_aside_; }
  /// The first with this name, or null.
  [[nodiscard]] T const* find(std::string_view name) const noexcept {
    for (auto const& item : items_) {
      if (item.name == name) return &item;
    }
    return nullptr;
  }

  void append(std::vector<T> items, std::vector<comcp::set_aside> aside) {
    if (items_.empty()) {
      items_ = std::move(items);
    } else {
      items_.insert(items_.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    }
    set_aside_.insert(set_aside_.end(), aside.begin(), aside.end());
  }

 private:
  std::vector<T> items_;
  std::vector<comcp::set_aside> set_aside_;
};

namespace detail {

template <class T>
struct list_traits;
template <>
struct list_traits<tool> {
  using page = list_tools_result;
  static constexpr auto const& method = wire::methods::list_tools;
  static constexpr std::string_view kind = "tools";
  static auto& items(page& p) { return p.tools; }
};
template <>
struct list_traits<resource> {
  using page = list_resources_result;
  static constexpr auto const& method = wire::methods::list_resources;
  static constexpr std::string_view kind = "resources";
  static auto& items(page& p) { return p.resources; }
};
template <>
struct list_traits<resource_template> {
  using page = list_resource_templates_result;
  static constexpr auto const& method = wire::methods::list_resource_templates;
  static constexpr std::string_view kind = "resources";
  static auto& items(page& p) { return p.resource_templates; }
};
template <>
struct list_traits<prompt> {
  using page = list_prompts_result;
  static constexpr auto const& method = wire::methods::list_prompts;
  static constexpr std::string_view kind = "prompts";
  static auto& items(page& p) { return p.prompts; }
};

/// Tells the observer, on home.
inline void report_set_aside(std::shared_ptr<client_link> const& core, comcp::set_aside const& broken) {
  auto tell = [core, why = error(errc::wrong_shape, "a definition was set aside: " + broken.reason)] { core->fault(why); };
  detail::post(core->home(), std::move(tell));
}

/// One page, decoded. `of` is the uri of what is listed, where it is not the server's only list of its kind. The
/// size of its text is added to `bytes`.
template <class T>
asio::awaitable<typename list_traits<T>::page> list_page(std::shared_ptr<client_link> core,
                                                         std::optional<std::string> from, call_options options,
                                                         std::string of = {}, std::size_t* bytes = nullptr) {
  require(core);
  json::object asked;
  if (!of.empty()) asked.set("uri", of);
  if (from) asked.set("cursor", *from);
  std::string params = asked.text();
  if (params == "{}") params.clear();
  prepared_call c(list_traits<T>::method, std::move(params), std::move(options));
  c.repeatable = true;
  auto called = typed_call<json::value>(core, std::move(c));
  auto const v = co_await std::move(called);
  if (bytes) *bytes += v.text_size();
  auto page = json::read<typename list_traits<T>::page>(v.view());
  if (!page) throw exception(page.error().with_code(make_error_code(errc::protocol_violation)));
  if constexpr (std::same_as<T, tool>) {
    auto adopting = core->adopt_tools(*page);
    co_await std::move(adopting);
  }
  for (auto const& broken : page->set_aside) report_set_aside(core, broken);
  co_return std::move(*page);
}

}  // namespace detail

/// Walks a list page by page, as far as the caller wants. Bounded by limits().pages(), items() and list_bytes(); a cursor that
/// comes twice is errc::protocol_violation. One next() at a time.
template <class T>
class pager {
 public:
  using page_type = typename detail::list_traits<T>::page;

  pager(std::shared_ptr<detail::client_link> core, call_options options, std::string of = {})
      : state_(std::make_shared<state>(std::move(core), std::move(options), std::move(of))) {}

  /// The next page, or nothing behind the last one.
  [[nodiscard]] asio::awaitable<std::optional<page_type>> next() { return step(state_); }

 private:
  struct state {
    state(std::shared_ptr<detail::client_link> c, call_options o, std::string u)
        : core(std::move(c)), options(std::move(o)), of(std::move(u)) {}
    std::shared_ptr<detail::client_link> core;
    call_options options;
    std::string of;
    std::optional<std::string> cursor;
    std::set<std::pair<std::size_t, std::size_t>> seen;  // lengths and hashes: a cursor may be long
    std::size_t pages = 0, items = 0, bytes = 0;
    bool done = false;
  };

  static asio::awaitable<std::optional<page_type>> step(std::shared_ptr<state> s) {
    if (s->done) co_return std::nullopt;
    auto const limits = s->core->bounds(s->options);
    if (++s->pages > limits.pages) throw exception(error(errc::limit_exceeded, "more pages than limits().pages()"));
    auto page = co_await detail::list_page<T>(s->core, s->cursor, s->options, s->of, &s->bytes);
    s->items += detail::list_traits<T>::items(page).size();
    if (s->items > limits.items) throw exception(error(errc::limit_exceeded, "more items than limits().items()"));
    if (s->bytes > limits.bytes)
      throw exception(error(errc::limit_exceeded, "more bytes than limits().list_bytes()"));
    s->cursor = page.next_cursor;
    if (!s->cursor) {
      s->done = true;
    } else if (!s->seen.emplace(s->cursor->size(), std::hash<std::string>()(*s->cursor)).second) {
      throw exception(error(errc::protocol_violation, "the server gave one cursor twice"));
    }
    co_return std::optional<page_type>(std::move(page));
  }

  std::shared_ptr<state> state_;
};

namespace detail {

template <class T>
asio::awaitable<listing<T>> list_all(std::shared_ptr<client_link> core, call_options options) {
  require(core);
  auto const bounds = core->bounds(options);
  pager<T> pages(core, options);
  listing<T> all;
  bool inside = false;
  // Once: a cursor that the cache kept may be of a list that is no more.
  bool may_restart = bounds.cached;
  for (;;) {
    std::optional<typename list_traits<T>::page> page;
    bool lost = false;
    try {
      page = co_await pages.next();
    } catch (exception const& e) {
      lost = inside && may_restart && e.error().peer();
      if (!lost) throw;
    }
    if (lost) {
      may_restart = inside = false;
      pages = pager<T>(core, options);
      all = listing<T>();
      continue;
    }
    if (!page) co_return all;
    inside = true;
    all.append(std::move(list_traits<T>::items(*page)), std::move(page->set_aside));
    if (core->bounds(options).now > bounds.end) throw exception(error(errc::timeout, "the list was not complete within the hard timeout"));
  }
}

}  // namespace detail

namespace detail {

/// One refresh in flight, one trailing, debounced: after each change the listener gets the whole list.
template <class T>
struct list_watcher : std::enable_shared_from_this<list_watcher<T>> {
  using listener = std::function<void(result<listing<T>>)>;
  static constexpr std::chrono::milliseconds debounce{300};

  list_watcher(std::weak_ptr<client_link> c, listener f) : core(std::move(c)), call(std::move(f)) {}

  void changed() {
    dirty = true;
    auto const alive = core.lock();
    if (running || !alive || stopped) return;
    running = true;
    detail::spawn(alive->home(), refresh(this->shared_from_this(), alive));
  }

  static asio::awaitable<void> refresh(std::shared_ptr<list_watcher> self, std::shared_ptr<client_link> alive) {
    while (self->dirty && !self->stopped) {
      auto const ended = co_await alive->life().sleep(debounce);
      if (ended || self->stopped) break;
      self->dirty = false;
      result<listing<T>> outcome = error(errc::closed);
      try {
        outcome = co_await list_all<T>(alive, call_options());
      } catch (exception const& e) {
        outcome = e.error();
      }
      self->give(alive, std::move(outcome));
    }
    self->running = false;
  }

  void silent(error const& why) {
    auto const alive = core.lock();
    if (!alive) return;
    auto tell = [self = this->shared_from_this(), alive, why] { self->give(alive, why); };
    detail::post(alive->home(), std::move(tell));
  }

  void give(std::shared_ptr<client_link> const& alive, result<listing<T>> outcome) {
    try {
      if (!stopped) call(std::move(outcome));
    } catch (...) {
      alive->fault(error(errc::invalid_argument, "a listener of a watched list threw"));
    }
  }

  std::weak_ptr<client_link> core;
  listener call;
  bool dirty = false, running = false;
  std::atomic<bool> stopped{false};  // by any thread; the rest is home's
  std::uint64_t handle = 0;
};

}  // namespace detail
}  // namespace comcp
