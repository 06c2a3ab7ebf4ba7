#include "stop_signal.hpp"

#include <atomic>

namespace rootdk::harness {
namespace {

// The handler runs on any thread, the flag is read on another: an atomic, and one that needs no
// lock.
std::atomic<bool> signal_seen{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void note_signal(int) { signal_seen = true; }

}  // namespace

StopSignal::StopSignal() {
  signal_seen = false;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
}

StopSignal::~StopSignal() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

bool StopSignal::raised() const { return signal_seen; }

}  // namespace rootdk::harness
