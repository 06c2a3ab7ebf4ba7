#pragma once
#include <csignal>

namespace rootdk::harness {

// While one lives, the first SIGINT or SIGTERM only raises a flag; the second one kills as usual.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  bool raised() const;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace rootdk::harness
