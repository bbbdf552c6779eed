// Views of the packed arrays: the corpus (tagfield/dataset.py) and where each weight lives (tagfield/features.py).
// They are checked once, when they are made; the loops that follow trust them.
#pragma once
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel/simd.hpp"

namespace tagfield {

struct Corpus {
  int64_t S = 0, T = 0, D = 0, N = 0;      // sentences, tokens, slots, occurrences
  const int64_t* tokens = nullptr;         // [S+1]
  const int64_t* slots = nullptr;          // [S+1]
  const int64_t* occurrences = nullptr;    // [S+1]
  const int32_t* attribute = nullptr;      // [D]
  const int32_t* stop = nullptr;           // [D]
  const int32_t* position = nullptr;       // [N]
  const float* value = nullptr;            // [N] or null
  const int32_t* labels = nullptr;         // [T]
  const double* weight = nullptr;          // [S]
  int32_t attributes = 0, classes = 0;     // one more than the largest id
  int64_t longest = 0;
  bool complete = true;                    // no label is unknown

  int64_t length(int64_t s) const { return tokens[s + 1] - tokens[s]; }

  void check() {
    if (tokens[0] || slots[0] || occurrences[0] || tokens[S] != T || slots[S] != D || occurrences[S] != N)
      throw std::invalid_argument("the sentence offsets do not span the arrays");
    for (int64_t s = 0; s < S; ++s) {
      if (tokens[s + 1] < tokens[s] || slots[s + 1] < slots[s] || occurrences[s + 1] < occurrences[s] ||
          tokens[s + 1] > T || slots[s + 1] > D || occurrences[s + 1] > N)
        throw std::invalid_argument("the sentence offsets are not ascending at sequence " + std::to_string(s));
      const int64_t n = tokens[s + 1] - tokens[s], occ = occurrences[s + 1] - occurrences[s];
      longest = n > longest ? n : longest;
      int64_t last = 0;
      for (int64_t d = slots[s]; d < slots[s + 1]; ++d) {
        if (stop[d] < last || stop[d] > occ || attribute[d] < 0 || attribute[d] == INT32_MAX)
          throw std::invalid_argument("a slot is out of bounds in sequence " + std::to_string(s));
        last = stop[d];
        if (attribute[d] >= attributes) attributes = attribute[d] + 1;
      }
      if (last != occ) throw std::invalid_argument("occurrences without a slot in sequence " + std::to_string(s));
      for (int64_t i = occurrences[s]; i < occurrences[s + 1]; ++i)
        if (position[i] < 0 || position[i] >= n)
          throw std::invalid_argument("a position is out of bounds in sequence " + std::to_string(s));
    }
    for (int64_t t = 0; t < T; ++t) {
      if (labels[t] < -1 || labels[t] == INT32_MAX) throw std::invalid_argument("a label id is out of bounds");
      if (labels[t] < 0) complete = false;
      if (labels[t] >= classes) classes = labels[t] + 1;
    }
  }
};

// State weights are rows of blocks of W labels; transitions are L rows of NB blocks.
//   FULL    every attribute has all NB blocks; row a starts at block a·NB
//   SPARSE  row a is the blocks first[a] .. first[a+1]; block k covers the labels W·column[k] + lane
//
// A weight of −0.0 is not a feature: it adds nothing to any score and no update touches it. So a row carries its own
// mask, which costs no second look into memory; padding lanes and the pairs that the feature set leaves out are −0.0.
// With few labels FULL rows are faster than SPARSE ones also for the observed set, since every row has the same
// length; with many labels they would waste memory. tagfield/features.py chooses.
enum class Rows { FULL, SPARSE };

template <class M, class R> TAGFIELD_INLINE void mark_features(M& lanes, const R& w) {
  lanes = (M)w != std::numeric_limits<std::decay_t<decltype(lanes[0])>>::min();
}
template <class M, class R> TAGFIELD_INLINE void mark_features(Pair<M>& lanes, const Pair<R>& w) {
  mark_features(lanes.lo, w.lo), mark_features(lanes.hi, w.hi);
}
template <class T> TAGFIELD_INLINE IVec<T> features(const Vec<T>& w) {  // the lanes that are features
  IVec<T> lanes;
  mark_features(lanes, w);
  return lanes;
}
// w − d where w is a feature. Adding 0 turns a −0.0 that came of flushing into +0.0, so no feature is ever lost.
template <class T> TAGFIELD_INLINE Vec<T> changed(const Vec<T>& w, const Vec<T>& d) {
  return select<T>(features<T>(w), (w - d) + T(0), w);
}

struct Layout {
  int L = 0, NB = 0;     // labels, blocks that hold them
  int64_t A = 0, B = 0;  // attributes, blocks in all
  Rows rows = Rows::FULL;
  const int64_t* first = nullptr;    // [A+1], SPARSE
  const uint16_t* column = nullptr;  // [B], SPARSE

  int Lp() const { return NB * W; }
  uint32_t lanes(int b) const {  // which lanes of block b are labels
    const int n = L - b * W;
    return n >= W ? 255u : (1u << n) - 1;
  }

  void check() const {
    if (L < 1 || NB != (L + W - 1) / W || NB > 65536 || A < 0) throw std::invalid_argument("the layout has no labels");
    if (rows == Rows::FULL) {
      if (B != A * NB) throw std::invalid_argument("the layout needs NB blocks for every attribute");
      return;
    }
    if (first[0] != 0 || first[A] != B) throw std::invalid_argument("the rows do not span the blocks");
    for (int64_t a = 0; a < A; ++a) {
      if (first[a + 1] < first[a] || first[a + 1] > B) throw std::invalid_argument("the rows are not ascending");
      for (int64_t k = first[a]; k < first[a + 1]; ++k)
        if (column[k] >= NB || (k > first[a] && column[k] <= column[k - 1]))
          throw std::invalid_argument("the blocks of a row are not ascending labels");
    }
  }
};

// Calls fn(constant) with the kind of rows as a compile-time constant.
template <class Fn> inline void with_rows(const Layout& at, Fn fn) {
  switch (at.rows) {
    case Rows::FULL: return fn(std::integral_constant<Rows, Rows::FULL>{});
    case Rows::SPARSE: return fn(std::integral_constant<Rows, Rows::SPARSE>{});
  }
}

// Cache-line aligned scratch that only grows.
template <class T> class Scratch {
  std::vector<char> bytes_;
  T* data_ = nullptr;

 public:
  T* reserve(int64_t n) {
    const size_t need = size_t(n) * sizeof(T) + 64;
    if (bytes_.size() < need) bytes_.resize(need + need / 4);
    data_ = reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(bytes_.data()) + 63) & ~uintptr_t(63));
    return data_;
  }
  T* get() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }
};
template <class T> inline T* zeros(Scratch<T>& scratch, int64_t n) {
  T* data = scratch.reserve(n);
  for (int64_t k = 0; k < n; ++k) data[k] = 0;
  return data;
}

}  // namespace tagfield
