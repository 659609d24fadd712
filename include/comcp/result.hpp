// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// result<T>: a value or one error. The shape of std::expected, which C++20 lacks.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <comcp/error.hpp>

namespace comcp {

/// A T or the error that kept it from being one. `value()` throws comcp::exception.
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result() requires std::is_default_constructible_v<T> : value_(), has_value_(true) {}
  result(T value) : value_(std::move(value)), has_value_(true) {}
  result(comcp::error e) noexcept : error_(std::move(e)), has_value_(false) {}
  result(errc e) : result(comcp::error(e)) {}

  result(result const& other) requires std::copy_constructible<T> : has_value_(other.has_value_) {
    if (has_value_) {
      std::construct_at(&value_, other.value_);
    } else {
      std::construct_at(&error_, other.error_);
    }
  }
  result(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : has_value_(other.has_value_) {
    if (has_value_) {
      std::construct_at(&value_, std::move(other.value_));
    } else {
      std::construct_at(&error_, std::move(other.error_));
    }
  }
  result& operator=(result const& other) requires std::copy_constructible<T> { return *this = result(other); }
  result& operator=(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this == &other) return *this;
    if (!other.has_value_) {
      comcp::error e = std::move(other.error_);
      clear();
      std::construct_at(&error_, std::move(e));
      has_value_ = false;
    } else {
      replace(std::move(other.value_));
    }
    return *this;
  }
  ~result() { clear(); }

  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value_; }

  T& operator*() & noexcept { return value_; }
  T const& operator*() const& noexcept { return value_; }
  T&& operator*() && noexcept { return std::move(value_); }
  T* operator->() noexcept { return &value_; }
  T const* operator->() const noexcept { return &value_; }

  T& value() & { return check(), value_; }
  T const& value() const& { return check(), value_; }
  T&& value() && { return check(), std::move(value_); }

  template <class U>
  T value_or(U&& other) const& {
    return has_value() ? **this : static_cast<T>(std::forward<U>(other));
  }

  /// Precondition: !has_value().
  [[nodiscard]] comcp::error const& error() const& noexcept { return error_; }
  [[nodiscard]] comcp::error&& error() && noexcept { return std::move(error_); }

 private:
  void check() const {
    if (!has_value_) throw exception(error_);
  }
  void clear() noexcept {
    if (has_value_) {
      std::destroy_at(&value_);
    } else {
      std::destroy_at(&error_);
    }
  }
  void replace(T&& value) {
    clear();
    if constexpr (std::is_nothrow_move_constructible_v<T>) {
      std::construct_at(&value_, std::move(value));
    } else {
      try {
        std::construct_at(&value_, std::move(value));
      } catch (...) {
        std::construct_at(&error_);
        has_value_ = false;
        throw;
      }
    }
    has_value_ = true;
  }

  // Not std::variant: it costs a program with forty kinds of results seconds of compile time.
  union {
    T value_;
    comcp::error error_;
  };
  bool has_value_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;

  result() = default;
  result(comcp::error e) noexcept : error_(std::move(e)), has_value_(false) {}
  result(errc e) : result(comcp::error(e)) {}

  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value(); }
  void operator*() const noexcept {}
  void value() const {
    if (!has_value_) throw exception(error_);
  }
  [[nodiscard]] comcp::error const& error() const noexcept { return error_; }

 private:
  comcp::error error_;
  bool has_value_ = true;  // a peer's code may be 0, which error_ alone does not tell from none
};

}  // namespace comcp
