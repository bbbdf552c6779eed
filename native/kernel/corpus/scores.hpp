// The scores of each (position, label) from rows of weights, and the loop over the slots of a sentence.
//
//     s_t(y) = Σ_a value(a, t) · θ[a, y]
//
// Padding lanes start at −∞ and only add zeros, so they are never the best label, and their exp is 0.
#pragma once
#include <cmath>
#include <initializer_list>

#include "kernel/corpus/weights.hpp"
#include "kernel/corpus/corpus.hpp"

namespace tagfield {

// Scores and transitions up to this size leave probabilities right to 1e-6: larger ones are rounded by more than matters.
constexpr double LARGEST = 1e9;

// Whether every number of [n, Lp] is at most LARGEST in size; padding lanes do not count. NaN is not.
template <class T> inline bool within_largest(const States& at, const T* x, int64_t n) {
  int within = 1;
  for (int64_t t = 0; t < n; ++t)
    for (int j = 0; j < at.L; ++j) within &= std::fabs(x[t * at.Lp() + j]) <= T(LARGEST);
  return within;
}

template <class T> inline void blank_scores(const States& at, T* scores, int64_t n) {
  const int NB = at.NB;
  for (int64_t t = 0; t < n; ++t)
    for (int b = 0; b < NB; ++b) {
      const IVec<T> real = mask_lanes<T>(at.lanes(b));
      store<T>(scores + (t * NB + b) * W, select<T>(real, Vec<T>{}, splat<T>(PAD<T>)));
    }
}

// Visits the slots d0 .. d1 of a sentence: fn(first block, last block, first occurrence, last occurrence).
template <Rows R, class Fn>
TAGFIELD_INLINE void each_slot(const Sentence& x, const Layout& at, int64_t d0, int64_t d1, Fn fn) {
  // Copies of the pointers: a store of floats may alias the records, and each would be loaded again after it.
  const int32_t *attribute = x.attribute, *stop = x.stop;
  const int64_t* first = at.first;
  const int64_t NB = at.NB;
  int64_t from = d0 ? stop[d0 - 1] : 0;
  for (int64_t d = d0; d < d1; ++d) {
    const int64_t to = stop[d], a = attribute[d];
    if (R != Rows::SPARSE)
      fn(a * NB, (a + 1) * NB, from, to);
    else
      fn(first[a], first[a + 1], from, to);
    from = to;
  }
}

template <Rows R, class Fn> inline void each_slot(const Sentence& x, const Layout& at, Fn fn) { each_slot<R>(x, at, 0, x.D, fn); }

// The label block that block k of a row starting at k0 covers.
template <Rows R> inline int block_of(const uint16_t* column, int64_t k, int64_t k0) {
  return R == Rows::FULL ? int(k - k0) : int(column[k]);
}

// Asks for the rows of a later sentence while this one is worked on: its i-th slot when we are at our i-th. Rows of
// a sparse layout are found through `first`, so those are asked for one sentence earlier still.
template <Rows R, class T> struct Ahead {
  const int32_t* attribute = nullptr;
  const Layout at{};
  const T* state = nullptr;
  int64_t next = 0, next_end = 0, later = 0, later_end = 0;

  Ahead() = default;
  Ahead(const Corpus& c, const Layout& at, const T* state, int64_t s1, int64_t s2)
      : attribute(c.attribute), at(at), state(state), next(s1 < 0 ? 0 : c.slots[s1]), next_end(s1 < 0 ? 0 : c.slots[s1 + 1]) {
    if (R == Rows::SPARSE && s2 >= 0) later = c.slots[s2], later_end = c.slots[s2 + 1];
  }
  void step() {
    if (next < next_end) {
      const int64_t a = attribute[next++];
      const int64_t k = R != Rows::SPARSE ? a * at.NB : at.first[a];
      const char* p = reinterpret_cast<const char*>(state + k * W);
      const int64_t bytes = (R != Rows::SPARSE ? at.NB : at.first[a + 1] - k) * W * int64_t(sizeof(T));
      for (int64_t o = 0; o < bytes && o < 256; o += 64) prefetch(p + o);
      if (R == Rows::SPARSE) prefetch(at.column + k);
    }
    if (R == Rows::SPARSE && later < later_end) prefetch(at.first + attribute[later++]);
  }
};

// Adds the rows of the slots d0 .. d1 to the scores; ask(first block, last block) asks for memory that is needed later.
template <Rows R, class T, class Ask>
TAGFIELD_INLINE void add_slots(const Sentence& x, const Layout& at, const T* state, int64_t d0, int64_t d1, T* scores, Ask ask) {
  const int NB = at.NB, Lp = at.Lp();
  const int32_t* position = x.position;
  const float* value = x.value;
  const uint16_t* column = at.column;
  each_slot<R>(x, at, d0, d1, [&](int64_t k0, int64_t k1, int64_t from, int64_t to) {
    ask(k0, k1);
    if (R != Rows::SPARSE && NB == 3 && !value) {  // the common case, kept in registers
      const Vec<T> r0 = load(state + k0 * W), r1 = load(state + (k0 + 1) * W), r2 = load(state + (k0 + 2) * W);
      for (int64_t n = from; n < to; ++n) {
        T* p = scores + int64_t(position[n]) * Lp;
        store<T>(p, load(p) + r0), store<T>(p + W, load(p + W) + r1), store<T>(p + 2 * W, load(p + 2 * W) + r2);
      }
      return;
    }
    for (int64_t k = k0; k < k1; ++k) {
      const Vec<T> row = load(state + k * W);
      T* block = scores + block_of<R>(column, k, k0) * W;
      for (int64_t n = from; n < to; ++n) {
        T* p = block + int64_t(position[n]) * Lp;
        store<T>(p, load(p) + (value ? row * T(value[n]) : row));
      }
    }
  });
}

// The scores of a sentence; `ahead` asks for the rows of the sentences that follow.
template <Rows R, class T>
void sum_scores(const Sentence& x, const Layout& at, const T* state, T* scores, Ahead<R, T> ahead = {}) {
  blank_scores(at, scores, x.n);
  add_slots<R>(x, at, state, 0, x.D, scores, [&](int64_t, int64_t) { ahead.step(); });
}

// The same for sentence s of a corpus, with the rows of the sentences `next` and `later` asked for; −1: none.
template <class T>
void sum_scores(const Corpus& c, const Sentence& x, const FieldOf<T>& field, int64_t next, int64_t later, T* scores) {
  with_rows(field.at, [&](auto rows) {
    constexpr Rows R = decltype(rows)::value;
    sum_scores<R>(x, field.at, field.state, scores, Ahead<R, T>(c, field.at, field.state, next, later));
  });
}

// u = Σ over a slot's occurrences of value · D[position], for the block of labels where D points.
template <class T>
TAGFIELD_INLINE Vec<T> difference(const T* D, const int32_t* position, const float* value, int64_t from, int64_t to, int Lp) {
  Vec<T> u{};
  if (value)
    for (int64_t n = from; n < to; ++n) u += load(D + int64_t(position[n]) * Lp) * T(value[n]);
  else
    for (int64_t n = from; n < to; ++n) u += load(D + int64_t(position[n]) * Lp);
  return u;
}

// Visits every weight block of a sentence with that u: fn(block, u). D [n, Lp] is a difference per position, such as
// P(y_t) − [y_t gold].
template <Rows R, class T, class Fn>
inline void each_difference(const Sentence& x, const Layout& at, const T* D, Fn fn) {
  const int Lp = at.Lp();
  const int32_t* position = x.position;
  const float* value = x.value;
  const uint16_t* column = at.column;
  each_slot<R>(x, at, [=, &fn](int64_t k0, int64_t k1, int64_t from, int64_t to) {
    for (int64_t k = k0; k < k1; ++k)
      fn(k, difference(D + block_of<R>(column, k, k0) * W, position, value, from, to, Lp));
  });
}

}  // namespace tagfield
