// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A tracing system for tests: it keeps what it was told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <comcp/trace/span.hpp>

namespace comcp_test {

class recorded_spans {
 public:
  struct record {
    explicit record(comcp::span_start s) : start(std::move(s)) {
      for (auto& a : start.attributes) put(a.key, a.value);
    }
    void put(std::string_view key, comcp::span_value const& value) {
      auto const* const text = std::get_if<std::string>(&value);
      auto const* const number = std::get_if<std::int64_t>(&value);
      attributes[std::string(key)] = text ? *text : number ? std::to_string(*number) : "?";
    }
    [[nodiscard]] std::string text(std::string const& key) const {
      auto const found = attributes.find(key);
      return found == attributes.end() ? std::string() : found->second;
    }
    comcp::span_start start;
    std::map<std::string, std::string> attributes;
    std::vector<std::string> events;
    std::string failure;
    int ended = 0;
  };

  comcp::trace_context context;  ///< Of the spans; empty: comcp makes them.
  bool records = true;
  int throws = 0;                ///< 1: the hook, 2: every member of its spans.

  [[nodiscard]] comcp::span_hook hook() {
    return [this](comcp::span_start const& s) -> std::shared_ptr<comcp::span> {
      if (throws == 1) throw std::runtime_error("hook");
      if (!records) return nullptr;
      all_.push_back(std::make_shared<record>(s));
      return std::make_shared<one>(*this, all_.back());
    };
  }

  [[nodiscard]] std::deque<std::shared_ptr<record>> const& all() const { return all_; }
  [[nodiscard]] record const& first() const { return *all_.at(0); }
  [[nodiscard]] record const& last() const { return *all_.at(all_.size() - 1); }
  [[nodiscard]] std::ptrdiff_t count(std::string_view name) const {
    return std::count_if(all_.begin(), all_.end(), [&](auto const& r) { return r->start.name == name; });
  }
  [[nodiscard]] record const& named(std::string_view name) const {
    auto const found = std::find_if(all_.begin(), all_.end(), [&](auto const& r) { return r->start.name == name; });
    if (found == all_.end()) throw std::runtime_error("no span " + std::string(name));
    return **found;
  }
  [[nodiscard]] std::ptrdiff_t open() const {
    return std::count_if(all_.begin(), all_.end(), [](auto const& r) { return r->ended == 0; });
  }
  void clear() { all_.clear(); }

 private:
  struct one final : comcp::span {
    one(recorded_spans const& o, std::shared_ptr<record> r) : own(o.context), throws(o.throws == 2), to(std::move(r)) {}
    void set(std::string_view key, comcp::span_value value) override {
      may_throw();
      to->put(key, value);
    }
    void event(std::string_view name, std::vector<comcp::span_attribute>) override {
      may_throw();
      to->events.emplace_back(name);
    }
    void end(std::string_view failure) override {
      may_throw();
      ++to->ended;
      to->failure = failure;
    }
    [[nodiscard]] comcp::trace_context context() const override {
      may_throw();
      return own;
    }
    void may_throw() const {
      if (throws) throw std::runtime_error("span");
    }
    comcp::trace_context const own;  // a span may outlive who records it
    bool const throws;
    std::shared_ptr<record> to;
  };

  std::deque<std::shared_ptr<record>> all_;
};

}  // namespace comcp_test
