#include "stop_signal.hpp"

namespace rootdk::harness {
namespace {

volatile std::sig_atomic_t signal_seen = 0;

void note_signal(int) { signal_seen = 1; }

}  // namespace

StopSignal::StopSignal() {
  signal_seen = 0;
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

bool StopSignal::raised() const { return signal_seen != 0; }

}  // namespace rootdk::harness
