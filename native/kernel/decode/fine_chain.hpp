// Sentences whose scores are too large for float: the same weights, summed and chained in double.
//
//     |s_t(y)| ≤ COARSE, and every value · weight in it     float: a sum is right to a few 1e-5       chain.hpp
//     larger                                                double: right to 1e-6 up to LARGEST       PositionChain
//
// A float of 1e7 has no digits behind the point, so e^0 and e^1 would get the same probability. Scores of trained models
// stay below COARSE (CoNLL-2000: 14 by L-BFGS, 99 by the averaged perceptron), and what is below is decided in float.
#pragma once
#include <cmath>
#include <vector>

#include "kernel/chain/chain.hpp"
#include "kernel/chain/n_best.hpp"
#include "kernel/chain/position_chain.hpp"
#include "kernel/corpus/scores.hpp"

namespace tagfield {

constexpr float COARSE = 256;

// The weights, and the largest state weight in size.
template <class T> struct SizedField : FieldOf<T> {
  float largest = 0;

  SizedField(const FieldOf<T>& field, float largest_) : FieldOf<T>(field), largest(largest_) {}
};

template <class T> class FineChain {
 public:
  PositionChain chain;

  explicit FineChain(const SizedField<T>& field) : chain(field.at), field_(field), at_(field.at) {}

  // Whether the sums `scores` [n, Lp] of N attributes with these values (null: all are 1) are too coarse.
  bool needed(const T* scores, int64_t n, const float* values, int64_t N) const {
    if constexpr (sizeof(T) == 8) return false;
    float value = 1;
    for (int64_t i = 0; values && i < N; ++i) value = std::fabs(values[i]) <= value ? value : std::fabs(values[i]);
    if (!(field_.largest * value <= COARSE)) return true;
    int within = 1;
    for (int64_t t = 0; t < n; ++t)
      for (int j = 0; j < at_.L; ++j) within &= std::fabs(scores[t * at_.Lp() + j]) <= T(COARSE);
    return !within;
  }
  bool needed(const Sentence& x, const T* scores) const { return needed(scores, x.n, x.value, x.N); }

  // Blank scores of n ≥ 1 positions; `add` then adds the weights of attribute a at position t.
  void open(int64_t n) { blank_scores(at_, chain.room_for(n_ = n), n); }
  void add(int64_t a, int64_t t, double value) {
    const bool sparse = at_.rows == Rows::SPARSE;
    const int64_t from = sparse ? at_.first[a] : a * at_.NB, to = sparse ? at_.first[a + 1] : from + at_.NB;
    for (int64_t k = from; k < to; ++k) {
      double* s = chain.scores + (t * at_.NB + (sparse ? int64_t(at_.column[k]) : k - from)) * W;
      for (int lane = 0; lane < W; ++lane) s[lane] += value * double(field_.state[k * W + lane]);
    }
  }
  void open(const Sentence& x) {
    open(x.n);
    for (int64_t d = 0, i = 0; d < x.D; ++d)
      for (; i < x.stop[d]; ++i) add(x.attribute[d], x.position[i], x.value ? double(x.value[i]) : 1);
  }
  bool within_largest() const { return tagfield::within_largest(at_, chain.scores, n_); }

  // The `count` best paths, of which the first is `best`.
  void n_best(const std::vector<int32_t>& best, int64_t count, NBest& into) {
    const int L = at_.L, Lp = at_.Lp();
    std::vector<double> scores(size_t(n_) * size_t(L));
    for (int64_t t = 0; t < n_; ++t)
      for (int j = 0; j < L; ++j) scores[size_t(t * L + j)] = chain.scores[t * Lp + j];
    const auto tau = [&](int64_t t, int i, int j) { return chain.tau(t)[int64_t(i) * Lp + j]; };
    NBestSearch().find(L, n_, scores.data(), tau, count, best, into.labels, into.scores);
  }

 private:
  const SizedField<T> field_;
  const Layout at_;
  int64_t n_ = 0;
};

}  // namespace tagfield
