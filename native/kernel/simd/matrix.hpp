// The three small matrix products of the lattice, with labels in blocks of W lanes.
// NB is the number of blocks, known at compile time for up to 32 labels (accumulators stay in registers); 0 means
// a number known only at run time, in strips of four blocks.
#pragma once
#include "kernel/simd/simd.hpp"

namespace tagfield {

// out[b] = Σ_i a[i] · X[i][b]     for `G` blocks from column block b0 of rows of length Lp
template <class T, int G> TAGFIELD_INLINE void weighted_rows(const T* X, const T* a, int L, int Lp, Vec<T>* out) {
  Vec<T> even[G] = {}, odd[G] = {};
  int i = 0;
  for (; i + 1 < L; i += 2) {
    const T *r0 = X + int64_t(i) * Lp, *r1 = r0 + Lp;
    const Vec<T> a0 = splat<T>(a[i]), a1 = splat<T>(a[i + 1]);
#pragma GCC unroll 4
    for (int b = 0; b < G; ++b) even[b] += a0 * load(r0 + b * W), odd[b] += a1 * load(r1 + b * W);
  }
  if (i < L)
#pragma GCC unroll 4
    for (int b = 0; b < G; ++b) even[b] += splat<T>(a[i]) * load(X + int64_t(i) * Lp + b * W);
#pragma GCC unroll 4
  for (int b = 0; b < G; ++b) out[b] = even[b] + odd[b];
}

// out[b] = max_i (a[i] + X[i][b])
template <class T, int G> TAGFIELD_INLINE void best_rows(const T* X, const T* a, int L, int Lp, Vec<T>* out) {
  Vec<T> even[G], odd[G];
#pragma GCC unroll 4
  for (int b = 0; b < G; ++b) even[b] = odd[b] = splat<T>(a[0]) + load(X + b * W);
  int i = 1;
  for (; i + 1 < L; i += 2) {
    const T *r0 = X + int64_t(i) * Lp, *r1 = r0 + Lp;
    const Vec<T> a0 = splat<T>(a[i]), a1 = splat<T>(a[i + 1]);
#pragma GCC unroll 4
    for (int b = 0; b < G; ++b) {
      even[b] = vmax<T>(even[b], a0 + load(r0 + b * W));
      odd[b] = vmax<T>(odd[b], a1 + load(r1 + b * W));
    }
  }
  if (i < L)
#pragma GCC unroll 4
    for (int b = 0; b < G; ++b) even[b] = vmax<T>(even[b], splat<T>(a[i]) + load(X + int64_t(i) * Lp + b * W));
#pragma GCC unroll 4
  for (int b = 0; b < G; ++b) out[b] = vmax<T>(even[b], odd[b]);
}

// Calls strip(b0, width constant) over the blocks: once with NB blocks, or in strips of four, two and one.
template <int G> struct Width { static constexpr int value = G; };
template <int NB, class Fn> TAGFIELD_INLINE void strips(int blocks, Fn fn) {
  if constexpr (NB > 0) {
    fn(0, Width<NB>{});
  } else {
    int b = 0;
    for (; b + 4 <= blocks; b += 4) fn(b, Width<4>{});
    if (b + 2 <= blocks) fn(b, Width<2>{}), b += 2;
    if (b < blocks) fn(b, Width<1>{});
  }
}

// out[i][b] += Σ_t P[t][i] · Q[t][b] for four rows i, n rows of P and Q of length Lp
template <class T, int G> TAGFIELD_INLINE void outer_sum(const T* P, const T* Q, int64_t n, int Lp, Vec<T> (*out)[G]) {
  for (int64_t t = 0; t < n; ++t, P += Lp, Q += Lp) {
    Vec<T> q[G];
#pragma GCC unroll 4
    for (int b = 0; b < G; ++b) q[b] = load(Q + b * W);
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      const Vec<T> p = splat<T>(P[r]);
#pragma GCC unroll 4
    for (int b = 0; b < G; ++b) out[r][b] += p * q[b];
    }
  }
}

}  // namespace tagfield
