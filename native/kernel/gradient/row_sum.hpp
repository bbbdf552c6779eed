// Sums of rows of N doubles, kept in registers: N is known at compile time, and rows need no padding.
//
//     RowSum<22> sum;  sum.load(p);  sum.add(q);  sum.add(r, value);  sum.store(p);
//
// A row of 22 labels is five registers of four and one of two. Masked loads and stores were not needed: compilers know the
// remainder, too.
#pragma once
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernel/simd/matrix.hpp"

namespace tagfield {

template <int N> struct RowSum {
  typedef Machine<double>::V V;
  typedef double V2 __attribute__((vector_size(16)));
  static constexpr int LANES = REGISTER / int(sizeof(double)), FULL = N / LANES;
  static constexpr int PAIR = FULL * LANES, ONE = N & ~1;  // where the rest begins
  static constexpr bool HAS_PAIR = N - PAIR >= 2, HAS_ONE = N % 2;

  V all[FULL ? FULL : 1];
  V2 pair;
  double one;

  template <class Fn> TAGFIELD_INLINE void each(Fn fn) {  // fn(register, place)
#pragma GCC unroll 16
    for (int k = 0; k < FULL; ++k) fn(all[k], k * LANES);
    if constexpr (HAS_PAIR) fn(pair, PAIR);
    if constexpr (HAS_ONE) fn(one, ONE);
  }
  TAGFIELD_INLINE void clear() {
    each([](auto& r, int) { r = std::remove_reference_t<decltype(r)>{}; });
  }
  TAGFIELD_INLINE void load(const double* p) {
    each([p](auto& r, int k) { std::memcpy(&r, p + k, sizeof r); });
  }
  TAGFIELD_INLINE void store(double* p) {
    each([p](auto& r, int k) { std::memcpy(p + k, &r, sizeof r); });
  }
  TAGFIELD_INLINE void add(const double* p) {
    each([p](auto& r, int k) {
      std::remove_reference_t<decltype(r)> x;
      std::memcpy(&x, p + k, sizeof x);
      r += x;
    });
  }
  TAGFIELD_INLINE void add(const double* p, double value) {
    each([p, value](auto& r, int k) {
      std::remove_reference_t<decltype(r)> x;
      std::memcpy(&x, p + k, sizeof x);
      r += x * value;
    });
  }
  static TAGFIELD_INLINE void ask_for(const double* p) {  // prefetches the row
#pragma GCC unroll 4
    for (int k = 0; k < N; k += 8) prefetch(p + k);
    if (N > 1) prefetch(p + N - 1);
  }
};

constexpr int WIDEST = 32;

// Calls fn(Width<n>) for n = 1 .. WIDEST.
template <int N = WIDEST, class Fn> inline void with_width(int n, Fn fn) {
  if constexpr (N > 0) {
    if (n == N) return fn(Width<N>{});
    with_width<N - 1>(n, fn);
  }
}

// Calls fn(first label, Width) for L labels in strips of at most WIDEST.
template <class Fn> inline void label_strips(int L, Fn fn) {
  for (int b = 0; b < L; b += WIDEST) with_width(std::min(WIDEST, L - b), [&](auto width) { fn(b, width); });
}

}  // namespace tagfield
