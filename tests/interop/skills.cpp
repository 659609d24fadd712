// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Against a server that the skills extension's own SDK makes of a folder of skills, in both eras. It reads frontmatter
// with npm's yaml: what it lists is another parser's word.
#include "interop/http_peers.hpp"

#include <comcp/extensions/skills.hpp>

using namespace interop;

namespace {

struct skills_folder {
  skills_folder() {
    write("git-workflow/SKILL.md", "---\nname: git-workflow\ndescription: How we commit\n---\n\nCommit small.\n");
    write("acme/billing/refunds/SKILL.md",
          "---\n"
          "# who may refund\n"
          "name: \"refunds\"\n"
          "description: >-\n"
          "  Refunds for customers,\n"
          "  gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80: as policy says\n"
          "license: Apache-2.0\n"
          "compatibility: 'it''s for 2026'\n"
          "allowed-tools: Bash(git:*) Read\n"
          "metadata:\n"
          "  version: \"1.0\"\n"
          "  build: 12\n"
          "  ratio: 0.5\n"
          "  when: 2026-11-22\n"
          "  final: true\n"
          "  tags: [a, 'b c', \"d\\u00e9\"]\n"
          "  nested:\n"
          "    - one: null\n"
          "      two: yes\n"
          "    - text: |\n"
          "        line 1\n"
          "          line 2\n"
          "---\n"
          "See [the mail](examples/email.md).\n");
    write("acme/billing/refunds/examples/email.md", "Dear customer\r\n");
    write("acme/billing/refunds/assets/logo.png", std::string("\x89PNG\r\n\x1a\n\0\xff", 10));
  }
  void write(std::string const& name, std::string const& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder.file(name)).parent_path());
    std::ofstream(folder.file(name), std::ios::binary) << text;
  }
  [[nodiscard]] comcp::stdio server() const {
    return node(std::string(COMCP_INTEROP_DIR) + "/skills_server.mjs", folder.path().string());
  }
  temporary_directory folder;
};

constexpr char const* refunds = "skill://acme/billing/refunds/SKILL.md";

template <class Talk>
void in_both_eras(Talk conversation) {
  for (bool const legacy : {false, true}) {
    CAPTURE(legacy);
    skills_folder const skills;
    connect_options options;
    options.extension(comcp::skills());
    if (legacy) options.legacy();
    talk([&]() -> asio::awaitable<void> {
      auto client = co_await comcp::connect(skills.server(), options);
      co_await conversation(skills, client);
      co_await client.close();
    });
  }
}

asio::awaitable<void> list_load_and_read(comcp::client const& client) {
  auto const all = co_await client.extension<comcp::skills>().list();
  CHECK(all.size() == 2);
  CHECK(all.set_aside().empty());
  auto const entry = co_await client.extension<comcp::skills>().get(refunds);
  CHECK(entry.name() == "refunds");
  CHECK(entry.description() == "Refunds for customers, gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80: as policy says");
  for (auto const& each : all) {
    auto const one = co_await client.extension<comcp::skills>().load(each);
    CHECK(one.verified());
  }
  auto const loaded = co_await client.extension<comcp::skills>().load(entry);
  CHECK(loaded.instructions() == "See [the mail](examples/email.md).\n");
  auto const mail = co_await loaded.read(entry.resolve("examples/email.md").value());
  CHECK(mail.text == "Dear customer\r\n");
  auto const logo = co_await loaded.read(entry.resolve("assets/logo.png").value());
  auto const bytes = logo.bytes();
  REQUIRE(bytes);
  CHECK(bytes->size() == 10);
  auto const inside = co_await client.extension<comcp::skills>().read_directory(entry.root());
  CHECK(inside.size() == 3);
  auto const unlisted = co_await as_result(loaded.read("skill://git-workflow/SKILL.md"));
  REQUIRE_FALSE(unlisted);
  CHECK(unlisted.error() == errc::verification_failed);
  auto const missing = co_await as_result(client.extension<comcp::skills>().get("skill://none/SKILL.md"));
  REQUIRE_FALSE(missing);
  CHECK(missing.error() == errc::not_found);
}

}  // namespace

TEST_CASE("skills: a folder of them is listed, loaded and read", "[interop]") {
  COMCP_NEEDS_PEERS();
  in_both_eras([](skills_folder const&, comcp::client& client) -> asio::awaitable<void> { return list_load_and_read(client); });
}

TEST_CASE("skills: a folder of them is listed, loaded and read over http", "[interop]") {
  COMCP_NEEDS_PEERS();
  for (bool const legacy : {false, true}) {
    CAPTURE(legacy);
    talk([&]() -> asio::awaitable<void> {
      skills_folder const skills;
      program p({COMCP_NODE, std::string(COMCP_INTEROP_DIR) + "/skills_server.mjs", skills.folder.path().string()});
      auto const server = co_await server_process::start(p.env("PORT", "@PORT@"));
      connect_options options;
      options.extension(comcp::skills());
      if (legacy) options.legacy();
      auto client = co_await comcp::connect(comcp::http(server.url("/mcp")), options);
      CHECK(client.era() == (legacy ? comcp::era::legacy : comcp::era::modern));
      co_await list_load_and_read(client);
      co_await client.close();
    });
  }
}

TEST_CASE("skills: what is no longer what the host's entry says is not given out", "[interop]") {
  COMCP_NEEDS_PEERS();
  in_both_eras([](skills_folder const& skills, comcp::client& before) -> asio::awaitable<void> {
    auto const entry = co_await before.extension<comcp::skills>().get(refunds);
    skills.write("acme/billing/refunds/examples/email.md", "Dear hacker!!\r\n");  // as long as it was
    {
      auto after = co_await comcp::connect(skills.server(), connect_options().extension(comcp::skills()));
      auto const loaded = co_await after.extension<comcp::skills>().load(entry);
      auto const mail = co_await as_result(loaded.read(entry.resolve("examples/email.md").value()));
      REQUIRE_FALSE(mail);
      CHECK(mail.error() == errc::verification_failed);
      co_await after.close();
    }
    skills.write("acme/billing/refunds/SKILL.md", "---\nname: refunds\ndescription: another\n---\n");
    auto after = co_await comcp::connect(skills.server(), connect_options().extension(comcp::skills()));
    auto const again = co_await as_result(after.extension<comcp::skills>().load(entry));
    REQUIRE_FALSE(again);
    CHECK(again.error() == errc::verification_failed);
    co_await after.close();
  });
}
