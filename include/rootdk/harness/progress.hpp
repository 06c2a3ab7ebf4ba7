#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace rootdk::harness {

// What the workers of a sweep count and what may stop them. Shared by all threads.
struct SweepCounters {
  std::atomic<std::uint64_t> steps{0};
  std::atomic<std::uint64_t> cells{0};
  std::atomic<double> work{0};  // share of the whole, 0 to 1
  std::atomic<bool> stop{false};
};

enum class ProgressStyle {
  line,   // a terminal: one line, rewritten
  log,    // a file: a plain line now and then
  quiet,  // nothing
};

// stderr is a terminal or not, and the user wants quiet or not.
ProgressStyle progress_style(bool quiet);

// "1 h 02 min", "3 min 07 s", "12 s"
std::string duration_text(double seconds);

// Shows how far a sweep is: cells done, steps per second, time left.
class Progress {
 public:
  Progress(std::ostream& stream, ProgressStyle style, std::uint64_t cells);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Called several times a second; writes when it is time to.
  void update(const SweepCounters& counters);
  // A line that stays, in every style but quiet.
  void say(const std::string& text);

 private:
  void clear_line();

  std::ostream* stream_;
  ProgressStyle style_;
  std::uint64_t cells_;
  std::chrono::steady_clock::time_point start_;
  double next_log_ = 10;  // seconds after the start
  bool line_shown_ = false;
};

}  // namespace rootdk::harness
