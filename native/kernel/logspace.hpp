// The lattice in the log domain and double precision: slow, but correct for any finite scores.
// lattice.hpp uses it for a sentence that fails a guard of the scaled recursions.
//
//     α_t(j) = s_t(j) + log Σ_i exp(α_{t-1}(i) + τ(i,j))        β_t(i) = log Σ_j exp(τ(i,j) + s_{t+1}(j) + β_{t+1}(j))
//     log Z = log Σ_j exp α_n(j)     P(y_t = j) = exp(α_t(j) + β_t(j) − log Z)
#pragma once
#include <cmath>
#include <vector>

#include "kernel/simd.hpp"

namespace tagfield {

template <class Fn> inline double log_sum(int L, Fn term) {
  double m = term(0);
  for (int i = 1; i < L; ++i) m = std::fmax(m, term(i));
  if (!std::isfinite(m)) return m;
  double sum = 0;
  for (int i = 0; i < L; ++i) sum += std::exp(term(i) - m);
  return m + std::log(sum);
}

// scores [n, Lp] times z, trans [L, Lp] times z. Fills node [n, Lp] and edge [L, Lp] if they are wanted.
template <class T>
double forward_backward_log(int L, int Lp, const T* scores, const T* trans, double z, int64_t n, T* node, T* edge) {
  std::vector<double> alpha(size_t(n) * L), beta(size_t(n) * L, 0.0);
  auto s = [&](int64_t t, int j) { return z * double(scores[t * Lp + j]); };
  auto tau = [&](int i, int j) { return z * double(trans[int64_t(i) * Lp + j]); };
  for (int j = 0; j < L; ++j) alpha[j] = s(0, j);
  for (int64_t t = 1; t < n; ++t)
    for (int j = 0; j < L; ++j)
      alpha[t * L + j] = s(t, j) + log_sum(L, [&](int i) { return alpha[(t - 1) * L + i] + tau(i, j); });
  const double log_z = log_sum(L, [&](int j) { return alpha[(n - 1) * L + j]; });
  if (!node) return log_z;
  for (int64_t t = n - 2; t >= 0; --t)
    for (int i = 0; i < L; ++i)
      beta[t * L + i] = log_sum(L, [&](int j) { return tau(i, j) + s(t + 1, j) + beta[(t + 1) * L + j]; });
  for (int64_t t = 0; t < n; ++t)
    for (int j = 0; j < Lp; ++j)
      node[t * Lp + j] = j < L ? T(std::exp(alpha[t * L + j] + beta[t * L + j] - log_z)) : T(0);
  if (!edge) return log_z;
  std::vector<double> sum(size_t(L) * L, 0.0);
  for (int64_t t = 0; t + 1 < n; ++t)
    for (int i = 0; i < L; ++i)
      for (int j = 0; j < L; ++j)
        sum[i * L + j] += std::exp(alpha[t * L + i] + tau(i, j) + s(t + 1, j) + beta[(t + 1) * L + j] - log_z);
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < Lp; ++j) edge[int64_t(i) * Lp + j] = j < L ? T(sum[i * L + j]) : T(0);
  return log_z;
}

// log α and log β [T, L] of one chain in the log domain, and log Z: what every question about parts of a path needs.
//     α_t(j) = s_t(j) + log Σ_i exp(α_{t−1}(i) + τ(i,j))      β_t(i) = log Σ_j exp(τ(i,j) + s_{t+1}(j) + β_{t+1}(j))
inline double log_messages(int L, int64_t n, const double* s, const double* tau, double* alpha, double* beta) {
  for (int j = 0; j < L; ++j) alpha[j] = s[j], beta[(n - 1) * L + j] = 0;
  for (int64_t t = 1; t < n; ++t)
    for (int j = 0; j < L; ++j)
      alpha[t * L + j] = s[t * L + j] + log_sum(L, [&](int i) { return alpha[(t - 1) * L + i] + tau[i * L + j]; });
  for (int64_t t = n - 2; t >= 0; --t)
    for (int i = 0; i < L; ++i)
      beta[t * L + i] = log_sum(L, [&](int j) { return tau[i * L + j] + s[(t + 1) * L + j] + beta[(t + 1) * L + j]; });
  return log_sum(L, [&](int j) { return alpha[(n - 1) * L + j]; });
}

}  // namespace tagfield
