#include "rootdk/random.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "rootdk/elementary.hpp"

namespace rootdk {
namespace {

using elementary::polynomial;

__extension__ using Word128 = unsigned __int128;

// FNV-1a (Fowler, Noll, Vo), 64 bits.
class Fnv1a {
 public:
  void byte(std::uint64_t value) { state_ = (state_ ^ (value & 0xff)) * 0x100000001b3; }
  void word(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) byte(value >> shift);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

// The finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014; constants of Stafford's mix 13).
std::uint64_t finalise(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// AS 241 in its two ranges. q = p - 1/2, |q| <= 0.425; no branch, so a loop over it vectorises.
double quantile_near_centre(double q) {
  const double r = 0.180625 - q * q;
  return q *
         polynomial(r, 3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                    1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                    3.3430575583588128105e4, 2.5090809287301226727e3) /
         polynomial(r, 1.0, 4.2313330701600911252e1, 6.8718700749205790830e2,
                    5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
                    2.8729085735721942674e4, 5.2264952788528545610e3);
}

// The deviate that has probability p < 0.075 above it.
double quantile_in_tail(double p) {
  const double depth = std::sqrt(-elementary::log(p));
  if (depth <= 5) {
    const double r = depth - 1.6;
    return polynomial(r, 1.42343711074968357734e0, 4.63033784615654529590e0,
                      5.76949722146069140550e0, 3.64784832476320460504e0, 1.27045825245236838258e0,
                      2.41780725177450611770e-1, 2.27238449892691845833e-2,
                      7.74545014278341407640e-4) /
           polynomial(r, 1.0, 2.05319162663775882187e0, 1.67638483018380384940e0,
                      6.89767334985100004550e-1, 1.48103976427480074590e-1,
                      1.51986665636164571966e-2, 5.47593808499534494600e-4,
                      1.05075007164441684324e-9);
  }
  const double r = depth - 5;
  return polynomial(r, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
                    2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                    2.71155556874348757815e-5, 2.01033439929228813265e-7) /
         polynomial(r, 1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
                    1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
                    1.42151175831644588870e-7, 2.04426310338993978564e-15);
}

constexpr double centre = 0.425;

}  // namespace

StreamKey::StreamKey(std::uint64_t seed_of_run, std::string_view purpose,
                     std::initializer_list<std::int64_t> parameters)
    : seed(seed_of_run) {
  Fnv1a hash;
  for (const char letter : purpose) hash.byte(static_cast<unsigned char>(letter));
  hash.word(purpose.size());
  for (const std::int64_t parameter : parameters) hash.word(static_cast<std::uint64_t>(parameter));
  label = finalise(hash.value());
}

void Stream::refill() {
  const r123::Philox4x64 philox;
  for (std::size_t first = 0; first < words_.size(); first += words_of_block) {
    const auto block = philox({{block_++, step_, part_, 0}}, {{key_.seed, key_.label}});
    for (std::size_t i = 0; i < words_of_block; ++i) words_[first + i] = block[i];
  }
  used_ = 0;
}

// The high word of bits * n is uniform up to a bias of at most n / 2^64, which goes when those
// products are drawn again whose low word is below 2^64 mod n.
std::uint64_t Stream::uniform_index(std::uint64_t n) {
  Word128 product = Word128{bits()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (0 - n) % n;  // 2^64 mod n
    while (static_cast<std::uint64_t>(product) < threshold) product = Word128{bits()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Stream::normal() { return normal_quantile(uniform()); }

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= centre) return quantile_near_centre(q);
  return q < 0 ? -quantile_in_tail(p) : quantile_in_tail(1 - p);
}

// The bits of one stream.normal() after the other, several times faster: the formula of the centre
// runs vectorised over a block, then the 15 % in the tails are done again.
template <class T>
void fill_normal(Stream& stream, std::span<T> values, double standard_deviation) {
  std::array<double, 64> p, x;
  while (!values.empty()) {
    const std::size_t count = std::min(p.size(), values.size());
    for (std::size_t i = 0; i < count; ++i) p[i] = stream.uniform();
    for (std::size_t i = 0; i < count; ++i) x[i] = quantile_near_centre(p[i] - 0.5);
    for (std::size_t i = 0; i < count; ++i) {
      if (std::fabs(p[i] - 0.5) > centre) x[i] = normal_quantile(p[i]);
    }
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(standard_deviation * x[i]);
    values = values.subspan(count);
  }
}
template void fill_normal(Stream&, std::span<float>, double);
template void fill_normal(Stream&, std::span<double>, double);

void choose_any(Stream& stream, std::int32_t n, std::span<std::int32_t> chosen) {
  for (std::int32_t& choice : chosen) {
    choice = static_cast<std::int32_t>(stream.uniform_index(static_cast<std::uint64_t>(n)));
  }
}

// The first steps of a Fisher-Yates shuffle: each choice comes from those not yet chosen.
void choose_distinct(Stream& stream, std::span<std::int32_t> pool, std::span<std::int32_t> chosen) {
  if (chosen.size() > pool.size()) {
    throw std::invalid_argument("choose_distinct: " + std::to_string(chosen.size()) +
                                " distinct entries out of " + std::to_string(pool.size()));
  }
  std::iota(pool.begin(), pool.end(), 0);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::swap(pool[i], pool[i + stream.uniform_index(pool.size() - i)]);
    chosen[i] = pool[i];
  }
}

}  // namespace rootdk
