// The best path of one sentence (Viterbi), from scores [n, Lp] and transitions [L, Lp].
//
//     a_t(j) = s_t(j) + max_i (a_{t−1}(i) + τ_ij)          y_{t−1} = the first i of the largest a_{t−1}(i) + τ_ij, j = y_t
//
// No back pointers are stored: the way back computes them for the labels of the path alone. Up to 32 labels it reads the
// transitions by the label that they lead to, so that a step is a few loads side by side; label by label through the rows it
// took longer than the way forward.
#pragma once
#include <cstdint>

#include "kernel/chain/state.hpp"
#include "kernel/simd/matrix.hpp"
#include "kernel/simd/scratch.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield {

template <class T> class BestPath {
 public:
  explicit BestPath(const States& at) : at_(at), L_(at.L), Lp_(at.Lp()) {}

  // The transitions, which are only looked at: call it again whenever they have changed.
  void open(const T* trans) {
    trans_ = trans;
    if (at_.NB > 4) return;
    T* into = by_next_.reserve(int64_t(L_) * Lp_);
    for (int j = 0; j < L_; ++j) {
      for (int i = 0; i < L_; ++i) into[j * Lp_ + i] = trans[int64_t(i) * Lp_ + j];
      for (int i = L_; i < Lp_; ++i) into[j * Lp_ + i] = 0;
    }
  }

  // The best labels of n ≥ 1 positions into y; returns their score. Ties go to the lower label. Padding lanes of the scores
  // are −∞.
  double find(const T* scores, int64_t n, int32_t* y) {
    a_.reserve(n * Lp_);
    switch (at_.NB) {
      case 1: return few<1>(scores, n, y);
      case 2: return few<2>(scores, n, y);
      case 3: return few<3>(scores, n, y);
      case 4: return few<4>(scores, n, y);
      default: return many(scores, n, y);
    }
  }

 private:
  const States at_;
  int L_, Lp_;
  const T* trans_ = nullptr;
  Scratch<T> a_, by_next_;  // [n, Lp], [L, Lp]

  template <int NB> void forward(const T* scores, int64_t n) {
    const int nb = NB ? NB : at_.NB;
    for (int64_t t = 0; t < n; ++t) {
      pulse(t);
      strips<NB>(nb, [&](int b0, auto width) {
        constexpr int G = decltype(width)::value;
        Vec<T> best[G] = {};
        if (t) best_rows<T, G>(trans_ + b0 * W, &a_[(t - 1) * Lp_], L_, Lp_, best);
        for (int b = 0; b < G; ++b)
          store<T>(&a_[t * Lp_ + (b0 + b) * W], best[b] + load(scores + t * Lp_ + (b0 + b) * W));
      });
    }
  }

  // The first i with the largest a[i] + steps[i].
  template <int NB> TAGFIELD_INLINE int first_best(const T* a, const T* steps) {
    Vec<T> s[NB], top{};
#pragma GCC unroll 4
    for (int b = 0; b < NB; ++b) {
      s[b] = load(a + b * W) + load(steps + b * W);
      top = b ? vmax<T>(top, s[b]) : s[b];
    }
    const T m = max_lanes<T>(top);
    uint32_t which = 0;
#pragma GCC unroll 4
    for (int b = 0; b < NB; ++b) which |= equal_lanes<T>(s[b], m) << (b * W);
    return which ? __builtin_ctz(which) : 0;  // nothing equals a NaN
  }

  template <int NB> double few(const T* scores, int64_t n, int32_t* y) {
    forward<NB>(scores, n);
    const T zero[NB * W] = {}, *a = &a_[(n - 1) * Lp_];
    int best = first_best<NB>(a, zero);
    const double score = a[best];
    y[n - 1] = best;
    for (int64_t t = n - 1; t > 0; --t) {
      a -= Lp_;
      y[t - 1] = best = first_best<NB>(a, &by_next_[int64_t(best) * Lp_]);
    }
    return score;
  }

  double many(const T* scores, int64_t n, int32_t* y) {
    forward<0>(scores, n);
    const T* last = &a_[(n - 1) * Lp_];
    int best = 0;
    for (int j = 1; j < L_; ++j)
      if (last[j] > last[best]) best = j;
    const double score = last[best];
    y[n - 1] = best;
    for (int64_t t = n - 1; t > 0; --t) {
      pulse(t);
      const T* before = &a_[(t - 1) * Lp_];
      const int j = best;
      best = 0;
      T top = before[0] + trans_[j];
      for (int i = 1; i < L_; ++i) {
        const T s = before[i] + trans_[int64_t(i) * Lp_ + j];
        if (s > top) top = s, best = i;
      }
      y[t - 1] = best;
    }
    return score;
  }
};

}  // namespace tagfield
