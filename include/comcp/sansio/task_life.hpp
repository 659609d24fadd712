// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the state of a task asks of who waits for its result, and when to ask for the next one. Who drives it waits, asks
// and sends.
// Specifications: 2025-11-25 basic/utilities/tasks; extension io.modelcontextprotocol/tasks.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>

#include <comcp/error.hpp>
#include <comcp/protocol/task_state.hpp>

namespace comcp::sansio {

enum class task_action : std::uint8_t {
  wait,          ///< pause(), then ask for its state.
  answer,        ///< take_requests(), send the answers, then wait.
  fetch_result,  ///< Legacy: tasks/result, which is asked for at the end, and as soon as the task wants input.
  deliver,       ///< Its result is in the state.
  fail,          ///< With the error in the state.
  cancelled,
};

class task_life {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using nanoseconds = std::chrono::nanoseconds;

  /// `pause` is what goes by between two questions where the server says nothing of it.
  task_life(bool modern, nanoseconds pause, time_point now) noexcept;

  [[nodiscard]] task_action learned(task_state const& s);
  /// Modern era: the server tells of changes by itself, so that questions become rarer.
  void told_by_itself() noexcept { is_told_ = true; }
  /// Those that were not taken before.
  [[nodiscard]] input_requests take_requests(task_state const& s);
  /// A question was not answered: whether to ask again.
  [[nodiscard]] bool goes_on(error const& e) noexcept;
  [[nodiscard]] nanoseconds pause(time_point now) const noexcept;
  /// What is left of its ttl.
  [[nodiscard]] nanoseconds left(time_point now) const noexcept;
  /// The server may have forgotten it.
  [[nodiscard]] bool is_outlived(time_point now) const noexcept { return now >= end_; }

 private:
  bool const modern_;
  bool is_told_ = false;
  unsigned failures_ = 0;  // in a row
  nanoseconds const preset_;
  nanoseconds pause_;
  time_point const begun_;
  time_point end_ = time_point::max();
  std::set<std::string> taken_;
};

}  // namespace comcp::sansio

#if !defined(COMCP_SEPARATE_COMPILATION)
#include <comcp/sansio/impl/task_life.ipp>
#endif
