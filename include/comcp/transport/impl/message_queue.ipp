// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <comcp/transport/message_queue.hpp>
#include <comcp/version.hpp>

namespace comcp {

COMCP_DECL error queue_limits::refuses(std::size_t size, std::size_t waiting, std::size_t waiting_bytes) const {
  if (waiting == 0) return {};
  if (waiting >= messages_) return {errc::queue_full, "queue_limits::messages is " + std::to_string(messages_)};
  if (waiting_bytes + size > bytes_) return {errc::queue_full, "queue_limits::bytes is " + std::to_string(bytes_)};
  return {};
}

namespace detail {

COMCP_DECL result<void> message_queue::push(outgoing&& message) {
  if (auto why = limits_.refuses(message.text.size(), texts_.size(), bytes_)) return why;
  labels_.push_back({message.id, message.handshake});
  bytes_ += message.text.size();
  texts_.push_back(std::move(message.text));
  return {};
}

COMCP_DECL bool message_queue::abandon(request_id id) noexcept {
  if (id == 0) return false;
  for (auto i = labels_.size(); i-- > 0;) {
    if (labels_[i].id != id) continue;
    if (labels_[i].pinned) return false;
    auto const at = static_cast<std::ptrdiff_t>(i);
    bytes_ -= texts_[i].size();
    labels_.erase(labels_.begin() + at);
    texts_.erase(texts_.begin() + at);
    return true;
  }
  return false;
}

COMCP_DECL void message_queue::take(std::vector<std::string>& texts) {
  texts.swap(texts_);
  labels_.clear();
  bytes_ = 0;
}

COMCP_DECL void message_queue::clear() noexcept {
  texts_.clear();
  labels_.clear();
  bytes_ = 0;
}

}  // namespace detail
}  // namespace comcp
