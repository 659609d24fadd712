# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""include_rules.py ROOT: who may include whom under include/comcp, and how long a source may be.

The rules are DESIGN.md's. Each file belongs to a layer; a layer may include itself and, transitively, what MAY
names. Pure files of an impure folder, and the contracts that upper layers may see, are layers of their own. The parts of
the core (section 9) have rules of their own: which headers of client/ they may include, and what they may not name.
"""
import pathlib
import re
import sys

LONGEST = 400

MAY = {
    "version": [],
    "error": ["version", "fwd"],
    "fwd": ["version"],
    "file": ["error"],
    "json": ["error"],
    "jsonrpc": ["json"],
    "protocol": ["json", "trace"],
    "schema": ["json"],
    "trace": ["json"],
    "wire": ["protocol", "jsonrpc"],
    "http (pure)": ["error"],
    "auth (pure)": ["json", "http (pure)", "hash"],
    "sansio": ["wire", "http (pure)", "auth (pure)"],
    "net (contract)": ["error"],
    "net": ["net (contract)"],
    "http": ["net", "http (pure)", "trace"],
    "auth": ["http", "sansio", "auth (pure)", "file"],
    "transport (contract)": ["json"],
    "transport": ["sansio", "http", "auth", "trace", "transport (contract)"],
    "client (facade)": ["transport (contract)", "net (contract)", "sansio", "wire"],
    "client": ["client (facade)", "schema", "trace"],
    "extensions": ["client", "sansio", "skills"],
    "server": ["client", "sansio"],
    "registry": ["server", "pinning", "providers"],
    "pool": ["server"],
    "providers": ["protocol", "hash"],
    "pinning": ["protocol", "hash"],
    "pinning (file)": ["pinning", "file"],
    "hash": ["error"],
    "skills": ["protocol", "hash"],
    "config": ["trace", "http (pure)"],
    "config (file)": ["config", "file"],
    "config (connect)": ["config", "server", "transport"],
    "test": ["client", "transport"],
}
ANYTHING = {"comcp", "host", "authorization", "run", "src"}

SPECIAL = {
    "http/url": "http (pure)", "http/url_warnings": "http (pure)", "http/address_reach": "http (pure)", "http/message": "http (pure)",
    "auth/challenge": "auth (pure)", "auth/metadata": "auth (pure)", "auth/pkce": "auth (pure)",
    "auth/form": "auth (pure)", "auth/token": "auth (pure)", "auth/registration": "auth (pure)",
    "auth/authorization": "auth (pure)", "auth/endpoint_policy": "auth (pure)", "auth/oauth_profile": "auth (pure)",
    "net/time_source": "net (contract)", "net/asio_compat": "net (contract)", "net/spawn": "net (contract)", "net/completion": "net (contract)",
    "net/gate": "net (contract)", "net/serial": "net (contract)", "net/chance": "net (contract)",
    "transport/transport": "transport (contract)", "requirements": "net (contract)",
    "pinning/lock_file": "pinning (file)", "config/connect": "config (connect)", "config/load": "config (file)",
    "result": "error", "secret": "error", "visible": "error", "later": "error", "timespan": "error", "replace_file": "file", "private_file": "file",
    "system": "error", "net/windows": "error", "net/windows_owner": "error",
    "http/proxy": "http (pure)", "http/tls": "http (pure)", "protocol/base64": "error",
    "http/response_parser": "http (pure)", "http/body": "http (pure)", "http/request_writer": "http (pure)",
    "http": "comcp",  # the header, not the folder
}

FEATURES = {"cache", "caching", "validation", "interceptor", "interceptors", "interception", "skills", "tasks",
            "apps", "extension", "extensions"}
ERAS = {"wire", "codec", "legacy", "modern", "protocol_version", "negotiation"}
# A part of the core: the headers of client/ that it may include, and the words that its code may not have.
PARTS = {
    "calls": ({"call", "capacity", "counters", "options", "overlap_guard"},
              FEATURES | ERAS | {"client_core", "connection", "channel", "pipeline", "exchange", "inbound", "dispatcher",
                                 "recovery", "subscriptions"}),
    "pipeline": ({"call", "exchange"},
                 FEATURES | ERAS | {"client_core", "connection", "channel", "dispatcher", "recovery",
                                    "rounds", "labels", "subscriptions"}),
    "inbound": ({"call", "core", "notification_sink"},
                FEATURES | {"negotiation", "pipeline", "exchange", "introduction", "subscriptions"}),
    "connection": ({"attempt", "calls", "channel", "core", "negotiation", "options", "status_listeners"}, FEATURES | {"legacy", "modern"}),
}
TRANSPORTS = {"stdio", "streamable_http", "http_sse", "http_session", "stream_session", "byte_stream", "unix_socket",
              "named_pipe"}
METHOD = re.compile(r'"[a-z]+/[a-zA-Z/]+"')
NO_NAME = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|std::\w+', re.S)

# What a source compiles that is only given a client: nothing that connects.
FACADE = ("awaitable_client", "away", "call", "capacity", "call_options", "client", "client_base", "context", "initiate", "link",
          "listen_stream", "listing", "observer", "operation", "prepared", "server_lists", "server_snapshot", "status_listeners", "watch_handle", "statistics", "subscription", "waiter")
SPECIAL.update({"client": "client (facade)", **{"client/" + name: "client (facade)" for name in FACADE}})

# Layers that decide and never perform: no I/O library, no thread, no lock.
PURE = {"version", "error", "fwd", "json", "jsonrpc", "protocol", "schema", "trace", "trace (pure)", "wire", "sansio", "http (pure)",
        "auth (pure)", "hash", "providers", "pinning", "skills", "config"}
IMPURE_HEADERS = re.compile(r"asio\b|asio/|httplib|openssl/|thread$|mutex$|shared_mutex$|condition_variable$|future$|"
                            r"semaphore$|latch$|barrier$|sys/|unistd\.h|poll\.h")
SANSIO_ALSO = re.compile(r"random$")
CLOCK = re.compile(r"\b(steady|system|high_resolution)_clock::now\s*\(")
PLATFORM = re.compile(r"_(posix|windows|openssl)$")  # of what has one .ipp for each kind of system
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def closure(layer, seen=None):
    """Every layer that `layer` may include, itself among them."""
    seen = set() if seen is None else seen
    if layer not in seen:
        seen.add(layer)
        for below in MAY[layer]:
            closure(below, seen)
    return seen


def layer_of(path):
    """The layer of a file, from its path below include/comcp; None for one that the rules do not know."""
    parts = [part for part in pathlib.PurePosixPath(path).with_suffix("").parts if part != "impl"]
    key = PLATFORM.sub("", "/".join(parts)) if path.endswith(".ipp") else "/".join(parts)
    if key in SPECIAL:
        return SPECIAL[key]
    if key in ANYTHING or parts[0] in MAY:
        return parts[0]
    return None


def problems_of(path, text):
    """What is wrong with one file's includes, as sentences."""
    layer = layer_of(path)
    if layer is None:
        return ["belongs to no layer that tests/structure/include_rules.py knows"]
    out = []
    if "#pragma once" not in text:
        out.append("has no #pragma once")
    for mark, target in INCLUDE.findall(text):
        if target.startswith("comcp/"):
            to = layer_of(target[len("comcp/"):])
            if to in ANYTHING and layer not in ANYTHING:
                out.append(f"includes <{target}>, which is for users only")
            elif to is None:
                out.append(f"includes <{target}>, which belongs to no known layer")
            elif layer not in ANYTHING and to not in closure(layer):
                out.append(f"includes <{target}>: {layer} may not include {to}")
            continue
        if mark == '"':
            out.append(f'includes "{target}": write <comcp/...>')
        if target.startswith("simdjson") and not path.startswith("json/impl/"):
            out.append(f"includes <{target}>: only json/impl may")
        if target.startswith("httplib") and not path.startswith(("http/httplib_engine", "http/impl/httplib_engine")):
            out.append(f"includes <{target}>: only http/httplib_engine may")
        if target in ("asio.hpp", "boost/asio.hpp"):
            out.append(f"includes <{target}>: include the narrow headers")
        if layer in PURE and IMPURE_HEADERS.match(target):
            out.append(f"includes <{target}>: {layer} is pure")
        if layer == "sansio" and SANSIO_ALSO.match(target):
            out.append(f"includes <{target}>: sansio takes randomness as an argument")
    if layer in ("sansio", "http (pure)") and CLOCK.search(text):
        out.append(f"reads a clock: {layer} takes the time as an argument")
    return out + problems_of_core(path, text)


def problems_of_core(path, text):
    """What is wrong with one file of client/ by the rules for the core's parts, as sentences."""
    folder, _, name = re.sub(r"(impl/)?([^/]*)[.].pp$", r"\2", path).rpartition("/")
    if folder != "client":
        return []
    words = set(re.findall(r"\w+", NO_NAME.sub(" ", INCLUDE.sub(" ", text))))
    out = [f"names {word}: client knows no concrete transport" for word in sorted(words & TRANSPORTS)]
    if name in PARTS:
        included, refused = PARTS[name]
        may = {f"comcp/client/{header}.hpp" for header in included | {name}} | {f"comcp/client/impl/{name}.ipp"}
        out += [f"names {word}: {name} does not know it" for word in sorted(words & refused)]
        out += [f"includes <{target}>: {name} may not" for _, target in INCLUDE.findall(text)
                if target.startswith("comcp/client/") and target not in may]
        out += [f"befriends {other}" for other in re.findall(r"\bfriend (?:class |struct )?(\w+)", text)
                if other in PARTS or other in ("client_core", "exchange", "dispatcher")]
    if name in ("calls", "pipeline"):
        out += [f"has {method}: {name} knows no method" for method in METHOD.findall(text)]
    return out


def long_files(root):
    """Sources above the limit, with their lengths."""
    for folder in ("include", "tests", "examples", "benchmarks", "tools", "cmake"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".hpp", ".ipp", ".cpp", ".h") and "node_modules" not in file.parts:
                length = file.read_text(encoding="utf-8").count("\n")
                if length > LONGEST:
                    yield file.relative_to(root), length


def main(root):
    headers = root / "include" / "comcp"
    count = wrong = 0
    for file in sorted(headers.rglob("*.?pp")):
        count += 1
        for problem in problems_of(file.relative_to(headers).as_posix(), file.read_text(encoding="utf-8")):
            wrong += 1
            print(f"{file.relative_to(root)}: {problem}")
    for file, length in long_files(root):
        wrong += 1
        print(f"{file}: {length} lines, {LONGEST} are allowed")
    print(f"{count} files, {wrong} violations")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
