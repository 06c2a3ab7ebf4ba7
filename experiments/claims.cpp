// The audit: what the course says of attention, claim by claim. For each, a statistic that can
// refute it, what theory predicts, what is measured, and a verdict computed from the two.
#include <iostream>

#include "claims/report.hpp"
#include "claims/table.hpp"
#include "common/build_facts.hpp"
#include "rootdk/harness/atomic_file.hpp"
#include "rootdk/harness/run_sweep.hpp"

using namespace rootdk;

harness::ExperimentSpec claims_spec() {
  using harness::Key, harness::Kind;
  std::vector<std::string> ids;
  for (const claims::Claim* claim : claims::table()) ids.emplace_back(claim->id);
  const Key claim{.name = "claim",
                  .kind = Kind::word,
                  .list = true,
                  .defaults = ids,
                  .words = ids,
                  .help = "which claims to audit"};
  const Key queries{.name = "n_queries",
                    .defaults = {"200000"},
                    .range = harness::at_least(1000),
                    .help = "sampled queries a statistic"};
  const Key trainings{.name = "n_trainings",
                      .defaults = {"3"},
                      .range = harness::at_least(1),
                      .help = "trainings a setting, where a claim is about training"};
  const Key seed{.name = "seed",
                 .kind = Kind::unsigned_integer,
                 .defaults = {"1"},
                 .help = "of every stream; training t has seed + t"};
  const Key dtype{.name = "dtype",
                  .kind = Kind::word,
                  .defaults = {"float32"},
                  .words = {"float32", "float64"},
                  .help = "precision of the trainings; statistics say their own"};
  return {.name = "claims",
          .description =
              "Audits what the course says of attention: each claim, a statistic that can refute it, "
              "its prediction, its measurement with an interval, a verdict: claims.csv, claims.md.",
          .keys = {claim, queries, trainings, seed, dtype}};
}

claims::Budget budget_of(const harness::Config& config) {
  return {.n_queries = config.integer("n_queries"),
          .n_trainings = config.integer("n_trainings"),
          .seed = config.unsigned_integer("seed"),
          .single_precision = config.word("dtype") == "float32"};
}

int main(int argc, char** argv) {
  return harness::run_main(argc, argv, claims_spec(), [](const harness::Request& request) {
    const harness::SweepOptions options{
        .facts = build_facts(), .cost = [](const harness::CellPoint& point) {
          return claims::find(point.config.word("claim")).cost;
        }};
    run_sweep(request, {{.name = "claims", .columns = claims::columns()}},
              harness::product(request.config),  //
              options, [](const harness::CellPoint& point, harness::CellOutput& out) {
                const claims::Claim& claim = claims::find(point.config.word("claim"));
                append_rows(out.rows("claims"), claim, claim.measure(budget_of(point.config)));
              });
    if (request.dry_run) return;
    const std::string csv = harness::read_file(request.out / "claims.csv");
    harness::write_file_atomically(request.out / "claims.md", claims::markdown(csv));
    if (!request.quiet) claims::print(csv, std::cout);
  });
}
