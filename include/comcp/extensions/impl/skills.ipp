// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include <comcp/extensions/skills.hpp>

namespace comcp {
namespace detail {

COMCP_DECL char const* skills_missing(server_capabilities const& c) {
  constexpr auto extension = "io.modelcontextprotocol/skills";
  return c.supports(extension) ? nullptr : extension;
}

COMCP_DECL char const* directories_missing(server_capabilities const& c) {
  auto const skills = c.extensions.find("io.modelcontextprotocol/skills");
  if (skills == c.extensions.end()) return "io.modelcontextprotocol/skills";
  auto const flag = skills->second.view().find("directoryRead");
  return flag && flag->get_bool() == true ? nullptr : "directoryRead of io.modelcontextprotocol/skills";
}

// A skill under load, and loaded.
struct skill_session {
  skill_session(std::shared_ptr<client_link> c, skill e, skill_options o)
      : core(std::move(c)), entry(std::move(e)), options(std::move(o)) {}

  std::shared_ptr<client_link> core;
  skill entry;
  skill_options options;
  std::string text;  // SKILL.md
  std::size_t body = 0;
  std::atomic<std::uint64_t> retrieved{0};  // of a dynamic skill

  [[nodiscard]] error refusal() const {
    if (entry.is_dynamic() && !options.allows_dynamic())
      return {errc::denied, "the content of " + entry.uri + " is dynamic: it cannot be verified"};
    if (!entry.is_dynamic() && entry.resources->size() > options.max_files())
      return {errc::limit_exceeded, entry.uri + " has more files than skill_options().max_files()"};
    if (entry.total_size() > options.max_bytes())
      return {errc::limit_exceeded, "the files of " + entry.uri + " are larger than skill_options().max_bytes()"};
    return {};
  }

  // The one content of an answer that is this file. Of text and blob exactly one is there: what is verified is what is used.
  [[nodiscard]] result<resource_contents> verified(std::string const& uri, read_resource_result& answer) {
    auto const* const only = answer.contents.size() == 1 ? &answer.contents[0] : nullptr;
    if (!only || only->uri != uri || only->text.has_value() == only->blob.has_value())
      return error(errc::protocol_violation, "resources/read gave no contents of " + uri);
    std::vector<std::byte> decoded;
    if (only->blob) {
      auto bytes = only->bytes();
      if (!bytes) return bytes.error().with_code(make_error_code(errc::protocol_violation));
      decoded = *std::move(bytes);
    }
    auto const bytes = only->text ? std::string_view(*only->text)
                                  : std::string_view(reinterpret_cast<char const*>(decoded.data()), decoded.size());
    if (auto const ok = verify_skill_file(entry, uri, bytes, options.reader()); !ok) return ok.error();
    if (entry.is_dynamic() && (retrieved += bytes.size()) > options.max_bytes())
      return error(errc::limit_exceeded, entry.uri + " gave more than skill_options().max_bytes()");
    if (uri == entry.uri && text.empty()) {
      text = bytes;
      body = text.size() - split_skill(text).value().body.size();
    }
    return std::move(answer.contents[0]);
  }
};

COMCP_LAZY asio::awaitable<resource_contents> read_skill_file(std::shared_ptr<skill_session> s, std::string uri,
                                                              call_options options) {
  require(s->core);
  options.manual_input(false);
  bool may_be_old = s->core->bounds(options).cached;
  for (;;) {
    auto reading = client(s->core, false).read_resource(uri, options);
    auto answer = co_await std::move(reading);
    auto file = s->verified(uri, answer);
    if (file) co_return *std::move(file);
    if (!may_be_old || file.error() != errc::verification_failed) throw exception(file.error());
    may_be_old = false;
    options.cache(cache_use::refresh);
  }
}

COMCP_LAZY asio::awaitable<loaded_skill> load_skill_file(std::shared_ptr<skill_session> s, call_options options) {
  auto reading = read_skill_file(s, s->entry.uri, std::move(options));
  (void)co_await std::move(reading);
  co_return loaded_skill(std::move(s));
}

// What the server answers where there is nothing of that uri.
inline error as_missing(error const& e) {
  return e.peer() && e.peer()->code == -32602 ? e.with_code(make_error_code(errc::not_found)) : e;
}

COMCP_LAZY asio::awaitable<skill> get_skill_entry(std::shared_ptr<client_link> core, std::string uri,
                                                  prepared_call call) {
  get_skill_result got;
  try {
    auto asking = typed_call<get_skill_result>(std::move(core), std::move(call));
    got = co_await std::move(asking);
  } catch (exception const& e) {
    throw exception(as_missing(e.error()));
  }
  if (got.skill.uri != uri) throw exception(error(errc::protocol_violation, "skills/get gave another skill"));
  co_return std::move(got.skill);
}

COMCP_LAZY asio::awaitable<listing<resource>> read_directory(std::shared_ptr<client_link> core, std::string uri,
                                                             call_options options) {
  require(core);
  auto const bounds = core->bounds(options);
  pager<directory_child> pages(core, options, std::move(uri));
  listing<resource> all;
  try {
    for (;;) {
      auto page = co_await pages.next();
      if (!page) co_return all;
      all.append(std::move(page->resources), std::move(page->set_aside));
      if (core->bounds(options).now > bounds.end) throw exception(error(errc::timeout, "the directory was not complete within the hard timeout"));
    }
  } catch (exception const& e) {
    throw exception(as_missing(e.error()));
  }
}

}  // namespace detail

COMCP_LAZY_DECL skill const& loaded_skill::entry() const noexcept { return session_->entry; }
COMCP_LAZY_DECL std::string const& loaded_skill::text() const noexcept { return session_->text; }
COMCP_LAZY_DECL std::string_view loaded_skill::instructions() const noexcept {
  return std::string_view(session_->text).substr(session_->body);
}

COMCP_LAZY_DECL asio::awaitable<resource_contents> loaded_skill::read(std::string_view uri,
                                                                      call_options options) const {
  auto const& entry = session_->entry;
  if (!entry.has(uri)) return detail::failed<resource_contents>(verify_skill_file(entry, uri, {}).error());
  return detail::read_skill_file(session_, std::string(uri), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<listing<skill>> skill_operations::list(call_options options) const {
  return detail::list_all<skill>(client_.core(), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<skill> skill_operations::get(std::string_view uri, call_options options) const {
  detail::prepared_call call(skills::methods[1], args("uri", uri).text(), std::move(options));
  call.repeatable = true;
  return detail::get_skill_entry(client_.core(), std::string(uri), std::move(call));
}

COMCP_LAZY_DECL asio::awaitable<loaded_skill> skill_operations::load(skill const& entry, skill_options how,
                                                                     call_options options) const {
  auto s = std::make_shared<detail::skill_session>(client_.core(), entry, std::move(how));
  if (auto const bad = s->refusal()) return detail::failed<loaded_skill>(bad);
  return detail::load_skill_file(std::move(s), std::move(options));
}

COMCP_LAZY_DECL asio::awaitable<listing<resource>> skill_operations::read_directory(std::string_view uri,
                                                                                    call_options options) const {
  return detail::read_directory(client_.core(), std::string(uri), std::move(options));
}

}  // namespace comcp
