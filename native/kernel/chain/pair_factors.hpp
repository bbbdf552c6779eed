// Expected transitions as the factors that they are made of.
//
// The matrix of 400 labels has 640 kB. So what it is made of is handed on instead, and who owns some of the weights makes their
// part of it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/simd/matrix.hpp"

namespace tagfield {

// What the expected transitions of a chain are made of: Σ_t P(y_t = i, y_{t+1} = j) = X_ij Σ_t p_t(i) q_t(j)
template <class T> struct PairFactors {
  const T *p = nullptr, *q = nullptr, *X = nullptr;  // [n, Lp], [n, Lp], [L, Lp]
  int64_t n = 0;
  int L = 0, Lp = 0;

  // Those of R rows from i0 on, a multiple of R, and of G blocks from b0 on.
  template <int R, int G> TAGFIELD_NOINLINE void tile(int i0, int b0, Vec<T> (*u)[G]) const {
    const T *P = p + i0, *Q = q + b0 * W;
    Vec<T> sum[R][G] = {};
    for (int64_t t = 0; t < n; ++t, P += Lp, Q += Lp) {
      Vec<T> by[G];
#pragma GCC unroll 8
      for (int b = 0; b < G; ++b) by[b] = load(Q + b * W);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Vec<T> one = splat<T>(P[r]);
#pragma GCC unroll 8
        for (int b = 0; b < G; ++b) sum[r][b] += one * by[b];
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int b = 0; b < G; ++b)
        u[r][b] = i0 + r < L ? sum[r][b] * load(X + int64_t(i0 + r) * Lp + (b0 + b) * W) : sum[r][b];
  }

  // All of them into out [L, Lp]. NB: blocks of a row, 0 where that is not known here.
  template <int NB> TAGFIELD_INLINE void matrix(T* out) const {
    for (int i = 0; i < L; i += ROWS) rows<NB>(i, out + int64_t(i) * Lp);
  }

 private:
  static constexpr int ROWS = 4;
  // Those of ROWS rows from i0 on, a multiple of ROWS, into out [ROWS, Lp]; less at the end.
  template <int NB> TAGFIELD_INLINE void rows(int i0, T* out) const {
    strips<NB>(Lp / W, [&](int b0, auto width) {
      constexpr int G = decltype(width)::value;
      Vec<T> sum[ROWS][G] = {};
      outer_sum<T, G>(p + i0, q + b0 * W, n, Lp, sum);
      for (int r = 0; r < ROWS && i0 + r < L; ++r)
        for (int b = 0; b < G; ++b)
          store<T>(out + r * Lp + (b0 + b) * W, sum[r][b] * load(X + int64_t(i0 + r) * Lp + (b0 + b) * W));
    });
  }
};

// The expected transitions of several sentences, made from their factors, without their gold labels y: calls
// step(sentence, place, u) for each block of weights in [from, to) of the matrix. A tile of weights is changed by one sentence after
// another: by rows of whole matrices, factors and weights came from the second-level cache each time.
class MadeTogether {
#if defined(__AVX512F__)
  static constexpr int ROWS = 8;  // with two blocks, as many sums as stay in registers
#else
  static constexpr int ROWS = 4;
#endif
  struct Gold {
    int64_t tile;  // its place in the order of tiles
    int i, j;
  };
  struct Sentence {
    PairFactors<float> of;
    std::vector<Gold> gold;
    size_t next = 0;
  };
  std::vector<Sentence> sentences_;
  size_t count_ = 0;

  static int64_t tile_of(const PairFactors<float>& of, int i, int j) {
    return int64_t(j / (2 * W)) * ((of.L + ROWS - 1) / ROWS) + i / ROWS;
  }

  template <int G, class Step> void strip(int b0, int64_t from, int64_t to, Step& step) {
    const PairFactors<float>& any = sentences_[0].of;
    const int64_t Lp = any.Lp;
    for (int i0 = int(from / Lp) / ROWS * ROWS; i0 * Lp < to; i0 += ROWS)
      for (size_t k = 0; k < count_; ++k) {
        Sentence& one = sentences_[k];
        Vec<float> u[ROWS][G];
        one.of.tile<ROWS, G>(i0, b0, u);
        const int64_t tile = tile_of(any, i0, b0 * W);
        while (one.next < one.gold.size() && one.gold[one.next].tile < tile) ++one.next;  // those of other owners
        for (; one.next < one.gold.size() && one.gold[one.next].tile == tile; ++one.next) {
          const Gold& gold = one.gold[one.next];
          Vec<float>& at = u[gold.i - i0][gold.j / W - b0];
          float lanes[W];
          store<float>(lanes, at);
          lanes[gold.j % W] -= 1;
          at = load(lanes);
        }
        for (int r = 0; r < ROWS && i0 + r < any.L; ++r)
          for (int b = 0; b < G; ++b) {
            const int64_t place = (i0 + r) * Lp + (b0 + b) * W;
            if (place >= from && place < to) step(k, place, u[r][b]);
          }
      }
  }

 public:
  void clear() { count_ = 0; }
  size_t size() const { return count_; }
  void add(const PairFactors<float>& of, const int32_t* y) {
    if (count_ == sentences_.size()) sentences_.emplace_back();
    Sentence& one = sentences_[count_++];
    one.of = of, one.next = 0, one.gold.clear();
    for (int64_t t = 1; t <= of.n; ++t) one.gold.push_back({tile_of(of, y[t - 1], y[t]), y[t - 1], y[t]});
    std::sort(one.gold.begin(), one.gold.end(), [](const Gold& a, const Gold& b) { return a.tile < b.tile; });
  }

  template <class Step> void each(int64_t from, int64_t to, Step step) {
    const int blocks = count_ ? sentences_[0].of.Lp / W : 0;
    int b = 0;
    for (; b + 2 <= blocks; b += 2) strip<2>(b, from, to, step);
    if (b < blocks) strip<1>(b, from, to, step);
  }
};

}  // namespace tagfield
