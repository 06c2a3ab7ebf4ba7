#include "rootdk/harness/run_sweep.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <iostream>
#include <mutex>
#include <system_error>
#include <thread>

#include "output_folder.hpp"
#include "stop_signal.hpp"

namespace rootdk::harness {
namespace {

struct Job {
  const CellPoint* point;
  double cost;
};

// The cells without a whole part, the costliest first: a long one started last would be waited for
// alone.
std::vector<Job> jobs_to_do(const std::vector<CellPoint>& cells, const RunDirectory& directory,
                            const SweepOptions& options, Progress& progress) {
  std::vector<Job> jobs;
  for (const CellPoint& point : cells) {
    const PartState part = directory.part_state(point.number);
    if (part == PartState::whole) continue;
    if (part != PartState::missing) {
      directory.remove_part(point.number);
      progress.say("the results of cell " + std::to_string(point.number) +
                   (part == PartState::damaged ? " are damaged" : " are of another build") +
                   "; computing it again");
    }
    jobs.push_back({&point, options.cost ? options.cost(point) : 1.0});
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return a.cost > b.cost; });
  return jobs;
}

// Threads that each take the next job until none is left or they are to stop.
class Workers {
 public:
  using RunJob = std::function<void(const Job&)>;

  Workers(const std::vector<Job>& jobs, int threads, SweepCounters& counters, const RunJob& run)
      : jobs_(jobs), counters_(counters), run_(run) {
    const std::size_t count = std::min(jobs.size(), static_cast<std::size_t>(threads));
    running_ = count;
    threads_.reserve(count);
    try {
      for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      counters_.stop = true;  // the destructors of those that did start wait for them
      throw std::runtime_error("--threads " + std::to_string(threads) +
                               ": the system refused thread " +
                               std::to_string(threads_.size() + 1) + " (" + error.code().message() +
                               "); lower --threads");
    } catch (...) {
      counters_.stop = true;
      throw;
    }
  }

  // Waits a moment; true when all have ended.
  bool ended_within(std::chrono::milliseconds moment) {
    std::unique_lock lock(mutex_);
    return all_ended_.wait_for(lock, moment, [this] { return running_ == 0; });
  }

  // What the first failing job threw. Once all have ended.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    try {
      while (!counters_.stop) {
        const std::size_t job = next_++;
        if (job >= jobs_.size()) break;
        run_(jobs_[job]);
      }
    } catch (...) {
      // Whoever raises the flag is the first; what others throw is their way to stop.
      if (!counters_.stop.exchange(true)) failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    --running_;
    all_ended_.notify_all();
  }

  const std::vector<Job>& jobs_;
  SweepCounters& counters_;
  const RunJob& run_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable all_ended_;
  std::size_t running_ = 0;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

void print_plan(const Request& request, std::size_t cells) {
  std::cout << request.config.toml() << "\n# cells: " << cells
            << "\n# output folder: " << request.out.string() << "\n";
}

// Returns when every cell has its part; throws otherwise.
void compute_cells(const Request& request, const std::vector<CsvTable>& tables,
                   const std::vector<CellPoint>& cells, const SweepOptions& options,
                   const CellBody& body, const RunDirectory& directory, Progress& progress) {
  const std::vector<Job> jobs = jobs_to_do(cells, directory, options, progress);
  double total_cost = 0;
  for (const Job& job : jobs) total_cost += job.cost;

  SweepCounters counters;
  counters.cells = cells.size() - jobs.size();
  const Workers::RunJob run = [&](const Job& job) {
    CellOutput output(*job.point, tables, directory, counters, job.cost / total_cost,
                      options.steps_per_cell);
    body(*job.point, output);
    output.finish();
  };
  const StopSignal signal;
  Workers workers(jobs, request.threads, counters, run);
  while (!workers.ended_within(std::chrono::milliseconds(200))) {
    if (signal.raised()) counters.stop = true;
    progress.update(counters);
  }
  workers.rethrow_failure();
  if (counters.cells < cells.size()) {
    throw Interrupted("stopped with " + std::to_string(counters.cells) + " of " +
                      std::to_string(cells.size()) +
                      " cells finished; --resume goes on from there");
  }
}

}  // namespace

void run_sweep(const Request& request, const std::vector<CsvTable>& tables,
               const std::vector<CellPoint>& cells, const SweepOptions& options,
               const CellBody& body) {
  if (request.dry_run) {
    check_output_folder(request, results_of(tables, options.derived));
    print_plan(request, cells.size());
    return;
  }
  RunDirectory directory(request, tables, options.facts, options.derived);
  Progress progress(std::cerr, progress_style(request.quiet), cells.size());
  if (directory.finished()) {
    progress.say(request.out.string() + " holds this run, finished; nothing to do");
    return;
  }
  compute_cells(request, tables, cells, options, body, directory, progress);
  directory.finish(cells.size());
  progress.say(std::to_string(cells.size()) + (cells.size() == 1 ? " cell in " : " cells in ") +
               request.out.string());
}

}  // namespace rootdk::harness
