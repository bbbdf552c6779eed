// A sentence with edge attributes as decoding sees it: its scores and transitions within limits, in an EdgeLattice.
#pragma once
#include "kernel/edge_scores.hpp"
#include "kernel/limits.hpp"

namespace tagfield {

// `load` a sentence, then ask `lattice`.
template <class T> struct EdgeSentence {
  EdgeLattice lattice;
  Scratch<T> room;
  SentenceReader reader;

  explicit EdgeSentence(const Layout& at) : lattice(at) {}

  // trans: those in force. Returns whether every score and transition is at most LARGEST in size.
  template <Rows R>
  bool load(const Corpus& c, const FieldOf<T>& field, const T* trans, const Limits& limits, int64_t s) {
    const Layout& at = field.at;
    const int64_t n = c.length(s), Lp = at.Lp();
    double* scores = lattice.room_for(n);
    T* sums = room.reserve(n * Lp);
    sum_scores<R>(reader.open(c, s), at, field.state, sums);
    for (int64_t k = 0; k < n * Lp; ++k) scores[k] = double(sums[k]);
    bool within = within_largest(at, scores, n);
    limits.forbid(c, at, s, scores);
    sum_edges(c, at, trans, field.edge, s, lattice);
    for (int64_t t = 1; t < n; ++t)
      if (lattice.has_own(t)) within &= limits.forbid_steps(at, lattice.tau(t));
    return within;
  }
};

}  // namespace tagfield
