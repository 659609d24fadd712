# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""known_names.py ROOT: every name of comcp in the tables of docs/ is in the headers.

The last column of a table holds names as code: `name`, `type.member`, `type::member`. What is in parentheses or quotes
is left out, and so are names of asio. A member must be in the body of its type or of a base; comments do not count.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DECLARED = re.compile(r"(?<![<,])(?<!, )\b(?:class|struct|enum\s+class|enum|namespace)\s+((?:\w+::)*\w+)[^;{}()=]*\{")


def body_at(text, brace):
    """From an opening brace to the one that closes it."""
    depth = 0
    for i in range(brace, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return text[brace:i + 1]
    return text[brace:]


def headers_of(root):
    """The headers without comments and strings; raw strings are none of these names either."""
    files = sorted((root / "include" / "comcp").rglob("*.hpp"))
    return "\n".join(COMMENT.sub(" ", file.read_text(encoding="utf-8")) for file in files if "impl" not in file.parts)


class Names:
    def __init__(self, text):
        self.words = set(re.findall(r"\w+", text))
        self.members, bases = {}, {}
        for found in DECLARED.finditer(text):
            *outer, own = found[1].split("::")
            body = body_at(text, found.end() - 1)
            self.members.setdefault(own, set()).update(re.findall(r"\w+", body))
            for owner, member in zip(outer, [*outer[1:], own]):
                self.members.setdefault(owner, set()).add(member)
            head = found[0][found.end(1) - found.start():]
            bases.setdefault(own, set()).update(re.findall(r"public\s+(?:\w+::)*(\w+)", head))
        for own in bases:  # what is inherited counts
            known, ahead = set(), [*bases[own]]
            while ahead:
                base = ahead.pop()
                if base in known:
                    continue
                known.add(base)
                self.members[own] |= self.members.get(base, set())
                ahead += bases.get(base, ())

    def problem(self, name):
        """What is wrong with `a`, `a.b` or `a::b`; None if nothing is."""
        parts = re.split(r"\.|::", name)
        if parts[0] == "asio":
            return None
        for part in parts:
            if part not in self.words:
                return f"`{name}`: there is no {part}"
        for owner, member in zip(parts, parts[1:]):
            if owner not in self.members:
                return f"`{name}`: there is no type or namespace {owner}"
            if member not in self.members[owner]:
                return f"`{name}`: {owner} has no {member}"
        return None


def cleaned(code):
    """`retry(3, 500ms)` is `retry`; an empty text for what is no name."""
    code = re.sub(r"\([^()]*\)", "", re.sub(r'"[^"]*"', "", code)).strip()
    return code if re.fullmatch(r"\w+(?:(?:\.|::)\w+)*", code) else ""


def tables(text):
    """Each table as the rows of its body, a row as its cells."""
    out, rows = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            out.append(rows[2:])
            rows = []
    return out


def problems_of(text, names, expected):
    found = tables(text)
    if len(found) < expected:
        yield f"{len(found)} tables, {expected} are expected"
    for table in found:
        for row in table:
            codes = re.findall(r"`([^`]+)`", row[-1])
            if not codes and "not yet" not in row[-1] and "handler's" not in row[-1]:
                yield f"{row[0]}: no name of comcp beside it"
            for code in codes:
                if code.startswith('"'):
                    continue
                problem = names.problem(cleaned(code)) if cleaned(code) else f"`{code}` is no name"
                if problem:
                    yield f"{row[0]}: {problem}"


def main(root):
    names, faults = Names(headers_of(root)), 0
    for page, expected in (("coming-from.md", 3), ("from-boost.md", 1)):
        text = (root / "docs" / page).read_text(encoding="utf-8")
        wrong = list(problems_of(text, names, expected))
        faults += len(wrong)
        print(*wrong, sep="\n")
        print(f"{page}: {sum(map(len, tables(text)))} rows, {len(wrong)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
