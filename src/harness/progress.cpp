#include "rootdk/harness/progress.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <unistd.h>

namespace rootdk::harness {
namespace {

std::string two_digits(std::uint64_t number) {
  return std::string(number < 10 ? "0" : "") + std::to_string(number);
}

}  // namespace

ProgressStyle progress_style(bool quiet) {
  if (quiet) return ProgressStyle::quiet;
  return ::isatty(STDERR_FILENO) != 0 ? ProgressStyle::line : ProgressStyle::log;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + two_digits(whole % 3600 / 60) + " min";
}

Progress::Progress(std::ostream& stream, ProgressStyle style, std::uint64_t cells)
    : stream_(&stream), style_(style), cells_(cells), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear_line(); }

void Progress::clear_line() {
  if (line_shown_) *stream_ << "\r\x1b[K" << std::flush;
  line_shown_ = false;
}

void Progress::update(const SweepCounters& counters) {
  if (style_ == ProgressStyle::quiet) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  const double seconds = passed.count();
  if (style_ == ProgressStyle::log && seconds < next_log_) return;

  std::string text = std::to_string(counters.cells) + " of " + std::to_string(cells_) + " cells";
  if (counters.steps > 0) {
    const double rate = static_cast<double>(counters.steps) / std::max(seconds, 1e-3);
    text += ", " + std::to_string(std::llround(rate)) + " steps/s";
  }
  const double work = counters.work;
  if (work > 0 && seconds > 1) text += ", " + duration_text(seconds * (1 - work) / work) + " left";

  if (style_ == ProgressStyle::line) {
    *stream_ << "\r" << text << "\x1b[K" << std::flush;
    line_shown_ = true;
  } else {
    *stream_ << text << "\n" << std::flush;
    next_log_ = seconds + std::clamp(seconds, 10.0, 600.0);  // rarer as it takes longer
  }
}

void Progress::say(const std::string& text) {
  clear_line();
  if (style_ != ProgressStyle::quiet) *stream_ << text << "\n" << std::flush;
}

}  // namespace rootdk::harness
