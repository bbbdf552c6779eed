// The transitions of sentences with edge attributes, from the weights into a PositionChain.
//
//     τ_t(i, j) = τ(i, j) + Σ_a value(a, t) · θ[a, i, j]       over the edge attributes a of position t ≥ 1
//
// Sums are in double, whatever the weights are in.
#pragma once
#include "kernel/chain/chain.hpp"
#include "kernel/chain/limits.hpp"

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
void sum_edges(const Corpus& c, const Layout& at, const T* trans, const T* edge, int64_t s, PositionChain& lattice) {
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

// Of the sentences of a corpus: `trans` are the transitions in force, `edge` the weights of the edge attributes.
template <class T> struct EdgeTransitions final : OwnTransitions {
  const Corpus& c;
  const Layout& at;
  const T *trans, *edge;
  const Limits* limits;  // where what may not follow must stay exactly as it is, and sizes are checked; or null

  EdgeTransitions(const Corpus& c_, const Layout& at_, const T* trans_, const T* edge_, const Limits* limits_ = nullptr)
      : c(c_), at(at_), trans(trans_), edge(edge_), limits(limits_) {}

  bool in(int64_t s) const override { return c.edges.in(s); }
  bool fill(int64_t s, PositionChain& into) const override {
    sum_edges(c, at, trans, edge, s, into);
    bool within = true;
    for (int64_t t = 1; limits && t < c.length(s); ++t)
      if (into.has_own(t)) within &= limits->forbid_steps(at, into.tau(t));
    return within;
  }
};

}  // namespace tagfield
