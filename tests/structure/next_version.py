# SPDX-FileCopyrightText: 2026 The comcp authors
# SPDX-License-Identifier: Apache-2.0
"""next_version.py COMPILER_RSP INCLUDE_DIR: the protocol's next version is one line in one table.

Adds an invented one to a copy of the headers, and runs a client that finds it out, speaks it, and still speaks the others.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import compiler

TABLE = "inline constexpr std::array version_table = {"
LAST = '    version_row{"2026-07-28", era::modern},\n'
PROGRAM = r"""
#include <cstdio>
#include <comcp/client/connect.hpp>
#include <comcp/run.hpp>
#include <comcp/test/scripted_transport.hpp>

using namespace comcp;

asio::awaitable<bool> speaks(char const* version) {
  test::script s;
  s.expect("server/discover").reply(R"({"resultType":"complete","supportedVersions":["2025-11-25",")" + std::string(version) + R"("],"capabilities":{"tools":{}}})");
  s.expect("tools/call", [version](json::value const& m) {
     return m["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as<std::string>() == version;
   }).reply(R"({"content":[{"type":"text","text":"done"}]})");
  auto connecting = connect(s.transport(), connect_options());
  auto const client = co_await std::move(connecting);
  auto calling = client.call_tool("x");
  auto const r = co_await std::move(calling);
  co_return client.protocol_version().text() == version && r.text() == "done" && !s.verdict();
}

int main() {
  static_assert(version::latest > version::v2026_07_28 && version::latest.era() == era::modern);
  static_assert(version::latest_legacy == version::v2025_11_25 && supported_versions().size() == 6);
  return run(speaks("2027-11-30")) && run(speaks("2026-07-28")) ? 0 : 1;
}
"""


def main():
    rsp, include_dir = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as scratch:
        headers = pathlib.Path(scratch, "include")
        shutil.copytree(include_dir, headers)
        lifecycle = headers / "comcp" / "protocol" / "lifecycle.hpp"
        text = lifecycle.read_text(encoding="utf-8")
        if TABLE not in text or LAST not in text:
            sys.exit("the table of versions is not what this test knows")
        lifecycle.write_text(text.replace(LAST, LAST + LAST.replace("2026-07-28", "2027-11-30")), encoding="utf-8")
        source, program = pathlib.Path(scratch, "main.cpp"), pathlib.Path(scratch, "main")
        source.write_text(PROGRAM, encoding="utf-8")
        command = [part for part in compiler.command(rsp) if part != f"-I{include_dir}"]
        command += [f"-I{headers}", source, "-o", program, "-pthread", "-lsimdjson"]
        subprocess.run(command, check=True)
        sys.exit(subprocess.run([program], timeout=60).returncode)


main()
