# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""The include rules refuse what they must and let pass what they may."""
import unittest

from include_rules import closure, problems_of


def said(path, *lines):
    return problems_of(path, "#pragma once\n" + "\n".join(lines))


class Rules(unittest.TestCase):
    def refused(self, path, line, part):
        self.assertTrue(any(part in problem for problem in said(path, line)), said(path, line))

    def allowed(self, path, line):
        self.assertEqual([], said(path, line))

    def test_layers_go_down_only(self):
        self.refused("json/value.hpp", "#include <comcp/jsonrpc/id.hpp>", "json may not include jsonrpc")
        self.refused("sansio/era_probe.hpp", "#include <comcp/client/core.hpp>", "may not include client")
        self.refused("client/core.hpp", "#include <comcp/transport/stdio.hpp>", "client may not include transport")
        self.refused("registry/registry.hpp", "#include <comcp/pool/pool.hpp>", "registry may not include pool")
        self.refused("client/core.hpp", "#include <comcp/comcp.hpp>", "for users only")

    def test_what_is_below_is_allowed_transitively(self):
        self.allowed("wire/legacy.hpp", "#include <comcp/json/value.hpp>")
        self.allowed("client/impl/core.ipp", "#include <comcp/transport/transport.hpp>")
        self.allowed("client/core.hpp", "#include <comcp/net/time_source.hpp>")
        self.allowed("sansio/http_exchange.hpp", "#include <comcp/http/url.hpp>")
        self.allowed("run.hpp", "#include <comcp/transport/stdio.hpp>")
        self.assertNotIn("net", closure("client"))

    def test_pure_layers_stay_pure(self):
        self.refused("wire/legacy.hpp", "#include <asio/post.hpp>", "wire is pure")
        self.refused("sansio/backoff.hpp", "#include <mutex>", "sansio is pure")
        self.refused("sansio/backoff.hpp", "#include <random>", "randomness")
        self.refused("sansio/backoff.hpp", "auto t = std::chrono::steady_clock::now();", "reads a clock")

    def test_http_is_pure_in_two_files(self):
        self.refused("http/url.hpp", "#include <comcp/net/child_process.hpp>", "may not include net")
        self.refused("http/impl/message.ipp", "#include <comcp/json/value.hpp>", "may not include json")
        self.refused("http/message.hpp", "#include <comcp/http/asio_engine.hpp>", "may not include http")
        self.refused("http/impl/message.ipp", "auto t = std::chrono::system_clock::now();", "reads a clock")
        self.refused("http/asio_engine.hpp", "#include <comcp/sansio/handshake.hpp>", "http may not include sansio")
        self.refused("sansio/http_exchange.hpp", "#include <comcp/http/asio_engine.hpp>", "may not include http")
        self.refused("json/value.hpp", "#include <comcp/http/url.hpp>", "json may not include")
        self.allowed("http/message.hpp", "#include <comcp/http/url.hpp>")
        self.allowed("http/url.hpp", "#include <comcp/result.hpp>")
        self.allowed("http/asio_engine.hpp", "#include <comcp/net/time_source.hpp>")
        self.allowed("http/asio_engine.hpp", "#include <comcp/http/message.hpp>")

    def test_config_is_pure_but_for_connecting(self):
        self.refused("config/read.hpp", "#include <comcp/server/server_config.hpp>", "config may not include server")
        self.refused("config/impl/expand.ipp", "#include <unistd.h>", "config is pure")
        self.allowed("config/impl/expand.ipp", "#include <comcp/http/url.hpp>")
        self.refused("config/impl/expand.ipp", "#include <comcp/replace_file.hpp>", "config may not include file")
        self.allowed("config/impl/load.ipp", "#include <comcp/replace_file.hpp>")
        self.allowed("config/impl/connect.ipp", "#include <comcp/transport/stdio.hpp>")
        self.allowed("config/connect.hpp", "#include <comcp/server/server_config.hpp>")

    def test_libraries_stay_in_their_files(self):
        self.refused("json/value.hpp", "#include <simdjson.h>", "only json/impl")
        self.allowed("json/impl/document.ipp", "#include <simdjson.h>")
        self.refused("net/child_process.hpp", "#include <asio.hpp>", "narrow")
        self.refused("client/core.hpp", "#include <httplib.h>", "httplib_engine")

    def test_names_and_pins_are_pure_and_know_no_client(self):
        self.refused("providers/names.hpp", "#include <comcp/registry/catalog.hpp>", "may not include registry")
        self.refused("providers/openai.hpp", "#include <comcp/client/client.hpp>", "may not include client")
        self.refused("pinning/guard.hpp", "#include <mutex>", "pinning is pure")
        self.refused("pinning/guard.hpp", "#include <comcp/pinning/lock_file.hpp>", "may not include pinning (file)")
        self.refused("hash/sha256.hpp", "#include <comcp/json/value.hpp>", "hash may not include json")
        self.allowed("pinning/impl/lock_file.ipp", "#include <sys/stat.h>")
        self.allowed("impl/replace_file_windows.ipp", "#include <comcp/net/windows.hpp>")
        self.refused("impl/system_posix.ipp", "#include <comcp/replace_file.hpp>", "error may not include file")
        self.allowed("pinning/fingerprint.hpp", "#include <comcp/hash/sha256.hpp>")
        self.allowed("providers/anthropic.hpp", "#include <comcp/protocol/tools.hpp>")

    def test_what_skills_are_is_pure_and_who_loads_them_is_not(self):
        self.refused("skills/skill.hpp", "#include <comcp/client/client.hpp>", "skills may not include client")
        self.refused("skills/impl/yaml_scalars.ipp", "#include <thread>", "skills is pure")
        self.allowed("extensions/impl/skills.ipp", "#include <comcp/client/client.hpp>")

    def test_the_parts_of_the_core_know_little_of_each_other(self):
        self.refused("client/calls.hpp", "#include <comcp/client/connection.hpp>", "calls may not")
        self.refused("client/impl/calls.ipp", "#include <comcp/client/core.hpp>", "calls may not")
        self.refused("client/impl/calls.ipp", "if (core_.facts().codec) return;", "names codec")
        self.refused("client/impl/calls.ipp", 'if (e.call->method == "tools/list") return;', "calls knows no method")
        self.refused("client/calls.hpp", "friend class dispatcher;", "befriends dispatcher")
        self.refused("client/pipeline.hpp", "#include <comcp/client/cache.hpp>", "pipeline may not")
        self.refused("client/impl/pipeline.ipp", "add(std::make_unique<validation>());", "names validation")
        self.refused("client/impl/pipeline.ipp", 'return c.method == "tools/call";', "pipeline knows no method")
        self.refused("client/inbound.hpp", "#include <comcp/client/subscriptions.hpp>", "inbound may not")
        self.refused("client/impl/inbound.ipp", "core_.subscriptions().notified(m);", "names subscriptions")
        self.refused("client/impl/inbound.ipp", "skills.changed();", "names skills")
        self.refused("client/connection.hpp", "#include <comcp/client/pipeline.hpp>", "connection may not")
        self.refused("client/impl/connection.ipp", "for (auto const& i : interceptors) i();", "names interceptors")
        self.allowed("client/impl/calls.ipp", "// the cache and std::exchange(legacy, 1)")
        self.allowed("client/impl/calls.ipp", "auto const id = std::exchange(e.id, 0);")
        self.allowed("client/impl/inbound.ipp", "#include <comcp/client/core.hpp>")
        self.allowed("client/core.hpp", "detail::subscriptions subscriptions_;")

    def test_the_client_names_no_transport(self):
        self.refused("client/options.hpp", "bool is_stdio(stdio const& t);", "no concrete transport")
        self.refused("client/impl/exchange.ipp", "streamable_http<engine> t;", "no concrete transport")
        self.allowed("client/client.hpp", "// connect(comcp::stdio(\"command\"))")
        self.allowed("transport/stdio.hpp", "class stdio;")

    def test_the_facade_of_a_client_compiles_no_connecting(self):
        self.refused("client/impl/client.ipp", "#include <comcp/client/core.hpp>", "client (facade) may not include client")
        self.refused("client.hpp", "#include <comcp/client/connect.hpp>", "client (facade) may not include client")
        self.allowed("client/core.hpp", "#include <comcp/client/link.hpp>")

    def test_unknown_places_are_refused(self):
        self.refused("utils/strings.hpp", "", "no layer")
        self.assertIn("has no #pragma once", problems_of("json/value.hpp", ""))


unittest.main()
