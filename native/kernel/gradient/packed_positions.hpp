// The edge weights of an optimiser without padding: x holds the features of each edge attribute, one attribute after another.
//
//     τ_t += Σ_e value · x[features of e]          ∂/∂x[e, i, j] = Σ_t value · (P(y_{t−1} = i, y_t = j) − Ẽ_t(i, j))
//
// A feature is its cell of the transitions [L, Lp]; the cells of an attribute ascend.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernel/chain/position_weights.hpp"

namespace tagfield {

class EdgeRows {
 public:
  int64_t E, Lp;                // edge attributes
  std::vector<int64_t> first;   // [E+1]
  std::vector<uint32_t> cell;   // [KE]

  // Edge attribute e has the features from[e] .. from[e+1], whose cells are in `cells`.
  EdgeRows(int labels, int64_t edges, const int64_t* from, const int64_t* cells, int64_t features)
      : E(edges), Lp((labels + W - 1) / W * W) {
    if (from[0] != 0 || from[edges] != features) throw std::invalid_argument("the rows do not fit the edge attributes");
    const int64_t all = int64_t(labels) * Lp;
    if (features && all > int64_t(UINT32_MAX)) throw std::invalid_argument("too many labels for edge attributes");
    for (int64_t e = 0; e < edges; ++e) {
      if (from[e + 1] < from[e] || from[e + 1] > features) throw std::invalid_argument("the rows are not ascending");
      for (int64_t k = from[e]; k < from[e + 1]; ++k)
        if (cells[k] < 0 || cells[k] >= all || cells[k] % Lp >= labels || (k > from[e] && cells[k] <= cells[k - 1]))
          throw std::invalid_argument("the cells of an edge attribute are not ascending");
    }
    first.assign(from, from + edges + 1);
    cell.assign(cells, cells + features);
  }
  int64_t features() const { return int64_t(cell.size()); }
};

class PackedEdges {
  const Corpus& c_;
  const EdgeRows& rows_;
  const int64_t Lp_;
  const std::vector<int64_t>& first_;
  const std::vector<uint32_t>& cell_;

 public:
  PackedEdges(const Corpus& c, const EdgeRows& rows) : c_(c), rows_(rows), Lp_(rows.Lp), first_(rows.first), cell_(rows.cell) {
    if (c.edges.attributes > rows.E) throw std::invalid_argument("the rows do not fit the edge attributes");
  }

  int64_t features() const { return rows_.features(); }
  bool in(int64_t s) const { return c_.edges.in(s); }

  // The transitions of sentence s, which the lattice has room for: shared [L, Lp], and what x adds.
  void fill(int64_t s, const double* shared, const double* x, PositionChain& lattice) const {
    const EdgeSlots& of = c_.edges;
    for (int64_t n = of.occurrences[s]; n < of.occurrences[s + 1]; ++n) lattice.own(of.position[n]);
    lattice.open(shared);
    each(s, [&](int64_t e, int64_t t, double value) {
      double* tau = lattice.tau(t);
      for (int64_t k = first_[size_t(e)]; k < first_[size_t(e) + 1]; ++k) tau[cell_[size_t(k)]] += value * x[k];
    });
  }

  // A sentence's gradient is a list of numbers, one for each feature of each occurrence, so that lattices may run on any thread
  // and the gradient still be added up in the order of the corpus: size(s) ─▶ add_pairs, add_gold ─▶ add_up.
  int64_t size(int64_t s) const {
    int64_t total = 0;
    each(s, [&](int64_t e, int64_t, double) { total += first_[size_t(e) + 1] - first_[size_t(e)]; });
    return total;
  }

  // Adds weight · value · P(pair) of every occurrence, after a run of the lattice.
  void add_pairs(int64_t s, const PositionChain& lattice, double weight, double* list) const {
    each(s, [&](int64_t e, int64_t t, double value) {
      const double *pair = lattice.pair(t), by = weight * value;
      for (int64_t k = first_[size_t(e)]; k < first_[size_t(e) + 1]; ++k) *list++ += by * pair[cell_[size_t(k)]];
    });
  }

  // Adds weight · value where the gold pair y has a feature.
  void add_gold(int64_t s, const int32_t* y, double weight, double* list) const {
    each(s, [&](int64_t e, int64_t t, double value) {
      const auto begin = cell_.begin() + first_[size_t(e)], end = cell_.begin() + first_[size_t(e) + 1];
      const auto gold = uint32_t(int64_t(y[t - 1]) * Lp_ + y[t]);
      const auto found = std::lower_bound(begin, end, gold);
      if (found != end && *found == gold) list[found - begin] += weight * value;
      list += end - begin;
    });
  }

  void add_up(int64_t s, const double*& list, double* gradient) const {  // leaves the list at its end
    each(s, [&](int64_t e, int64_t, double) {
      for (int64_t k = first_[size_t(e)]; k < first_[size_t(e) + 1]; ++k) gradient[k] += *list++;
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
