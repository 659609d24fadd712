# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""Names that are not in the headers are found."""
import unittest

from known_names import COMMENT, Names, cleaned, problems_of

HEADERS = COMMENT.sub(" ", """
namespace comcp::json { struct raw { int text; }; }
template <class T>
struct entry : base<T> {
  T definition;  // not_here is a comment
};
enum class errc { timeout = 1, closed };
void connect();
""")


class KnownNames(unittest.TestCase):
    def setUp(self):
        self.names = Names(HEADERS)

    def test_what_is_there_is_found(self):
        for name in ("connect", "json::raw", "entry.definition", "errc::closed", "raw.text", "comcp::json::raw", "asio::awaitable"):
            self.assertIsNone(self.names.problem(name), name)

    def test_what_is_not_there_is_named(self):
        for name in ("connected", "entry.not_here", "errc::definition", "T.definition", "connect.closed", "entry.closed"):
            self.assertIsNotNone(self.names.problem(name), name)

    def test_arguments_are_left_out(self):
        self.assertEqual("retry", cleaned("retry(3, 500ms)"))
        self.assertEqual("a.b", cleaned("a().b"))
        self.assertEqual("", cleaned("=>"))

    def test_each_row_of_each_table_counts(self):
        table = "| theirs | comcp |\n| --- | --- |\n| `a` | `{}` |\n\n"
        self.assertEqual([], list(problems_of(table.format("connect") * 3, self.names, 3)))
        self.assertEqual(3, len(list(problems_of(table.format("gone") * 3, self.names, 3))))
        self.assertEqual(1, len(list(problems_of(table.format("connect") * 2, self.names, 3))))
        self.assertEqual(3, len(list(problems_of(table.replace("`{}`", "by hand") * 3, self.names, 3))))


unittest.main()
