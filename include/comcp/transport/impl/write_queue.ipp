// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include <comcp/transport/write_queue.hpp>

namespace comcp::detail {

COMCP_DECL result<void> write_queue::push(outgoing&& message) {
  if (auto why = limits_.refuses(message.text.size(), size_, bytes_)) return why;
  if (size_ == ring_.size()) grow();
  entry& e = at(size_);
  e.text = std::move(message.text);
  e.id = message.id;
  e.pinned = message.handshake;
  e.has_newline = e.text.capacity() > e.text.size();
  if (e.has_newline) e.text.push_back('\n');
  bytes_ += length(e);
  ++size_;
  return {};
}

COMCP_DECL void write_queue::grow() {
  std::vector<entry> bigger(std::max<std::size_t>(16, 2 * ring_.size()));
  for (std::size_t i = 0; i != size_; ++i) bigger[i] = std::move(at(i));
  ring_ = std::move(bigger);
  head_ = 0;
}

COMCP_DECL void write_queue::erase(std::size_t i) noexcept {
  bytes_ -= length(at(i));
  for (; i + 1 < size_; ++i) at(i) = std::move(at(i + 1));
  at(--size_).text = {};
}

COMCP_DECL bool write_queue::abandon(request_id id) noexcept {
  if (id == 0) return false;
  for (std::size_t i = size_; i > started_; --i) {
    if (at(i - 1).id != id) continue;
    if (at(i - 1).pinned) return false;
    erase(i - 1);
    return true;
  }
  return false;
}

COMCP_DECL std::span<asio::const_buffer const> write_queue::gather() {
  started_ = 0;
  if (size_ > 1 && bytes_of_first() <= joined_limit) return gather_joined();
  return size_ > 0 ? gather_first() : std::span<asio::const_buffer const>();
}

COMCP_DECL std::span<asio::const_buffer const> write_queue::gather_first() {
  static constexpr char newline = '\n';
  std::size_t n = 0;
  entry const& e = at(started_++);
  if (offset_ < e.text.size()) buffers_[n++] = asio::const_buffer(e.text.data() + offset_, e.text.size() - offset_);
  if (!e.has_newline) buffers_[n++] = asio::const_buffer(&newline, 1);
  return {buffers_.data(), n};
}

// Copying short messages together costs less than a buffer of its own for each, of which Asio passes on 64 at most.
COMCP_DECL std::span<asio::const_buffer const> write_queue::gather_joined() {
  joined_.clear();
  for (std::size_t skip = offset_; started_ != size_; skip = 0) {
    entry const& e = at(started_);
    if (started_ > 0 && joined_.size() + length(e) > joined_limit) break;
    joined_.append(e.text, std::min(skip, e.text.size()));
    if (!e.has_newline) joined_ += '\n';
    ++started_;
  }
  buffers_[0] = asio::const_buffer(joined_.data(), joined_.size());
  return {buffers_.data(), 1};
}

COMCP_DECL std::size_t write_queue::consume(std::size_t n) noexcept {
  std::size_t finished = 0;
  offset_ += n;
  while (size_ > 0 && offset_ >= length(at(0))) {
    std::size_t const done = length(at(0));
    offset_ -= done;
    bytes_ -= done;
    at(0).text = {};
    head_ = (head_ + 1) & (ring_.size() - 1);
    --size_;
    ++finished;
  }
  started_ = offset_ > 0 ? 1 : 0;
  return finished;
}

}  // namespace comcp::detail
