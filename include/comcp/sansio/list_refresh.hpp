// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// When the lists of one server are read: one refresh at a time and one after it, changes gathered before that. Who drives
// it waits and reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace comcp::sansio {

class list_refresh {
 public:
  enum class want : std::uint8_t {
    rest,    ///< Nothing to do until touch() says so.
    gather,  ///< Wait for what else changes, or until it is to be at once, then next().
    read,    ///< Read what take() gives, then finished().
  };

  /// These lists, a set of bits, are to be read: soon, or at once. True where somebody is to begin with next().
  [[nodiscard]] bool touch(unsigned lists, bool at_once) noexcept {
    lists_ |= lists;
    due_ = std::max(due_, at_once ? due::now : due::soon);
    return !std::exchange(driven_, true);
  }
  /// Without a connection everything waits for the next one, which touches all.
  [[nodiscard]] want next(bool connected) noexcept {
    if (lists_ != 0 && due_ == due::soon) return due_ = due::gathered, want::gather;
    if (lists_ != 0 && connected) return want::read;
    driven_ = false;
    return want::rest;
  }
  /// What is read now, from this connection, of which there is one after the other from 1 on.
  [[nodiscard]] unsigned take(std::uint64_t connection) noexcept {
    reading_from_ = connection;
    answers_ = asked_;
    due_ = due::never;
    return std::exchange(lists_, 0);
  }
  void finished() noexcept {
    read_from_ = reading_from_;
    answered_ = answers_;
  }

  /// For one who waits for a refresh that begins after this: its number.
  [[nodiscard]] std::uint64_t ask() noexcept { return ++asked_; }
  [[nodiscard]] bool has_answered(std::uint64_t number) const noexcept { return answered_ >= number; }

  /// Whether all lists of this connection were read, and nothing is left to read.
  [[nodiscard]] bool is_current(std::uint64_t connection) const noexcept {
    return connection != 0 && read_from_ == connection && !driven_ && lists_ == 0;
  }
  /// What was read counts no more.
  void forget() noexcept { read_from_ = 0; }

 private:
  enum class due : std::uint8_t { never, soon, gathered, now };

  unsigned lists_ = 0;  // that are to be read
  due due_ = due::never;
  bool driven_ = false;
  std::uint64_t asked_ = 0, answers_ = 0, answered_ = 0;
  std::uint64_t reading_from_ = 0, read_from_ = 0;
};

}  // namespace comcp::sansio
