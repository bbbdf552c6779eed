// The transitions that have a weight, as lists; every other one has weight 0, and needs none.
//
//     Σ_i a_i e^{τ(i,j)} = Σ_i a_i + Σ_{i listed before j} a_i (e^{τ(i,j)} − 1)
//
// Of the 208,849 pairs of Brown's 457 tags 7,803 occur. Where more than SHARE of the pairs are listed, and with few labels, the
// matrix is faster.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/chain/state.hpp"

namespace tagfield {

// The pairs of each label, in fours: what is missing to four is −1. Labels are in the order of how many they have, so that a loop
// over their fours ends as the one before it did: a wrong guess would cost as much as ten pairs.
struct Fours {
  static constexpr int SIZE = 4;
  std::vector<int32_t> label, first;  // [Lp], [Lp+1]
  std::vector<int32_t> other, pair;   // the label on the other side (0 where there is none), the pair or −1

  void list(int Lp, const std::vector<int32_t>& begin, const std::vector<int32_t>& others, const int32_t* pairs) {
    for (int j = 0; j < Lp; ++j) label.push_back(j);
    const auto fours = [&](int32_t j) { return (begin[size_t(j) + 1] - begin[size_t(j)] + SIZE - 1) / SIZE; };
    std::stable_sort(label.begin(), label.end(), [&](int32_t a, int32_t b) { return fours(a) < fours(b); });
    first.push_back(0);
    for (int32_t j : label) {
      for (int32_t k = 0; k < SIZE * fours(j); ++k) {
        const int32_t q = begin[size_t(j)] + k;
        const bool there = q < begin[size_t(j) + 1];
        other.push_back(there ? others[size_t(q)] : 0), pair.push_back(there ? (pairs ? pairs[q] : q) : -1);
      }
      first.push_back(int32_t(other.size()));
    }
  }
};

struct ListedPairs {
  static constexpr int FEW = 32;          // labels for which the matrix stays in registers
  static constexpr double SHARE = 0.12;   // from a few timings of both forms; near it they take the same time

  int L = 0, Lp = 0;
  std::vector<int32_t> from_first;      // [Lp+1] the pairs of each first label
  std::vector<int32_t> to;              // [P]    their second labels, in the order of the matrix
  std::vector<int32_t> into_first;      // [Lp+1] the pairs of each second label
  std::vector<int32_t> source;          // [P]    their first labels, ascending
  std::vector<int64_t> place;           // [P]    where each pair is in the matrix [L, Lp]
  Fours from, into;                     // the same in fours

  int64_t size() const { return int64_t(to.size()); }

  // The pairs whose weight in trans [L, Lp] is not −0.0, the sign of no feature.
  template <class T> ListedPairs(const States& at, const T* trans) : L(at.L), Lp(at.Lp()), from_first(1, 0) {
    for (int i = 0; i < L; ++i) {
      const T* row = trans + int64_t(i) * Lp;
      for (int j = 0; j < L; ++j)
        if (row[j] != 0 || !std::signbit(row[j])) to.push_back(j), place.push_back(int64_t(i) * Lp + j);
      from_first.push_back(int32_t(to.size()));
    }
    from_first.resize(size_t(Lp) + 1, int32_t(to.size()));
    into_first.assign(size_t(Lp) + 1, 0);
    for (int32_t j : to) ++into_first[size_t(j) + 1];
    for (int j = 0; j < Lp; ++j) into_first[size_t(j) + 1] += into_first[size_t(j)];
    source.resize(to.size());
    std::vector<int32_t> next(into_first.begin(), into_first.end() - 1), pair(to.size());
    for (int i = 0; i < L; ++i)
      for (int32_t p = from_first[size_t(i)]; p < from_first[size_t(i) + 1]; ++p) {
        const size_t q = size_t(next[size_t(to[size_t(p)])]++);
        source[q] = i, pair[q] = p;
      }
    from.list(Lp, from_first, to, nullptr), into.list(Lp, into_first, source, pair.data());
  }

  // Whether the lists are the faster form. `listed` counts the pairs with a weight.
  static bool pays(int labels, int64_t listed) {
    return labels > FEW && double(listed) <= SHARE * double(labels) * double(labels);
  }
  template <class T> static bool pays(const States& at, const T* trans) {
    if (at.L <= FEW) return false;
    int64_t listed = 0;
    for (int64_t i = 0; i < at.L; ++i)
      for (int64_t j = 0; j < at.L; ++j) {
        const T w = trans[i * at.Lp() + j];
        listed += w != 0 || !std::signbit(w);
      }
    return pays(at.L, listed);
  }
  // The lists where they are the faster form, else null.
  template <class T> static std::unique_ptr<const ListedPairs> where_they_pay(const States& at, const T* trans) {
    return pays(at, trans) ? std::make_unique<const ListedPairs>(at, trans) : nullptr;
  }

  // Numbers of the pairs, one for each, come in blocks of W.
  int64_t padded() const { return (size() + W - 1) / W * W; }
  // Those of a matrix [L, Lp].
  template <class T> void gather(const T* matrix, T* out) const {
    for (size_t p = 0; p < place.size(); ++p) out[p] = matrix[place[p]];
    std::fill(out + size(), out + padded(), T(0));
  }

  // The index of a pair, or −1.
  int64_t find(int i, int j) const {
    const auto first = to.begin() + from_first[size_t(i)], last = to.begin() + from_first[size_t(i) + 1];
    const auto found = std::lower_bound(first, last, j);
    return found != last && *found == j ? found - to.begin() : -1;
  }

  // The largest number of pairs of one label, on either side.
  int64_t most() const {
    int64_t top = 0;
    for (const auto* first : {&from_first, &into_first})
      for (int j = 0; j < Lp; ++j) top = std::max<int64_t>(top, (*first)[size_t(j) + 1] - (*first)[size_t(j)]);
    return top;
  }
};

// What a listed pair multiplies by, beyond the 1 of every pair: D_ij = e^{zτ(i,j)} − 1, in the orders that the passes read.
// The largest zτ with which sums of listed pairs keep their digits.
template <class T> struct LargestStep;
template <> struct LargestStep<float> { static constexpr double value = 36; };
template <> struct LargestStep<double> { static constexpr double value = 100; };

template <class T> class ListedSteps {
  const ListedPairs& pairs_;
  std::vector<double> step_;  // [P] D

 public:
  std::vector<double> into, from;  // D in the fours of the pairs; 0 where there is none
  std::vector<T> factor;           // [P], padded: e^{zτ}
  double largest = 1;              // M, at least 1

  explicit ListedSteps(const ListedPairs& pairs)
      : pairs_(pairs), step_(size_t(pairs.padded() + W)), into(pairs.into.pair.size(), 0.0), from(pairs.from.pair.size(), 0.0),
        factor(size_t(pairs.padded() + W)) {}

  // From trans [L, Lp]. False where a weight is too large for these sums, or is not a number.
  bool set(const T* trans, T z) {
    double top = 0;
    bool within = true;
    for (int64_t p = 0; p < pairs_.size(); ++p) {
      const double x = double(z) * double(trans[pairs_.place[size_t(p)]]);
      within = within && x <= LargestStep<T>::value;
      top = x > top ? x : top;
      step_[size_t(p)] = x;
    }
    if (!within) return false;
    for (int64_t p = 0; p < pairs_.size(); p += W) {
      double x[W];
      store<double>(x, vexp(load(&step_[size_t(p)])));
      for (int k = 0; k < W; ++k) factor[size_t(p) + k] = T(x[k]), step_[size_t(p) + k] = x[k] - 1;
    }
    for (size_t q = 0; q < into.size(); ++q)
      if (pairs_.into.pair[q] >= 0) into[q] = step_[size_t(pairs_.into.pair[q])];
    for (size_t q = 0; q < from.size(); ++q)
      if (pairs_.from.pair[q] >= 0) from[q] = step_[size_t(pairs_.from.pair[q])];
    largest = std::exp(top);
    return true;
  }
};

}  // namespace tagfield
