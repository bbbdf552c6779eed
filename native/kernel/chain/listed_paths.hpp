// The best paths of a block of sentences, whose transitions are mostly without a weight (listed_pairs.hpp).
//
//     v_t(j) = s_t(j) + max( max_{i listed before j} v_{t−1}(i) + τ(i,j),  max_{i not listed} v_{t−1}(i) )
//
// Lanes are sentences. The best label of all, i*, is the best that is not listed, unless it is listed; and a listed one with
// τ ≥ 0 makes up for that. Only for the labels j that follow i* with τ(i*,j) < 0 the labels are gone through by their scores.
// No rounding is new: the path is that of the whole matrix, and ties go to the lower label.
#pragma once
#include <vector>

#include "kernel/chain/side_by_side.hpp"
#include "kernel/simd/scratch.hpp"
#include "kernel/threads/pulse.hpp"
#include "kernel/chain/listed_pairs.hpp"

namespace tagfield {

// The labels of one position by their scores v [L]: the best ones as a list, the others by looking at all.
template <class T> class Unlisted {
  static constexpr int KEPT = 8;
  const ListedPairs& pairs_;
  int kept_ = 0;
  int label_[KEPT];
  T value_[KEPT];
  const T* v_ = nullptr;

 public:
  explicit Unlisted(const ListedPairs& pairs) : pairs_(pairs) {}

  void open(const T* v) {
    v_ = v, kept_ = 0;
    for (int i = 0; i < pairs_.L; ++i) {
      if (kept_ == KEPT && !(v[i] > value_[KEPT - 1])) continue;
      int k = kept_ < KEPT ? kept_++ : KEPT - 1;
      for (; k > 0 && v[i] > value_[k - 1]; --k) value_[k] = value_[k - 1], label_[k] = label_[k - 1];
      value_[k] = v[i], label_[k] = i;
    }
  }
  int top() const { return label_[0]; }
  T top_value() const { return value_[0]; }

  // The largest v(i) of the labels that are not listed before j, if it is above `least`; else `least`.
  T best(int j, T least) const {
    for (int k = 0; k < kept_; ++k) {
      if (!(value_[k] > least)) return least;
      if (pairs_.find(label_[k], j) < 0) return value_[k];
    }
    int32_t q = pairs_.into_first[size_t(j)];
    const int32_t end = pairs_.into_first[size_t(j) + 1];
    for (int i = 0; i < pairs_.L; ++i) {
      if (q < end && pairs_.source[size_t(q)] == i)
        ++q;
      else if (v_[i] > least)
        least = v_[i];
    }
    return least;
  }
};

template <class T> class ListedPaths {
 public:
  explicit ListedPaths(const ListedPairs& pairs)
      : pairs_(pairs), unlisted_(pairs), step_(pairs.to.size()), before_(pairs.to.size()),
        into_(pairs.into.pair.size(), PAD<T>) {
    for (auto* vector : {&now_, &listed_}) vector->reserve(int64_t(pairs.Lp) * W);
    row_.reserve(pairs.Lp);
  }

  void set_transitions(const T* trans) {
    int64_t p = 0;
    for (int i = 0; i < pairs_.L; ++i)
      for (; p < pairs_.from_first[size_t(i) + 1]; ++p) step_[size_t(p)] = trans[int64_t(i) * pairs_.Lp + pairs_.to[size_t(p)]];
    for (size_t q = 0; q < into_.size(); ++q)
      if (pairs_.into.pair[q] >= 0) into_[q] = step_[size_t(pairs_.into.pair[q])];
    for (int64_t j = 0; j < pairs_.Lp; ++j)
      for (size_t q = size_t(pairs_.into_first[size_t(j)]); q < size_t(pairs_.into_first[size_t(j) + 1]); ++q)
        before_[q] = trans[int64_t(pairs_.source[q]) * pairs_.Lp + j];
  }

  // The best labels of each chain into y[k], its score into log_z.
  void run(LaneChain<T>* chains, int count, int32_t* const* y) {
    const ByLength lanes(chains, count);
    const int64_t Lp = pairs_.Lp;
    v_.reserve(lanes.longest * Lp * count);
    for (int64_t t = 0; t < lanes.longest; ++t) {
      const int active = lanes.active(chains, t);
      pulse(t);
      if (t) look_back();
      for (int k = 0; k < active; ++k) {
        const T *s = chains[lanes.order[k]].scores + t * Lp, *before = row(k, t - 1, lanes);
        T* v = row(k, t, lanes);
        if (t == 0) {
          std::copy_n(s, Lp, v);
          continue;
        }
        unlisted_.open(before);
        const Vec<T> top = splat<T>(unlisted_.top_value());
        const T* listed = listed_.get();
        for (int64_t j = 0; j < Lp; ++j) row_[j] = listed[j * W + k];
        for (int64_t j = 0; j < Lp; j += W) store<T>(v + j, vmax<T>(load(&row_[j]), top) + load(s + j));
        const int32_t i = unlisted_.top();
        for (int32_t p = pairs_.from_first[size_t(i)]; p < pairs_.from_first[size_t(i) + 1]; ++p)
          if (step_[size_t(p)] < 0) {
            const int j = pairs_.to[size_t(p)];
            v[j] = unlisted_.best(j, row_[j]) + s[j];
          }
      }
      turn(active, t, lanes);
    }
    for (int k = 0; k < count; ++k) {
      LaneChain<T>& chain = chains[lanes.order[k]];
      if (chain.n) chain.log_z = trace(k, chain.n, lanes, y[lanes.order[k]]);
    }
  }

 private:
  const ListedPairs& pairs_;
  Unlisted<T> unlisted_;
  std::vector<T> step_, before_, into_;  // [P] τ by the first label, and by the second one; the same in fours
  Scratch<T> v_, now_, listed_, row_;  // [W, longest, Lp]; [Lp, W], [Lp, W]; [Lp]

  T* row(int k, int64_t t, const ByLength& lanes) const { return v_.get() + (k * lanes.longest + t) * pairs_.Lp; }

  // listed[j] = max over the pairs into j of v(i) + τ, in each lane.
  void look_back() {
    const int32_t *label = pairs_.into.label.data(), *first = pairs_.into.first.data(), *source = pairs_.into.other.data();
    const T *tau = into_.data(), *v = now_.get();
    T* listed = listed_.get();
    for (int64_t k = 0; k < pairs_.Lp; ++k) {
      Vec<T> even = splat<T>(PAD<T>), odd = even;
      const auto step = [&](int32_t q) { return load(v + int64_t(source[q]) * W) + splat<T>(tau[q]); };
      for (int32_t q = first[k]; q < first[k + 1]; q += Fours::SIZE) {
        even = vmax<T>(vmax<T>(even, step(q)), step(q + 2));
        odd = vmax<T>(vmax<T>(odd, step(q + 1)), step(q + 3));
      }
      store<T>(listed + int64_t(label[k]) * W, vmax<T>(even, odd));
    }
  }

  // v_t of the sentences side by side, for the next step.
  void turn(int active, int64_t t, const ByLength& lanes) {
    const int64_t Lp = pairs_.Lp, step = lanes.longest * Lp;
    if (active == W) {
      for (int64_t j = 0; j < Lp; j += W) transpose<T>(row(0, t, lanes) + j, step, &now_[j * W], W);
      return;
    }
    for (int64_t j = 0; j < Lp; ++j)
      for (int k = 0; k < active; ++k) now_[j * W + k] = row(k, t, lanes)[j];
  }

  double trace(int k, int64_t n, const ByLength& lanes, int32_t* y) {
    const T* last = row(k, n - 1, lanes);
    int best = 0;
    for (int j = 1; j < pairs_.L; ++j)
      if (last[j] > last[best]) best = j;
    const double score = last[best];
    y[n - 1] = best;
    for (int64_t t = n - 1; t > 0; --t) {
      pulse(t);
      std::copy_n(row(k, t - 1, lanes), pairs_.L, row_.get());
      for (int32_t q = pairs_.into_first[size_t(best)]; q < pairs_.into_first[size_t(best) + 1]; ++q)
        row_[pairs_.source[size_t(q)]] += before_[size_t(q)];
      best = 0;
      for (int i = 1; i < pairs_.L; ++i)
        if (row_[i] > row_[best]) best = i;
      y[t - 1] = best;
    }
    return score;
  }
};

}  // namespace tagfield
