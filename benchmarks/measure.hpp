// SPDX-FileCopyrightText: 2026 The comcp authors
// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks share: clocks, medians, pinning, and the lines `name value` that tools/bench reads.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <sched.h>
#include <time.h>

namespace bench {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds since some moment; and seconds of processor time that this thread has had.
inline double wall_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
inline double thread_clock() {
  timespec t;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

inline double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline void print(char const* name, double value) {
  std::printf("%s %.4g\n", name, value);
  std::fflush(stdout);
}

/// Our times beside those of raw bytes, measured in turns.
struct times {
  std::vector<double> plain, ours, ratios;

  void add(double raw, double own) {
    plain.push_back(raw);
    ours.push_back(own);
    ratios.push_back(own / raw);
  }
  void print(std::string const& prefix, std::string const& unit = "us") const {
    if (plain.empty()) return;
    double const scale = unit == "us" ? 1e6 : 1e3;
    bench::print((prefix + ".raw." + unit).c_str(), median(plain) * scale);
    bench::print((prefix + "." + unit).c_str(), median(ours) * scale);
    bench::print((prefix + ".ratio").c_str(), median(ratios));
  }
};

/// Runs this thread, and the processes that it starts, on the first core that it may use, while it lives.
class pinned {
 public:
  explicit pinned(bool yes = true) {
    ::sched_getaffinity(0, sizeof before_, &before_);
    if (!yes) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core) {
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &one);
    }
    ::sched_setaffinity(0, sizeof one, &one);
  }
  pinned(pinned const&) = delete;
  pinned& operator=(pinned const&) = delete;
  ~pinned() { ::sched_setaffinity(0, sizeof before_, &before_); }

  /// Moves another process to the other cores; false where there are none.
  [[nodiscard]] bool move_away(pid_t process) const {
    cpu_set_t here, others;
    ::sched_getaffinity(0, sizeof here, &here);
    CPU_XOR(&others, &before_, &here);
    return CPU_COUNT(&others) > 0 && ::sched_setaffinity(process, sizeof others, &others) == 0;
  }

 private:
  cpu_set_t before_;
};

}  // namespace bench
