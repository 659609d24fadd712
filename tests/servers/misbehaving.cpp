// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// A server that does one thing wrong, or tells what it was given: the first argument says which. It speaks
// lines, not JSON.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#if defined(_WIN32)
#include "misbehaving_windows.hpp"
#else
#include "misbehaving_posix.hpp"
#endif

namespace {

int echo() {
  for (std::string line; std::getline(std::cin, line);) put(line + "\n");
  return 0;
}

int burst_and_exit() {
  std::string all;
  for (int i = 0; i != 1500; ++i) all += "line " + std::to_string(i) + " of a burst\n";
  put(all);  // fits the pipe: nobody needs to read
  std::cerr << "last words" << std::flush;
  return 5;
}

// Writes what is no answer, says so on stderr, and waits for two lines.
int say_instead(std::string const& text) {
  put(text);
  std::cerr << "seen\n";  // as one piece
  std::string line;
  std::getline(std::cin, line);
  std::getline(std::cin, line);
  return 0;
}

int run(std::string const& what, std::vector<std::string> const& rest) {
  if (what == "echo") return echo();
  if (what == "exit_at_once") return rest.empty() ? 3 : std::atoi(rest[0].c_str());
  if (what == "exit_mid_call") {
    std::string line;
    std::getline(std::cin, line);
    std::cerr << "boom: " << line << std::endl;
    return 9;
  }
  if (what == "die") die();
  if (what == "ignore_term" || what == "leave_group") {
    answer_term_by_telling();
    if (what == "leave_group") leave_group();
    put("ready\n");
    wait_for_ever();
  }
  if (what == "silent") {
    ignore_term();
    wait_for_ever();
  }
  if (what == "framed") return say_instead("Content-Length: 9\r\n\r\n{\"a\": 1}");
  if (what == "prompt") return say_instead("\x1b[1m> ");
  if (what == "usage") {
    put("usage: server [options]\n");
    return 2;
  }
  if (what == "hop_groups") {
    put("ready\n");
    hop_groups();
  }
  if (what == "ignore_eof") {
    put("ready\n");
    wait_for_ever();
  }
  if (what == "mute_grandchild") wait_for_ever();
  if (what == "flood_stderr") {
    std::string const block(4096, 'e');
    for (int i = 0; i != 1000; ++i) std::cerr << block;
    std::cerr << "end of flood" << std::flush;
    put("flooded\n");
    return echo();
  }
  if (what == "never_read") {
    put("ready\n");
    wait_for_ever();
  }
  if (what == "noise") {
    put("\xEF\xBB\xBF" "first\r\n\n   \nnot json at all\n");
    put(std::string("nul \0 inside\n", 13));
    put("cut off");
    return 0;
  }
  if (what == "long_line") {
    std::string const megabyte(std::size_t{1} << 20, 'x');
    for (int i = 0; i != 64; ++i) put(megabyte);
    put("\n");
    return 0;
  }
  if (what == "close_stdout" || what == "mute") {
    if (what == "mute") ignore_term();
    put("bye\n");
    close_stdout();
    wait_for_ever();
  }
  if (what == "close_stdin") {
    close_stdin();
    put("ready\n");
    wait_for_ever();
  }
  if (what == "grandchild") return grandchild(false);
  if (what == "grandchild_escaped") return grandchild(true);
  if (what == "burst_and_exit") return burst_and_exit();
  if (what == "descriptors") return list_descriptors();
  if (what == "signals") return tell_signals();
  if (what == "environment") return tell_environment();
  if (what == "directory") return tell_directory();
  if (what == "arguments") {
    for (auto const& a : rest) put("[" + a + "]\n");
    return 0;
  }
  return 99;
}

}  // namespace

int main(int argc, char** argv) {
  prepare();
  auto rest = arguments(argc, argv);
  if (rest.empty()) return run("", rest);
  auto const what = rest.front();
  rest.erase(rest.begin());
  return run(what, rest);
}
