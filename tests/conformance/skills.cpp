// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include "skills.hpp"

#include <stdexcept>

#include <comcp/extensions/skills.hpp>

namespace conformance {
namespace {

asio::awaitable<void> load_and_read(comcp::client& client, comcp::skill entry) {
  auto const skill = co_await client.extension<comcp::skills>().load(entry);
  for (auto const& file : *skill.entry().resources) (void)co_await skill.read(file.uri);
}

}  // namespace

asio::awaitable<void> list_skills(comcp::client& client) {
  auto const skills = co_await client.extension<comcp::skills>().list();
  if (skills.empty()) throw std::runtime_error("there is no skill");
}

asio::awaitable<void> load_bad_skill(comcp::client& client) {
  auto const skills = co_await client.extension<comcp::skills>().list();
  if (skills.empty()) throw std::runtime_error("there is no skill");
  auto const loaded = co_await comcp::as_result(load_and_read(client, skills[0]));
  if (loaded) throw std::runtime_error("a skill was loaded that is not what its entry says");
  if (loaded.error() != comcp::errc::verification_failed) throw comcp::exception(loaded.error());
}

}  // namespace conformance
