// The audit: its arithmetic (intervals, agreement, verdicts), its sampler, and its verdicts.
#include "catch.hpp"
#include "claims/gaussian_queries.hpp"
#include "claims/report.hpp"
#include "claims/table.hpp"
#include "rootdk/theory/score_gap.hpp"
#include "support/binary.hpp"

using namespace rootdk;
using namespace rootdk::claims;
using rootdk::harness::TemporaryFolder;

namespace {

Statistic measured_as(double value, std::optional<Expectation> claimed, bool within = true) {
  return {.name = "a statistic",
          .claimed = claimed,
          .measured = with_error(value, 0.01),
          .within_condition = within};
}

Verdict verdict_of(const std::vector<Statistic>& statistics) { return verdict(statistics); }

std::vector<double> normals(std::size_t count, std::uint64_t step) {
  std::vector<double> values(count);
  Stream stream(StreamKey(1, "claims_test"), step);
  fill_normal(stream, std::span(values));
  return values;
}

}  // namespace

TEST_CASE("claims: an expectation stands until four standard errors refute it", "[claims]") {
  const Estimate estimate = with_error(1, 0.01);
  CHECK(agree(equals(1.039), estimate));
  CHECK_FALSE(agree(equals(1.041), estimate));
  CHECK_FALSE(agree(equals(0.959), estimate));
  CHECK(agree(equals(0.959, 0.002), estimate));
  CHECK(agree(at_most(0.961), estimate));
  CHECK_FALSE(agree(at_most(0.959), estimate));
  CHECK(agree(at_least(1.039), estimate));
  CHECK_FALSE(agree(at_least(1.041), estimate));
  CHECK_FALSE(agree(equals(1), exact(NAN)));
  CHECK_FALSE(agree(at_most(1), exact(NAN)));
}

TEST_CASE("claims: a verdict is what the statistics leave of the claim", "[claims]") {
  const Statistic yes = measured_as(1, equals(1)), no = measured_as(2, equals(1));
  const Statistic beyond = measured_as(2, equals(1), false), informs = measured_as(2, {});
  CHECK(verdict_of({yes, informs}) == Verdict::holds);
  CHECK(verdict_of({yes, beyond}) == Verdict::holds_if);
  CHECK(verdict_of({yes, no}) == Verdict::wrong);
  CHECK(verdict_of({no, beyond}) == Verdict::wrong);
}

TEST_CASE("claims: 95 % intervals cover the truth that often", "[claims]") {
  constexpr int repetitions = 400;
  int mean = 0, variance = 0, median = 0, rms = 0;
  const auto covers = [](const Estimate& estimate, double truth) {
    CHECK(estimate.low_4se <= estimate.ci_low);
    CHECK(estimate.ci_high <= estimate.high_4se);
    return estimate.ci_low <= truth && truth <= estimate.ci_high ? 1 : 0;
  };
  for (int r = 0; r < repetitions; ++r) {
    std::vector<double> values = normals(500, static_cast<std::uint64_t>(r));
    mean += covers(mean_of(values), 0);
    variance += covers(variance_of(values), 1);
    rms += covers(rms_of(values), 1);
    median += covers(median_of(values), 0);
  }
  for (const int covered : {mean, variance, rms, median}) {  // 380 expected, standard deviation 4.4
    CHECK(covered >= 380 - 22);
    CHECK(covered <= 380 + 20);
  }
}

TEST_CASE("claims: intervals of few values", "[claims]") {
  CHECK(share_of(0, 3).low_4se == 0);
  CHECK(share_of(3, 3).low_4se > 0);  // so three of three refute "none"
  CHECK(share_of(1, 1).low_4se > 0);
  const std::vector<double> three{1, 2, 3};  // Student's t of two degrees of freedom: 4.3027
  const Estimate estimate = mean_of_trainings(three);
  CHECK(estimate.ci_high == Approx(2 + 4.302653 / std::sqrt(3.0)).epsilon(1e-6));
}

TEST_CASE("claims: the sampled length of a query is chi of d_k", "[claims]") {
  for (const Index d : {1, 2, 3, 16, 1024}) {
    INFO("d " << d);
    std::vector<double> lengths(20000);
    Stream stream(StreamKey(3, "claims_test", {d}));
    for (double& length : lengths) length = sample_length(stream, d);
    CHECK(agree(equals(theory::mean_length(d)), mean_of(lengths)));
    for (double& length : lengths) length *= length;
    CHECK(agree(equals(static_cast<double>(d)), mean_of(lengths)));
    CHECK(agree(equals(2 * static_cast<double>(d)), variance_of(lengths)));
  }
}

TEST_CASE("claims: each verdict is that of the analysis, and each prediction holds",
          "[claims][slow]") {
  const std::vector<std::pair<std::string_view, Verdict>> expected{
      {"three_projections", Verdict::holds_if},   {"roles_at_start", Verdict::holds_if},
      {"roles_after_training", Verdict::holds},   {"variance_under_control", Verdict::holds},
      {"weights_sum_to_one", Verdict::holds},     {"weighted_average", Verdict::holds},
      {"length_and_reach", Verdict::holds_if},    {"worked_weights", Verdict::wrong},
      {"worked_self_weight", Verdict::holds_if},  {"dot_product_variance", Verdict::holds_if},
      {"large_numbers_one_hot", Verdict::wrong},  {"one_hot_is_argmax", Verdict::holds},
      {"winner_exception", Verdict::wrong},       {"training_stalls", Verdict::holds_if},
      {"scaled_variance_one", Verdict::holds_if}, {"scaled_softmax_soft", Verdict::holds},
      {"gradients_vanish", Verdict::holds_if},    {"all_equal_x", Verdict::holds},
      {"no_projections", Verdict::holds_if},      {"quadratic_cost", Verdict::holds_if},
  };
  REQUIRE(expected.size() == table().size());
  const Budget budget{.n_queries = 10000, .n_trainings = 1, .seed = 7};
  for (const auto& [id, verdict_expected] : expected) {
    const Claim& claim = find(id);
    INFO(id);
    const std::vector<Statistic> statistics = claim.measure(budget);
    CHECK(verdict(statistics) == verdict_expected);
    CHECK((verdict_expected == Verdict::holds_if) == !claim.condition.empty());
    for (const Statistic& statistic : statistics) {
      INFO(statistic.name << ": " << statistic.measured.value);
      CHECK((!statistic.predicted || agree(*statistic.predicted, statistic.measured)));
    }
  }
}

TEST_CASE("claims: rows come back from CSV as a Markdown table", "[claims]") {
  const Claim claim{.id = "an_id",
                    .sentence = "One, two | \"three\"",
                    .condition = "",
                    .why = "because, so",
                    .measure = nullptr};
  harness::CsvRows rows(columns().size());
  append_rows(rows, claim,
              {{.name = "first", .predicted = at_most(2, 0.5), .measured = with_error(1, 0.1)},
               {.name = "second", .measured = exact(3), .detail = true}});
  const std::string text = markdown(harness::csv_header(columns()) + rows.text());
  CHECK(text.find("| `an_id` One, two \\| \"three\" | first | – | ≤ 2 ± 0.5 | 1 [0.804, 1.196] | "
                  "**holds**. because, so |\n") != std::string::npos);
  CHECK(text.find("second") == std::string::npos);
}

TEST_CASE("claims: a finished audit is only read when it is resumed", "[run][claims]") {
  const TemporaryFolder folder;
  const std::string audit = "--claim weights_sum_to_one --n_queries 1000 --out a --resume";
  const Ended first = run_binary("claims", folder, audit);
  REQUIRE(first.code == 0);
  const auto made = tree(folder.path());
  const auto written = std::filesystem::last_write_time(folder / "a/claims.md");
  const Ended again = run_binary("claims", folder, audit);
  CHECK(again.code == 0);
  CHECK(again.output == first.output);
  CHECK(tree(folder.path()) == made);
  CHECK(std::filesystem::last_write_time(folder / "a/claims.md") == written);
}
