// The edge weights of an optimiser without padding: x holds the features of each edge attribute, one attribute after another.
//
//     τ_t += Σ_e value · x[features of e]          ∂/∂x[e, i, j] = Σ_t value · (P(y_{t−1} = i, y_t = j) − Ẽ_t(i, j))
//
// A feature is its cell of the transitions [L, Lp]; the cells of an attribute ascend.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernel/edge_scores.hpp"

namespace tagfield {

class PackedEdges {
  const Corpus& c_;
  int Lp_;
  std::vector<int64_t> first_;  // [E+1]
  std::vector<uint32_t> cell_;  // [KE]

 public:
  // Edge attribute e has the features first[e] .. first[e+1], whose cells are in `cell`.
  PackedEdges(const Corpus& c, int labels, int64_t edges, const int64_t* first, const int64_t* cell, int64_t features)
      : c_(c), Lp_((labels + W - 1) / W * W) {
    if (first[0] != 0 || first[edges] != features || c.edges.attributes > edges)
      throw std::invalid_argument("the rows do not fit the edge attributes");
    const int64_t cells = int64_t(labels) * Lp_;
    if (features && cells > int64_t(UINT32_MAX)) throw std::invalid_argument("too many labels for edge attributes");
    for (int64_t e = 0; e < edges; ++e) {
      if (first[e + 1] < first[e] || first[e + 1] > features) throw std::invalid_argument("the rows are not ascending");
      for (int64_t k = first[e]; k < first[e + 1]; ++k)
        if (cell[k] < 0 || cell[k] >= cells || cell[k] % Lp_ >= labels || (k > first[e] && cell[k] <= cell[k - 1]))
          throw std::invalid_argument("the cells of an edge attribute are not ascending");
    }
    first_.assign(first, first + edges + 1);
    cell_.assign(cell, cell + features);
  }

  int64_t features() const { return int64_t(cell_.size()); }
  bool in(int64_t s) const { return c_.edges.in(s); }

  // The transitions of sentence s, which the lattice has room for: shared [L, Lp], and what x adds.
  void fill(int64_t s, const double* shared, const double* x, EdgeLattice& lattice) const {
    const EdgeSlots& of = c_.edges;
    for (int64_t n = of.occurrences[s]; n < of.occurrences[s + 1]; ++n) lattice.own(of.position[n]);
    lattice.open(shared);
    each(s, [&](int64_t e, int64_t t, double value) {
      double* tau = lattice.tau(t);
      for (int64_t k = first_[size_t(e)]; k < first_[size_t(e) + 1]; ++k) tau[cell_[size_t(k)]] += value * x[k];
    });
  }

  // Adds weight · value · P(pair) of every occurrence to the gradient, after a run of the lattice.
  void add_pairs(int64_t s, const EdgeLattice& lattice, double weight, double* gradient) const {
    each(s, [&](int64_t e, int64_t t, double value) {
      const double *pair = lattice.pair(t), by = weight * value;
      for (int64_t k = first_[size_t(e)]; k < first_[size_t(e) + 1]; ++k) gradient[k] += by * pair[cell_[size_t(k)]];
    });
  }

  // Adds weight · value where the gold pair y has a feature.
  void add_gold(int64_t s, const int32_t* y, double weight, double* gradient) const {
    each(s, [&](int64_t e, int64_t t, double value) {
      const auto begin = cell_.begin() + first_[size_t(e)], end = cell_.begin() + first_[size_t(e) + 1];
      const auto gold = uint32_t(int64_t(y[t - 1]) * Lp_ + y[t]);
      const auto found = std::lower_bound(begin, end, gold);
      if (found != end && *found == gold) gradient[found - cell_.begin()] += weight * value;
    });
  }

 private:
  template <class Fn> void each(int64_t s, Fn fn) const {  // fn(edge attribute, position, value) of every occurrence
    const EdgeSlots& of = c_.edges;
    int64_t n = of.occurrences[s];
    for (int64_t d = of.slots[s]; d < of.slots[s + 1]; ++d)
      for (; n < of.occurrences[s] + of.stop[d]; ++n)
        fn(int64_t(of.attribute[d]), int64_t(of.position[n]), of.value ? double(of.value[n]) : 1.0);
  }
};

}  // namespace tagfield
