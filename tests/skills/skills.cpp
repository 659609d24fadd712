// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Skills of a fake server: what is asked for, what is given out, and what is refused.
#include <comcp/extensions/skills.hpp>

#include <map>
#include <string>
#include <vector>

#include <comcp/client/cache.hpp>
#include <comcp/hash/sha256.hpp>

#include "support/conversation.hpp"

using namespace comcp;
using namespace comcp_test;
using comcp::test::fake_request;

namespace {

std::string const home = "skill://a", main_file = home + "/SKILL.md";
std::string const text = "---\nname: a\ndescription: What it does\n---\nDo it.\n";

json::fragment trusted(std::string s) { return json::fragment::trusted(std::move(s)); }
std::string text_of(std::string const& s) { return json::to_text(s); }
std::string capabilities(std::string const& settings) {
  return R"({"resources":{},"extensions":{"io.modelcontextprotocol/skills":)" + settings + "}}";
}

// A server with one skill, whose files and entry say the same until a test changes either.
struct skilled : conversation {
  skilled() : server(io.get_executor()) {
    server.capabilities(capabilities("{}"));
    files[main_file] = text;
    files[home + "/x.md"] = "abc";
    publish();
    server.on("skills/list", [this](fake_request const& r) { r.reply(trusted(R"({"resultType":"complete","skills":[)" + entry + R"(],"ttlMs":0,"cacheScope":"private"})")); });
    server.on("skills/get", [this](fake_request const& r) {
      if (r.params()["uri"].as<std::string>() != main_file) return r.fail(-32602, "no such skill");
      r.reply(trusted(R"({"resultType":"complete","skill":)" + entry + R"(,"ttlMs":0,"cacheScope":"private"})"));
    });
    server.on("resources/read", [this](fake_request const& r) {
      auto const uri = r.params()["uri"].as<std::string>();
      reads.push_back(uri);
      r.reply(trusted(contents(answer.empty() ? R"({"uri":)" + text_of(uri) + R"(,"text":)" + text_of(files[uri]) + "}" : answer)));
    });
  }
  static std::string contents(std::string const& list) {
    return R"({"resultType":"complete","contents":[)" + list + R"(],"ttlMs":60000,"cacheScope":"private"})";
  }

  void publish() { publish_as(listed()); }
  void publish_as(std::string const& resources) {
    entry = R"({"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"What it does"},"resources":)" + resources + "}";
  }
  [[nodiscard]] std::string listed() const {
    json::array all;
    for (auto const& [uri, bytes] : files) all.add(args("uri", uri, "digest", "sha256:" + to_hex(sha256(bytes)), "size", bytes.size()));
    return all.text();
  }

  client ready() { return ready(options()); }
  client ready(connect_options o) { return connect(server.transport(), std::move(o.extension(skills()))).value(); }
  skill the_entry(client const& c) { return finish(c.extension<skills>().list()).value()[0]; }
  loaded_skill loaded(client const& c) { return finish(c.extension<skills>().load(the_entry(c))).value(); }
  error refusal(client const& c, skill_options o = skill_options()) { return finish(c.extension<skills>().load(the_entry(c), std::move(o))).error(); }

  comcp::test::fake_server server;
  std::map<std::string, std::string> files;
  std::string entry, answer;
  std::vector<std::string> reads;
};

// Why a client has no skills.
error refused(client const& c) {
  try {
    (void)c.extension<skills>();
  } catch (exception const& e) {
    return e.error();
  }
  return {};
}

}  // namespace

TEST_CASE("skills: they are listed, loaded and read, each file when it is asked for", "[skills]") {
  skilled t;
  bool const legacy = GENERATE(false, true);
  if (legacy) t.server.legacy();
  auto const c = t.ready();
  auto const all = t.finish(c.extension<skills>().list()).value();
  REQUIRE(all.size() == 1);
  CHECK(all[0].name() == "a");
  CHECK(t.reads.empty());
  auto const s = t.finish(c.extension<skills>().load(all[0])).value();
  CHECK(t.reads == std::vector<std::string>{main_file});
  CHECK(s.verified());
  CHECK(s.text() == text);
  CHECK(s.instructions() == "Do it.\n");
  CHECK(s.entry().uri == main_file);
  CHECK(t.finish(s.read(s.entry().resolve("x.md").value())).value().text == "abc");
  CHECK(t.reads.size() == 2);
  CHECK(t.finish(s.read(main_file)).value().text == text);
}

TEST_CASE("skills: nothing is asked of a server that did not declare them", "[skills]") {
  skilled t;
  t.server.capabilities(R"({"resources":{}})");
  auto const c = t.ready();
  CHECK(refused(c) == errc::capability_missing);
  CHECK(t.server.count("skills/list") + t.server.count("skills/get") + t.server.count("resources/directory/read") == 0);
  era_verdict prior;  // a connection that did not ask for it has seen no declaration
  prior.era = era::modern;
  prior.versions = {version::v2026_07_28};
  auto const blind = t.ready(t.options().prior(prior));
  CHECK(refused(blind) == errc::capability_missing);
  auto const bold = t.ready(t.options().check_capabilities(false));
  CHECK(t.finish(bold.extension<skills>().list()));
}

TEST_CASE("skills: a client that is not connected says so", "[skills]") {
  skilled t;
  CHECK(refused(client()) == errc::closed);
}

TEST_CASE("skills: a list is walked page by page, and invalid entries are set aside", "[skills]") {
  skilled t;
  t.server.on("skills/list", [&t](fake_request const& r) {
    bool const more = r.params().contains("cursor");
    r.reply(trusted(R"({"resultType":"complete","skills":[)" + (more ? t.entry : std::string(R"({"uri":"skill://b/SKILL.md"})")) +
                    (more ? "]}" : R"(],"nextCursor":"2"})")));
  });
  auto const c = t.ready();
  auto const all = t.finish(c.extension<skills>().list()).value();
  CHECK(all.size() == 1);
  REQUIRE(all.set_aside().size() == 1);
  CHECK(all.set_aside()[0].reason == "no member \"frontmatter\" at its root");
  REQUIRE(t.faults.size() == 1);
  CHECK(t.faults[0] == errc::wrong_shape);
  t.server.answer("skills/list", trusted(R"({"skills":[],"nextCursor":"2"})"));
  CHECK(t.finish(c.extension<skills>().list()).error() == errc::protocol_violation);
}

TEST_CASE("skills: one is found by its uri, listed or not", "[skills]") {
  skilled t;
  auto const c = t.ready();
  CHECK(t.finish(c.extension<skills>().get(main_file)).value().name() == "a");
  CHECK(t.finish(c.extension<skills>().get("skill://b/SKILL.md")).error() == errc::not_found);
  t.server.answer("skills/get", trusted(R"({"skill":)" + t.entry + "}"));
  CHECK(t.finish(c.extension<skills>().get("skill://b/SKILL.md")).error() == errc::protocol_violation);
  t.server.answer("skills/get", trusted(R"({"skill":{"uri":"skill://a/SKILL.md"}})"));
  CHECK(t.finish(c.extension<skills>().get(main_file)).error() == errc::protocol_violation);
}

TEST_CASE("skills: what is not what its entry says is not given out", "[skills]") {
  skilled t;
  auto const c = t.ready();
  auto const s = t.loaded(c);
  SECTION("SKILL.md has another digest") { t.files[main_file][text.size() - 2] = '!'; }
  SECTION("SKILL.md has another size") { t.files[main_file] += "more\n"; }
  SECTION("SKILL.md has another frontmatter") {
    t.files[main_file] = "---\nname: a\ndescription: Else\n---\nDo it.\n";
    t.publish();
  }
  SECTION("SKILL.md has frontmatter that is not read") {
    t.files[main_file] = "---\nname: &n a\ndescription: What it does\n---\n";
    t.publish();
  }
  SECTION("another file") {
    t.files[home + "/x.md"] = "abd";
    CHECK(t.finish(s.read(home + "/x.md")).error() == errc::verification_failed);
    return;
  }
  CHECK(t.refusal(c) == errc::verification_failed);
}

TEST_CASE("skills: a file that the entry does not list is not asked for", "[skills]") {
  skilled t;
  auto const c = t.ready();
  auto const s = t.loaded(c);
  t.files[home + "/new.md"] = "new";
  t.publish();
  for (auto const* const uri : {"skill://a/new.md", "skill://b/SKILL.md", "file:///etc/passwd", "skill://a/./x.md"})
    CHECK(t.finish(s.read(uri)).error() == errc::verification_failed);
  CHECK(t.reads.size() == 1);
  auto const now = t.finish(c.extension<skills>().get(main_file)).value();
  CHECK(now.resources != s.entry().resources);
  CHECK(t.finish(t.finish(c.extension<skills>().load(now)).value().read(home + "/new.md")).value().text == "new");
}

TEST_CASE("skills: what is too large is refused before anything is read", "[skills]") {
  skilled t;
  auto const c = t.ready();
  auto const size = text.size() + 3;
  CHECK(t.refusal(c, skill_options().max_files(1)) == errc::limit_exceeded);
  CHECK(t.refusal(c, skill_options().max_bytes(size - 1)) == errc::limit_exceeded);
  CHECK(t.reads.empty());
  auto const entry = t.the_entry(c);
  CHECK(t.finish(c.extension<skills>().load(entry, skill_options().max_files(2).max_bytes(size))));
  auto const with_more = [&t](int count, std::size_t each) {
    auto list = t.listed();
    list.pop_back();
    for (int i = 0; i < count; ++i)
      list += R"(,{"uri":"skill://a/f)" + std::to_string(i) + R"(","digest":"sha256:)" + std::string(64, '0') +
              R"(","size":)" + std::to_string(each) + "}";
    t.publish_as(list + "]");
  };
  with_more(1, (16 << 20) - size);
  CHECK(t.loaded(c).entry().total_size() == 16 << 20);
  with_more(1, (16 << 20) - size + 1);
  CHECK(t.refusal(c) == errc::limit_exceeded);
  with_more(510, 0);
  CHECK(t.loaded(c).entry().resources->size() == 512);
  with_more(511, 0);
  CHECK(t.refusal(c) == errc::limit_exceeded);
}

TEST_CASE("skills: dynamic ones are loaded by choice, as far as they can be verified", "[skills]") {
  skilled t;
  t.publish_as(R"("dynamic")");
  auto const c = t.ready();
  CHECK(t.refusal(c) == errc::denied);
  CHECK(t.reads.empty());
  auto const how = skill_options().allow_dynamic().max_bytes(text.size() + 5);
  auto const entry = t.the_entry(c);
  auto const s = t.finish(c.extension<skills>().load(entry, how)).value();
  CHECK_FALSE(s.verified());
  CHECK(s.instructions() == "Do it.\n");
  CHECK(t.finish(s.read(home + "/x.md")).value().text == "abc");
  CHECK(t.finish(s.read("skill://b/x.md")).error() == errc::verification_failed);
  CHECK(t.finish(s.read(home + "/x.md")).error() == errc::limit_exceeded);
  t.files[main_file] = "---\nname: a\ndescription: Else\n---\n";
  CHECK(t.refusal(c, how) == errc::verification_failed);
}

TEST_CASE("skills: binary files count by their bytes, and an answer is one file", "[skills]") {
  skilled t;
  t.files[home + "/x.md"] = std::string("\x00\xFF\x01", 3);
  t.publish();
  auto const c = t.ready();
  auto const s = t.loaded(c);
  auto const read = [&](std::string const& more) {
    t.answer = R"({"uri":"skill://a/x.md")" + more;
    return t.finish(s.read(home + "/x.md"));
  };
  CHECK(read(R"(,"blob":"AP8B"})").value().bytes().value().size() == 3);
  CHECK(read(R"(,"blob":"AP8C"})").error() == errc::verification_failed);
  for (auto const* const bad : {R"(,"blob":"AP8"})", "}", R"(,"blob":"AP8B","text":"evil"})", R"(,"blob":"AP8B"},{"uri":"skill://a/x.md","blob":"AP8B"})"})
    CHECK(read(bad).error() == errc::protocol_violation);
  t.answer = R"({"uri":"skill://a/y.md","blob":"AP8B"})";
  CHECK(t.finish(s.read(home + "/x.md")).error() == errc::protocol_violation);
  t.files[main_file] = text + "\xFF";
  t.publish();
  t.answer = R"({"uri":"skill://a/SKILL.md","blob":)" + text_of(to_base64(std::as_bytes(std::span(t.files[main_file])))) + "}";
  CHECK(t.refusal(c) == errc::verification_failed);
}

TEST_CASE("skills: cached bytes that are no longer the entry's are fetched again, once", "[skills]") {
  skilled t;
  auto const c = t.ready(t.options().cache(cache_options()));
  auto const first = t.loaded(c);
  CHECK(t.loaded(c).text() == text);
  CHECK(t.reads.size() == 1);
  t.files[main_file] += "More.\n";
  t.publish();
  CHECK(t.loaded(c).instructions() == "Do it.\nMore.\n");
  CHECK(t.reads.size() == 2);
  t.files[main_file] += "Evil.\n";
  CHECK(t.finish(c.extension<skills>().load(first.entry())).error() == errc::verification_failed);
  CHECK(t.reads.size() == 3);
}

TEST_CASE("skills: directories are read where that is declared", "[skills]") {
  skilled t;
  auto const refused = [&t](std::string const& settings) {
    t.server.capabilities(capabilities(settings));
    return t.finish(t.ready().extension<skills>().read_directory(home)).error() == errc::capability_missing;
  };
  CHECK(refused("{}"));
  CHECK(refused(R"({"directoryRead":false})"));
  CHECK(refused(R"({"directoryRead":"true"})"));
  t.server.capabilities(capabilities(R"({"directoryRead":true})"));
  t.server.on("resources/directory/read", [](fake_request const& r) {
    if (r.params()["uri"].as<std::string>() != home) return r.fail(-32602, "no directory");
    bool const more = r.params().contains("cursor");
    r.reply(trusted(more ? R"({"resources":[{"uri":"skill://a/t","name":"t","mimeType":"inode/directory"}]})"
                         : R"({"resources":[{"uri":"skill://a/SKILL.md","name":"SKILL.md"}],"nextCursor":"x"})"));
  });
  auto const c = t.ready();
  auto const children = t.finish(c.extension<skills>().read_directory(home)).value();
  REQUIRE(children.size() == 2);
  CHECK(children[1].mime_type == "inode/directory");
  CHECK(t.finish(c.extension<skills>().read_directory(main_file)).error() == errc::not_found);
}

TEST_CASE("skills: a file comes from the server of its skill", "[skills]") {
  skilled t;
  std::optional<loaded_skill> s;
  {
    auto const c = t.ready();
    s = t.loaded(c);
    CHECK(t.finish(c.close()));
  }
  CHECK(t.finish(s->read(home + "/x.md")).error() == errc::closed);
  CHECK(s->text() == text);
}
