// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the core does with each message that comes in. Nothing here waits.
#pragma once

#include <algorithm>
#include <new>

#include <comcp/client/core.hpp>
#include <comcp/client/impl/negotiation.ipp>
#include <comcp/json/reader.hpp>

namespace comcp {

namespace detail {

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

}  // namespace detail

COMCP_DECL void client_core::delivered(padded_text text, request_id stream) {
  auto const hold = shared_from_this();
  detail::overlap_guard::scope const alone(calls_.guard());
  ++calls_.counters().messages_in;
  calls_.counters().bytes_in += text.size();
  try {
    if (settings_.tracer) trace(direction::received, text.view());
    if (received_plainly(text)) return strays_.forget();
    auto m = jsonrpc::decode(text);
    if (m.kind == jsonrpc::message_kind::batch) return received_batch(text, stream);
    received(m, stream);
  } catch (std::bad_alloc const&) {
    break_off(errc::out_of_memory);
  }
}

COMCP_DECL void client_core::received(jsonrpc::envelope& m, request_id stream) {
  if (m.kind != jsonrpc::message_kind::invalid && m.kind != jsonrpc::message_kind::batch) strays_.forget();
  switch (m.kind) {
    case jsonrpc::message_kind::response:
    case jsonrpc::message_kind::error: return received_answer(m, stream);
    case jsonrpc::message_kind::notification: return received_notification(m);
    case jsonrpc::message_kind::request:
      ++calls_.counters().requests;
      if (refuses_requests()) {
        ++calls_.counters().dropped;
        return fault(error(errc::protocol_violation, "the server sent a request, which the modern era has not: " + m.method));
      }
      return dispatcher_.request(m);
    default: return received_bad(m);
  }
}

// Before the verdict the server may be a legacy one that asks early.
COMCP_DECL bool client_core::refuses_requests() const {
  auto const n = negotiation_.lock();
  if (!n) return is_modern() && status_ == connection_status::ready;
  return settings_.handshake.mode == sansio::handshake_mode::pinned && n->codec && n->codec->is_modern();
}

COMCP_DECL void client_core::received_batch(padded_text text, request_id stream) {
  auto const* const old = dynamic_cast<wire::legacy const*>(codec_.get());
  jsonrpc::envelope bad;
  bad.text = text.view();
  if (!old || !old->has_batches()) {
    bad.reason = json::parse(text) ? "a batch, which this protocol version has not" : "not JSON";
    return received_bad(bad);
  }
  struct each final : json::member_sink {
    explicit each(client_core& c, request_id s) : core(c), from(s) {}
    bool on_member(std::string_view, std::string_view raw) override {
      texts.emplace_back(raw);
      return texts.size() < 10'000;
    }
    client_core& core;
    request_id from;
    std::vector<std::string> texts;
  } parts(*this, stream);
  auto const scanned = json::scan_array(text, parts);
  for (auto& part : parts.texts) {
    auto m = jsonrpc::decode(pad(part));
    if (m.kind == jsonrpc::message_kind::batch) m.reason = "a batch in a batch";
    received(m, stream);
    if (end_reason_) return;
  }
  if (!scanned) {
    bad.reason = "not JSON (" + std::string(scanned.error().message()) + ")";
    received_bad(bad);
  }
}

COMCP_DECL detail::reply client_core::result_of(jsonrpc::envelope const& m) {
  if (m.kind == jsonrpc::message_kind::error) return jsonrpc::decode_error(m.error);
  auto parsed = json::parse(padded_text(m.result.data(), m.result.size()), settings_.limits.json());
  if (parsed) return std::move(*parsed);
  if (parsed.error() == errc::limit_exceeded || parsed.error() == errc::out_of_memory) return parsed.error();
  return error(errc::protocol_violation, "the result cannot be read: " + std::string(parsed.error().message()));
}

// The result of a call that waits, written as nearly everyone writes it; false for all else. Parsing the result is
// what validates it: it is one value only if the rest of the message is what it looked like.
COMCP_DECL bool client_core::received_plainly(padded_text text) {
  auto const answer = jsonrpc::find_result(text.view());
  auto const* const found = answer ? calls_.table().find(answer->id) : nullptr;
  if (!found || !(*found)->call || !(*found)->sent) return false;
  detail::reply parsed = json::parse(padded_text(answer->result.data(), answer->result.size()), settings_.limits.json());
  if (!parsed) return false;
  received_reply(**found, std::move(parsed));
  return true;
}

COMCP_DECL void client_core::received_answer(jsonrpc::envelope& m, request_id stream) {
  auto const id = m.id.value_or(m.raw_id.empty() ? stream : 0);
  auto const* const found = id ? calls_.table().find(id) : nullptr;
  if (!found) {
    if (m.raw_id.empty()) {
      // No call owns it: an event of the whole connection.
      auto const e = m.kind == jsonrpc::message_kind::error ? jsonrpc::decode_error(m.error) : error(errc::protocol_violation);
      return fault(e);
    }
    if (calls_.table().was_used(id)) {
      ++calls_.counters().late;
      return;
    }
  }
  if (!found || !(*found)->call || !(*found)->sent) {
    ++calls_.counters().unknown;
    return fault(error(errc::protocol_violation, "an answer to a request that was never sent"));
  }
  auto answer = result_of(m);
  bool const is_page = m.kind == jsonrpc::message_kind::response && (*found)->call->method.ends_with("/list");
  if (!answer && is_page) {
    if (auto mended = detail::page_mender(settings_.limits.json()).run(m.result)) answer = *std::move(mended);
  }
  received_reply(**found, std::move(answer));
}

COMCP_DECL void client_core::received_reply(detail::pending_entry const& e, detail::reply&& r) {
  if (r && is_modern() && !e.handshake) learn_server_info(*r);
  if (r) {
    if (!e.call->internal) restarts_in_a_row_ = renewals_in_a_row_ = 0;  // a handshake alone shows nothing: it may die of a call
    if (!e.handshake) prior_unconfirmed_ = false;
  }
  calls_.end(e.id, std::move(r));
}

COMCP_DECL void client_core::learn_server_info(json::value const& result) {
  if (!server_info_.name.empty()) return;
  auto const meta = result.view().find("_meta");
  if (!meta) return;
  if (auto info = server_info_of(*meta)) server_info_ = std::move(*info);
}

COMCP_DECL void client_core::received_notification(jsonrpc::envelope& m) {
  ++calls_.counters().notifications;
  json::value params;
  if (!m.params.empty()) {
    auto parsed = json::parse(padded_text(m.params.data(), m.params.size()), settings_.limits.json());
    if (!parsed) {
      m.reason = std::string(parsed.error().message());
      m.id.reset();
      return received_bad(m);
    }
    params = std::move(*parsed);
  }
  if (m.method == "notifications/progress") return received_progress(params);
  if (cache_) cache_->notified(m.method, params);
  if (m.method == "notifications/cancelled") {
    auto const which = params.view().find("requestId");
    if (!which) return;
    if (is_modern()) return subscriptions_.cancelled_by_server(*which);
    dispatcher_.withdraw(which->dump());
  }
  if (m.method == "notifications/elicitation/complete") url_completed(params);
  if (checks_ && m.method == "notifications/tools/list_changed") checks_->forget();
  if (is_modern() && subscriptions_.routed(m.method, params)) return;
  if (!is_modern()) subscriptions_.notified(m.method, params);
  dispatcher_.notification(std::move(m.method), std::move(params));
}

COMCP_DECL void client_core::received_progress(json::value const& params) {
  auto const token = params.view().find("progressToken");
  std::optional<std::uint64_t> id = token ? token->get_uint64() : std::nullopt;
  auto const* const found = id ? calls_.table().find(*id) : nullptr;
  if (!found || !(*found)->call) {
    ++calls_.counters().dropped;
    return;
  }
  auto const& call_opts = (*found)->call->options;
  if (call_opts.extends_on_progress()) calls_.extend(*id);
  auto const on_progress = call_opts.on_progress();
  if (!on_progress) return;
  auto p = json::read<progress_notification>(params.view());
  if (!p) return fault(p.error());
  try {
    on_progress(*p);
  } catch (...) {
    fault(error(errc::invalid_argument, "a progress callback threw"));
  }
}

COMCP_DECL void client_core::received_bad(jsonrpc::envelope const& m) {
  ++calls_.counters().bad_messages;
  if (m.id && calls_.table().find(*m.id) && (*calls_.table().find(*m.id))->sent) {
    return calls_.end(*m.id, error(m.fault, "the answer cannot be read: " + m.reason));
  }
  auto what = m.reason + ": " + jsonrpc::shown(m.text);
  if (++strays_.in_a_row == 1) strays_.first = what;
  fault(error(m.fault, std::move(what)));
  // An exchange over HTTP that brought no answer has failed its own call.
  if (is_http_ || strays_.in_a_row <= settings_.limits.bad_lines() || closing_) return;
  break_off(error(errc::protocol_violation, "more unusable messages in a row than limits().bad_lines(), the first: " + strays_.first));
}

// A handshake without an answer: what came in its place.
COMCP_DECL error client_core::with_what_came(error const& e) const {
  if (is_http_ || (e != errc::timeout && e != errc::transport_failed)) return e;
  auto const info = transport_info();
  std::string text(e.message());
  if (strays_.in_a_row > 0)
    text += "; lines that are no messages came, " + std::to_string(strays_.in_a_row) + ", the first: " + strays_.first;
  if (!info.unfinished.empty()) text += "; a line came without its end: " + jsonrpc::shown(info.unfinished);
  auto const told = text == e.message() ? e : e.with_message(std::move(text));
  if (info.stderr_tail.empty() || e.detail()) return told;
  transport_detail detail;
  detail.stderr_tail = info.stderr_tail.substr(info.stderr_tail.size() - std::min<std::size_t>(4096, info.stderr_tail.size()));
  return told.with_detail(std::move(detail));
}

COMCP_DECL void client_core::stream_ended(request_id id, error why) {
  auto const hold = shared_from_this();
  auto const* const found = calls_.table().find(id);
  if (!found || !(*found)->call) return;
  auto const& c = *(*found)->call;
  // A wrong answer stays what it is: its code says that the outcome is open.
  bool const broken = why == errc::transport_failed || why == errc::response_timeout || why == errc::idle_timeout ||
                      why == errc::exchange_timeout;
  bool const unknown = broken && !c.repeatable && !c.options.is_idempotent() && !(*found)->handshake;
  calls_.end(id, unknown ? why.with_code(make_error_code(errc::outcome_unknown)) : why);
}

COMCP_DECL void client_core::fault(error e) {
  // What a close that was asked for ends has lost nothing.
  bool const orderly = closing_ && (e == errc::closed || e == errc::cancelled);
  if (orderly || !settings_.observer.on_fault) return;
  try {
    settings_.observer.on_fault(e);
  } catch (...) {  // documented: dropped
  }
}

COMCP_DECL void client_core::trace(direction d, std::string_view message) {
  try {
    settings_.tracer(d, message);
  } catch (...) {
    fault(error(errc::invalid_argument, "a tracer threw"));
  }
}

COMCP_DECL std::optional<protocol_version> client_core::version() const noexcept {
  if (!codec_) return {};
  return codec_->version();
}

COMCP_DECL era_verdict client_core::verdict() const {
  era_verdict v;
  v.date = era_learned_;
  if (settings_.handshake.prior) v.authorization = settings_.handshake.prior->authorization;
  if (!is_modern()) return v;
  v.era = era::modern;
  v.discovered = discovered_;
  if (!discovered_) v.versions.push_back(codec_->version());
  else
    for (auto const& text : discovered_->supported_versions) {
      if (auto const known = protocol_version::parse(text)) v.versions.push_back(*known);
    }
  return v;
}

COMCP_DECL transport_info client_core::transport_info() const {
  return transport_ ? transport_.info() : last_info_;
}

COMCP_DECL statistics client_core::statistics() const {
  auto s = calls_.statistics();
  auto const info = transport_info();
  s.messages_out = info.messages_out;
  s.bytes_out = info.bytes_out;
  return s;
}

}  // namespace comcp
