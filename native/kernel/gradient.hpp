// The objective of the whole corpus and its gradient in float64, for L-BFGS.
//
// Threads take sentences in small batches. Each thread has its own gradient, and the gradients are added in thread order.
// One thread always gives the same bits; several threads may differ in the last digits.
//
// A sentence whose transitions look at the input takes the lattice with a matrix for each position (edge_lattice.hpp).
#pragma once
#include "kernel/lattice.hpp"
#include "kernel/limits.hpp"
#include "kernel/packed.hpp"
#include "kernel/packed_edges.hpp"
#include "kernel/threads.hpp"

namespace tagfield {

struct PointAndGradient {  // where a point of the optimiser and its gradient lie
  const double *x, *trans, *edge;                      // [K], [L, Lp], [KE]
  double *gradient, *grad_trans, *grad_edge;
};

// Adds the sentences' gradients; `loss_of(s, lattice, grad_trans)` finds a sentence's loss from lattice.scores, leaves the
// difference of each position in lattice.node and adds that of the transitions. `edge_loss_of(s, lattice, grad_trans,
// grad_edge)` does the same for a sentence with edge attributes.
template <class LossOf, class EdgeLossOf>
double sum_gradient(const Packed& packed, const PackedEdges& looked, const PointAndGradient& at, int threads, LossOf loss_of,
                    EdgeLossOf edge_loss_of) {
  const Corpus& c = packed.corpus();
  const Layout& layout = packed.layout();
  const int64_t K = packed.features(), edges = int64_t(layout.L) * layout.Lp(), rich = packed.rich_size();
  const int64_t KE = looked.features();
  Scratch<double> rows;
  packed.unfold(at.x, zeros(rows, rich));
  threads = std::min(threads, MAX_THREADS);
  std::vector<double> loss(size_t(threads), 0.0);
  std::vector<Scratch<double>> own(static_cast<size_t>(threads));
  Packets packets(c.S);
  const int ran = in_threads(threads, [&](int id) {
    FlushSubnormals flush;
    Lattice<double> lattice(layout);
    EdgeLattice edge_lattice(layout);
    double* grad_rich = zeros(own[size_t(id)], rich + (id ? K + edges + KE : 0));
    double *g = id ? grad_rich + rich : at.gradient, *gt = id ? g + K : at.grad_trans, *ge = id ? gt + edges : at.grad_edge;
    lattice.set_transitions(at.trans, 1.0);
    double sum = 0;
    packets.each([&](int64_t s) {
      if (c.length(s) == 0) return;
      const bool looks = looked.in(s);
      double* scores = looks ? edge_lattice.room_for(c.length(s)) : lattice.room_for(c.length(s));
      packed.sum_scores(s, at.x, rows.get(), scores, g, grad_rich);
      if (looks) looked.fill(s, at.trans, at.edge, edge_lattice);
      sum += c.weight[s] * (looks ? edge_loss_of(s, edge_lattice, gt, ge) : loss_of(s, lattice, gt));
      packed.add_differences(s, looks ? edge_lattice.node : lattice.node, c.weight[s], g, grad_rich);
    });
    loss[size_t(id)] = sum;
  });
  double total = 0;
  for (size_t id = 0; id < size_t(ran); ++id) {
    total += loss[id];
    packed.fold(own[id].get(), at.gradient);
    if (!id) continue;
    const double* g = own[id].get() + rich;
    for (int64_t k = 0; k < K; ++k) at.gradient[k] += g[k];
    for (int64_t k = 0; k < edges; ++k) at.grad_trans[k] += g[K + k];
    for (int64_t k = 0; k < KE; ++k) at.grad_edge[k] += g[K + edges + k];
  }
  return total;
}

// Σ_s weight_s · (log Z − θ·Φ) and E − Ẽ. NaN where it is not finite.
inline double nll_gradient(const Packed& packed, const PackedEdges& looked, const PointAndGradient& at, int threads) {
  const Corpus& c = packed.corpus();
  const Layout& layout = packed.layout();
  const int Lp = layout.Lp();
  const int64_t edges = int64_t(layout.L) * Lp;
  const auto subtract = [&](int64_t s, auto& lattice, double* gt) {  // Ẽ, and adds E of the transitions
    const int64_t n = c.length(s);
    const int32_t* y = c.labels + c.tokens[s];
    const double weight = c.weight[s];
    for (int64_t t = 0; t < n; ++t) {
      lattice.node[t * Lp + y[t]] -= 1;
      if (t) gt[int64_t(y[t - 1]) * Lp + y[t]] -= weight;
    }
    for (int64_t k = 0; n > 1 && k < edges; k += W) store<double>(gt + k, load(gt + k) + load(lattice.edge + k) * weight);
  };
  return sum_gradient(
      packed, looked, at, threads,
      [&](int64_t s, Lattice<double>& lattice, double* gt) {
        const double log_z = lattice.run(1.0, true);
        const double loss = log_z - path_score(layout, lattice.scores, at.trans, c.labels + c.tokens[s], c.length(s));
        subtract(s, lattice, gt);
        return loss;
      },
      [&](int64_t s, EdgeLattice& lattice, double* gt, double* ge) {
        const int32_t* y = c.labels + c.tokens[s];
        const double loss = lattice.run(1.0, true) - lattice.path_score(y);
        looked.add_pairs(s, lattice, c.weight[s], ge);
        looked.add_gold(s, y, -c.weight[s], ge);
        subtract(s, lattice, gt);
        return loss;
      });
}

// Σ_s weight_s · (log Z − log Z_known), where Z_known sums the paths that agree with the labels (−1: any label). Both
// sums are over allowed paths only.
inline double partial_gradient(const Packed& packed, const PackedEdges& looked, PointAndGradient at, const Limits& limits,
                               int threads) {
  const Corpus& c = packed.corpus();
  const Layout& layout = packed.layout();
  const int L = layout.L, Lp = layout.Lp();
  const int64_t edges = int64_t(L) * Lp;
  Scratch<double> room;
  at.trans = limits.in_force(layout, at.trans, room);
  // `pairs(sign)` adds those of the edges after each run.
  const auto loss_of = [&](int64_t s, auto& lattice, double* gt, auto pairs) {
    const int64_t n = c.length(s);
    const int32_t* y = c.labels + c.tokens[s];
    const double weight = c.weight[s];
    limits.forbid(c, layout, s, lattice.scores);
    const double all = lattice.run(1.0, true);
    const std::vector<double> free(lattice.node, lattice.node + n * Lp);
    for (int64_t k = 0; n > 1 && k < edges; ++k) gt[k] += weight * lattice.edge[k];
    pairs(weight);
    for (int64_t t = 0; t < n; ++t)
      for (int j = 0; y[t] >= 0 && j < L; ++j)
        if (j != y[t]) lattice.scores[t * Lp + j] = PAD<double>;
    const double known = lattice.run(1.0, true);
    for (int64_t k = 0; k < n * Lp; ++k) lattice.node[k] = free[size_t(k)] - lattice.node[k];
    for (int64_t k = 0; n > 1 && k < edges; ++k) gt[k] -= weight * lattice.edge[k];
    pairs(-weight);
    return known > IMPOSSIBLE ? all - known : double(INFINITY);
  };
  return sum_gradient(
      packed, looked, at, threads,
      [&](int64_t s, Lattice<double>& lattice, double* gt) { return loss_of(s, lattice, gt, [](double) {}); },
      [&](int64_t s, EdgeLattice& lattice, double* gt, double* ge) {
        return loss_of(s, lattice, gt, [&](double weight) { looked.add_pairs(s, lattice, weight, ge); });
      });
}

}  // namespace tagfield
