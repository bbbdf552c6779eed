// The vectors of L-BFGS. They are as long as the model is large, so what counts is how often they pass through memory.
//
//     pair       s = x' − x, y = ∇' − ∇, in place, and every product of s, y and ◇' with the remembered pairs      one pass
//     direction  d = Σ of all vectors times coefficients, which two_loops finds from those products alone          one pass
//     along      x' = x + α·d, and with c1 its projection to the orthant                                           one pass
//
// The two loops themselves read and write q at each of their 2m steps: 4 (2m + 1) vectors in all, where these passes read 2m + 4
// and 2m + 2. (Chen, Wang and Zhou, "Large-scale L-BFGS using MapReduce", NIPS 2014, do it to save messages.)
//
// ◇ is the pseudo-gradient ∇ + c1·sign(x); at x_i = 0 the one-sided slope that descends, or 0. It is never stored. Without c1 it
// is ∇. Sums are over pieces of fixed length, which are added in order: the number of threads never changes a bit.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/phases.hpp"
#include "kernel/simd.hpp"
#include "kernel/threads.hpp"

namespace tagfield {

// Σ over pieces of n entries of piece(from, to, sums), which adds to `sums` numbers that are 0.
constexpr int64_t PIECE = 32768;
template <class Fn> std::vector<double> sum_pieces(int64_t n, size_t sums, int threads, Fn piece) {
  const int64_t pieces = (n + PIECE - 1) / PIECE;
  std::vector<double> parts(size_t(pieces) * sums, 0.0), total(sums, 0.0);
  Phases phases({pieces});
  in_threads(int(std::min<int64_t>(threads, pieces)), [&](int) {
    phases.run(0, [&](int64_t i) { piece(i * PIECE, std::min(n, (i + 1) * PIECE), parts.data() + size_t(i) * sums); });
  });
  for (size_t i = 0; i < parts.size(); ++i) total[i % sums] += parts[i];
  return total;
}

// Calls fn(from, count) for runs that fit the first-level cache together with what is read beside them.
constexpr int64_t RUN = 512;
template <class Fn> inline void each_run(int64_t from, int64_t to, Fn fn) {
  for (; from < to; from += RUN) fn(from, std::min(RUN, to - from));
}

inline double slope_at(double x, double g, double c1) {  // ◇; its zero is +0, since −0 would be another orthant
  if (x != 0) return g + (x > 0 ? c1 : -c1);
  return g > c1 ? g - c1 : g < -c1 ? g + c1 : g == g ? 0.0 : g;
}
inline void slopes(const double* x, const double* g, double c1, int64_t n, double* v) {
  if (c1 == 0)
    std::copy_n(g, n, v);
  else
    for (int64_t k = 0; k < n; ++k) v[k] = slope_at(x[k], g[k], c1);
}

inline double inner_run(const double* a, const double* b, int64_t n) {
  Vec<double> sum[2] = {};
  double rest = 0;
  int64_t k = 0;
  for (; k + 2 * W <= n; k += 2 * W) sum[0] += load(a + k) * load(b + k), sum[1] += load(a + k + W) * load(b + k + W);
  for (; k < n; ++k) rest += a[k] * b[k];
  return sum_lanes<double>(sum[0] + sum[1]) + rest;
}

inline double inner(const double* a, const double* b, int64_t n, int threads) {
  return sum_pieces(n, 1, threads, [=](int64_t from, int64_t to, double* sum) { *sum = inner_run(a + from, b + from, to - from); })[0];
}

// gradient = by·x; returns x·x
inline double scaled(const double* x, double by, double* gradient, int64_t n, int threads) {
  return sum_pieces(n, 1, threads, [=](int64_t from, int64_t to, double* sum) {
    for (int64_t k = from; k < to; ++k) gradient[k] = by * x[k];
    *sum = inner_run(x + from, x + from, to - from);
  })[0];
}

struct CurvaturePair {
  const double *s, *y;
};

// What a point has: x·x, ◇·◇, how many x_i are not 0, then ◇·s and ◇·y of each pair.
inline std::vector<double> point_products(const double* x, const double* g, double c1, const std::vector<CurvaturePair>& pairs,
                                          int64_t n, int threads) {
  return sum_pieces(n, 3 + 2 * pairs.size(), threads, [&](int64_t begin, int64_t end, double* sums) {
    double v[RUN];
    each_run(begin, end, [&](int64_t from, int64_t count) {
      slopes(x + from, g + from, c1, count, v);
      sums[0] += inner_run(x + from, x + from, count), sums[1] += inner_run(v, v, count);
      int64_t active = 0;
      for (int64_t k = from; k < from + count; ++k) active += x[k] != 0;
      sums[2] += double(active);
      for (size_t j = 0; j < pairs.size(); ++j) {
        sums[3 + 2 * j] += inner_run(v, pairs[j].s + from, count);
        sums[4 + 2 * j] += inner_run(v, pairs[j].y + from, count);
      }
    });
  });
}

// The step from (x, g) to (x', g'): x becomes s, g becomes y. Returns the products of the new point as above, the new pair being
// the last one, then s·y and y·y, then s·y_j, y·s_j, y·y_j of each earlier pair.
inline std::vector<double> make_pair(double* x, const double* x_new, double* g, const double* g_new, double c1,
                                     const std::vector<CurvaturePair>& pairs, int64_t n, int threads) {
  const size_t m = pairs.size(), own = 3 + 2 * m, others = own + 4;
  return sum_pieces(n, others + 3 * m, threads, [&](int64_t begin, int64_t end, double* sums) {
    double v[RUN];
    each_run(begin, end, [&](int64_t from, int64_t count) {
      double *s = x + from, *y = g + from;
      const double *x1 = x_new + from, *g1 = g_new + from;
      int64_t active = 0;
      for (int64_t k = 0; k < count; ++k) s[k] = x1[k] - s[k], y[k] = g1[k] - y[k], active += x1[k] != 0;
      slopes(x1, g1, c1, count, v);
      sums[0] += inner_run(x1, x1, count), sums[1] += inner_run(v, v, count), sums[2] += double(active);
      sums[own] += inner_run(v, s, count), sums[own + 1] += inner_run(v, y, count);
      sums[own + 2] += inner_run(s, y, count), sums[own + 3] += inner_run(y, y, count);
      for (size_t j = 0; j < m; ++j) {
        const double *sj = pairs[j].s + from, *yj = pairs[j].y + from;
        double *to_v = sums + 3 + 2 * j, *to_pair = sums + others + 3 * j;
        Vec<double> sum[5] = {};
        double rest[5] = {};
        int64_t k = 0;
        for (; k + W <= count; k += W) {
          const Vec<double> a = load(sj + k), b = load(yj + k), y1 = load(y + k), v1 = load(v + k);
          sum[0] += v1 * a, sum[1] += v1 * b, sum[2] += load(s + k) * b, sum[3] += y1 * a, sum[4] += y1 * b;
        }
        for (; k < count; ++k)
          rest[0] += v[k] * sj[k], rest[1] += v[k] * yj[k], rest[2] += s[k] * yj[k], rest[3] += y[k] * sj[k], rest[4] += y[k] * yj[k];
        for (int i = 0; i < 5; ++i) (i < 2 ? to_v[i] : to_pair[i - 2]) += sum_lanes<double>(sum[i]) + rest[i];
      }
    });
  });
}

// d = of_slope·◇ + Σ_j of_s[j]·s_j + of_y[j]·y_j, and with c1 0 wherever that does not descend along ◇. Returns d·◇ and d·d.
inline std::vector<double> direction(const double* x, const double* g, double c1, const std::vector<CurvaturePair>& pairs,
                                     double of_slope, const double* of_s, const double* of_y, double* d, int64_t n, int threads) {
  return sum_pieces(n, 2, threads, [&](int64_t begin, int64_t end, double* sums) {
    double v[RUN];
    each_run(begin, end, [&](int64_t from, int64_t count) {
      slopes(x + from, g + from, c1, count, v);
      double* to = d + from;
      for (int64_t k = 0; k < count; ++k) to[k] = of_slope * v[k];
      for (size_t j = 0; j < pairs.size(); ++j) {
        const double *s = pairs[j].s + from, *y = pairs[j].y + from, a = of_s[j], b = of_y[j];
        for (int64_t k = 0; k < count; ++k) to[k] += a * s[k] + b * y[k];
      }
      if (c1 != 0)
        for (int64_t k = 0; k < count; ++k) to[k] = to[k] * v[k] >= 0 ? 0 : to[k];
      sums[0] += inner_run(to, v, count), sums[1] += inner_run(to, to, count);
    });
  });
}

// out = x + step·d. With c1, x_i + step·d_i that leaves the orthant of x_i, or of −◇_i where x_i is 0, becomes 0; returns
// ‖out‖₁ and ◇·(out − x) then, and zeros without c1.
inline std::vector<double> along(const double* x, const double* g, const double* d, double step, double c1, double* out, int64_t n,
                                 int threads) {
  return sum_pieces(n, 2, threads, [=](int64_t from, int64_t to, double* sums) {
    if (c1 == 0) {
      for (int64_t k = from; k < to; ++k) out[k] = x[k] + step * d[k];
      return;
    }
    for (int64_t k = from; k < to; ++k) {
      const double v = slope_at(x[k], g[k], c1), side = x[k] != 0 ? x[k] : -v, there = x[k] + step * d[k];
      out[k] = (side > 0 && !(there <= 0)) || (side < 0 && !(there >= 0)) ? there : 0;
      sums[0] += std::fabs(out[k]), sums[1] += v * (out[k] - x[k]);
    }
  });
}

}  // namespace tagfield
