// Where a block of sentences with listed pairs keeps its vectors, and the expected transitions that are summed from them.
//
//     Σ_t P(y_t = i, y_{t+1} = j) = e^{zτ(i,j)} Σ_t a_t(i) w_t · v_{t+1}(j)         a, v, w of seen_lattice.hpp
//
// Lanes are sentences. A pair reads and writes its sum once for STEPS positions: of two of them, v stays in the first-level cache.
// Keeping a few positions of a label side by side was slower: whoever wrote one position used every fourth part of a line.
#pragma once
#include <algorithm>

#include "kernel/lanes.hpp"
#include "kernel/scratch.hpp"
#include "kernel/seen_pairs.hpp"

namespace tagfield {

template <class T> class SeenSums {
  static constexpr int64_t STEPS = 2;
  const SeenPairs& pairs_;
  const int64_t size_;  // of one position
  Scratch<T> a_, v_, w_, sums_, by_lane_;

 public:
  explicit SeenSums(const SeenPairs& pairs) : pairs_(pairs), size_(int64_t(pairs.Lp) * W) {}

  void room_for(int64_t n) {
    a_.reserve((n + STEPS) * size_), v_.reserve((n + STEPS) * size_), w_.reserve((n + STEPS) * W);
    std::fill_n(a(n), STEPS * size_, T(0)), std::fill_n(v(n), STEPS * size_, T(0)), std::fill_n(w(n), STEPS * W, T(0));
  }
  T* a(int64_t t) const { return &a_[t * size_]; }  // [Lp, W]
  T* v(int64_t t) const { return &v_[t * size_]; }  // [Lp, W], e until the way back
  T* w(int64_t t) const { return &w_[t * W]; }      // [W]

  // The sums of every lane, over all positions of the longest sentence.
  void sum(int64_t longest, const T* factor) {
    const int64_t P = pairs_.padded();
    const int32_t *first = pairs_.from_first.data(), *to = pairs_.to.data();
    T* sums = zeros(sums_, P * W);
    for (int64_t t = 0; t + 1 < longest; t += STEPS) {
      const T *a0 = a(t), *a1 = a(t + 1), *v0 = v(t + 1), *v1 = v(t + 2);
      const Vec<T> w0 = load(w(t)), w1 = load(w(t + 1));
      for (int64_t i = 0; i < pairs_.L; ++i) {
        const Vec<T> x0 = load(a0 + i * W) * w0, x1 = load(a1 + i * W) * w1;
        for (int64_t p = first[i]; p < first[i + 1]; ++p) {
          const int64_t j = int64_t(to[p]) * W;
          store<T>(sums + p * W, load(sums + p * W) + x0 * load(v0 + j) + x1 * load(v1 + j));
        }
      }
    }
    T* out = by_lane_.reserve(P * W);
    for (int64_t p = 0; p < P; p += W) {
      T square[W * W];
      for (int k = 0; k < W; ++k) store<T>(square + k * W, load(sums + (p + k) * W) * splat<T>(factor[p + k]));
      transpose<T>(square, W, out + p, P);
    }
  }
  T* of_lane(int k) const { return by_lane_.get() + k * pairs_.padded(); }  // [P], padded to blocks of W
};

}  // namespace tagfield
