#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""Says which classes of include/ have more than 25 member functions or 15 data members (DESIGN, section 9).

Counted are the members that a class declares itself, but for constructors, destructors, assignments and conversions.
Not counted either are fluent setters, which return their own object (options are classes with fluent setters, DESIGN,
section 1): `name& f(...)` and `name&& f(...)`, or `name f(...)` where its body returns *this.
Structs that are data alone, as the protocol's types are, may have any number of members.

  class_limits.py ROOT
"""
import pathlib
import re
import sys

FUNCTIONS, DATA = 25, 15

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*', re.S | re.M)
HEAD = re.compile(r"\b(class|struct)\s+((?:\w+::)*\w+)(?:\s+final)?\s*(?::(?!:)[^;{()]*(?:\([^)]*\)[^;{()]*)*)?\{")
SKIPPED = re.compile(r"(public|private|protected)\s*:(?!:)")
NO_MEMBER = re.compile(r"^(friend|using|typedef|static_assert|class|struct|enum|union|COMCP_LIMIT)\b")
OPENING, CLOSING = "({[", ")}]"


def end_of(text, at):
    """The position of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in OPENING) - (text[i] in CLOSING)
        if depth == 0:
            return i
    return len(text) - 1


def declarations(body):
    """What stands in a class at its own level, bodies and nested classes cut to their brackets."""
    start = i = 0
    while i < len(body):
        if body[i] in OPENING:
            close = end_of(body, i)
            body_of_function = body[i] == "{" and re.search(r"[)\w&]\s*$", body[start:i]) and "(" in body[start:i]
            is_type = NO_MEMBER.match(re.sub(r"template\s*<[^{}]*?>\s*(?=\b(?:class|struct)\b)", "", body[start:i].strip()))
            i = close
            if body_of_function and not is_type:
                yield body[start:i + 1].strip()
                start = i + 1
        elif body[i] == ";":
            yield body[start:i].strip()
            start = i + 1
        i += 1


def is_setter(text, name):
    """Whether a member function returns the object that it was called for."""
    head = re.match(rf"(?:\[\[[^\]]*\]\]\s*|constexpr\s+|inline\s+)*{name}\s*(&&|&)?\s*(?!operator)\w+\s*\(", text)
    behind = head and text[end_of(text, head.end() - 1) + 1:]
    if not head or re.match(r"\s*const\b", behind):
        return False
    return bool(head.group(1)) or re.search(r"\breturn\b[^;]*\*this\b", behind) is not None


def kind_of(declaration, name):
    """'function', 'data' or None, and how many."""
    text = SKIPPED.sub("", declaration).strip(" ;\n")
    text = re.sub(r"^(\[\[[^\]]*\]\]\s*|COMCP_DECL\s+)+", "", text)
    while text.startswith("template"):
        depth, i = 0, text.index("<")
        while True:
            depth += (text[i] == "<") - (text[i] == ">")
            i += 1
            if depth == 0:
                break
        text = re.sub(r"^\s*requires\s*(\([^()]*(\([^()]*\)[^()]*)*\)|[\w:<>,\s]+?)(?=\s+\w)", "", text[i:]).strip()
    if not text or NO_MEMBER.match(text):
        return None, 0
    flat = text
    while not re.search(r"operator\s*<", flat) and (cut := re.sub(r"<[^<>]*>", "", flat)) != flat:
        flat = cut
    before = re.split(r"=(?!=)|\{", flat, maxsplit=1)[0]
    if "(" in before or "operator" in before:
        if re.search(rf"(^|\s|~){name}\s*\(", before) or re.search(r"operator\s*=|operator\s+\w", flat):
            return None, 0
        if is_setter(text, name):
            return None, 0
        return "function", 1
    if re.match(r"(inline\s+)?static\s+constexpr|(inline\s+)?constexpr|static\s+inline|static\b", before):
        return None, 0
    return "data", before.count(",") + 1


def classes(text):
    """Name, member functions and data members of each class that is defined in the text."""
    text = NOISE.sub(" ", text)
    for head in HEAD.finditer(text):
        opening = head.end() - 1
        name = head.group(2).split("::")[-1]
        functions = data = 0
        for declaration in declarations(text[opening + 1:end_of(text, opening)]):
            kind, count = kind_of(declaration, name)
            functions += count if kind == "function" else 0
            data += count if kind == "data" else 0
        yield name, functions, data


def main():
    root = pathlib.Path(sys.argv[1]) / "include"
    bad, count = [], 0
    for file in sorted(root.rglob("*.[hi]pp")):
        for name, functions, data in classes(file.read_text(encoding="utf-8")):
            count += 1
            if functions > FUNCTIONS or (data > DATA and functions > 0):
                bad.append(f"{file.relative_to(root / 'comcp')} {name}: {functions} member functions, {data} data members "
                           f"(at most {FUNCTIONS} and {DATA})")
    print("\n".join(bad + [f"{count} classes, {len(bad)} beyond the limits"]))
    return 1 if bad or count < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
