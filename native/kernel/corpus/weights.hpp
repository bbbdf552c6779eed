// The layout of the weights, and the weights; tagfield/weights/layout.py creates both. A layout is checked once, on creation;
// loops do not check it again.
#pragma once
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "kernel/chain/state.hpp"

namespace tagfield {

// State weights are rows of blocks of W labels; transitions are L rows of NB blocks.
//   FULL    every attribute has all NB blocks; row a starts at block a·NB
//   SPARSE  row a is the blocks first[a] .. first[a+1]; block k covers the labels W·column[k] + lane
//
// A weight of −0.0 is not a feature: it adds nothing to a score, and no update changes it. Padding lanes and pairs that
// are not in the feature set are −0.0, so a row is its own mask and needs no second memory access. With few labels, FULL
// rows are faster than SPARSE ones even for the observed set, because all rows have the same length. With many labels
// they would waste memory. tagfield/weights/layout.py chooses.
//
// Edge weights are rows too: edge attribute e has L of them, row e·L + i for the previous label i. They are SPARSE, but
// for those in the middle of a stream, which are FULL (edge_first is null): new attributes then only add rows.
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
// w − d if w is a feature. Adding 0 turns a flushed −0.0 into +0.0, so that no feature is lost.
template <class T> TAGFIELD_INLINE Vec<T> changed(const Vec<T>& w, const Vec<T>& d) {
  return select<T>(features<T>(w), (w - d) + T(0), w);
}

struct Layout : States {
  int64_t A = 0, B = 0;  // attributes, blocks in all
  Rows rows = Rows::FULL;
  const int64_t* first = nullptr;    // [A+1], SPARSE
  const uint16_t* column = nullptr;  // [B], SPARSE
  int64_t E = 0, EB = 0;                  // edge attributes, blocks of their weights
  const int64_t* edge_first = nullptr;    // [E·L+1], or null: every row has NB blocks
  const uint16_t* edge_column = nullptr;  // [EB]

  void check() const {
    if (L < 1 || NB != (L + W - 1) / W || NB > 65536 || A < 0) throw std::invalid_argument("the layout has no labels");
    check_rows(A, B, rows == Rows::FULL ? nullptr : first, column);
    check_rows(E * L, EB, edge_first, edge_column);
  }

  // The blocks of row e·L + i of the edge weights: fn(block, label block) for each.
  template <class Fn> TAGFIELD_INLINE void each_edge_block(int64_t row, Fn fn) const {
    if (!edge_first)
      for (int b = 0; b < NB; ++b) fn(row * NB + b, b);
    else
      for (int64_t k = edge_first[row]; k < edge_first[row + 1]; ++k) fn(k, int(edge_column[k]));
  }
  // The place of the edge weight (row, label j), or −1 where the row has no such block.
  int64_t edge_place(int64_t row, int j) const {
    if (!edge_first) return row * Lp() + j;
    for (int64_t k = edge_first[row]; k < edge_first[row + 1]; ++k)
      if (edge_column[k] == j / W) return k * W + j % W;
    return -1;
  }

 private:
  void check_rows(int64_t count, int64_t blocks, const int64_t* begin, const uint16_t* of) const {
    if (!begin) {
      if (blocks != count * NB) throw std::invalid_argument("the layout needs NB blocks for every attribute");
      return;
    }
    if (begin[0] != 0 || begin[count] != blocks) throw std::invalid_argument("the rows do not span the blocks");
    for (int64_t a = 0; a < count; ++a) {
      if (begin[a + 1] < begin[a] || begin[a + 1] > blocks) throw std::invalid_argument("the rows are not ascending");
      for (int64_t k = begin[a]; k < begin[a + 1]; ++k)
        if (of[k] >= NB || (k > begin[a] && of[k] <= of[k - 1]))
          throw std::invalid_argument("the blocks of a row are not ascending labels");
    }
  }
};

// A number for each weight, to be changed: of the states [B, W], of the transitions [L, Lp] and of the edges [EB, W].
enum class Part : uint8_t { STATE, TRANS, EDGE };
struct Arrays {
  float *state = nullptr, *trans = nullptr, *edge = nullptr;

  float* of(Part part) const { return part == Part::STATE ? state : part == Part::TRANS ? trans : edge; }
};

// The weights, to be read. Those that a pass changes are float; models that come from elsewhere may be double.
template <class T> struct FieldOf {
  Layout at;
  const T *state = nullptr, *trans = nullptr, *edge = nullptr;
};
typedef FieldOf<float> Field;

// Calls fn(constant) with the kind of rows as a compile-time constant.
template <class Fn> inline void with_rows(const Layout& at, Fn fn) {
  switch (at.rows) {
    case Rows::FULL: return fn(std::integral_constant<Rows, Rows::FULL>{});
    case Rows::SPARSE: return fn(std::integral_constant<Rows, Rows::SPARSE>{});
  }
}

}  // namespace tagfield
