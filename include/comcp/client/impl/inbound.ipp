// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <new>

#include <comcp/client/core.hpp>
#include <comcp/client/inbound.hpp>
#include <comcp/json/reader.hpp>

namespace comcp::detail {

// A page of a list that cannot be parsed, for the sake of its good definitions: what stands for the others says why.
class page_mender final : public json::member_sink {
 public:
  explicit page_mender(json::parse_options const& limits) : limits_(limits), inner_(limits) {
    inner_.max_depth(limits.max_depth() - std::min<std::size_t>(limits.max_depth(), 2));
  }

  std::optional<json::value> run(std::string_view page) {
    w_.begin_object();
    auto const scanned = json::scan_object(padded_text(page.data(), page.size()), *this);
    w_.end_object();
    if (!scanned) return {};
    auto text = std::move(w_).text();
    auto mended = json::parse(pad(text), limits_);
    return mended ? std::optional(std::move(*mended)) : std::nullopt;
  }

  bool on_member(std::string_view key, std::string_view raw) override {
    if (in_list_) return element(raw), true;
    w_.key(key);
    bool const is_list = key == "tools" || key == "resources" || key == "resourceTemplates" || key == "prompts";
    if (!is_list || !raw.starts_with('[')) return w_.raw(raw), true;
    w_.begin_array();
    in_list_ = true;
    auto const scanned = json::scan_array(padded_text(raw.data(), raw.size()), *this);
    in_list_ = false;
    w_.end_array();
    return scanned.has_value();
  }

 private:
  struct name_reader final : json::member_sink {
    std::string name;
    bool on_member(std::string_view key, std::string_view raw) override {
      if (key == "name") name = json::unescape(raw).value_or("");
      return key != "name";
    }
  };

  void element(std::string_view raw) {
    auto const parsed = json::parse(padded_text(raw.data(), raw.size()), inner_);
    if (parsed) {
      w_.raw(raw);
      return;
    }
    name_reader who;
    (void)json::scan_object(padded_text(raw.data(), raw.size()), who);
    w_.begin_object().key(unreadable_key).string(parsed.error().to_string());
    if (!who.name.empty()) w_.plain_key("name").string(who.name);
    w_.end_object();
  }

  json::parse_options limits_, inner_;
  json::writer w_;
  bool in_list_ = false;
};

COMCP_LAZY_DECL inbound::inbound(client_core& core) noexcept : core_(core), from_transport_(*this) {}

COMCP_LAZY_DECL void inbound::delivered(padded_text text, request_id stream) {
  auto const hold = core_.shared_from_this();
  overlap_guard::scope const alone(core_.calls.guard());
  ++core_.calls.counters().messages_in;
  core_.calls.counters().bytes_in += text.size();
  try {
    if (core_.settings.tracer) core_.trace(direction::received, text.view());
    if (plain_answer(text)) return forget_strays();
    auto m = jsonrpc::decode(text);
    if (m.kind == jsonrpc::message_kind::batch) return batch(text, stream);
    message(m, stream);
  } catch (std::bad_alloc const&) {
    core_.recovery.break_off(errc::out_of_memory);
  }
}

COMCP_LAZY_DECL void inbound::message(jsonrpc::envelope& m, request_id stream) {
  if (m.kind != jsonrpc::message_kind::invalid && m.kind != jsonrpc::message_kind::batch) forget_strays();
  switch (m.kind) {
    case jsonrpc::message_kind::response:
    case jsonrpc::message_kind::error: return answer(m, stream);
    case jsonrpc::message_kind::notification: return notification(m);
    case jsonrpc::message_kind::request:
      ++core_.calls.counters().requests;
      if (core_.connection.refuses_requests()) {
        ++core_.calls.counters().dropped;
        return core_.fault(error(errc::protocol_violation, "the server sent a request, which the modern era has not: " + m.method));
      }
      return core_.dispatcher.request(m, stream);
    default: return bad(m);
  }
}

COMCP_LAZY_DECL void inbound::batch(padded_text text, request_id stream) {
  jsonrpc::envelope whole;
  whole.text = text.view();
  if (!core_.facts.codec || !core_.facts.codec->has_batches()) {
    whole.reason = json::parse(text) ? "a batch, which this protocol version has not" : "not JSON";
    return bad(whole);
  }
  struct each final : json::member_sink {
    bool on_member(std::string_view, std::string_view raw) override {
      texts.emplace_back(raw);
      return texts.size() < 10'000;
    }
    std::vector<std::string> texts;
  } parts;
  auto const scanned = json::scan_array(text, parts);
  for (auto& part : parts.texts) {
    auto m = jsonrpc::decode(pad(part));
    if (m.kind == jsonrpc::message_kind::batch) m.reason = "a batch in a batch";
    message(m, stream);
    if (core_.end_reason()) return;
  }
  if (!scanned) {
    whole.reason = "not JSON (" + std::string(scanned.error().message()) + ")";
    bad(whole);
  }
}

COMCP_LAZY_DECL reply inbound::result_of(jsonrpc::envelope const& m) const {
  if (m.kind == jsonrpc::message_kind::error) return jsonrpc::decode_error(m.error);
  auto parsed = json::parse(padded_text(m.result.data(), m.result.size()), core_.settings.limits.json());
  if (parsed) return std::move(*parsed);
  if (parsed.error() == errc::limit_exceeded || parsed.error() == errc::out_of_memory) return parsed.error();
  return error(errc::protocol_violation, "the result cannot be read: " + std::string(parsed.error().message()));
}

// The result of a call that waits, written as nearly everyone writes it; false for all else. Parsing the result is
// what validates it: it is one value only if the rest of the message is what it looked like.
COMCP_LAZY_DECL bool inbound::plain_answer(padded_text text) {
  auto const answer = jsonrpc::find_result(text.view());
  auto const* const found = answer ? core_.calls.table().find(answer->id) : nullptr;
  if (!found || !(*found)->call || !(*found)->sent) return false;
  reply parsed = json::parse(text.part(answer->result), core_.settings.limits.json());
  if (!parsed) return false;
  reply_to(**found, std::move(parsed));
  return true;
}

COMCP_LAZY_DECL void inbound::answer(jsonrpc::envelope& m, request_id stream) {
  auto const id = m.id.value_or(m.raw_id.empty() ? stream : 0);
  auto const* const found = id ? core_.calls.table().find(id) : nullptr;
  if (!found) {
    if (m.raw_id.empty()) {
      // No call owns it: an event of the whole connection.
      auto const e = m.kind == jsonrpc::message_kind::error ? jsonrpc::decode_error(m.error) : error(errc::protocol_violation);
      return core_.fault(e);
    }
    if (core_.calls.table().was_used(id)) {
      ++core_.calls.counters().late;
      for (auto const& sink : sinks_) sink.answered_late(id, m.result);
      return;
    }
  }
  if (!found || !(*found)->call || !(*found)->sent) {
    ++core_.calls.counters().unknown;
    return core_.fault(error(errc::protocol_violation, "an answer to a request that was never sent"));
  }
  auto answer = result_of(m);
  bool const is_page = m.kind == jsonrpc::message_kind::response && (*found)->call->method.name().ends_with("/list");
  if (!answer && is_page) {
    if (auto mended = page_mender(core_.settings.limits.json()).run(m.result)) answer = *std::move(mended);
  }
  reply_to(**found, std::move(answer));
}

COMCP_LAZY_DECL void inbound::reply_to(pending_entry const& e, reply&& r) {
  if (r) {
    if (core_.is_modern() && !e.handshake && core_.facts.learn_name(*r)) core_.publish();
    core_.recovery.answered(e);
  }
  core_.calls.end(e.id, std::move(r));
}

COMCP_LAZY_DECL void inbound::notification(jsonrpc::envelope& m) {
  ++core_.calls.counters().notifications;
  json::value params;
  if (!m.params.empty()) {
    auto parsed = json::parse(padded_text(m.params.data(), m.params.size()), core_.settings.limits.json());
    if (!parsed) {
      m.reason = std::string(parsed.error().message());
      m.id.reset();
      return bad(m);
    }
    params = std::move(*parsed);
  }
  for (auto const& sink : sinks_) {
    if (sink.notified(m.method, params)) return;
  }
}

COMCP_LAZY_DECL void inbound::bad(jsonrpc::envelope const& m) {
  ++core_.calls.counters().bad_messages;
  if (m.id && core_.calls.table().find(*m.id) && (*core_.calls.table().find(*m.id))->sent) {
    return core_.calls.end(*m.id, error(m.fault, "the answer cannot be read: " + m.reason));
  }
  auto what = m.reason + ": " + jsonrpc::shown(m.text);
  if (++strays_in_a_row_ == 1) first_stray_ = what;
  core_.fault(error(m.fault, std::move(what)));
  // An exchange over HTTP that brought no answer has failed its own call.
  if (core_.is_http() || strays_in_a_row_ <= core_.settings.limits.bad_lines() || core_.is_closing()) return;
  core_.recovery.break_off(error(errc::protocol_violation, "more unusable messages in a row than limits().bad_lines(), the first: " + first_stray_));
}

COMCP_LAZY_DECL void inbound::stream_ended(request_id id, error why) {
  auto const hold = core_.shared_from_this();
  auto const* const found = core_.calls.table().find(id);
  if (!found || !(*found)->call) return;
  auto const& c = *(*found)->call;
  // A wrong answer stays what it is: its code says that the outcome is open.
  bool const broken = why == errc::transport_failed || why == errc::response_timeout || why == errc::idle_timeout ||
                      why == errc::exchange_timeout;
  bool const unknown = broken && !c.repeatable && !c.options.is_idempotent() && !(*found)->handshake;
  core_.calls.end(id, unknown ? why.with_code(make_error_code(errc::outcome_unknown)) : why);
}

COMCP_LAZY_DECL bool inbound::awaits(request_id id) const {
  auto const* const found = core_.calls.table().find(id);
  return found && (*found)->call && (*found)->sent;
}

COMCP_LAZY_DECL void inbound::session_lost(request_id id, error why) {
  auto const hold = core_.shared_from_this();
  core_.recovery.session_lost(id, std::move(why));
}

COMCP_LAZY_DECL void inbound::authorizing(bool begins) { core_.connection.clock().authorizing(begins); }
COMCP_LAZY_DECL void inbound::deaf(error why) {
  auto const hold = core_.shared_from_this();
  for (auto const& sink : sinks_) sink.deaf(why);
}
COMCP_LAZY_DECL bool inbound::listens() const {
  return std::any_of(sinks_.begin(), sinks_.end(), [](auto const& sink) { return sink.is_awaited(); });
}
COMCP_LAZY_DECL void inbound::closed(error reason) { core_.connection.closed(std::move(reason)); }
COMCP_LAZY_DECL void inbound::fault(error what) { core_.fault(std::move(what)); }

// A handshake without an answer: what came in its place.
COMCP_LAZY_DECL error inbound::with_what_came(error const& e) const {
  if (core_.is_http() || (e != errc::timeout && e != errc::transport_failed)) return e;
  auto const info = core_.connection.channel().info();
  std::string text(e.message());
  if (strays_in_a_row_ > 0)
    text += "; lines that are no messages came, " + std::to_string(strays_in_a_row_) + ", the first: " + first_stray_;
  if (!info.unfinished.empty()) text += "; a line came without its end: " + jsonrpc::shown(info.unfinished);
  auto const told = text == e.message() ? e : e.with_message(std::move(text));
  if (info.stderr_tail.empty() || e.detail()) return told;
  transport_detail detail;
  detail.stderr_tail = info.stderr_tail.substr(info.stderr_tail.size() - std::min<std::size_t>(4096, info.stderr_tail.size()));
  return told.with_detail(std::move(detail));
}

}  // namespace comcp::detail
