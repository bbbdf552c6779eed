// The sums of packed.hpp, by token and by row.
#include "kernel/gradient/packed.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernel/chain/state.hpp"
#include "kernel/simd/matrix.hpp"

namespace tagfield {

// Sums of rows of N doubles, kept in registers: N is known at compile time, and rows need no padding.
//
//     RowSum<22> sum;  sum.load(p);  sum.add(q);  sum.add(r, value);  sum.store(p);
//
// A row of 22 labels is five registers of four and one of two. Masked loads and stores were not needed: compilers know the
// remainder, too.
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

void Packed::sum_scores(int64_t s, const double* x, const double* full, double* scores) const {
  const int64_t n = c_.length(s), stride = rows_.stride(), Lp = rows_.layout().Lp();
  label_strips(rows_.layout().L, [&](int b, auto width) {
    typedef RowSum<decltype(width)::value> Sum;
    const uint32_t *row = of_.row.data() + of_.sentence[0][size_t(s)], *end = of_.end[0].data() + c_.tokens[s];
    const float* value = of_.value[0].empty() ? nullptr : of_.value[0].data() + of_.sentence[0][size_t(s)];
    uint32_t i = 0;
    for (int64_t t = 0; t < n; ++t) {
      Sum sum;
      sum.clear();
      if (value)
        for (; i < end[t]; ++i) sum.add(full + int64_t(row[i]) * stride + b, value[i]);
      else
        for (; i < end[t]; ++i) {
          Sum::ask_for(full + int64_t(row[i + PackedLists::AHEAD]) * stride + b);
          sum.add(full + int64_t(row[i]) * stride + b);
        }
      sum.store(scores + t * Lp + b);
    }
  });
  for (int64_t t = 0; t < n; ++t)
    for (int64_t j = rows_.layout().L; j < Lp; ++j) scores[t * Lp + j] = PAD<double>;
  const int64_t from = of_.sentence[1][size_t(s)];
  const uint32_t *feature = of_.feature.data() + from, *end = of_.end[1].data() + c_.tokens[s];
  const uint16_t* label = of_.label.data() + from;
  const float* value = of_.value[1].empty() ? nullptr : of_.value[1].data() + from;
  uint32_t i = 0;
  for (int64_t t = 0; t < n; ++t, scores += Lp)
    if (value)
      for (; i < end[t]; ++i) scores[label[i]] += x[feature[i]] * double(value[i]);
    else
      for (; i < end[t]; ++i) {
        prefetch(x + feature[i + PackedLists::FAR]);
        scores[label[i]] += x[feature[i]];
      }
}

void Packed::add_task(int64_t chunk, int64_t task, const double* D, double* gradient, double* full) const {
  const PackedLists::Task &from = of_.chunks[size_t(chunk)].tasks[size_t(task)], &to = (&from)[1];
  const int64_t stride = rows_.stride(), Lp = rows_.layout().Lp();
  label_strips(rows_.layout().L, [&](int b, auto width) {
    typedef RowSum<decltype(width)::value> Sum;
    const uint32_t *row = of_.of_row.data(), *token = of_.token.data() + from.entries;
    const float* value = of_.row_value[0].empty() ? nullptr : of_.row_value[0].data() + from.entries;
    for (int64_t k = from.rows; k < to.rows; ++k) {
      double* g = full + int64_t(row[k]) * stride + b;
      Sum::ask_for(full + int64_t(row[k + PackedLists::AHEAD]) * stride + b);
      Sum sum;
      sum.load(g);
      uint32_t last;
      do {
        Sum::ask_for(D + int64_t(token[PackedLists::AHEAD] & ~PackedLists::LAST) * Lp + b);
        const double* d = D + int64_t(*token & ~PackedLists::LAST) * Lp + b;
        last = *token++ & PackedLists::LAST;
        if (value)
          sum.add(d, *value++);
        else
          sum.add(d);
      } while (!last);
      sum.store(g);
    }
  });
  const PackedLists::Feature* entry = of_.by_feature.data();
  if (!of_.row_value[1].empty())
    for (int64_t i = from.features; i < to.features; ++i)
      gradient[entry[i].from] += D[entry[i].to] * double(of_.row_value[1][size_t(i)]);
  else
    for (int64_t i = from.features; i < to.features; ++i) {
      prefetch(gradient + entry[i + PackedLists::FAR].from);
      gradient[entry[i].from] += D[entry[i].to];
    }
}

}  // namespace tagfield
