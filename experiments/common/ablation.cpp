#include "common/ablation.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "common/binomial_interval.hpp"
#include "common/interventions.hpp"
#include "common/roles_config.hpp"
#include "rootdk/training/evaluation.hpp"
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
    for (std::size_t t = 0; t < targets.size(); ++t) {
      TaskParameters parameters = config_.task_parameters;
      parameters.relation = targets[t].relation;
      tasks_[t] = make_task<T>(config_.task, parameters);
    }
    if (kind_ == ProjectionKind::none) return ask_all(*projections(), false);
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
  // Matrices of the right shapes, to write other values to.
  std::unique_ptr<Projections<T>> projections() const {
    const TaskInfo& info = tasks_[0]->info();
    return std::make_unique<Projections<T>>(info.d_model, config_.d_k, info.d_v,
                                            config_.task_parameters.seed);
  }

  // Every intervention that this kind of projections, their shapes and this moment allow, each on a
  // copy of the weights.
  void ask_all(const Projections<T>& weights, bool before_training) {
    const auto table = interventions<T>();
    for (std::size_t i = 0; i < table.size(); ++i) {
      const bool plain = table[i].name == "none" || table[i].name == "untrained";
      if (table[i].before_training != before_training || !applies(table[i], weights)) continue;
      if (!plain && kind_ != ProjectionKind::untied) continue;
      const auto changed = projections();
      const std::array from{&weights.w_q, &weights.w_k, &weights.w_v};
      for (std::size_t m = 0; m < from.size(); ++m) {
        const View<const T> value = from[m]->value();
        std::copy_n(value.data, value.shape.size(), changed->all()[m]->value().data);
      }
      table[i].apply(*changed, config_.task_parameters.seed);
      ask(*changed, i);
    }
  }

  void ask(Projections<T>& weights, std::size_t intervention) {
    const TaskParameters& p = config_.task_parameters;
    RetrievalGraph<T> graph(
        weights, tasks_[0]->info(), p.batch_size, p.n_tokens,
        {.rule = score_rule(config_.scale), .gemm = config_.gemm, .projections = kind_},
        Weights::frozen);
    const Index sequences = point_.config.integer("ablation_evaluation_sequences");
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const Tally tally = evaluate(*tasks_[t], graph, sequences);
      Tally& pooled = pool_[{intervention, t}];
      pooled.correct += tally.correct;
      pooled.asked += tally.asked;
      out_.rows("ablation_seeds")
          .append(to_string(kind_), interventions<T>()[intervention].name, targets[t].name, p.seed,
                  tally.correct, tally.asked, tasks_[t]->info().chance,
                  1 / static_cast<double>(tasks_[t]->info().d_v));
    }
  }

  const harness::CellPoint& point_;
  harness::CellOutput& out_;
  const ProjectionKind kind_;
  CellConfig config_;  // of the seed at hand
  std::array<std::unique_ptr<Task<T>>, targets.size()> tasks_;
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
