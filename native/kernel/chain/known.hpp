// A stochastic pass over sentences with unknown labels, and over sentences with constraints.
//
//     −log p(known | x) = log Z − log Z_known        E over all paths, Ẽ over the paths that agree with the known labels
//
// With limits, both are over allowed paths only. If a label is unknown, the lattice runs twice. Ẽ is then not a count, so
// directions that need E and Ẽ separately are computed exactly, without a table.
#pragma once
#include <algorithm>
#include <cmath>

#include "kernel/pass/counted.hpp"
#include "kernel/corpus/groups.hpp"
#include "kernel/chain/lattice.hpp"
#include "kernel/chain/limits.hpp"

namespace tagfield {

inline bool all_known(const int32_t* y, int64_t n) {
  for (int64_t t = 0; t < n; ++t)
    if (y[t] < 0) return false;
  return true;
}

// Scores [n, Lp] that leave no label but the known ones, where a label is known.
inline void leave_known(const Layout& at, const int32_t* y, int64_t n, float* scores) {
  for (int64_t t = 0; t < n; ++t)
    for (int j = 0; y[t] >= 0 && j < at.L; ++j)
      if (j != y[t]) scores[t * at.Lp() + j] = PAD<float>;
}

// E and Ẽ of a sentence with unknown labels: states [n, Lp], transitions [L, Lp].
struct Expected {
  Scratch<float> E, empirical, edge_E, edge_empirical;

  // Runs over all paths and again over those that agree with y, by `once`, from the scores that the lattice holds. Leaves
  // E − Ẽ in lattice.node and lattice.edge, and returns the loss.
  template <class Run> double run(Lattice<float>& lattice, const Layout& at, const int32_t* y, int64_t n, Run once) {
    const int L = at.L, Lp = at.Lp();
    const int64_t nodes = n * Lp, edges = n > 1 ? int64_t(L) * Lp : 0;
    const double all = once();
    std::copy_n(lattice.node, nodes, E.reserve(nodes));
    std::copy_n(lattice.edge, edges, edge_E.reserve(int64_t(L) * Lp));
    leave_known(at, y, n, lattice.scores);
    const double known = once();
    std::copy_n(lattice.node, nodes, empirical.reserve(nodes));
    std::copy_n(lattice.edge, edges, edge_empirical.reserve(int64_t(L) * Lp));
    for (int64_t k = 0; k < nodes; ++k) lattice.node[k] = E[k] - empirical[k];
    for (int64_t k = 0; k < edges; ++k) lattice.edge[k] = edge_E[k] - edge_empirical[k];
    return all - known;
  }

  // E and Ẽ of every weight of the sentence, for the exact direction; the transitions only where they respond. `groups` are
  // where its groups begin.
  template <Rows R>
  void collect(const Sentence& x, const int32_t* groups, const Layout& at, const float* state, const float* trans, bool edges,
               Exactly& into) const {
    const int Lp = at.Lp();
    for (into.group = 0; into.group < GROUPS; ++into.group)
      each_slot<R>(x, at, groups[into.group], groups[into.group + 1], [&](int64_t k0, int64_t k1, int64_t from, int64_t to) {
        for (int64_t k = k0; k < k1; ++k) {
          const int first = block_of<R>(at.column, k, k0) * W;
          for (int lane = 0; lane < W; ++lane) {
            double e = 0, known = 0;
            for (int64_t n = from; n < to; ++n) {
              const int64_t at_label = int64_t(x.position[n]) * Lp + first + lane;
              const double v = x.value ? double(x.value[n]) : 1;
              e += v * double(E[at_label]), known += v * double(empirical[at_label]);
            }
            into.add(state, k * W + lane, e, known, Part::STATE);
          }
        }
      });
    for (int64_t k = 0; edges && k < int64_t(at.L) * Lp; ++k)
      into.add(trans, k, double(edge_E[k]), double(edge_empirical[k]), Part::TRANS);
  }
};

}  // namespace tagfield
