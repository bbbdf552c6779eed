// Best paths and marginals of a corpus with many labels: sentences of like length go through the lattices of blocks together.
//
//     sentences by length ─▶ blocks of W ─▶ scores ─▶ block_lattice.hpp, seen_paths.hpp
//
// decode.hpp sends its sentences here. A sentence's numbers do not depend on its block. One with edge attributes has
// transitions of its own, and its own lattice.
#pragma once
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "kernel/block_lattice.hpp"
#include "kernel/edge_sentence.hpp"
#include "kernel/limits.hpp"
#include "kernel/seen_paths.hpp"
#include "kernel/sentence.hpp"
#include "kernel/threads.hpp"

namespace tagfield {

// The sentences of a corpus, in blocks of like length, and what a thread keeps of its block.
template <Rows R, class T> class SortedBlocks {
  const Corpus& c_;
  std::vector<int64_t> order_;
  Packets packets_;

 public:
  struct Block {
    int count = 0;
    int64_t s[W];
    BlockChain<T> chains[W];
    Scratch<T> scores[W], node[W];
    SentenceReader reader;
  };

  explicit SortedBlocks(const Corpus& c) : c_(c), order_(size_t(c.S)), packets_((c.S + W - 1) / W) {
    std::iota(order_.begin(), order_.end(), int64_t(0));
    std::stable_sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return c.length(a) > c.length(b); });
  }

  // On one thread: prepare(s, scores) for each sentence of a block, then run(block); alone(s) for those with edge attributes.
  template <class Alone, class Prepare, class Run>
  void each(const FieldOf<T>& field, bool nodes, Alone alone, Prepare prepare, Run run) {
    Block block;
    packets_.each([&](int64_t b) {
      block.count = 0;
      for (int64_t i = b * W; i < std::min(c_.S, (b + 1) * W); ++i) {
        const int64_t s = order_[size_t(i)], n = c_.length(s), size = n * field.at.Lp();
        if (n == 0) continue;
        if (c_.edges.in(s)) {
          alone(s);
          continue;
        }
        const int k = block.count++;
        T* scores = block.scores[k].reserve(size);
        sum_scores<R>(block.reader.open(c_, s), field.at, field.state, scores);
        prepare(s, scores);
        block.s[k] = s;
        block.chains[k] = BlockChain<T>{scores, n, nodes ? block.node[k].reserve(size) : nullptr, 0, false};
      }
      if (block.count) run(block);
    });
  }
};

// The best labels of every sentence, as tag_all of decode.hpp, with listed pairs.
template <Rows R, class T, class TooLarge>
void tag_blocks(const Corpus& c, const FieldOf<T>& field, const Limits& limits, const T* trans, const SeenPairs& pairs,
                TooLarge& too_large, int32_t* y, double* score, int threads) {
  const Layout& at = field.at;
  SortedBlocks<R, T> blocks(c);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    SeenPaths<T> paths(pairs);
    paths.set_transitions(trans);
    EdgeSentence<T> edges(at);
    const auto alone = [&](int64_t s) {
      if (!edges.template load<R>(c, field, trans, limits, s) && limits.any()) too_large.note(s);
      score[s] = limits.seen(edges.lattice.best_path(y + c.tokens[s]));
    };
    const auto prepare = [&](int64_t s, T* scores) {
      if (limits.any() && !within_largest(at, scores, c.length(s))) too_large.note(s);
      limits.forbid(c, at, s, scores);
    };
    blocks.each(field, false, alone, prepare, [&](auto& block) {
      int32_t* labels[W] = {};
      for (int k = 0; k < block.count; ++k) labels[k] = y + c.tokens[block.s[k]];
      paths.run(block.chains, block.count, labels);
      for (int k = 0; k < block.count; ++k) score[block.s[k]] = limits.seen(block.chains[k].log_z);
    });
  });
}

// log Z, nodes and scores of every sentence, as marginals_all of decode.hpp.
template <Rows R, class T, class TooLarge>
void marginals_blocks(const Corpus& c, const FieldOf<T>& field, const Limits& limits, const T* trans, TooLarge& too_large, T* out,
                      double* log_z, double* score, int threads) {
  const Layout& at = field.at;
  // What must not follow is exactly impossible in a matrix only.
  const auto pairs = limits.follow ? nullptr : SeenPairs::where_they_pay(at, trans);
  SortedBlocks<R, T> blocks(c);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    BlockLattice<T> lattice(at, pairs.get());
    lattice.strict = limits.any();
    lattice.set_transitions(trans, T(1));
    EdgeSentence<T> edges(at);
    const auto known = [&](int64_t s) {
      const int32_t* y = c.labels + c.tokens[s];
      return std::all_of(y, y + c.length(s), [](int32_t label) { return label >= 0; });
    };
    const auto keep = [&](int64_t s, const auto* node) {
      if (out && log_z[s] != -INFINITY)
        for (int64_t t = 0; t < c.length(s); ++t)
          for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = T(node[t * at.Lp() + j]);
    };
    const auto alone = [&](int64_t s) {
      if (!edges.template load<R>(c, field, trans, limits, s)) too_large.note(s);
      log_z[s] = limits.seen(edges.lattice.run(1.0, out != nullptr, false));
      score[s] = known(s) ? limits.seen(edges.lattice.path_score(c.labels + c.tokens[s])) : double(NAN);
      keep(s, edges.lattice.node);
    };
    const auto prepare = [&](int64_t s, T* scores) {
      if (!within_largest(at, scores, c.length(s))) too_large.note(s);
      limits.forbid(c, at, s, scores);
    };
    blocks.each(field, out != nullptr, alone, prepare, [&](auto& block) {
      lattice.run(block.chains, block.count, T(1), out != nullptr);
      for (int k = 0; k < block.count; ++k) {
        const int64_t s = block.s[k];
        const BlockChain<T>& chain = block.chains[k];
        log_z[s] = limits.seen(chain.log_z);
        score[s] = known(s) ? limits.seen(path_score(at, chain.scores, trans, c.labels + c.tokens[s], chain.n)) : double(NAN);
        keep(s, chain.node);
      }
    });
  });
}

}  // namespace tagfield
