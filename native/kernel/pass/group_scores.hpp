// The scores of a sentence by groups of rows: each owner sums its part, and the parts are added as the tree of groups.hpp.
#pragma once
#include <algorithm>

#include "kernel/corpus/groups.hpp"
#include "kernel/corpus/scores.hpp"

namespace tagfield {

// One owner's parts. A group without slots adds nothing, so the tree leaves it out: 0 + s has the bits of s, and no sum that
// began at +0 is −0.
template <Rows R> class GroupSums {
  static constexpr int LEVELS = 3;  // 2³ groups
  const Layout& at_;
  Scratch<float> spare_[LEVELS];

  template <class Ask>
  bool tree(const Sentence& x, const float* state, const int32_t* begin, Groups of, int level, float* out, Ask& ask) {
    if (begin[of.begin] == begin[of.end]) return false;
    if (of.end - of.begin == 1) {
      std::fill_n(out, x.n * at_.Lp(), 0.f);
      add_slots<R>(x, at_, state, begin[of.begin], begin[of.end], out, ask);
      return true;
    }
    const int middle = (of.begin + of.end) / 2;
    if (!tree(x, state, begin, {of.begin, middle}, level + 1, out, ask))
      return tree(x, state, begin, {middle, of.end}, level + 1, out, ask);
    float* right = spare_[level].reserve(x.n * at_.Lp());
    if (tree(x, state, begin, {middle, of.end}, level + 1, right, ask))
      for (int64_t k = 0, size = x.n * at_.Lp(); k < size; k += W) store<float>(out + k, load(out + k) + load(right + k));
    return true;
  }

 public:
  explicit GroupSums(const Layout& at) : at_(at) {}

  // The part of the groups `of` of a sentence whose groups begin at `begin`, into out [n, Lp].
  template <class Ask>
  void sum(const Sentence& x, const float* state, const int32_t* begin, Groups of, float* out, Ask ask) {
    if (!tree(x, state, begin, of, 0, out, ask)) std::fill_n(out, x.n * at_.Lp(), 0.f);
  }
};

// Padding lanes are −∞: never the best label, and their exp is 0.
inline void pad_scores(const Layout& at, float* scores, int64_t n) {
  if (at.L == at.Lp()) return;
  const IVec<float> real = mask_lanes<float>(at.lanes(at.NB - 1));
  for (float* last = scores + (at.NB - 1) * W; n-- > 0; last += at.Lp())
    store<float>(last, select<float>(real, load(last), splat<float>(PAD<float>)));
}

// The sum of 2, 4 or 8 parts of the same size, which may be one of them.
template <int P> TAGFIELD_INLINE Vec<float> sum_parts(const float* const* part, int64_t k) {
  if constexpr (P == 1)
    return load(part[0] + k);
  else
    return sum_parts<P / 2>(part, k) + sum_parts<P / 2>(part + P / 2, k);
}
inline void add_parts(const float* const* part, int parts, int64_t size, float* out) {
  switch (parts) {
    case 2: for (int64_t k = 0; k < size; k += W) store<float>(out + k, sum_parts<2>(part, k)); break;
    case 4: for (int64_t k = 0; k < size; k += W) store<float>(out + k, sum_parts<4>(part, k)); break;
    case 8: for (int64_t k = 0; k < size; k += W) store<float>(out + k, sum_parts<8>(part, k)); break;
  }
}

}  // namespace tagfield
