#pragma once
// Random numbers that can be asked for in any order. The generator is counter-based: Philox4x64-10
// (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011) encrypts a
// counter under a key, so a stream has no history, and nothing anyone else draws can change it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace rootdk {

// What the numbers are for: all 64 bits of the seed, and a 64-bit hash of a purpose
// ("lookup/train") with its integer parameters. The hash is FNV-1a over the bytes of the purpose,
// of its length and of the parameters (eight each, lowest first), then the finaliser of splitmix64,
// which spreads every input bit over the whole word. Two purposes of one seed collide with
// probability 2^-64.
struct StreamKey {
  std::uint64_t seed = 0;
  std::uint64_t label = 0;

  StreamKey() = default;
  StreamKey(std::uint64_t seed_of_run, std::string_view purpose,
            std::initializer_list<std::int64_t> parameters = {});
};

// 64 random bits as a uniform number in (0, 1): an odd multiple of 2^-53, hence exact, never 0 or
// 1, and symmetric about 1/2.
constexpr double open_unit_interval(std::uint64_t bits) {
  return static_cast<double>(bits >> 11 | 1) * 0x1p-53;
}

// One stream of numbers: a pure function of (key, step, part). Its blocks of four words are
//   Philox4x64-10(counter = {block, step, part, 0}, key = {seed, label}),   block = 0, 1, 2, ...
// so the streams of different steps and parts (the sequences of a batch, say) never meet.
class Stream {
 public:
  explicit Stream(const StreamKey& key, std::uint64_t step = 0, std::uint64_t part = 0)
      : key_(key), step_(step), part_(part) {}

  // 64 random bits.
  std::uint64_t bits() {
    if (used_ == words_.size()) refill();
    return words_[used_++];
  }
  // Uniform in (0, 1).
  double uniform() { return open_unit_interval(bits()); }
  // Uniform on 0 ... n - 1, n >= 1, without bias (Lemire, ACM TOMACS 29, 2019).
  std::uint64_t uniform_index(std::uint64_t n);
  // Standard normal: normal_quantile(uniform()). One draw a deviate; |deviate| < 8.21.
  double normal();

 private:
  void refill();

  StreamKey key_;
  std::uint64_t step_;
  std::uint64_t part_;
  // Two blocks are made at a time: the rounds of one need not wait for those of the other.
  static constexpr std::size_t words_of_block = 4;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 2 * words_of_block> words_{};
  std::size_t used_ = words_.size();
};

// The x with P(N(0, 1) <= x) = p, 0 < p < 1, to about 1e-15 relative: algorithm AS 241, PPND16, of
// M. J. Wichura, "The percentage points of the normal distribution", Applied Statistics 37, 1988.
double normal_quantile(double p);

// Independent N(0, standard_deviation^2) entries. Float entries are the double ones, rounded.
template <class T>
void fill_normal(Stream& stream, std::span<T> values, double standard_deviation = 1);

// chosen = independent entries of 0 ... n - 1, each uniform.
void choose_any(Stream& stream, std::int32_t n, std::span<std::int32_t> chosen);

// chosen = distinct entries of 0 ... n - 1 in random order, every ordered choice equally likely.
// `pool` is scratch of n entries; what it held before plays no part. Throws std::invalid_argument
// when n < chosen.size().
void choose_distinct(Stream& stream, std::span<std::int32_t> pool, std::span<std::int32_t> chosen);

}  // namespace rootdk
