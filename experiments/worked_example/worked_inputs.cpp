#include "worked_example/worked_inputs.hpp"

#include <cmath>
#include <functional>

#include "common/memory_limit.hpp"
#include "common/schema_keys.hpp"
#include "rootdk/harness/number_text.hpp"
#include "worked_example/course_example.hpp"
#include "worked_example/matrix_file.hpp"

namespace rootdk {
namespace {

using harness::Config;
using harness::Key;
using harness::Kind;

Key file(const char* name, const char* help) {
  return {.name = name, .kind = Kind::text, .defaults = {""}, .help = help};
}

bool is_given(const Config& config, const char* key) {
  if (!config.word(key).empty()) return true;
  if (config.origin(key) == std::string("--") + key) {
    throw config.error(key, "the name of the file is empty");
  }
  return false;
}

std::optional<Matrix> read(const Config& config, const char* key) {
  if (!is_given(config, key)) return std::nullopt;
  return read_matrix(config.word(key));
}

// The file that a key names, or the example that stands in for it.
std::string source(const Config& config, const char* key) {
  const std::string& file = config.word(key);
  return file.empty() ? std::string("the three tokens' ") + key : file;
}

void check_extent(const Config& config, const char* key, const char* extent, Index found,
                  Index wanted, const char* other) {
  if (found == wanted) return;
  throw config.error(key, source(config, key) + " has " + std::to_string(found) + " " + extent +
                              "; to fit " + source(config, other) + " it takes " +
                              std::to_string(wanted));
}

void check_shapes(const Config& config, const WorkedInputs& in) {
  check_extent(config, "keys", "columns (d_k)", in.keys.cols, in.queries.cols, "queries");
  check_extent(config, "values", "rows (n_k)", in.values.rows, in.keys.rows, "keys");
  if (in.d_output) {
    check_extent(config, "d-output", "rows (n_q)", in.d_output->rows, in.queries.rows, "queries");
    check_extent(config, "d-output", "columns (d_v)", in.d_output->cols, in.values.cols, "values");
  }
  if (in.mask) {
    check_extent(config, "mask", "rows (n_q)", in.mask->rows, in.queries.rows, "queries");
    check_extent(config, "mask", "columns (n_k)", in.mask->cols, in.keys.rows, "keys");
  }
}

void check_memory(const Config& config, const WorkedInputs& in) {
  constexpr double matrices = 20;  // (n_q, n_k), alive at once: values, gradients, copies, text
  const double needed =
      matrices * 8 * static_cast<double>(in.queries.rows) * static_cast<double>(in.keys.rows);
  if (fits_in_memory(needed)) return;
  const auto gib = [](double bytes) { return std::to_string(std::llround(bytes / 0x1p30)); };
  throw config.error("queries", std::to_string(in.queries.rows) + " queries and " +
                                    std::to_string(in.keys.rows) + " keys need about " +
                                    gib(needed) + " GiB, and this machine has " +
                                    gib(physical_memory()) + " GiB");
}

void check_mask(const Config& config, const Matrix& mask) {
  for (Index i = 0; i < mask.rows; ++i) {
    for (Index j = 0; j < mask.cols; ++j) {
      if (mask(i, j) == 0 || mask(i, j) == 1) continue;
      throw config.error(
          "mask", config.word("mask") + ": entry [" + std::to_string(i) + ", " + std::to_string(j) +
                      "] is " + harness::number_text(mask(i, j)) + ", and a mask holds 0 and 1");
    }
  }
}

// Zeroes the rows that hold NaN or infinity and are not looked at, refuses those that are.
void settle_rows(const Config& config, const char* key, Matrix& matrix,
                 const std::function<bool(Index)>& looked_at) {
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.cols; ++j) {
      if (std::isfinite(matrix(i, j))) continue;
      if (looked_at(i)) {
        throw config.error(key, config.word(key) + ": entry [" + std::to_string(i) + ", " +
                                    std::to_string(j) + "] is " +
                                    harness::number_text(matrix(i, j)) +
                                    "; only a row that the mask hides from everyone may hold that");
      }
      for (Index c = 0; c < matrix.cols; ++c) matrix(i, c) = 0;
    }
  }
}

void settle_hidden_rows(const Config& config, WorkedInputs& in) {
  std::vector<char> query_sees(static_cast<std::size_t>(in.queries.rows));
  std::vector<char> key_is_seen(static_cast<std::size_t>(in.keys.rows));
  for (Index i = 0; i < in.queries.rows; ++i) {
    for (Index j = 0; j < in.keys.rows; ++j) {
      if (!in.sees(i, j)) continue;
      query_sees[static_cast<std::size_t>(i)] = key_is_seen[static_cast<std::size_t>(j)] = 1;
    }
  }
  const auto sees = [&](Index i) { return query_sees[static_cast<std::size_t>(i)] != 0; };
  const auto is_seen = [&](Index j) { return key_is_seen[static_cast<std::size_t>(j)] != 0; };
  settle_rows(config, "queries", in.queries, sees);
  settle_rows(config, "keys", in.keys, is_seen);
  settle_rows(config, "values", in.values, is_seen);
  if (in.d_output) settle_rows(config, "d-output", *in.d_output, sees);
}

// All three matrices, or none.
WorkedInputs matrices(const Config& config) {
  const bool own = is_given(config, "queries");
  for (const char* key : {"keys", "values"}) {
    if (is_given(config, key) == own) continue;
    throw config.error(own ? "queries" : key,
                       std::string("queries, keys and values are given together, or none for the"
                                   " three tokens; missing is ") +
                           (own ? key : "queries"));
  }
  if (!own) return three_tokens();
  return {*read(config, "queries"), *read(config, "keys"), *read(config, "values")};
}

}  // namespace

harness::ExperimentSpec worked_spec() {
  return {
      .name = "worked_example",
      .description =
          "the five steps of attention on three tokens, or on your own matrices (2-D .npy, or .csv "
          "without a header), with the gradients derived by hand; prints every intermediate result "
          "and writes it as .npy and .csv",
      .keys = {file("queries", "Q, n_q x d_k"), file("keys", "K, n_k x d_k"),
               file("values", "V, n_k x d_v"),
               file("d-output", "G = dL/dO, n_q x d_v: with it, all gradients"),
               file("mask", "n_q x n_k, true (or 1) where the query may look"),
               boolean_key("causal", "false",
                           "query i sees the keys j <= i only, of those the mask allows"),
               scale_key(), word_key("dtype", "float64", {"float64"}, "always float64"),
               seed_key("as every experiment has one; nothing here is random")}};
}

WorkedInputs worked_inputs(const Config& config) {
  WorkedInputs in = matrices(config);
  if (auto d_output = read(config, "d-output")) in.d_output = std::move(d_output);
  in.mask = read(config, "mask");
  in.causal = config.boolean("causal");
  in.rule = score_rule(config.word("scale"));
  check_shapes(config, in);
  check_memory(config, in);
  if (in.mask) check_mask(config, *in.mask);
  settle_hidden_rows(config, in);
  return in;
}

}  // namespace rootdk
