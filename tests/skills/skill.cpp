// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
#include <comcp/skills/skill.hpp>

#include <limits>
#include <string>

#include <comcp/hash/sha256.hpp>

#include "support/catch.hpp"

using namespace comcp;

namespace {

std::string const digest = "sha256:" + std::string(64, '0');

std::string file(std::string const& uri, std::string const& hash = digest, std::string const& size = "1") {
  return R"({"uri":")" + uri + R"(","digest":")" + hash + R"(","size":)" + size + "}";
}
std::string entry(std::string const& uri, std::string const& files, std::string const& name = "a",
                  std::string const& description = "What it does") {
  return R"({"uri":")" + uri + R"(","frontmatter":{"name":")" + name + R"(","description":")" + description +
         R"("},"resources":)" + files + "}";
}
std::string listed(std::string const& more = "") { return entry("skill://a/SKILL.md", "[" + file("skill://a/SKILL.md") + more + "]"); }

result<skill> read(std::string const& text) { return json::parse(text).value().get<skill>(); }
bool refuses(std::string const& text, std::string_view why) {
  auto const got = read(text);
  INFO((got ? std::string("read") : got.error().to_string()));
  CHECK(!got);
  return !got && got.error() == errc::wrong_shape && got.error().message().find(why) != std::string_view::npos;
}

std::string const skill_text = "---\nname: a\ndescription: What it does\nmetadata: {v: 1}\n---\nDo it.\n";
std::string hash_of(std::string_view text) { return "sha256:" + to_hex(sha256(text)); }
skill of(std::string const& text, std::string const& frontmatter = R"({"name":"a","description":"What it does","metadata":{"v":1}})") {
  auto const files = "[" + file("skill://a/SKILL.md", hash_of(text), std::to_string(text.size())) + "," +
                     file("skill://a/x", hash_of("abc"), "3") + "]";
  return read(R"({"uri":"skill://a/SKILL.md","frontmatter":)" + frontmatter + R"(,"resources":)" + files + "}").value();
}

}  // namespace

TEST_CASE("skill: an entry is read, its files in the order of their uris", "[skills]") {
  auto const s = read(listed("," + file("skill://a/z/b.md") + "," + file("skill://a/B%20c", digest, "7.0"))).value();
  CHECK(s.name() == "a");
  CHECK(s.description() == "What it does");
  CHECK(s.root() == "skill://a");
  CHECK_FALSE(s.is_dynamic());
  REQUIRE(s.resources->size() == 3);
  CHECK((*s.resources)[0].uri == "skill://a/B%20c");
  CHECK(s.total_size() == 9);
  CHECK(s.find("skill://a/z/b.md")->size == 1);
  CHECK(s.find("skill://a/z") == nullptr);
  CHECK(s.has("skill://a/z/b.md"));
  CHECK_FALSE(s.has("skill://a/new"));
  CHECK(read(json::to_text(s))->resources == s.resources);
  CHECK(read(entry("github://o/r/.s/team/a/SKILL.md", R"("dynamic")")).has_value());
  CHECK(read(entry("file:///home/a/SKILL.md", R"("dynamic")")).has_value());
}

TEST_CASE("skill: a dynamic one has no files to verify, and may have any in its directory", "[skills]") {
  auto const s = read(entry("skill://b/a/SKILL.md", R"("dynamic")")).value();
  CHECK(s.is_dynamic());
  CHECK(s.total_size() == 0);
  CHECK(s.has("skill://b/a/SKILL.md"));
  CHECK(s.has("skill://b/a/x/y.md"));
  for (auto const* const outside : {"skill://b/a", "skill://b/a/", "skill://b/ab", "skill://b/a/../c", "skill://b/a/%2e%2E/c",
                                    "skill://b/a/x//y", "skill://b/a/x%2fy", "skill://b/a/x?y", "skill://b/a/x%zz", "skill://b/a/.",
                                    "skill://b/a/x\\y", "skill://b/a/x%5cy", "skill://b/a/x%00", "skill://b/a/x#y", "file:///etc/passwd"})
    CHECK_FALSE(s.has(outside));
  CHECK(json::to_text(s) == entry("skill://b/a/SKILL.md", R"("dynamic")"));
  CHECK_FALSE(skill().has(""));
}

TEST_CASE("skill: an entry that breaks a rule is invalid, and says which", "[skills]") {
  CHECK(refuses("1", "object"));
  CHECK(refuses(R"({"frontmatter":{},"resources":[]})", "uri"));
  CHECK(refuses(R"({"uri":"skill://a/SKILL.md","resources":[]})", "frontmatter"));
  CHECK(refuses(R"({"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"}})", "resources"));
  CHECK(refuses(R"({"uri":"skill://a/SKILL.md","frontmatter":{"name":"a"},"resources":"dynamic"})", "description"));
  CHECK(refuses(R"({"uri":"skill://a/SKILL.md","frontmatter":{"description":"a"},"resources":"dynamic"})", "name"));
  for (auto const* const resources : {"null", "\"static\"", "{}", "1"})
    CHECK(refuses(entry("skill://a/SKILL.md", resources), "\"dynamic\""));
  for (auto const* const name : {"", "A", "a_b", "-a", "a-", "a--b", "a b", "\\u00e4"})
    CHECK(refuses(entry("skill://a/SKILL.md", "\"dynamic\"", name), "a skill's name"));
  CHECK(refuses(entry("skill://" + std::string(65, 'a') + "/SKILL.md", "\"dynamic\"", std::string(65, 'a')), "a skill's name"));
  CHECK(read(entry("skill://" + std::string(64, 'a') + "/SKILL.md", "\"dynamic\"", std::string(64, 'a'))).has_value());
  for (auto const* const uri : {"skill://b/SKILL.md", "skill://a/skill.md", "skill://a/x/SKILL.md", "a/SKILL.md", "://a/SKILL.md", "skill://xa/SKILL.md",
                                "skill://a/SKILL.md?x", "skill://a/SKILL.md/", "skill://../a/SKILL.md", "skill://x?y/a/SKILL.md", "skill://x//a/SKILL.md"})
    CHECK(refuses(entry(uri, "\"dynamic\""), "the skill's directory"));
  CHECK(refuses(entry("skill://a/SKILL.md", "\"dynamic\"", "a", ""), "1024"));
  std::string umlauts;
  for (int i = 0; i < 1024; ++i) umlauts += "\xC3\xA4";
  CHECK(read(entry("skill://a/SKILL.md", "\"dynamic\"", "a", umlauts)).has_value());
  CHECK(refuses(entry("skill://a/SKILL.md", "\"dynamic\"", "a", umlauts + "x"), "1024"));
}

TEST_CASE("skill: files that break a rule make the entry invalid", "[skills]") {
  auto const u = std::string("skill://a/SKILL.md");
  CHECK(refuses(entry(u, "[]"), "SKILL.md among"));
  CHECK(refuses(entry(u, "[" + file("skill://a/x") + "]"), "SKILL.md among"));
  CHECK(refuses(listed("," + file(u)), "every file once"));
  for (auto const* const outside : {"skill://b/x", "skill://a", "skill://a/", "skill://a/../b", "skill://ab/x", "x"})
    CHECK(refuses(listed("," + file(outside)), "in the skill's directory at /resources/1/uri"));
  auto const hex = std::string(64, 'a');
  for (auto const& bad : {std::string("sha256:") + hex.substr(1), "sha256:" + hex + "a", "SHA256:" + hex, "sha256:" + std::string(64, 'A'), "sha512:" + hex, hex})
    CHECK(refuses(listed("," + file("skill://a/x", bad)), "digest"));
  for (auto const* const bad : {"-1", "1.5", "\"1\"", "null"}) CHECK(refuses(listed("," + file("skill://a/x", digest, bad)), "size"));
  CHECK(refuses(listed(R"(,{"uri":"skill://a/x","digest":")" + digest + "\"}"), "size"));
  auto const most = std::to_string(std::numeric_limits<std::uint64_t>::max());
  auto const huge = read(listed("," + file("skill://a/x", digest, most) + "," + file("skill://a/y", digest, most))).value();
  CHECK(huge.total_size() == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("skill: a name that some program or system takes for another one is refused", "[skills]") {
  for (auto const* const bad : {"x%252fy", "%252e%252e", "%53.md", "%7e", "a%2Db", "a:b", "a%3ab", "x.", "x%2e", "x%20", "d./x",
                                "e\u0301.md", "e%CC%81.md", "\u212a", "\u1112\u1161", "\uf900", "%ff"}) {
    CAPTURE(bad);
    CHECK(refuses(listed("," + file("skill://a/" + std::string(bad))), "in the skill's directory"));
  }
  for (auto const* const good : {"100%25.md", "a%20b", "\u00e9.md", "%C3%A9.md", "\u65e5\u672c.md", "\ud55c", ".hidden", "a-b_c~d.e"}) {
    CAPTURE(good);
    CHECK(read(listed("," + file("skill://a/" + std::string(good)))).has_value());
  }
  CHECK(read(entry("skill://h:80/a/SKILL.md", R"("dynamic")")).has_value());
  CHECK(refuses(entry("skill://h/b:80/a/SKILL.md", R"("dynamic")"), "the skill's directory"));
}

TEST_CASE("skill: files that are twins but for capital letters are refused", "[skills]") {
  auto const both = [](std::string const& one, std::string const& other) {
    return listed("," + file("skill://a/" + one) + "," + file("skill://a/" + other));
  };
  CHECK(refuses(listed("," + file("skill://a/skill.md")), "every file once"));
  CHECK(refuses(both("x/README.md", "X/readme.md"), "every file once"));
  CHECK(refuses(both("\u00c9", "%C3%A9"), "every file once"));
  CHECK(refuses(both("\u0416", "\u0436"), "every file once"));
  CHECK(refuses(both("\u03a9", "\u03c9"), "every file once"));
  CHECK(refuses(both("\u0158", "\u0159"), "every file once"));
  CHECK(refuses(both("\u017d", "\u017e"), "every file once"));
  CHECK(read(both("\u00e9", "\u00e8")).has_value());
  CHECK(read(both("\u65e5", "\u672c")).has_value());
}

TEST_CASE("skill: an entry in which an object has a key twice is refused", "[skills]") {
  auto text = listed();
  text.replace(text.find("\"name\""), 6, "\"name\":\"b\",\"name\"");
  CHECK(refuses(text, "twice"));
}

TEST_CASE("skill: one invalid entry does not take the list with it", "[skills]") {
  auto const page = json::parse(R"({"skills":[)" + entry("skill://b/SKILL.md", "[]") + "," + listed() + R"(],"nextCursor":"n","ttlMs":1})");
  auto const got = page->get<list_skills_result>().value();
  REQUIRE(got.skills.size() == 1);
  CHECK(got.skills[0].name() == "a");
  REQUIRE(got.set_aside.size() == 1);
  CHECK(got.set_aside[0].index == 0);
  CHECK(got.set_aside[0].reason.find("the skill's directory") != std::string::npos);
  CHECK(got.next_cursor == "n");
}

TEST_CASE("skill: relative references are resolved in the skill's directory", "[skills]") {
  auto const s = read(entry("skill://acme/a/SKILL.md", R"("dynamic")")).value();
  CHECK(s.resolve("references/GUIDE.md").value() == "skill://acme/a/references/GUIDE.md");
  CHECK(s.resolve("./x/../y.md#part").value() == "skill://acme/a/y.md");
  for (auto const* const bad : {"", "#x", "/x", "../b/x", "x/../../b", "https://x.example/", "x:y", "x/", ".", "a?b", "a\\b", "%2e%2e/x"})
    CHECK(s.resolve(bad).error() == errc::invalid_argument);
}

TEST_CASE("skill: files are verified by size, digest and frontmatter", "[skills]") {
  auto const s = of(skill_text);
  CHECK(verify_skill_file(s, s.uri, skill_text));
  CHECK(verify_skill_file(s, "skill://a/x", "abc"));
  auto const why = [&](std::string_view uri, std::string_view bytes) { return verify_skill_file(s, uri, bytes).error(); };
  CHECK(why("skill://a/x", "abd") == errc::verification_failed);
  CHECK(why("skill://a/x", "abd").message().find("digest") != std::string_view::npos);
  CHECK(why("skill://a/x", "ab").message().find("2 bytes") != std::string_view::npos);
  CHECK(why("skill://a/y", "").message().find("not one of its files") != std::string_view::npos);
  auto const other = [](std::string const& text, std::string const& frontmatter) {
    auto const e = of(text, frontmatter);
    return std::string(verify_skill_file(e, e.uri, text).error().message());
  };
  CHECK(other(skill_text, R"({"name":"a","description":"Else","metadata":{"v":1}})").find("\"description\"") != std::string::npos);
  CHECK(other(skill_text, R"({"name":"a","description":"What it does","metadata":{"v":"1"}})").find("\"metadata\"") != std::string::npos);
  CHECK(other(skill_text, R"({"name":"a","description":"What it does"})").find("has fields") != std::string::npos);
  CHECK(other(skill_text, R"({"name":"a","description":"What it does","metadata":{"v":1.0}})") == "");
  CHECK(other("no frontmatter", R"({"name":"a","description":"b"})").find("no frontmatter") != std::string::npos);
  CHECK(other("---\nname: *a\n---\n", R"({"name":"a","description":"b"})").find("alias") != std::string::npos);
}

TEST_CASE("skill: an entry with very many fields costs no square", "[skills]") {
  std::string text = "---\nname: a\ndescription: b\n";
  for (int i = 0; i < 9000; ++i) text += "k" + std::to_string(i) + ":\n";
  text += "z: 1\n---\n";
  std::string frontmatter = R"({"name":"a","description":"b")";
  for (int i = 9000; i-- > 0;) frontmatter += ",\"k" + std::to_string(i) + "\":null";
  for (int i = 0; i < 200'000; ++i) frontmatter += ",\"z" + std::to_string(i) + "\":1";
  auto const s = of(text, frontmatter + "}");
  CHECK(verify_skill_file(s, s.uri, text).error() == errc::verification_failed);
}

TEST_CASE("skill: a nested SKILL.md is a file like any other", "[skills]") {
  auto const nested = std::string("skill://a/b/SKILL.md");
  auto const s = read(listed("," + file(nested, hash_of("none"), "4"))).value();
  CHECK(verify_skill_file(s, nested, "none"));
  CHECK(verify_skill_file(s, nested, "nine").error() == errc::verification_failed);
}

TEST_CASE("skill: of a dynamic one the frontmatter is verified", "[skills]") {
  auto const s = read(entry("skill://a/SKILL.md", R"("dynamic")")).value();
  CHECK(verify_skill_file(s, s.uri, "---\ndescription: What it does\nname: a\n---\nToday"));
  CHECK(verify_skill_file(s, s.uri, "---\ndescription: Else\nname: a\n---\n").error() == errc::verification_failed);
  CHECK(verify_skill_file(s, "skill://a/x", "anything"));
  CHECK(verify_skill_file(s, "skill://b/x", "anything").error() == errc::verification_failed);
}

TEST_CASE("skill: a reader of one's own reads the frontmatter", "[skills]") {
  auto const s = of(skill_text);
  std::string seen;
  auto const ok = verify_skill_file(s, s.uri, skill_text, [&](std::string_view yaml) -> result<json::value> {
    seen = yaml;
    return s.frontmatter;
  });
  CHECK(ok);
  CHECK(seen == "name: a\ndescription: What it does\nmetadata: {v: 1}\n");
  auto const failing = [](std::string_view) -> result<json::value> { return error(errc::wrong_shape, "bad YAML"); };
  CHECK(verify_skill_file(s, s.uri, skill_text, failing).error().message().find("bad YAML") != std::string_view::npos);
  auto const throwing = [](std::string_view) -> result<json::value> { throw 1; };
  CHECK(verify_skill_file(s, s.uri, skill_text, throwing).error() == errc::verification_failed);
}
