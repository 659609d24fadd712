// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// result<T>: a value or one error. The shape of std::expected, which C++20 lacks.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include <comcp/error.hpp>

namespace comcp {

/// A T or the error that kept it from being one. `value()` throws comcp::exception.
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result() requires std::is_default_constructible_v<T> = default;
  result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  result(comcp::error e) : state_(std::in_place_index<1>, std::move(e)) {}
  result(errc e) : result(comcp::error(e)) {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  T const& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  T const* operator->() const noexcept { return std::get_if<0>(&state_); }

  T& value() & { return check(), **this; }
  T const& value() const& { return check(), **this; }
  T&& value() && { return check(), std::move(*std::get_if<0>(&state_)); }

  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }

  /// Precondition: !has_value().
  [[nodiscard]] comcp::error const& error() const& noexcept { return *std::get_if<1>(&state_); }
  [[nodiscard]] comcp::error&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

 private:
  void check() const {
    if (!has_value()) throw exception(*std::get_if<1>(&state_));
  }

  std::variant<T, comcp::error> state_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;

  result() = default;
  result(comcp::error e) : error_(std::move(e)) {}
  result(errc e) : result(comcp::error(e)) {}

  [[nodiscard]] bool has_value() const noexcept { return !error_; }
  explicit operator bool() const noexcept { return has_value(); }
  void operator*() const noexcept {}
  void value() const {
    if (error_) throw exception(error_);
  }
  [[nodiscard]] comcp::error const& error() const noexcept { return error_; }

 private:
  comcp::error error_;
};

}  // namespace comcp
