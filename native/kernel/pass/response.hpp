// The response f(u) from a table, which tagfield/bregman/tables.py creates and explains. f is piecewise linear in |u|;
// the exponent and the leading mantissa bits of the float select the piece. Outside the table f is a power law. With
// `logs` the table has log |f| instead, relative to the piece's edge, and f has the sign of u.
#pragma once
#include <cmath>
#include <initializer_list>

#include "kernel/simd/simd.hpp"

namespace tagfield {

inline bool any_negative(const Vec<float>& v) {
#if defined(__AVX2__)
  return _mm256_movemask_ps((__m256)v) != 0;
#else
  float lanes[W];
  store<float>(lanes, v);
  for (float lane : lanes)
    if (lane < 0) return true;
  return false;
#endif
}

struct Response {
  const float* cells = nullptr;   // [rows, n, 2]  intercept and slope; row 1 is for u < 0 when f is not odd
  const double* tails = nullptr;  // [rows, 4]     value and power at the low edge, value and power at the high edge
  int32_t n = 0;                  // cells in a row; cell 0 is everything below the low edge
  int bits = 0;                   // mantissa bits that choose a cell
  bool odd = true;
  bool low_linear = true;         // cell 0 is right as it stands: f(u) = slope · u down to 0
  bool logs = false;
  double low = 0, high = 0;       // the edges
  int32_t first_curved = 0;       // the first cell where f(u) = slope · u is no longer right to LINEAR

  static constexpr int LOW_EXPONENT = -24;
  static constexpr double LINEAR = 3e-6;

  // Most labels are unlikely at most positions, and there every response of the paper is a straight line: a block
  // whose eight |u| all lie in these cells needs no look-up.
  void find_first_curved() {
    first_curved = 0;
    if (!odd || !low_linear) return;
    const double slope = cells[1];
    for (int32_t i = 1; i < n; ++i) {
      const int32_t at = i - 1, end = i;
      auto edge = [&](int32_t k) {
        return std::ldexp(1 + double(k & ((1 << bits) - 1)) / (1 << bits), LOW_EXPONENT + (k >> bits));
      };
      for (double x : {edge(at), edge(end)}) {
        const double line = cells[2 * i] + cells[2 * i + 1] * (logs ? x - edge(at) : x);
        if (!(std::fabs((logs ? std::exp(line) : line) - slope * x) <= LINEAR * std::fabs(slope * x))) return;
      }
      first_curved = i;
    }
  }

  float tail(float u) const {  // one u, whatever it is
    if (u == 0) return 0;
    const float f = in_row(!odd && u < 0 ? 1 : 0, std::fabs(double(u)));
    return (odd || logs) && u < 0 ? -f : f;
  }

  // One u = E − count, of a table for that count: below −count/2 the third row knows f by |E|, which keeps the digits
  // of a small E.
  float at_count(float u, double count) const {
    if (u == 0) return 0;
    if (double(u) < -count / 2) return in_row(2, std::fabs(double(u) + count));
    return in_row(u < 0 ? 1 : 0, std::fabs(double(u)));
  }

  float in_row(int row, double x) const {
    if (x >= high) return float(tails[row * 4 + 2] * std::pow(x / high, tails[row * 4 + 3]));
    if (x < low && !low_linear) return float(tails[row * 4] * std::pow(x / low, tails[row * 4 + 1]));
    const int32_t i = cell(float(x));
    const float* c = cells + (int64_t(row) * n + i) * 2;
    if (logs && i > 0) return float(std::exp(double(c[0]) + double(c[1]) * (x - double(edge_below(float(x))))));
    return float(double(c[0]) + double(c[1]) * x);
  }

  float edge_below(float x) const {
    int32_t of;
    std::memcpy(&of, &x, 4);
    of = of >> (23 - bits) << (23 - bits);
    std::memcpy(&x, &of, 4);
    return x;
  }

  int32_t cell(float x) const {
    int32_t bits_of;
    std::memcpy(&bits_of, &x, 4);
    const int32_t i = (bits_of >> (23 - bits)) - (((127 + LOW_EXPONENT) << bits) - 1);
    return i < 0 ? 0 : (i >= n ? n - 1 : i);
  }

  Vec<float> operator()(const Vec<float>& u) const {
#if defined(__AVX2__)
    typedef Machine<float>::V V;
    typedef Machine<float>::I I;
    const I sign = (I)u & int32_t(0x80000000u);
    const V x = (V)((I)u & 0x7fffffff);
    I i = ((I)x >> (23 - bits)) - (((127 + LOW_EXPONENT) << bits) - 1);
    if (first_curved && !any(i > first_curved)) return u * cells[1];
    const I below = i <= 0;
    if (!any(i >= n) && (low_linear || !any(below))) {
      i = below ? I{} : i;
      if (!odd) i += (sign >> 31) & n;
      const long long* base = reinterpret_cast<const long long*>(cells);  // intercept and slope in one load
      const __m256i index = (__m256i)i;
      const __m256 lo = _mm256_castsi256_ps(_mm256_i32gather_epi64(base, _mm256_castsi256_si128(index), 8));
      const __m256 hi = _mm256_castsi256_ps(_mm256_i32gather_epi64(base, _mm256_extracti128_si256(index, 1), 8));
      const V a = (V)_mm256_permute4x64_pd((__m256d)_mm256_shuffle_ps(lo, hi, 0x88), 0xD8);
      const V b = (V)_mm256_permute4x64_pd((__m256d)_mm256_shuffle_ps(lo, hi, 0xDD), 0xD8);
      if (logs) {
        const V edge = (V)((I)x >> (23 - bits) << (23 - bits));
        const V f = below ? b * x : (V)vexp(Vec<float>(a + b * (x - edge)));
        return (V)((I)f ^ sign);
      }
      const V f = a + b * x;
      return odd ? (V)((I)f ^ sign) : f;
    }
#endif
    float f[W];
    std::memcpy(f, &u, sizeof f);
    for (float& v : f) v = tail(v);
    return load(f);
  }
};

}  // namespace tagfield
