// The lattice in the log domain and double precision: slow, but correct for scores of any size up to LARGEST (scores.hpp).
// scaled.hpp uses it for a sentence that fails a guard of the scaled recursions.
//
//     α_t(j) = s_t(j) + log Σ_i exp(α_{t-1}(i) + τ(i,j))        β_t(i) = log Σ_j exp(τ(i,j) + s_{t+1}(j) + β_{t+1}(j))
//     log Z = log Σ_j exp α_n(j)     P(y_t = j) = exp(α_t(j) + β_t(j)) / Σ_k exp(α_t(k) + β_t(k))
//
// The largest entry is taken off each α_t and β_t. What is left is at most as large as the scores of two steps, so that
// scores of 1e9 leave probabilities right to 1e-6.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/simd/simd.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield {

template <class Fn> inline double log_sum(int L, Fn term) {
  double m = term(0);
  for (int i = 1; i < L; ++i) m = std::fmax(m, term(i));
  if (!std::isfinite(m)) return m;
  double sum = 0;
  for (int i = 0; i < L; ++i) sum += std::exp(term(i) - m);
  return m + std::log(sum);
}

// Takes the largest of L numbers off all of them and returns it; sums of many steps then stay as small as one step.
inline double take_top(int L, double* x) {
  double top = x[0];
  for (int j = 1; j < L; ++j) top = std::fmax(top, x[j]);
  if (std::isfinite(top))
    for (int j = 0; j < L; ++j) x[j] -= top;
  return top;
}

// Turns logarithms into what each is of their sum.
inline void to_shares(double* x, size_t n) {
  const double top = *std::max_element(x, x + n);
  double all = 0;
  for (size_t k = 0; k < n; ++k) all += x[k] = std::exp(x[k] - top);
  for (size_t k = 0; k < n; ++k) x[k] /= all;
}

// log Z of a chain whose scores are s(t, j) and whose transitions into position t are tau(t, i, j). Fills node [n, Lp] if it
// is wanted, and hands the shares of the pairs (i, j) [L, L] of each step to pair(t, shares). Each row of node is divided
// by its own sum, and so are the pairs of each step: the rounding of log Z is in none of them.
template <class T, class State, class Tau, class Pair>
double chain_in_logs(int L, int Lp, int64_t n, State s, Tau tau, T* node, Pair pair) {
  std::vector<double> alpha(size_t(n) * L), beta(size_t(n) * L, 0.0), pairs(size_t(L) * L);
  for (int j = 0; j < L; ++j) alpha[j] = s(0, j);
  double shift = take_top(L, alpha.data());
  for (int64_t t = 1; t < n; ++t) {
    pulse(t);
    for (int j = 0; j < L; ++j)
      alpha[t * L + j] = s(t, j) + log_sum(L, [&](int i) { return alpha[(t - 1) * L + i] + tau(t, i, j); });
    shift += take_top(L, &alpha[t * L]);
  }
  const double log_z = shift + log_sum(L, [&](int j) { return alpha[(n - 1) * L + j]; });
  if (!node) return log_z;
  for (int64_t t = n - 2; t >= 0; --t) {
    pulse(t);
    for (int i = 0; i < L; ++i)
      beta[t * L + i] = log_sum(L, [&](int j) { return tau(t + 1, i, j) + s(t + 1, j) + beta[(t + 1) * L + j]; });
    take_top(L, &beta[t * L]);
  }
  for (int64_t t = 0; t < n; ++t) {
    for (int j = 0; j < L; ++j) pairs[size_t(j)] = alpha[t * L + j] + beta[t * L + j];
    to_shares(pairs.data(), size_t(L));
    for (int j = 0; j < Lp; ++j) node[t * Lp + j] = j < L ? T(pairs[size_t(j)]) : T(0);
  }
  for (int64_t t = 1; t < n; ++t) {
    pulse(t);
    for (int i = 0; i < L; ++i)
      for (int j = 0; j < L; ++j)
        pairs[size_t(i) * L + j] = alpha[(t - 1) * L + i] + tau(t, i, j) + s(t, j) + beta[t * L + j];
    to_shares(pairs.data(), pairs.size());
    pair(t, pairs.data());
  }
  return log_z;
}

// The same for scores [n, Lp] times z and one matrix of transitions [L, Lp] times z, whose pairs are summed into edge
// [L, Lp].
template <class T>
double forward_backward_log(int L, int Lp, const T* scores, const T* trans, double z, int64_t n, T* node, T* edge) {
  std::vector<double> sum(size_t(L) * L, 0.0);
  const double log_z = chain_in_logs(
      L, Lp, n, [&](int64_t t, int j) { return z * double(scores[t * Lp + j]); },
      [&](int64_t, int i, int j) { return z * double(trans[int64_t(i) * Lp + j]); }, node,
      [&](int64_t, const double* pairs) {
        for (size_t k = 0; k < sum.size(); ++k) sum[k] += pairs[k];
      });
  for (int i = 0; node && edge && i < L; ++i)
    for (int j = 0; j < Lp; ++j) edge[int64_t(i) * Lp + j] = j < L ? T(sum[size_t(i) * L + j]) : T(0);
  return log_z;
}

// log α and log β [T, L] of one chain in the log domain, and log Z: what every question about parts of a path needs. The
// transitions into position t are the matrix [L, L] at tau + t · step; step 0: the same at every position.
//     α_t(j) = s_t(j) + log Σ_i exp(α_{t−1}(i) + τ_t(i,j))      β_t(i) = log Σ_j exp(τ_{t+1}(i,j) + s_{t+1}(j) + β_{t+1}(j))
inline double log_messages(int L, int64_t n, const double* s, const double* tau, int64_t step, double* alpha, double* beta) {
  for (int j = 0; j < L; ++j) alpha[j] = s[j], beta[(n - 1) * L + j] = 0;
  for (int64_t t = 1; t < n; ++t) {
    pulse(t);
    for (int j = 0; j < L; ++j)
      alpha[t * L + j] =
          s[t * L + j] + log_sum(L, [&](int i) { return alpha[(t - 1) * L + i] + tau[t * step + int64_t(i) * L + j]; });
  }
  for (int64_t t = n - 2; t >= 0; --t) {
    pulse(t);
    for (int i = 0; i < L; ++i)
      beta[t * L + i] = log_sum(L, [&](int j) {
        return tau[(t + 1) * step + int64_t(i) * L + j] + s[(t + 1) * L + j] + beta[(t + 1) * L + j];
      });
  }
  return log_sum(L, [&](int j) { return alpha[(n - 1) * L + j]; });
}

}  // namespace tagfield
