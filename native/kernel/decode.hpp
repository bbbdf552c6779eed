// Scores, best paths and marginals of a whole corpus; with limits, over allowed paths only.
//
// The arithmetic is that of the weights, T: float, or double for weights that were read from elsewhere. A sentence with edge
// attributes takes the lattice of edge_lattice.hpp, and every other one that of lattice.hpp; with many labels, those of
// decode_blocks.hpp.
#pragma once
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>

#include "kernel/best_path.hpp"
#include "kernel/decode_blocks.hpp"
#include "kernel/edge_sentence.hpp"
#include "kernel/lattice.hpp"
#include "kernel/limits.hpp"
#include "kernel/threads.hpp"

namespace tagfield {

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
