#include "rootdk/theory/saturation_law.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"
#include "rootdk/theory/top_two_gap.hpp"
#include "support/saturation_table.hpp"

using namespace rootdk::theory;

namespace {

// The slope of the least-squares line.
double slope(const std::array<double, 3>& x, const std::array<double, 3>& y) {
  const double mx = (x[0] + x[1] + x[2]) / 3, my = (y[0] + y[1] + y[2]) / 3;
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
  }
  return xy / xx;
}

constexpr std::array<std::pair<const char*, const char*>, 6> columns{{
    {"softmax_jacobian_norm", "JF"},
    {"softmax_jacobian_spectral", "J2"},
    {"softmax_jacobian_trace", "trJ"},
    {"p_max", "pmax"},
    {"entropy", "H"},
    {"effective_keys", "Neff"},
}};

}  // namespace

TEST_CASE("saturation law: means within 2 % of Monte Carlo or three standard errors", "[theory]") {
  const SaturationTable table;
  for (const int n : {16, 64}) {
    for (const int d : {256, 1024, 4096}) {
      const SaturationLaw law(n, d, 1);
      const auto& row = table.at(n, d, "1");
      for (const auto& [quantity, column] : columns) {
        const double mean = number(row, std::string(column) + "_mean");
        const double error = number(row, std::string(column) + "_se");
        CAPTURE(n, d, quantity, mean);
        CHECK(std::fabs(law(quantity, "mean").value() - mean) < std::max(0.02 * mean, 3 * error));
      }
      const double rms = number(row, "JF_rms");
      CHECK(law("softmax_jacobian_norm", "rms").value() == Approx(rms).epsilon(0.02));
    }
    const double trace = number(table.at(n, 64, "1"), "trJ_mean");
    CHECK(SaturationLaw(n, 64, 1)("softmax_jacobian_trace", "mean").value() ==
          Approx(trace).epsilon(0.025));
  }
}

TEST_CASE("saturation law: quantiles and dead shares against Monte Carlo", "[theory]") {
  const SaturationTable table;
  for (const int n : {16, 64}) {
    for (const int d : {1024, 4096}) {
      const SaturationLaw law(n, d, 1);
      const auto& row = table.at(n, d, "1");
      const auto JF = [&](const char* statistic) {
        return law("softmax_jacobian_norm", statistic).value();
      };
      CAPTURE(n, d);
      // A third key adds up to 6 % to the norm; the standard error of a logarithm is relative.
      const double error = number(row, "JF_medse") / number(row, "JF_med");
      CHECK(std::fabs(std::log(JF("median") / number(row, "JF_med"))) < 0.06 + 3 * error);
      CHECK(std::log(JF("q05")) == Approx(std::log(number(row, "JF_q05"))).epsilon(0.01));
      CHECK(JF("q95") == Approx(number(row, "JF_q95")).epsilon(0.06));
      CHECK(JF("dead_1e-3") == Approx(number(row, "dead_0.001")).margin(0.006));
      CHECK(JF("dead_1e-6") == Approx(number(row, "dead_1e-06")).margin(0.005));
      CHECK(law("float32_weight_one", "mean").value() ==
            Approx(number(row, "f32_winner_exact1")).margin(0.005));
    }
  }
}

TEST_CASE("saturation law: the log of the median is a line in sqrt(d_k), the mean a power of d_k",
          "[theory]") {
  const SaturationTable table;
  const std::array<int, 3> widths{256, 1024, 4096};
  for (const int n : {16, 64}) {
    std::array<double, 3> root{}, log{}, law_median{}, law_mean{}, median{}, mean{};
    for (std::size_t i = 0; i < 3; ++i) {
      root[i] = std::sqrt(widths[i]);
      log[i] = std::log(widths[i]);
      const SaturationLaw law(n, widths[i], 1);
      law_median[i] = std::log(law("softmax_jacobian_norm", "median").value());
      law_mean[i] = std::log(law("softmax_jacobian_norm", "mean").value());
      median[i] = std::log(number(table.at(n, widths[i], "1"), "JF_med"));
      mean[i] = std::log(number(table.at(n, widths[i], "1"), "JF_mean"));
    }
    CAPTURE(n);
    const double promised = -gap_quantile(n, 0.5);
    CHECK(slope(root, law_median) == Approx(promised).epsilon(0.01));
    CHECK(slope(root, median) == Approx(promised).epsilon(0.05));
    CHECK(slope(log, law_mean) == Approx(slope(log, mean)).epsilon(0.05));
    CHECK(slope(log, law_mean) < -0.43);
    CHECK(slope(log, law_mean) > -0.5);
  }
}

TEST_CASE("saturation law: uniform weights under 1/d_k", "[theory]") {
  const SaturationTable table;
  for (const int n : {16, 64}) {
    for (const int d : {16, 64, 1024}) {
      const SaturationLaw law(n, d, 1.0 / d);
      REQUIRE(law.weak());
      const auto& row = table.at(n, d, "1/d");
      for (const auto& [quantity, column] : columns) {
        if (std::string(column) == "J2") continue;  // no closed form
        CAPTURE(n, d, quantity);
        const double sigma = 1 / std::sqrt(d);
        CHECK(
            law(quantity, "mean").value() ==
            Approx(number(row, std::string(column) + "_mean")).epsilon(2 * sigma * sigma * sigma));
      }
    }
    const SaturationLaw limit(n, 1 << 20, 1.0 / (1 << 20));
    const auto count = static_cast<double>(n);
    CHECK(limit("softmax_jacobian_norm", "mean").value() ==
          Approx(std::sqrt(count - 1) / count).epsilon(1e-5));
    CHECK(limit("effective_keys", "mean").value() == Approx(count).epsilon(1e-5));
    CHECK(limit("query_grad_norm_lin", "rms").value() * 1024 ==
          Approx(std::sqrt(count - 1) / count).epsilon(1e-5));
  }
}

TEST_CASE("saturation law: gradients of a query, computed elsewhere", "[theory]") {
  struct Row {
    int n, d;
    double lin_rms, mse_rms, attn_ce_rms, lin_mean, mse_mean;
  };
  for (const Row& row : {Row{16, 256, 2.93372, 1.18105, 21.3089, 1.57754, 0.62165},
                         Row{16, 1024, 4.21799, 1.70190, 43.1938, 1.65079, 0.65484},
                         Row{16, 4096, 6.08616, 2.45337, 87.0075, 1.71601, 0.68061},
                         Row{64, 1024, 4.83871, 1.65513, 44.1166, 2.16029, 0.78033},
                         Row{64, 4096, 6.89648, 2.35920, 89.0034, 2.22559, 0.81312}}) {
    const SaturationLaw law(row.n, row.d, 1);
    CAPTURE(row.n, row.d);
    CHECK(law("query_grad_norm_lin", "rms").value() == Approx(row.lin_rms).epsilon(0.02));
    CHECK(law("query_grad_norm_mse", "rms").value() == Approx(row.mse_rms).epsilon(0.02));
    CHECK(law("query_grad_norm_attn_ce", "rms").value() == Approx(row.attn_ce_rms).epsilon(0.003));
    CHECK(law("query_grad_norm_lin", "mean").value() == Approx(row.lin_mean).epsilon(0.025));
    CHECK(law("query_grad_norm_mse", "mean").value() == Approx(row.mse_mean).epsilon(0.025));
  }
}

TEST_CASE("saturation law: half of the queries are dead where it says", "[theory]") {
  const auto dead = [](int n, int d, const char* statistic) {
    return SaturationLaw(n, d, 1)("softmax_jacobian_norm", statistic).value();
  };
  CHECK(dead(16, 432, "dead_1e-3") == Approx(0.5).margin(0.002));
  CHECK(dead(16, 1576, "dead_1e-6") == Approx(0.5).margin(0.002));
  CHECK(dead(64, 726, "dead_1e-3") == Approx(0.5).margin(0.002));
  CHECK(dead(64, 2645, "dead_1e-6") == Approx(0.5).margin(0.002));
}

TEST_CASE("saturation law: none where none is known", "[theory]") {
  const SaturationLaw between(16, 64, 0.125), saturated(16, 256, 1);
  CHECK_FALSE(between.saturated());
  CHECK_FALSE(between.weak());
  CHECK_FALSE(between("softmax_jacobian_norm", "mean").has_value());
  CHECK_FALSE(between("entropy", "median").has_value());
  CHECK_FALSE(saturated("query_grad_norm_attn_ce", "median").has_value());
  CHECK_FALSE(saturated("no such quantity", "mean").has_value());
  CHECK_FALSE(SaturationLaw(16, 2, 100)("softmax_jacobian_norm", "mean").has_value());
  CHECK(between("logit", "variance").value() == Approx(1));
  CHECK(between("logit", "kurtosis").value() == Approx(3.09375));
  CHECK(between("top_two_gap", "mean").value() > 0);
  CHECK_FALSE(SaturationLaw(16, 4, 0)("logit", "kurtosis").has_value());
}
