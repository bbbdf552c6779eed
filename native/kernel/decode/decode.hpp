// Scores, best paths and marginals of a whole corpus; with limits, over allowed paths only.
//
// The arithmetic is that of the weights, T: float, or double for weights that were read from elsewhere. A sentence with edge
// attributes takes the lattice of edge_lattice.hpp, and every other one that of lattice.hpp; with many labels, those of
// decode_blocks.hpp.
#pragma once
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/chain/best_path.hpp"
#include "kernel/chain/chains_together.hpp"
#include "kernel/chain/lattice.hpp"
#include "kernel/chain/limits.hpp"
#include "kernel/chain/listed_paths.hpp"
#include "kernel/chain/position_weights.hpp"
#include "kernel/corpus/corpus.hpp"
#include "kernel/threads/threads.hpp"

namespace tagfield {

// Best paths and marginals of a corpus with many labels: sentences of like length go through the lattices of blocks together.
//
//     sentences by length ─▶ blocks of W ─▶ scores ─▶ block_lattice.hpp, seen_paths.hpp
//
// decode.hpp sends its sentences here. A sentence's numbers do not depend on its block. One with edge attributes has
// transitions of its own, and its own lattice.
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

// The first sentence whose scores are beyond LARGEST; probabilities and constraints would be wrong for it. The transitions
// count as those of every sentence.
class TooLarge {
  std::atomic<int64_t> first_{INT64_MAX};

 public:
  void note(int64_t s) {
    for (int64_t seen = first_; s < seen && !first_.compare_exchange_weak(seen, s);) {
    }
  }
  void check() const {
    if (first_ != INT64_MAX) throw std::overflow_error(std::to_string(first_.load()));
  }
};

// s_t(y) of every token into out [T, L].
template <Rows R, class T> void scores_all(const Corpus& c, const FieldOf<T>& field, T* out, int threads) {
  const Layout& at = field.at;
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    Scratch<T> scratch;
    SentenceReader reader;
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      T* scores = scratch.reserve(n * at.Lp());
      sum_scores<R>(reader.open(c, s), at, field.state, scores);
      for (int64_t t = 0; t < n; ++t)
        for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = scores[t * at.Lp() + j];
    });
  });
}

// The best labels of every sentence into y [T], their score into score [S]; −∞ where no path is allowed.
template <Rows R, class T>
void tag_all(const Corpus& c, const FieldOf<T>& field, const Limits& limits, int32_t* y, double* score, int threads) {
  const Layout& at = field.at;
  Scratch<T> room;
  const T* trans = limits.in_force(at, field.trans, room);
  TooLarge too_large;
  if (limits.any() && c.S && !within_largest(at, field.trans, at.L)) too_large.note(0);
  if (const auto pairs = SeenPairs::where_they_pay(at, trans)) {
    tag_blocks<R>(c, field, limits, trans, *pairs, too_large, y, score, threads);
    return too_large.check();
  }
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    BestPath<T> path(at);
    Scratch<T> scratch;
    path.open(trans);
    EdgeSentence<T> edges(at);
    SentenceReader reader;
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      if (c.edges.in(s)) {
        if (!edges.template load<R>(c, field, trans, limits, s) && limits.any()) too_large.note(s);
        score[s] = limits.seen(edges.lattice.best_path(y + c.tokens[s]));
        return;
      }
      T* scores = scratch.reserve(n * at.Lp());
      const Ahead<R, T> ahead(c, at, field.state, s + 1 < c.S ? s + 1 : -1, s + 2 < c.S ? s + 2 : -1);
      sum_scores<R>(reader.open(c, s), at, field.state, scores, ahead);
      if (limits.any() && !within_largest(at, scores, n)) too_large.note(s);
      limits.forbid(c, at, s, scores);
      score[s] = limits.seen(path.find(scores, n, y + c.tokens[s]));
    });
  });
  too_large.check();
}

// P(y_t = y | x) into out [T, L] (if wanted), log Z into log_z [S], θ·Φ(x, labels) into score [S]: NaN where a label is
// unknown. With limits all of it is among the allowed paths, and log Z or the score −∞ where there is none.
template <Rows R, class T>
void marginals_all(const Corpus& c, const FieldOf<T>& field, const Limits& limits, T* out, double* log_z, double* score,
                   int threads) {
  const Layout& at = field.at;
  Scratch<T> room;
  const T* trans = limits.in_force(at, field.trans, room);
  TooLarge too_large;
  if (c.S && !within_largest(at, field.trans, at.L)) too_large.note(0);
  if (at.L > SeenPairs::FEW) {
    marginals_blocks<R>(c, field, limits, trans, too_large, out, log_z, score, threads);
    return too_large.check();
  }
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    Lattice<T> lattice(at);
    EdgeSentence<T> edges(at);
    SentenceReader reader;
    lattice.strict = limits.any(), lattice.pairs = false;
    lattice.set_transitions(trans, T(1));
    auto keep = [&](int64_t s, const auto* node) {
      if (out && log_z[s] != -INFINITY)
        for (int64_t t = 0; t < c.length(s); ++t)
          for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = T(node[t * at.Lp() + j]);
    };
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      const int32_t* y = c.labels + c.tokens[s];
      bool known = true;
      for (int64_t t = 0; t < n; ++t) known = known && y[t] >= 0;
      if (c.edges.in(s)) {
        if (!edges.template load<R>(c, field, trans, limits, s)) too_large.note(s);
        log_z[s] = limits.seen(edges.lattice.run(1.0, out != nullptr, false));
        score[s] = known ? limits.seen(edges.lattice.path_score(y)) : double(NAN);
        return keep(s, edges.lattice.node);
      }
      T* scores = lattice.room_for(n);
      const Ahead<R, T> ahead(c, at, field.state, s + 1 < c.S ? s + 1 : -1, s + 2 < c.S ? s + 2 : -1);
      sum_scores<R>(reader.open(c, s), at, field.state, scores, ahead);
      if (!within_largest(at, scores, n)) too_large.note(s);
      limits.forbid(c, at, s, scores);
      log_z[s] = limits.seen(lattice.run(T(1), out != nullptr));
      score[s] = known ? limits.seen(path_score(at, scores, trans, y, n)) : double(NAN);
      keep(s, lattice.node);
    });
  });
  too_large.check();
}

}  // namespace tagfield
