// The audit: what the course says of attention, claim by claim. For each, a statistic that can
// refute it, what theory predicts, what is measured, and a verdict computed from the two.
#include <iostream>

#include "claims/report.hpp"
#include "claims/table.hpp"
#include "common/build_facts.hpp"
#include "common/memory_limit.hpp"
#include "common/schema_keys.hpp"
#include "rootdk/harness/run_sweep.hpp"

using namespace rootdk;

harness::ExperimentSpec claims_spec() {
  std::vector<std::string> ids;
  for (const claims::Claim* claim : claims::table()) ids.emplace_back(claim->id);
  return {
      .name = "claims",
      .description =
          "Audits what the course says of attention: each claim, a statistic that can refute it, "
          "its prediction, its measurement with an interval, a verdict: claims.csv, claims.md.",
      .keys = {sweeping(word_key("claim", "", ids, "which claims to audit"), ids),
               integer_key("n_queries", "200000", 1000, "sampled queries a statistic"),
               integer_key("n_trainings", "3", 1, "trainings a setting"),
               seed_key("of every stream; training t has seed + t"),
               dtype_key("float32",
                         "precision of trainings on lookup; other statistics say their own")}};
}

claims::Budget budget_of(const harness::Config& config, harness::CellOutput& out) {
  return {.n_queries = config.integer("n_queries"),
          .n_trainings = config.integer("n_trainings"),
          .seed = config.unsigned_integer("seed"),
          .single_precision = is_float32(config),
          .tick = [&out] { out.advance(); }};
}

void check_memory(const harness::Request& request) {
  constexpr double numbers_a_query = 4;  // what the claim that keeps most keeps of each
  const MemoryNeed need{.bytes =
                            [](const harness::Config& config) {
                              return numbers_a_query * sizeof(double) *
                                     static_cast<double>(config.integer("n_queries"));
                            },
                        .sizes = {"n_queries"},
                        .at_once = static_cast<std::size_t>(request.threads)};
  expect_fits_in_memory(request.config, request.config, need);
}

int main(int argc, char** argv) {
  return harness::run_main(argc, argv, claims_spec(), [](const harness::Request& request) {
    const harness::SweepOptions options{.facts = build_facts(),
                                        .derived = {{"claims.md", "claims", claims::markdown}},
                                        .cost = [](const harness::CellPoint& point) {
                                          return claims::find(point.config.word("claim")).cost;
                                        }};
    check_memory(request);
    run_sweep(request, {{.name = "claims", .columns = claims::columns()}},
              harness::product(request.config), options,
              [](const harness::CellPoint& point, harness::CellOutput& out) {
                const claims::Claim& claim = claims::find(point.config.word("claim"));
                append_rows(out.rows("claims"), claim, claim.measure(budget_of(point.config, out)));
              });
    if (request.dry_run || request.quiet) return;
    claims::print(request.out / "claims.csv", std::cout);
  });
}
