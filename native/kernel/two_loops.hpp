// −H·v of L-BFGS by its two loops, in place, from the last pairs s = x' − x and y = ∇' − ∇.
//
// In NumPy each line is one pass over memory and one new array. Here the end of a step and the beginning of the next share
// a pass, and the order of the sums is fixed.
#pragma once
#include <vector>

#include "kernel/simd.hpp"

namespace tagfield {

struct CurvaturePair {
  const double *s, *y;
  double curvature;  // s·y
};

// q += step · a, and returns q · b
inline double add_and_multiply(double* q, double step, const double* a, const double* b, int64_t n) {
  Vec<double> sum{};
  double rest = 0;
  int64_t k = 0;
  for (; k + W <= n; k += W) {
    const Vec<double> moved = load(q + k) + load(a + k) * step;
    store<double>(q + k, moved);
    sum += moved * load(b + k);
  }
  for (; k < n; ++k) q[k] += step * a[k], rest += q[k] * b[k];
  return sum_lanes<double>(sum) + rest;
}

inline double inner(const double* a, const double* b, int64_t n) {
  Vec<double> sum{};
  double rest = 0;
  int64_t k = 0;
  for (; k + W <= n; k += W) sum += load(a + k) * load(b + k);
  for (; k < n; ++k) rest += a[k] * b[k];
  return sum_lanes<double>(sum) + rest;
}

// q [n] holds −v and becomes −H·v; the pairs are in the order of their age, the oldest first.
inline void two_loops(double* q, const std::vector<CurvaturePair>& pairs, int64_t n) {
  if (pairs.empty()) return;
  const size_t m = pairs.size();
  std::vector<double> alpha(m);
  double product = inner(pairs[m - 1].s, q, n);
  for (size_t i = m; i-- > 0;) {
    alpha[i] = product / pairs[i].curvature;
    product = add_and_multiply(q, -alpha[i], pairs[i].y, i ? pairs[i - 1].s : pairs[0].y, n);
  }
  const CurvaturePair& last = pairs[m - 1];
  const double scale = last.curvature / inner(last.y, last.y, n);
  for (int64_t k = 0; k < n; ++k) q[k] *= scale;
  product *= scale;  // q · y of the oldest
  for (size_t i = 0; i < m; ++i) {
    const double* next = i + 1 < m ? pairs[i + 1].y : pairs[i].y;
    product = add_and_multiply(q, alpha[i] - product / pairs[i].curvature, pairs[i].s, next, n);
  }
}

}  // namespace tagfield
