# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""included_names.py finds what it is for."""
import unittest

from included_names import problems


class Names(unittest.TestCase):
    def said(self, text, **others):
        files = {"comcp/a.hpp": text, **{f"comcp/{name}.hpp": content for name, content in others.items()}}
        return [p.partition(": ")[2] for p in problems(files) if p.startswith("comcp/a.hpp")]

    def test_a_name_without_its_header_is_found(self):
        self.assertEqual(["std::optional needs <optional>"], self.said("std::optional<int> a;"))
        self.assertEqual(["std::is_same_v needs <type_traits>"], self.said("static_assert(std::is_same_v<int, int>);"))
        self.assertIn("asio::post needs one of <asio/post.hpp>", self.said("#include <asio/awaitable.hpp>\nasio::post(f);"))
        self.assertIn("list it", self.said("std::no_such_name a;")[0])

    def test_one_that_asio_may_include_does_not_count(self):
        self.assertEqual(1, len(self.said("#include <asio/post.hpp>\nstd::vector<int> a;")))

    def test_what_comcp_includes_counts(self):
        self.assertEqual([], self.said("#include <comcp/b.hpp>\nstd::string a; asio::ip::tcp::socket s;",
                                       b="#include <string>\n#include <asio/ip/tcp.hpp>"))
        self.assertEqual([], self.said("#include <map>\n// std::vector\nchar const* a = \"std::optional\";"))


unittest.main()
