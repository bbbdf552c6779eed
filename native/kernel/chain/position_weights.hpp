// The scores and transitions of a sentence with edge attributes, from the weights into an EdgeLattice.
//
//     τ_t(i, j) = τ(i, j) + Σ_a value(a, t) · θ[a, i, j]       over the edge attributes a of position t ≥ 1
//
// Sums are in double, whatever the weights are in.
#pragma once
#include <cmath>

#include "kernel/chain/limits.hpp"
#include "kernel/chain/position_chain.hpp"

namespace tagfield {

// Visits the slots of edge attributes of sentence s that have weights: fn(attribute, first occurrence, last occurrence).
template <class Fn> inline void each_edge_slot(const EdgeSlots& e, const Layout& at, int64_t s, Fn fn) {
  const int64_t base = e.occurrences[s];
  int64_t from = base;
  for (int64_t d = e.slots[s]; d < e.slots[s + 1]; ++d) {
    const int64_t a = e.attribute[d], to = base + e.stop[d];
    if (!at.edge_first || at.edge_first[a * at.L] < at.edge_first[(a + 1) * at.L]) fn(a, from, to);
    from = to;
  }
}

// τ_t of sentence s. trans [L, Lp] are the transitions in force: what limits forbid stays forbidden, because no sum up to
// LARGEST makes up for FORBIDDEN.
template <class T>
void sum_edges(const Corpus& c, const Layout& at, const T* trans, const T* edge, int64_t s, EdgeLattice& lattice) {
  const EdgeSlots& e = c.edges;
  const int64_t L = at.L, Lp = at.Lp();
  each_edge_slot(e, at, s, [&](int64_t, int64_t from, int64_t to) {
    for (int64_t n = from; n < to; ++n) lattice.own(e.position[n]);
  });
  lattice.open(trans);
  each_edge_slot(e, at, s, [&](int64_t a, int64_t from, int64_t to) {
    for (int64_t i = 0; i < L; ++i)
      at.each_edge_block(a * L + i, [&](int64_t k, int block) {
        double row[W];
        for (int lane = 0; lane < W; ++lane) row[lane] = double(edge[k * W + lane]);
        for (int64_t n = from; n < to; ++n) {
          double* tau = lattice.tau(e.position[n]) + i * Lp + block * W;
          const double value = e.value ? double(e.value[n]) : 1;
          for (int lane = 0; lane < W; ++lane) tau[lane] += value * row[lane];
        }
      });
  });
}

// A sentence with edge attributes as decoding sees it: its scores and transitions within limits, in an EdgeLattice.
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
