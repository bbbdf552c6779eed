// One pass of the passive–aggressive algorithm (Crammer et al. 2006; the cost and the averaging as in CRFsuite).
//
//     ŷ = argmax θ·Φ(x,·)     δ = Φ(x,y) − Φ(x,ŷ)     loss ℓ = θ·Φ(x,ŷ) − θ·Φ(x,y) + cost,  cost = √(wrong) or 1
//     τ = ℓ/‖δ‖²  (PA-0)     min(c, ℓ/‖δ‖²)  (PA-I)     ℓ/(‖δ‖² + 1/(2c))  (PA-II)
//     type 3, the averaged perceptron: τ = 1, and the loss is the fraction of wrong labels
//     θ ← θ + τ δ            R ← R + n τ δ            average after n sentences: θ − R/n
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/best_path.hpp"
#include "kernel/edge_path.hpp"

namespace tagfield {

struct MarginPass {
  int type = 1;
  double c = 1;
  bool cost_sensitive = true;
  Arrays theta, rest;  // θ and R
  double seen = 1;  // n
  // out
  double loss = 0;
  int64_t failed = -1;
};

template <Rows R> void margin_pass(const Corpus& c, const Layout& at, MarginPass& pass, const int64_t* order, int64_t count) {
  BestPath<float> path(at);
  Scratch<float> scores_, difference_;
  EdgePath looked(at);
  SentenceReader reader;
  const int Lp = at.Lp();
  std::vector<int32_t> guess(size_t(c.longest) + 1);
  std::vector<float> edge(size_t(at.L) * Lp);
  path.open(pass.theta.trans);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t s = order[i], n = c.length(s);
    if (n == 0) continue;
    const int32_t *y = c.labels + c.tokens[s], *g = guess.data();
    float* scores = scores_.reserve(n * Lp);
    const Sentence x = reader.open(c, s);
    const Ahead<R, float> ahead(c, at, pass.theta.state, i + 1 < count ? order[i + 1] : -1, i + 2 < count ? order[i + 2] : -1);
    sum_scores<R>(x, at, pass.theta.state, scores, ahead);
    const bool looks = c.edges.in(s);
    const double best = looks ? looked.best(c, scores, pass.theta.trans, pass.theta.edge, s, guess.data())
                              : path.find(scores, n, guess.data());
    if (!std::isfinite(best)) {
      pass.failed = s;
      return;
    }
    int64_t wrong = 0;
    for (int64_t t = 0; t < n; ++t) wrong += g[t] != y[t];
    if (wrong) {
      float* D = difference_.reserve(n * Lp);
      std::fill(D, D + n * Lp, 0.f);
      std::fill(edge.begin(), edge.end(), 0.f);
      for (int64_t t = 0; t < n; ++t) {
        if (g[t] != y[t]) D[t * Lp + y[t]] = 1, D[t * Lp + g[t]] = -1;
        if (t) edge[int64_t(y[t - 1]) * Lp + y[t]] += 1, edge[int64_t(g[t - 1]) * Lp + g[t]] -= 1;
      }
      Vec<float> squares{};
      double norm = 0;
      each_difference<R>(x, at, D, [&](int64_t k, Vec<float> u) {
        u = keep<float>(u, features<float>(load(pass.theta.state + k * W)));
        squares += u * u;
      });
      norm = sum_lanes<float>(squares);
      for (int64_t k = 0; k < int64_t(at.L) * Lp; k += W) {
        const Vec<float> u = keep<float>(load(&edge[k]), features<float>(load(pass.theta.trans + k)));
        norm += sum_lanes<float>(u * u);
      }
      looked.compare(c, pass.theta.edge, s, y, g);
      for (const EdgeDelta& d : looked.deltas) norm += d.by * d.by;
      if (!std::isfinite(norm)) {  // values too large to be squared
        pass.failed = s;
        return;
      }
      const double gold = looks ? looked.lattice.path_score(y) : path_score(at, scores, pass.theta.trans, y, n);
      const double loss = pass.type == 3 ? double(wrong) / double(n)
                                         : best - gold + (pass.cost_sensitive ? std::sqrt(double(wrong)) : 1.0);
      pass.loss += c.weight[s] * loss;
      double tau = 0;
      if (pass.type == 3)
        tau = 1;
      else if (norm > 0 || pass.type == 2)
        tau = pass.type == 2 ? loss / (norm + 0.5 / pass.c) : pass.type == 1 ? std::min(pass.c, loss / norm) : loss / norm;
      if (!std::isfinite(float(tau * c.weight[s] * pass.seen))) {  // values so small that the step has no number
        pass.failed = s;
        return;
      }
      const float by = float(tau * c.weight[s]), later = float(tau * c.weight[s] * pass.seen);
      const Vec<float> step = splat(by), late = splat(later);
      auto add = [&](float* theta, float* rest, Vec<float> u) {
        const Vec<float> w = load(theta);
        store<float>(rest, load(rest) + keep<float>(late * u, features<float>(w)));
        store<float>(theta, changed<float>(w, Vec<float>{} - step * u));
      };
      each_difference<R>(x, at, D, [&](int64_t k, Vec<float> u) { add(pass.theta.state + k * W, pass.rest.state + k * W, u); });
      for (int64_t k = 0; k < int64_t(at.L) * Lp; k += W) add(pass.theta.trans + k, pass.rest.trans + k, load(&edge[k]));
      path.open(pass.theta.trans);
      for (const EdgeDelta& d : looked.deltas) {
        pass.rest.edge[d.place] += later * float(d.by);
        pass.theta.edge[d.place] = (pass.theta.edge[d.place] + by * float(d.by)) + 0.f;
      }
    }
    pass.seen += 1;
  }
}

}  // namespace tagfield
