// What the margin algorithms need of a sentence whose transitions look at the input: its best path, and the difference
// δ = Φ(x, y) − Φ(x, ŷ) of its edge weights. Only the pairs of the two paths count, so δ is a short list.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "kernel/edge_scores.hpp"

namespace tagfield {

struct EdgeDelta {
  int64_t place;  // of the weight
  double by;      // δ
};

struct EdgePath {
  EdgeLattice lattice;
  std::vector<EdgeDelta> deltas;

  explicit EdgePath(const Layout& at) : lattice(at), at_(at) {}

  // The best path of sentence s, into g; scores [n, Lp]. Returns its score.
  TAGFIELD_NOINLINE double best(const Corpus& c, const float* scores, const float* trans, const float* edge, int64_t s, int32_t* g) {
    double* into = lattice.room_for(c.length(s));
    for (int64_t k = 0; k < c.length(s) * at_.Lp(); ++k) into[k] = double(scores[k]);
    sum_edges(c, at_, trans, edge, s, lattice);
    return lattice.best_path(g);
  }

  // δ of gold y and guess g, for the features of the edges that sentence s has. A sentence without any has none.
  TAGFIELD_NOINLINE void compare(const Corpus& c, const float* edge, int64_t s, const int32_t* y, const int32_t* g) {
    deltas.clear();
    if (!c.edges.in(s)) return;
    each_edge_slot(c.edges, at_, s, [&](int64_t e, int64_t from, int64_t to) {
      const auto add = [&](int32_t i, int32_t j, double by) {
        const int64_t k = at_.edge_place(e * at_.L + i, j);
        uint32_t bits = 0;
        if (k >= 0) std::memcpy(&bits, edge + k, 4);
        if (k >= 0 && bits != 0x80000000u) deltas.push_back({k, by});  // −0.0 is not a feature
      };
      for (int64_t n = from; n < to; ++n) {
        const int64_t t = c.edges.position[n];
        if (y[t - 1] == g[t - 1] && y[t] == g[t]) continue;
        const double value = c.edges.value ? double(c.edges.value[n]) : 1;
        add(y[t - 1], y[t], value), add(g[t - 1], g[t], -value);
      }
    });
    std::stable_sort(deltas.begin(), deltas.end(), [](const EdgeDelta& a, const EdgeDelta& b) { return a.place < b.place; });
    size_t last = 0;
    for (size_t i = 1; i < deltas.size(); ++i)
      if (deltas[i].place == deltas[last].place)
        deltas[last].by += deltas[i].by;
      else
        deltas[++last] = deltas[i];
    if (!deltas.empty()) deltas.resize(last + 1);
  }

 private:
  const Layout& at_;
};

}  // namespace tagfield
