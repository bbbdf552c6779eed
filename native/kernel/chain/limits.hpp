// The labels that each token may have, and the labels that may follow each other.
//
// A forbidden label has the score of a padding lane, PAD, and a forbidden transition the weight FORBIDDEN: their exp is 0,
// so the lattice needs no second code path. The transitions stay finite because the lattice scales them by their mean.
// A total score below IMPOSSIBLE contains one of the two, so the path is not allowed: scores beyond LARGEST (scores.hpp),
// which could reach it otherwise, are refused.
#pragma once
#include <cmath>
#include <limits>

#include "kernel/corpus/corpus.hpp"
#include "kernel/corpus/scores.hpp"
#include "kernel/simd/scratch.hpp"

namespace tagfield {

struct Limits {
  const uint8_t* labels = nullptr;  // [T, L]: which labels a token may have; null where every one
  const uint8_t* follow = nullptr;  // [L, L]: whether the second label may follow the first; null where it always may

  bool any() const { return labels || follow; }

  // Takes what sentence s may not have out of its scores [n, Lp].
  template <class T> void forbid(const Corpus& c, const Layout& at, int64_t s, T* scores) const {
    if (!labels) return;
    const uint8_t* allowed = labels + c.tokens[s] * at.L;
    const int64_t n = c.length(s);
    for (int64_t t = 0; t < n; ++t)
      for (int j = 0; j < at.L; ++j)
        if (!allowed[t * at.L + j]) scores[t * at.Lp() + j] = PAD<T>;
  }

  // The transitions [L, Lp] that the lattice sees.
  template <class T> const T* in_force(const Layout& at, const T* trans, Scratch<T>& room) const {
    if (!follow) return trans;
    const int64_t L = at.L, Lp = at.Lp();
    T* out = room.reserve(L * Lp);
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < Lp; ++j) out[i * Lp + j] = j >= L || follow[i * L + j] ? trans[i * Lp + j] : T(FORBIDDEN);
    return out;
  }

  // Takes what may not follow out of the transitions [L, Lp] of one position. Returns whether all others are at most LARGEST
  // in size.
  template <class T> bool forbid_steps(const Layout& at, T* tau) const {
    int within = 1;
    for (int64_t i = 0; i < at.L; ++i)
      for (int64_t j = 0; j < at.L; ++j) {
        T& step = tau[i * at.Lp() + j];
        if (follow && !follow[i * at.L + j])
          step = T(FORBIDDEN);
        else
          within &= std::fabs(step) <= T(LARGEST);
      }
    return within;
  }

  // A score as callers see it: −∞ where something forbidden is in it.
  double seen(double score) const {
    return any() && score < IMPOSSIBLE ? -std::numeric_limits<double>::infinity() : score;
  }
};

}  // namespace tagfield
