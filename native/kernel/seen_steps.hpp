// What a listed pair multiplies by, beyond the 1 of every pair: D_ij = e^{zτ(i,j)} − 1, in the orders that the passes read.
#pragma once
#include <cmath>
#include <vector>

#include "kernel/seen_pairs.hpp"

namespace tagfield {

// The largest zτ with which sums of listed pairs keep their digits.
template <class T> struct LargestStep;
template <> struct LargestStep<float> { static constexpr double value = 36; };
template <> struct LargestStep<double> { static constexpr double value = 100; };

template <class T> class SeenSteps {
  const SeenPairs& pairs_;
  std::vector<double> step_;  // [P] D

 public:
  std::vector<double> into, from;  // D in the fours of the pairs; 0 where there is none
  std::vector<T> factor;           // [P], padded: e^{zτ}
  double largest = 1;              // M, at least 1

  explicit SeenSteps(const SeenPairs& pairs)
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
