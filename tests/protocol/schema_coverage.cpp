// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// Walks the schemas of all five versions: every definition and property that a client meets has its neutral type.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "protocol/definitions.hpp"
#include "support/catch.hpp"
#include "support/corpus.hpp"

using namespace comcp;

namespace {

constexpr std::array<std::string_view, 5> versions = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25",
                                                      "2026-07-28"};

/// Definitions without a type of their own, and why.
constexpr std::pair<std::string_view, std::string_view> explained[] = {
    {"ClientNotification", "union of all messages of a kind"},
    {"ClientRequest", "union of all messages of a kind"},
    {"ClientResult", "union of all messages of a kind"},
    {"ServerNotification", "union of all messages of a kind"},
    {"ServerRequest", "union of all messages of a kind"},
    {"ServerResult", "union of all messages of a kind"},
    {"JSONRPCMessage", "envelope: jsonrpc/"},
    {"JSONRPCRequest", "envelope: jsonrpc/"},
    {"JSONRPCNotification", "envelope: jsonrpc/"},
    {"JSONRPCResponse", "envelope: jsonrpc/"},
    {"JSONRPCResultResponse", "envelope: jsonrpc/"},
    {"JSONRPCBatchRequest", "envelope: jsonrpc/"},
    {"JSONRPCBatchResponse", "envelope: jsonrpc/"},
    {"Request", "envelope: jsonrpc/"},
    {"Notification", "envelope: jsonrpc/"},
    {"Result", "what all results share; each result type has it"},
    {"EmptyResult", "a Result without members of its own"},
    {"ResultType", "std::string result_type of each result; decided in wire/"},
    {"Cursor", "comcp::cursor, a std::string"},
    {"JSONValue", "json::value"},
    {"JSONObject", "json::value"},
    {"JSONArray", "json::value"},
    {"MetaObject", "json::value meta"},
    {"GetTaskPayloadResult", "the result of the task's own request: json::value"},
};

/// Members whose inside is left open on purpose.
constexpr std::pair<std::string_view, std::string_view> open_members[] = {
    {"inputSchema", "JSON Schema stays json::value"},
    {"outputSchema", "JSON Schema stays json::value"},
    {"requestedSchema", "JSON Schema stays json::value; elicit_params::fields() reads it"},
    {"requests", "tasks_capability::supports() reads it"},
};

constexpr std::array<std::string_view, 6> envelope = {"jsonrpc", "id", "method", "params", "result", "error"};

template <class Range>
bool contains(Range const& range, std::string_view text) {
  return std::find(std::begin(range), std::end(range), text) != std::end(range);
}
template <class Range>
bool names(Range const& range, std::string_view text) {
  return std::any_of(std::begin(range), std::end(range), [&](auto const& e) { return e.first == text; });
}

class walker {
 public:
  void definition(std::string const& name, json::view schema) {
    if (auto const* const e = definitions::find(name)) {
      used_.insert(name);
      if (auto const texts = schema.find("enum")) enumerators(name, *e, *texts);
      if (e->at.empty()) return members(name, schema, e->keys);
      for (auto const& property : properties(schema)) {
        if (property.first == e->at) {
          members(name + "/" + property.first, property.second, e->keys);
        } else if (!contains(envelope, property.first)) {
          gaps.insert(name + "." + property.first);
        }
      }
    } else if (names(explained, name)) {
      used_.insert(name);
    } else {
      gaps.insert(name);
    }
  }

  [[nodiscard]] bool used(std::string_view name) const { return used_.contains(std::string(name)); }

  std::set<std::string> gaps;

 private:
  using named = std::pair<std::string, json::view>;

  /// The properties that a schema writes out itself, those of its allOf parts and of its items included.
  static std::vector<named> properties(json::view schema) {
    std::vector<named> found;
    if (auto const own = schema.find("properties")) {
      for (auto const p : own->members()) found.emplace_back(std::string(p.key), p.value);
    }
    if (auto const parts = schema.find("allOf")) {
      for (auto const part : parts->elements()) {
        for (auto& p : properties(part)) found.push_back(std::move(p));
      }
    }
    if (auto const items = schema.find("items")) {
      for (auto& p : properties(*items)) found.push_back(std::move(p));
    }
    return found;
  }

  void members(std::string const& path, json::view schema, std::span<std::string_view const> keys) {
    for (auto const& [key, inner] : properties(schema)) {
      if (!contains(keys, key)) gaps.insert(path + "." + key);
      if (properties(inner).empty() || names(open_members, key)) continue;
      auto const place = path + "/" + key;
      if (key == "_meta") {
        members(place, inner, definitions::keys_of<request_meta>);
      } else if (auto const* const e = definitions::find(place)) {
        used_.insert(place);
        members(place, inner, e->keys);
      } else {
        gaps.insert(place);
      }
    }
  }

  void enumerators(std::string const& name, definitions::entry const& e, json::view texts) {
    for (auto const text : texts.elements()) {
      auto const again = e.again(text.share());
      if (!again || *again != text.dump()) gaps.insert(name + " = " + text.dump());
    }
  }

  std::set<std::string> used_;
};

// The schemas of all versions, or of those of them that `spec` has.
std::size_t walk_all(walker& w, std::filesystem::path const& spec) {
  std::size_t walked = 0;
  for (auto const version : versions) {
    auto const path = spec / version / "schema.json";
    if (!std::filesystem::exists(path)) continue;
    ++walked;
    auto const schema = json::parse(comcp_test::content_of(path));
    REQUIRE(schema.has_value());
    auto const all = schema->contains("$defs") ? (*schema)["$defs"] : (*schema)["definitions"];
    REQUIRE(all.size() >= 79);
    for (auto const d : all.members()) w.definition(std::string(d.key), d.value);
  }
  return walked;
}

}  // namespace

TEST_CASE("schema_coverage: every definition and property of a schema has its type", "[protocol]") {
  for (auto const& spec : comcp_test::corpora("spec")) {
    walker w;
    CHECK(walk_all(w, spec) >= 2);
    std::string missing;
    for (auto const& gap : w.gaps) missing += "  " + gap + "\n";
    INFO("not covered by any type:\n" << missing);
    CHECK(w.gaps.empty());
  }
}

TEST_CASE("schema_coverage: the tables name nothing that no schema has", "[protocol]") {
  COMCP_NEEDS_SHARED("spec");
  walker w;
  CHECK(walk_all(w, COMCP_SHARED_DIR "/spec") == versions.size());
  for (auto const& e : definitions::all()) {
    INFO(e.name);
    CHECK(w.used(e.name));
  }
  for (auto const& e : explained) {
    INFO(e.first << " (" << e.second << ")");
    CHECK(w.used(e.first));
  }
}

TEST_CASE("schema_coverage: a gap is found", "[protocol]") {
  walker w;
  auto const odd =
      json::parse(R"({"properties":{"name":{},"oddity":{},"annotations":{"properties":{"x":{}}}}})").value();
  w.definition("Tool", odd);
  w.definition("NoSuchThing", odd);
  CHECK(w.gaps == std::set<std::string>{"NoSuchThing", "Tool.oddity", "Tool/annotations"});
}
