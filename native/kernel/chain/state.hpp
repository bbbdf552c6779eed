// What a state of the chain is, and which states a known label leaves.
//
//     first order      a state is a label; a chain has L of them
//     second order     a state will be a pair of labels, a segment a label with a length: they get their address here
//
// The forms of the chain (chain.hpp) know states only, by their numbers 0 .. L−1. What asks for labels asks `label`.
#pragma once
#include <cstdint>
#include <limits>

#include "kernel/simd/simd.hpp"

namespace tagfield {

template <class T> constexpr T PAD = -std::numeric_limits<T>::infinity();  // the score of padding, and of a forbidden state
constexpr float FORBIDDEN = -1e30f;    // a transition that is not allowed (limits.hpp); times any z of a pass, its exp is still 0
constexpr double IMPOSSIBLE = -1e29;   // a path with a lower score has one of the two

struct States {
  int L = 0, NB = 0;  // states, blocks of W that hold them

  States() = default;
  explicit States(int count) : L(count), NB((count + W - 1) / W) {}

  int Lp() const { return NB * W; }
  int64_t cells() const { return int64_t(L) * Lp(); }  // of a matrix of transitions [L, Lp]
  uint32_t lanes(int b) const {                        // which lanes of block b are states
    const int n = L - b * W;
    return n >= W ? 255u : (1u << n) - 1;
  }
  int label(int state) const { return state; }
};

// Leaves no state but those of one label, in the scores [Lp] of a position.
template <class T> inline void keep_label(const States& of, int32_t label, T* scores) {
  for (int j = 0; j < of.L; ++j)
    if (of.label(j) != label) scores[j] = PAD<T>;
}

// The same at every position whose label y [n] is known; −1 is unknown.
template <class T> inline void keep_known(const States& of, const int32_t* y, int64_t n, T* scores) {
  for (int64_t t = 0; t < n; ++t)
    if (y[t] >= 0) keep_label(of, y[t], scores + t * of.Lp());
}

inline bool all_known(const int32_t* y, int64_t n) {
  for (int64_t t = 0; t < n; ++t)
    if (y[t] < 0) return false;
  return true;
}

// θ·Φ(x, y) from raw scores [n, Lp] and transitions [L, Lp].
template <class T> double path_score(const States& at, const T* scores, const T* trans, const int32_t* y, int64_t n) {
  double score = 0;
  for (int64_t t = 0; t < n; ++t) {
    score += scores[t * at.Lp() + y[t]];
    if (t) score += trans[int64_t(y[t - 1]) * at.Lp() + y[t]];
  }
  return score;
}

}  // namespace tagfield
