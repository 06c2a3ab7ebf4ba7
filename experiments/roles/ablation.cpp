#include "roles/ablation.hpp"

#include <array>
#include <map>

#include "common/binomial_interval.hpp"
#include "common/model_weights.hpp"
#include "roles/roles_config.hpp"
#include "rootdk/training/training_cell.hpp"

namespace rootdk {
namespace {

struct Target {
  std::string_view name;
  Relation relation;
};
constexpr std::array<Target, 3> targets{{{"successor", Relation::successor},
                                         {"predecessor", Relation::predecessor},
                                         {"identity", Relation::identity}}};

// Tallies of all seeds, by the number of the intervention and of the target.
using Pool = std::map<std::pair<std::size_t, std::size_t>, Tally>;

// Asks the models of one kind of projections, and keeps the answers.
template <class T>
class Examination {
 public:
  Examination(const harness::CellPoint& point, harness::CellOutput& out)
      : point_(point), out_(out), kind_(projection_kind(point.config.word("projections"))) {}

  void run(std::uint64_t seed) {
    config_ = ablation_config(point_.config, seed);
    if (kind_ == ProjectionKind::none) return ask_all(*initial_weights<T>(config_), false);
    TrainingCell<T> cell(config_);
    ask_all(cell.projections(), true);
    while (!cell.done()) {
      cell.step();
      out_.advance();
    }
    ask_all(cell.projections(), false);
  }

  void write() const {
    for (const auto& [which, tally] : pool_) {
      const Interval interval = clopper_pearson(tally.correct, tally.asked);
      out_.rows("ablation")
          .append(to_string(kind_), interventions<T>()[which.first].name,
                  targets[which.second].name, tally.accuracy(), interval.low, interval.high);
    }
  }

 private:
  // Every intervention that this kind of projections, their shapes and this moment allow, each on a
  // copy of the weights.
  void ask_all(const Projections<T>& weights, bool before_training) {
    const auto table = interventions<T>();
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i].before_training != before_training || !applies(table[i], weights)) continue;
      if (changes_weights(table[i]) && kind_ != ProjectionKind::untied) continue;
      tally(*changed_by(table[i], weights, config_.task_parameters.seed), i);
    }
  }

  void tally(Projections<T>& weights, std::size_t intervention) {
    const TaskInfo info = find_task(config_.task).info(config_.task_parameters);
    const Index sequences = point_.config.integer("ablation_evaluation_sequences");
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const Tally answers = ask(config_, weights, targets[t].relation, sequences);
      Tally& pooled = pool_[{intervention, t}];
      pooled.correct += answers.correct;
      pooled.asked += answers.asked;
      out_.rows("ablation_seeds")
          .append(to_string(kind_), interventions<T>()[intervention].name, targets[t].name,
                  config_.task_parameters.seed, answers.correct, answers.asked, info.chance,
                  1 / static_cast<double>(info.d_v));
    }
  }

  const harness::CellPoint& point_;
  harness::CellOutput& out_;
  const ProjectionKind kind_;
  CellConfig config_;  // of the seed at hand
  Pool pool_;
};

}  // namespace

template <class T>
void run_ablation(const harness::CellPoint& point, harness::CellOutput& out) {
  Examination<T> examination(point, out);
  for (const std::uint64_t seed : point.config.unsigned_integers("seed")) examination.run(seed);
  examination.write();
}

template void run_ablation<float>(const harness::CellPoint&, harness::CellOutput&);
template void run_ablation<double>(const harness::CellPoint&, harness::CellOutput&);

}  // namespace rootdk
