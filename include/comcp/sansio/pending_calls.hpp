// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Who waits for what, and until when: the slot table behind every call. A slot's generation and index make
// the request id, so an id is used once; take() decides the one winner among reply, timeout, cancel and close.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include <comcp/later.hpp>

namespace comcp::sansio {

/// Payload is what a waiting call is to the caller of this class: cheap to copy, such as a pointer.
template <class Payload>
class pending_calls {
 public:
  using clock = std::chrono::steady_clock;
  using time_point = clock::time_point;
  using duration = clock::duration;
  using id_type = std::uint64_t;  ///< below 2^53, never 0

  /// At most `bound` calls wait at once, and beside them what add() is told not to count.
  explicit pending_calls(std::size_t bound = 65536) : bound_(std::min<std::size_t>(bound, index_mask)) {}

  /// Registers a call that waits `timeout` from now, which progress may extend, and until `hard` at the latest.
  /// Returns 0 when the bound is met; an `extra` one does not count towards it.
  id_type add(Payload payload, time_point now, duration timeout, time_point hard, bool extra = false) {
    if (heap_.size() >= most(extra)) return 0;
    auto const index = acquire();
    auto& s = slots_[index];
    s.payload = payload;
    s.extra = extra;
    extras_ += extra;
    s.timeout = timeout;
    s.hard = hard;
    s.soft = paused_at_ ? time_point::max() : comcp::detail::later(now, timeout);
    s.remaining = timeout;
    s.position = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(index);
    sift_up(s.position);
    return (static_cast<id_type>(s.generation) << index_bits) | index;
  }

  /// The payload of this call, which thereby ends; nothing when it has ended before.
  std::optional<Payload> take(id_type id) noexcept {
    auto* s = slot_of(id);
    if (!s) return {};
    auto const payload = s->payload;
    release(static_cast<std::uint32_t>(id & index_mask));
    return payload;
  }

  [[nodiscard]] Payload const* find(id_type id) const noexcept {
    auto const* s = const_cast<pending_calls*>(this)->slot_of(id);
    return s ? &s->payload : nullptr;
  }

  /// Progress came: the timeout starts anew, the hard bound stays.
  void extend(id_type id, time_point now) noexcept {
    auto* s = slot_of(id);
    if (!s) return;
    s->remaining = s->timeout;
    if (!paused_at_) s->soft = comcp::detail::later(now, s->timeout);
    restore(s->position);
  }

  /// Stops every clock but the hard bounds, until as many resume() calls came as pause() calls.
  void pause(time_point now) noexcept {
    if (pauses_++ > 0) return;
    paused_at_ = now;
    for (auto const index : heap_) {
      auto& s = slots_[index];
      s.remaining = s.soft > now ? s.soft - now : duration::zero();
      s.soft = time_point::max();
    }
    rebuild();
  }
  void resume(time_point now) noexcept {
    if (--pauses_ > 0) return;
    paused_at_.reset();
    for (auto const index : heap_) slots_[index].soft = comcp::detail::later(now, slots_[index].remaining);
    rebuild();
  }

  /// The earliest moment at which expired() may have something.
  [[nodiscard]] std::optional<time_point> next_deadline() const noexcept {
    if (heap_.empty() || due(heap_.front()) == time_point::max()) return {};
    return due(heap_.front());
  }

  /// One call whose time is over at `now`, or 0. The caller takes it.
  [[nodiscard]] id_type expired(time_point now) const noexcept {
    if (heap_.empty() || due(heap_.front()) > now) return 0;
    return id_at(heap_.front());
  }

  /// Any call that still waits, or 0: for closing.
  [[nodiscard]] id_type any() const noexcept { return heap_.empty() ? 0 : id_at(heap_.front()); }

  /// All calls that wait now.
  [[nodiscard]] std::vector<id_type> ids() const {
    std::vector<id_type> all;
    all.reserve(heap_.size());
    for (auto const index : heap_) all.push_back(id_at(index));
    return all;
  }

  /// Whether this id was given out once, so that an answer to it is late rather than unknown.
  [[nodiscard]] bool was_used(id_type id) const noexcept {
    auto const index = static_cast<std::size_t>(id & index_mask);
    auto const generation = id >> index_bits;
    return index < slots_.size() && generation > 0 && generation <= slots_[index].generation;
  }

  /// How many more that are not extra add() would find a place for.
  [[nodiscard]] std::size_t room() const noexcept { return most(false) - std::min(heap_.size(), most(false)); }

  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

  /// Enters a call into a line of some that wait for one thing. Those that ended meanwhile leave from time to time: a
  /// line stays as short as two times what waits.
  template <class Line>
  void line_up(Line& line, id_type id) const {
    if (line.size() >= 2 * size() + 16) erase_if(line, [this](id_type old) { return !find(old); });  // of any container
    line.push_back(id);
  }

 private:
  static constexpr unsigned index_bits = 20;
  static constexpr id_type index_mask = (id_type{1} << index_bits) - 1;
  static constexpr std::uint32_t idle = UINT32_MAX;

  struct slot {
    Payload payload{};
    time_point soft{}, hard{};
    duration timeout{}, remaining{};
    std::uint32_t generation = 0;
    std::uint32_t position = idle;  // in heap_
    bool extra = false;
  };

  [[nodiscard]] std::size_t most(bool extra) const noexcept {
    return std::min<std::size_t>(extra ? index_mask : bound_ + extras_, index_mask);
  }
  [[nodiscard]] time_point due(std::uint32_t index) const noexcept {
    return std::min(slots_[index].soft, slots_[index].hard);
  }
  [[nodiscard]] id_type id_at(std::uint32_t index) const noexcept {
    return (static_cast<id_type>(slots_[index].generation) << index_bits) | index;
  }

  slot* slot_of(id_type id) noexcept {
    auto const index = static_cast<std::size_t>(id & index_mask);
    if (index >= slots_.size()) return nullptr;
    auto& s = slots_[index];
    return s.position != idle && s.generation == id >> index_bits ? &s : nullptr;
  }

  std::uint32_t acquire() {
    if (free_.empty()) {
      slots_.emplace_back();
      free_.reserve(slots_.capacity());  // so that release() never allocates
      heap_.reserve(slots_.capacity());
      free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    }
    auto const index = free_.back();
    free_.pop_back();
    ++slots_[index].generation;
    return index;
  }

  void release(std::uint32_t index) noexcept {
    auto const hole = slots_[index].position;
    slots_[index].position = idle;
    extras_ -= slots_[index].extra;
    auto const last = heap_.back();
    heap_.pop_back();
    // A generation that is used up retires its slot, so that no id ever comes twice.
    if (slots_[index].generation != UINT32_MAX) free_.push_back(index);
    if (last == index) return;
    place(hole, last);
    restore(hole);
  }

  void place(std::uint32_t position, std::uint32_t index) noexcept {
    heap_[position] = index;
    slots_[index].position = position;
  }

  void restore(std::uint32_t position) noexcept { sift_down(sift_up(position)); }

  std::uint32_t sift_up(std::uint32_t position) noexcept {
    auto const index = heap_[position];
    auto const key = due(index);
    while (position > 0) {
      auto const parent = (position - 1) / 2;
      if (due(heap_[parent]) <= key) break;
      place(position, heap_[parent]);
      position = parent;
    }
    place(position, index);
    return position;
  }

  void sift_down(std::uint32_t position) noexcept {
    auto const index = heap_[position];
    auto const key = due(index);
    auto const size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      auto child = 2 * position + 1;
      if (child >= size) break;
      if (child + 1 < size && due(heap_[child + 1]) < due(heap_[child])) ++child;
      if (key <= due(heap_[child])) break;
      place(position, heap_[child]);
      position = child;
    }
    place(position, index);
  }

  void rebuild() noexcept {
    for (auto i = static_cast<std::uint32_t>(heap_.size()); i-- > 0;) sift_down(i);
  }

  std::size_t bound_;
  std::size_t extras_ = 0;  // of those that wait
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> heap_;  // slot indices, the earliest due first
  std::optional<time_point> paused_at_;
  int pauses_ = 0;
};

}  // namespace comcp::sansio
