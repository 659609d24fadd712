// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include <comcp/sansio/handshake.hpp>

namespace comcp::sansio {
namespace detail {

COMCP_DECL std::string joined(std::vector<std::string> const& list) {
  std::string out;
  for (auto const& s : list) out.append(out.empty() ? "" : ", ").append(s);
  return out.empty() ? std::string("none") : out;
}

COMCP_DECL std::string joined(std::vector<protocol_version> const& list) {
  std::vector<std::string> texts;
  for (auto const& v : list) texts.emplace_back(v.text());
  return joined(texts);
}

COMCP_DECL std::vector<std::string> strings_at(json::view data, std::string_view key) {
  std::vector<std::string> out;
  if (auto const list = data.find(key)) {
    for (auto const e : list->elements()) {
      if (auto const s = e.get_string()) out.emplace_back(*s);
    }
  }
  return out;
}

}  // namespace detail

COMCP_DECL std::optional<std::vector<std::string>> modern_versions(error const& e) {
  auto const* peer = e.peer();
  if (!peer) return {};
  auto const parsed = json::parse(peer->data);
  auto const data = parsed ? parsed->view() : json::view();
  auto supported = detail::strings_at(data, "supported");
  bool const capabilities = data.find("requiredCapabilities").has_value();
  switch (peer->code) {
    case -32022:
      if (!supported.empty()) return supported;
      return {};
    case -32020: return std::vector<std::string>();
    case -32021:
      if (capabilities) return std::vector<std::string>();
      return {};
    case -32003:  // the drafts' numbers, believed only with modern data
    case -32004:
      if (!supported.empty() || capabilities) return supported;
      return {};
    default: return {};
  }
}

COMCP_DECL bool is_legacy_refusal(error const& e) {
  if (modern_versions(e)) return false;
  auto const status = e.detail() ? e.detail()->http_status : std::nullopt;
  if (!status || *status < 300) return e.peer() != nullptr;
  if (*status < 400 || *status >= 500) return false;
  static constexpr std::array<int, 5> says_nothing{401, 403, 407, 408, 429};
  return std::find(says_nothing.begin(), says_nothing.end(), *status) == says_nothing.end();
}

COMCP_DECL std::string no_common_text(std::vector<std::string> const& offered,
                                      std::vector<protocol_version> const& allowed) {
  return "the server supports " + detail::joined(offered) + "; allowed here: " + detail::joined(allowed);
}

COMCP_DECL handshake::handshake(handshake_options options, std::chrono::system_clock::time_point now)
    : options_(std::move(options)), now_(now) {
  std::sort(options_.allowed.begin(), options_.allowed.end(), std::greater<>());
}

COMCP_DECL std::optional<protocol_version> handshake::newest(era e) const {
  auto const found = std::find_if(options_.allowed.begin(), options_.allowed.end(),
                                  [e](protocol_version const& v) { return v.era() == e; });
  return found == options_.allowed.end() ? std::nullopt : std::optional(*found);
}

COMCP_DECL std::optional<protocol_version> handshake::common(std::vector<std::string> const& offered, era e) const {
  for (auto const& v : options_.allowed) {
    if (v.era() == e && std::find(offered.begin(), offered.end(), v.text()) != offered.end()) return v;
  }
  return {};
}

COMCP_DECL handshake_step handshake::discover(protocol_version v) {
  state_ = state::probing;
  probed_ = true;
  return {handshake_step::action::discover, v, {}};
}

COMCP_DECL handshake_step handshake::initialize() {
  auto const v = newest(era::legacy);
  if (!v)
    return fail({errc::no_common_version, "the server speaks only versions before 2026-07-28; allowed here: " +
                                              detail::joined(options_.allowed)});
  state_ = state::initializing;
  return {handshake_step::action::initialize, v, {}};
}

COMCP_DECL handshake_step handshake::ready(protocol_version v) {
  state_ = state::done;
  return {handshake_step::action::ready, v, {}};
}

COMCP_DECL handshake_step handshake::fail(error e) {
  state_ = state::done;
  return {handshake_step::action::fail, {}, std::move(e)};
}

COMCP_DECL handshake_step handshake::no_common(std::vector<std::string> const& offered) {
  return fail({errc::no_common_version, no_common_text(offered, options_.allowed)});
}

COMCP_DECL handshake_step handshake::start() {
  bool const may_probe = options_.mode != handshake_mode::legacy && newest(era::modern);
  if (options_.allowed.empty()) return fail({errc::invalid_argument, "no protocol version is allowed"});
  if (auto const& prior = options_.prior; prior && may_probe) {
    if (prior->era == era::modern) {
      std::vector<std::string> offered;
      for (auto const& v : prior->versions) offered.emplace_back(v.text());
      auto const v = common(offered, era::modern);
      if (!v) return no_common(offered);
      from_prior_ = true;
      return ready(*v);
    }
    if (now_ - prior->date < options_.legacy_verdict_age && newest(era::legacy)) {
      from_prior_ = true;
      return initialize();
    }
  }
  return may_probe ? discover(*newest(era::modern)) : initialize();
}

// The server is modern: go on with a version that both have.
COMCP_DECL handshake_step handshake::modern(std::vector<std::string> const& offered, bool answered) {
  if (auto const v = common(offered, era::modern)) {
    if (answered) return ready(*v);
    if (reprobed_) return no_common(offered);
    reprobed_ = true;
    return discover(*v);
  }
  if (common(offered, era::legacy) && options_.mode == handshake_mode::automatic) return initialize();
  return no_common(offered);
}

COMCP_DECL handshake_step handshake::discovered(std::vector<std::string> const& versions) {
  // Also a late one, while initialize is under way: it decides for modern.
  if (state_ != state::probing && state_ != state::initializing) return {};
  return modern(versions, true);
}

COMCP_DECL handshake_step handshake::discover_failed(error const& e) {
  if (state_ != state::probing) return {};
  if (auto const versions = modern_versions(e)) {
    if (versions->empty()) return fail(e);
    return modern(*versions, false);
  }
  // Else there was no answer of the server at all, or none that says anything about its era.
  if (options_.over_http ? !is_legacy_refusal(e) : !e.peer()) return fail(e);
  if (options_.mode == handshake_mode::pinned || !newest(era::legacy)) {
    return fail(e.with_code(make_error_code(errc::no_common_version))
                    .with_message("the server does not speak " + detail::joined(options_.allowed) +
                                  ": it refused server/discover"));
  }
  if (turned_ && refused_) return fail(*refused_);
  if (!turned_) refused_ = e.with_message("server/discover failed, and initialize is refused too");
  return initialize();
}

COMCP_DECL handshake_step handshake::probe_timed_out() {
  bool const known = options_.mode == handshake_mode::pinned || reprobed_ || turned_;
  bool const alternative = !known && newest(era::legacy);
  if (state_ != state::probing || options_.over_http || !alternative) return {};
  return initialize();
}

COMCP_DECL handshake_step handshake::initialized(std::string const& version) {
  if (state_ != state::initializing) return {};
  if (auto const v = common({version}, era::legacy)) return ready(*v);
  return no_common({version.empty() ? std::string("no version named") : version});
}

COMCP_DECL handshake_step handshake::initialize_failed(error const& e) {
  if (state_ != state::initializing) return {};
  if (auto const versions = modern_versions(e)) {
    auto const v = common(*versions, era::modern);
    if (v && !turned_ && options_.mode == handshake_mode::automatic) {
      turned_ = true;
      return discover(*v);
    }
    if (v && refused_) return fail(*refused_);
    if (!versions->empty()) return no_common(*versions);
  }
  if (refused_ && e.peer() && e.peer()->code == -32022) return fail(*refused_);
  bool const refused = e.peer() || (options_.over_http && is_legacy_refusal(e));
  if (from_prior_ && refused && newest(era::modern)) {  // the saved verdict failed: ask
    from_prior_ = false;
    return discover(*newest(era::modern));
  }
  return fail(e);
}

COMCP_DECL handshake_step handshake::closed(error const& reason) {
  bool const may_be_the_probe = probed_ && !reopened_ && options_.mode == handshake_mode::automatic &&
                                newest(era::legacy) && !reprobed_ && !turned_;
  if ((state_ == state::probing || state_ == state::initializing) && may_be_the_probe) {
    reopened_ = true;
    state_ = state::reopening;
    return {handshake_step::action::reopen, {}, {}};
  }
  return state_ == state::done ? handshake_step() : fail(reason);
}

COMCP_DECL handshake_step handshake::reopened() {
  probed_ = false;
  return initialize();
}

}  // namespace comcp::sansio
