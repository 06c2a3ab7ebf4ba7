#pragma once
// exp, log and log1p whose bits depend on nothing but their argument. The mathematical library of a
// system may change with its version, its processor and its compiler's vectoriser; these use only
// +, -, *, / and bit patterns, all of which IEEE 754 fixes to the last bit. `exp` has no branch, so
// a loop over it vectorises (g++ needs -O3 -fno-math-errno -fno-trapping-math; neither changes a
// value).
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace rootdk::elementary {

// c_0 + c_1 x + c_2 x^2 + ... by Horner's rule.
template <class T>
constexpr T polynomial(T, T last) {
  return last;
}
template <class T, class... Rest>
constexpr T polynomial(T x, T first, Rest... rest) {
  return first + x * polynomial(x, rest...);
}

namespace detail {

// ln 2 = ln2_high + ln2_low. ln2_high ends in so many zero bits that k * ln2_high is exact for
// every binary exponent k of the type; Cody and Waite, Software Manual for the Elementary
// Functions, 1980.
template <class T>
struct Format;

template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23;
  static constexpr Bits bias = 127;
  static constexpr float ln2_high = 0x1.62e4p-1F;
  static constexpr float ln2_low = 0x1.7f7d1cp-20F;
  static constexpr float exp_is_infinite = 89.0F;  // from here on, and
  static constexpr float exp_is_zero = -104.0F;    // from here down
  // (e^r - 1 - r) / r^2 = 1/2! + r/3! + ...: the first term left out is below 2^-27.5 of the
  // result.
  static constexpr float tail(float r) {
    return polynomial(r, 1 / 2.0F, 1 / 6.0F, 1 / 24.0F, 1 / 120.0F, 1 / 720.0F, 1 / 5040.0F);
  }
};

template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52;
  static constexpr Bits bias = 1023;
  static constexpr double ln2_high = 0x1.62e42feep-1;
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double exp_is_infinite = 710.0;
  static constexpr double exp_is_zero = -746.0;
  // As above; the first term left out is below 2^-57 of the result. Even and odd powers apart: two
  // short chains of dependent operations run faster than one long one.
  static constexpr double tail(double r) {
    const double r2 = r * r;
    const double even =
        polynomial(r2, 1 / 2.0, 1 / 24.0, 1 / 720.0, 1 / 40320.0, 1 / 3628800.0, 1 / 479001600.0);
    const double odd = polynomial(r2, 1 / 6.0, 1 / 120.0, 1 / 5040.0, 1 / 362880.0, 1 / 39916800.0,
                                  1 / 6227020800.0);
    return even + r * odd;
  }
};

}  // namespace detail

// e^x for float and double, within 1 unit in the last place over the whole range, results below the
// smallest normal number included. e^0 = 1 exactly, e^-inf = 0, e^inf = inf, NaN stays NaN.
//
//   x = k ln 2 + r with k = round(x / ln 2), so |r| <= ln(2)/2 and e^x = 2^k e^r,
//   e^r = 1 + (r + r^2 tail(r)), the Taylor series, summed from its smallest part to its largest.
//
// Adding 1.5 * 2^fraction_bits to x / ln 2 rounds it to an integer and leaves that integer in the
// low bits of the sum.
//
// All of this is inlined whatever the compiler thinks of its size: a call would keep a loop from
// vectorising.
namespace detail {

template <class T>
struct PowerOfE {
  T e_r;
  typename Format<T>::Bits k;  // two's complement
};

template <class T>
[[gnu::always_inline]] constexpr PowerOfE<T> reduce(T x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  constexpr T one_over_ln2 = static_cast<T>(1.4426950408889634074);
  constexpr T rounder = static_cast<T>(Bits{3} << (F::fraction_bits - 1));
  const T shifted = x * one_over_ln2 + rounder;
  const T k = shifted - rounder;
  const T r_high = x - k * F::ln2_high;  // exact
  const T r_low = k * F::ln2_low;
  const T r = r_high - r_low;
  return {1 + (r_high + (r * r * F::tail(r) - r_low)),
          std::bit_cast<Bits>(shifted) - std::bit_cast<Bits>(rounder)};
}

// 2^k by its bits, for the exponents of normal numbers.
template <class T>
[[gnu::always_inline]] constexpr T power_of_two(typename Format<T>::Bits k) {
  return std::bit_cast<T>((k + Format<T>::bias) << Format<T>::fraction_bits);
}

}  // namespace detail

// 2^k is multiplied on in two halves, 2^(k/2) and 2^(k - k/2): neither overflows where the product
// does not, and a result below the normal range is rounded once, by the second.
template <class T>
[[gnu::always_inline]] constexpr T exp(T x) {
  using F = detail::Format<T>;
  x = x > F::exp_is_infinite ? F::exp_is_infinite : x;  // written so that NaN passes
  x = x < F::exp_is_zero ? F::exp_is_zero : x;
  const auto [e_r, k] = detail::reduce(x);
  // k + 4 bias is positive, so halving it is a shift without a sign; two biases remain in each half.
  const auto shifted_k = k + 4 * F::bias;
  const auto half = shifted_k >> 1;
  return e_r * detail::power_of_two<T>(half - 2 * F::bias) *
         detail::power_of_two<T>(shifted_k - half - 2 * F::bias);
}

// The same bits for x <= 0, the exponents of a softmax, and a fifth faster: 2^k is 2^(k + f) 2^-f,
// with f so large that the first is a normal number for every k of a result that is not 0.
template <class T>
[[gnu::always_inline]] constexpr T exp_nonpositive(T x) {
  using F = detail::Format<T>;
  constexpr int f = F::fraction_bits + 1;
  x = x < F::exp_is_zero ? F::exp_is_zero : x;
  const auto [e_r, k] = detail::reduce(x);
  constexpr T last = T(1) / static_cast<T>(std::uint64_t{1} << f);
  return e_r * detail::power_of_two<T>(k + f) * last;
}

namespace detail {

// k ln 2 + log(x) of a positive, finite, normal x. No branch: a loop over it vectorises.
[[gnu::always_inline]] constexpr double log_of_normal(double x, double k) {
  using F = Format<double>;
  // Subtracting the bits of sqrt(1/2) first leaves k in the exponent field, rounded to that
  // interval.
  constexpr std::uint64_t root_half = std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::int64_t exponent = static_cast<std::int64_t>(bits - root_half) >> F::fraction_bits;
  k += static_cast<double>(exponent);
  const double f =
      std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << F::fraction_bits)) - 1;

  const double s = f / (2 + f);
  const double s2 = s * s;
  const double R = s2 * polynomial(s2, 2 / 3.0, 2 / 5.0, 2 / 7.0, 2 / 9.0, 2 / 11.0, 2 / 13.0,
                                   2 / 15.0, 2 / 17.0, 2 / 19.0, 2 / 21.0);
  const double h = 0.5 * f * f;
  return k * F::ln2_high + (f - (h - (s * (h + R) + k * F::ln2_low)));
}

}  // namespace detail

// The natural logarithm within 1 unit in the last place. log(1) = 0 exactly, log(0) = -inf,
// log(inf) = inf; NaN for NaN and for negative arguments. Subnormal arguments are as good as
// others.
//
//   x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), so log x = k ln 2 + log(1 + f),
//   log(1 + f) = 2 artanh(s) with s = f / (2 + f), |s| < 0.172,
//              = 2 s + s R,   R = 2/3 s^2 + 2/5 s^4 + 2/7 s^6 + ...
//   and 2 s = f - s f = f - h + s h with h = f^2/2, which puts f, exact, in front:
//   log x = k ln2_high + (f - (h - (s (h + R) + k ln2_low))).
//
// That last arrangement is fdlibm's (Sun Microsystems, 1993); the coefficients here are the
// series'.
constexpr double log(double x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (x == 0) return -infinity;
  if (!(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (x == infinity) return x;

  const bool subnormal = x < std::numeric_limits<double>::min();
  return subnormal ? detail::log_of_normal(x * 0x1p54, -54) : detail::log_of_normal(x, 0);
}

// The same bits for a positive, finite, normal x, and nothing else. A loop over it vectorises.
constexpr double log_normal(double x) { return detail::log_of_normal(x, 0); }

// Through double, hence correctly rounded but for rare near-ties.
constexpr float log(float x) { return static_cast<float>(log(static_cast<double>(x))); }

// log(1 + x) without losing a small x, within 2 units in the last place. log1p(-1) = -inf; NaN
// below.
//
// With u = 1 + x rounded and c = (1 + x) - u, exact by Fast2Sum, log(1 + x) = log u + log(1 + c/u),
// and |c/u| <= 2^-53, so the second logarithm is c/u.
constexpr double log1p(double x) {
  const double u = 1 + x;
  if (!(u > 0) || u == std::numeric_limits<double>::infinity()) return log(u);
  const double c = (x > 1) ? 1 - (u - x) : x - (u - 1);
  return log(u) + c / u;
}

// The same bits for a finite x >= 0, and nothing else. A loop over it vectorises.
constexpr double log1p_positive(double x) {
  const double u = 1 + x;
  const double c = (x > 1) ? 1 - (u - x) : x - (u - 1);
  return log_normal(u) + c / u;
}

}  // namespace rootdk::elementary
