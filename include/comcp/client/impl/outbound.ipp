// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <comcp/client/core.hpp>
#include <comcp/client/outbound.hpp>

namespace comcp::detail {

COMCP_LAZY_DECL result<void> outbound::transmit(pending_entry& e) { return transmit(e, *core_.facts.codec); }

COMCP_LAZY_DECL result<void> outbound::transmit(pending_entry& e, wire::codec const& codec) {
  auto const& c = *e.call;
  c.sent_modern = codec.is_modern();
  if (c.told_id) *c.told_id = e.id;
  wire::request_meta meta;
  meta.user = &c.options.meta();
  meta.progress = c.options.wants_progress();
  if (!e.handshake) meta.level = c.options.log_level() ? c.options.log_level() : core_.settings.log_level;
  outgoing message(codec.request(e.id, c.method, c.params, meta), e.id);
  message.handshake = e.handshake;
  message.open_ended = e.open_ended;
  message.is_seen_to = c.is_seen_to;
  if (core_.is_http()) {
    message.method = c.method.text();
    if (auto const labelled = label(message, e, codec, core_.facts.tools); !labelled) return labelled.error();
  }
  if (core_.settings.tracer) core_.trace(direction::sent, message.text);
  auto sent = hand_over(std::move(message));
  e.sent = sent.has_value();
  return sent;
}

COMCP_LAZY_DECL void outbound::cancel(request_id id, pending_entry const& e, std::string_view why) {
  auto& channel = core_.connection.channel();
  if (!e.call || !e.sent || !channel.is_open()) return;
  if (e.handshake) {  // never told; over HTTP there is a response that nobody waits for any more
    if (core_.is_http()) channel.abandon(id);
    return;
  }
  if (channel.abandon(id) || (core_.is_http() && core_.is_modern())) return;
  if (!e.call->is_seen_to) send_text(wire::codec::cancelled(id, why.empty() ? e.call->options.cancel_reason() : why));
}

COMCP_LAZY_DECL void outbound::notify(std::string_view method, std::string_view params,
                                      wire::request_meta const& meta) {
  if (!core_.facts.codec || !core_.connection.channel().is_open()) return;
  outgoing message(core_.facts.codec->notification(method, params, meta));
  message.method = method;
  send(std::move(message));
}

COMCP_LAZY_DECL void outbound::send_text(std::string text) {
  if (core_.connection.channel().is_open()) send(outgoing(std::move(text)));
}

COMCP_LAZY_DECL void outbound::send(outgoing message) {
  if (core_.is_http()) label(message, core_.facts);
  if (core_.settings.tracer) core_.trace(direction::sent, message.text);
  auto const sent = hand_over(std::move(message));
  if (!sent) core_.fault(sent.error());
}

COMCP_LAZY_DECL result<void> outbound::hand_over(outgoing&& message) {
  auto const size = message.text.size();
  auto sent = core_.connection.channel().send(std::move(message));
  if (sent) {
    ++core_.calls.counters().messages_out;
    core_.calls.counters().bytes_out += size;
  }
  return sent;
}

}  // namespace comcp::detail
