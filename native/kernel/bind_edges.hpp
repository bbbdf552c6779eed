// Python bindings of edge_lattice.hpp: one chain from plain scores [n, L] and transitions [n, L, L]. transitions[t] lead into
// position t. No transition leads into position 0: transitions[0] is the matrix that positions share, and a position whose
// matrix is another has its own; without `share` every position has its own.
#pragma once
#include <cstring>

#include "kernel/edge_lattice.hpp"
#include "kernel/handles.hpp"

namespace {

struct PlainEdges {
  Layout at;
  EdgeLattice lattice;

  static Layout layout(const View<double, 2>& s, const View<double, 3>& tau) {
    const size_t L = s.shape(1);
    require(s.shape(0) >= 1 && L >= 1 && L <= 65536 * size_t(W) && tau.shape(0) == s.shape(0) && tau.shape(1) == L && tau.shape(2) == L,
            "scores [n, L] and transitions [n, L, L] do not fit together");
    Layout at;
    at.L = int(L), at.NB = (at.L + W - 1) / W;
    return at;
  }
  PlainEdges(const View<double, 2>& s, const View<double, 3>& tau, bool share) : at(layout(s, tau)), lattice(at) {
    const int64_t n = int64_t(s.shape(0)), L = at.L, Lp = at.Lp();
    double* scores = lattice.room_for(n);
    blank_scores(at, scores, n);
    for (int64_t t = 0; t < n; ++t)
      for (int64_t j = 0; j < L; ++j) scores[t * Lp + j] = s.data()[t * L + j];
    for (int64_t t = 1; t < n; ++t)
      if (!share || std::memcmp(tau.data(), tau.data() + t * L * L, size_t(L * L) * sizeof(double))) lattice.own(t);
    lattice.open(padded(tau.data()).data());
    for (int64_t t = 1; t < n; ++t)
      if (lattice.has_own(t)) {
        const std::vector<double> matrix = padded(tau.data() + t * L * L);
        std::copy(matrix.begin(), matrix.end(), lattice.tau(t));
      }
  }
  std::vector<double> padded(const double* tau) const {
    const int64_t L = at.L, Lp = at.Lp();
    std::vector<double> out(size_t(L * Lp), -0.0);
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j) out[size_t(i * Lp + j)] = tau[i * L + j];
    return out;
  }
};

void bind_edges(nb::module_& m) {
  m.def("edge_forward_backward", [](View<double, 2> scores, View<double, 3> trans, double z, bool marginals, bool share) {
    PlainEdges plain(scores, trans, share);
    EdgeLattice& lattice = plain.lattice;
    const size_t n = scores.shape(0), L = scores.shape(1), Lp = size_t(plain.at.Lp());
    auto node = fresh<double, 2>({marginals ? n : 0, L}), edge = fresh<double, 2>({L, L});
    auto pairs = fresh<double, 3>({marginals ? n : 0, L, L});
    double log_z = 0;
    {
      FlushSubnormals flush;
      log_z = lattice.run(z, marginals);
    }
    for (size_t t = 0; marginals && t < n; ++t) {
      for (size_t j = 0; j < L; ++j) node.data()[t * L + j] = lattice.node[t * Lp + j];
      for (size_t k = 0; t && lattice.has_own(int64_t(t)) && k < L * L; ++k)
        pairs.data()[t * L * L + k] = lattice.pair(int64_t(t))[k / L * Lp + k % L];
    }
    for (size_t k = 0; marginals && k < L * L; ++k) edge.data()[k] = lattice.edge[k / L * Lp + k % L];
    return std::make_tuple(log_z, node, edge, pairs, lattice.fallbacks);
  }, "scores"_a, "trans"_a, "z"_a = 1.0, "marginals"_a = true, "share"_a = true);
  m.def("edge_best_path", [](View<double, 2> scores, View<double, 3> trans) {
    PlainEdges plain(scores, trans, true);
    auto y = fresh<int32_t, 1>({scores.shape(0)});
    const double score = plain.lattice.best_path(y.data());
    return std::make_tuple(score, plain.lattice.path_score(y.data()), y);
  }, "scores"_a, "trans"_a);
}

}  // namespace
