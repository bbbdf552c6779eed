// Sparse rows of a sentence by position: with many labels a token's scores are added up, and its directions read, in one place.
//
//     slots, in order of their groups ─▶ rows of each position, in the same order ─▶ scores, directions of one token at a time
//
// The scores [n, Lp] of a sentence with 400 labels are as large as the first-level cache, and a slot has its occurrences anywhere
// in them; so had each of the partial sums of the groups. A token's take 1,600 bytes, and 12,800 by groups. A list of all blocks
// of a position, without a loop for each row, was tried: it takes so much memory that writing and reading it costs more.
#pragma once
#include <algorithm>
#include <vector>

#include "kernel/corpus/groups.hpp"
#include "kernel/simd/scratch.hpp"
#include "kernel/corpus/corpus.hpp"

namespace tagfield {

class TokenRows {
 public:
  struct Row {
    int64_t first;         // block
    uint32_t blocks : 24;  // how many
    uint32_t group : 7;    // among those of the owner
    uint32_t alone : 1;    // the only occurrence of its attribute in the sentence, without a value
    float value;
  };

  std::vector<int32_t> several;  // slots that are not alone

  // The rows of the groups `of`; groups begin at the slots `begin`. Asks for the weights of each, which should be read a sentence
  // later.
  void build(const Sentence& x, const Layout& at, const int32_t* begin, const Groups& of, const float* state) {
    const int64_t d0 = begin[of.begin], d1 = begin[of.end];
    const int64_t i0 = d0 ? x.stop[d0 - 1] : 0, i1 = d1 > d0 ? x.stop[d1 - 1] : i0;
    first_.assign(size_t(x.n) + 1, 0), next_.resize(size_t(x.n)), rows_.resize(size_t(i1 - i0)), several.clear();
    for (int64_t i = i0; i < i1; ++i) ++first_[size_t(x.position[i]) + 1];
    for (int64_t t = 0; t < x.n; ++t) next_[size_t(t)] = first_[size_t(t)], first_[size_t(t) + 1] += first_[size_t(t)];
    int64_t i = i0;
    for (int group = of.begin; group < of.end; ++group)
      for (int64_t d = begin[group]; d < begin[group + 1]; ++d) {
        const int64_t to = x.stop[d], k = at.first[x.attribute[d]], blocks = at.first[x.attribute[d] + 1] - k;
        const bool alone = to - i == 1 && !x.value;
        if (!alone) several.push_back(int32_t(d));
        for (; i < to; ++i)
          rows_[size_t(next_[size_t(x.position[i])]++)] = {k, uint32_t(blocks), uint32_t(group - of.begin), alone,
                                                           x.value ? x.value[i] : 1.f};
        prefetch(state + k * W), prefetch(state + (k + blocks) * W - 1), prefetch(at.column + k);
      }
  }

  const Row* begin(int64_t t) const { return rows_.data() + first_[size_t(t)]; }
  const Row* end(int64_t t) const { return rows_.data() + first_[size_t(t) + 1]; }
  const Row* end() const { return rows_.data() + rows_.size(); }

 private:
  std::vector<Row> rows_;
  std::vector<int32_t> first_, next_;  // [n+1], [n]
};

// Scores from the rows of tokens: the parts of the groups side by side, and then their tree (groups.hpp). What a group without a
// row adds is +0, which changes no bit.
class TokenSums {
  static constexpr int64_t EACH = GROUPS * W;
  Scratch<float> parts_;  // [NB, GROUPS, W]: zeros, before and after
  int64_t blocks_ = 0;

  template <int G> TAGFIELD_INLINE static Vec<float> tree(const float* part) {
    if constexpr (G == 1)
      return load(part);
    else
      return tree<G / 2>(part) + tree<G / 2>(part + G / 2 * W);
  }
  template <int G> TAGFIELD_INLINE void collect(float* part, float* out) const {
    for (int64_t b = 0; b < blocks_; ++b, part += EACH, out += W) {
      store<float>(out, tree<G>(part));
      for (int g = 0; g < G; ++g) store<float>(part + g * W, Vec<float>{});
    }
  }

 public:
  explicit TokenSums(const Layout& at) : blocks_(at.NB) { zeros(parts_, blocks_ * EACH); }

  // The part of `groups` groups of a sentence with n tokens, into out [n, Lp]; ask() asks for memory that is needed later.
  template <class Ask>
  void sum(const TokenRows& rows, const Layout& at, const float* state, int groups, int64_t n, float* out, Ask ask) {
    float* parts = parts_.get();
    const uint16_t* column = at.column;
    for (int64_t t = 0; t < n; ++t, out += blocks_ * W) {
      for (const TokenRows::Row *row = rows.begin(t), *end = rows.end(t); row < end; ++row) {
        ask();
        if (rows.end() - row > 8) prefetch(state + row[8].first * W), prefetch(column + row[8].first);
        float* part = parts + int64_t(row->group) * W;
        for (int64_t k = row->first, last = k + row->blocks; k < last; ++k) {
          float* p = part + int64_t(column[k]) * EACH;
          store<float>(p, load(p) + load(state + k * W) * row->value);
        }
      }
      switch (groups) {
        case 1: collect<1>(parts, out); break;
        case 2: collect<2>(parts, out); break;
        case 4: collect<4>(parts, out); break;
        default: collect<8>(parts, out);
      }
    }
  }
};

}  // namespace tagfield
