// The loop of the passive–aggressive algorithm over the sentences of a pass (mistake_passes.hpp).
#include "kernel/pass/mistake_passes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/chain/chain.hpp"
#include "kernel/pass/mistakes.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield {

namespace {

template <Rows R> void run(const Corpus& c, const Layout& at, MarginPass& pass, const int64_t* order, int64_t count) {
  Mistakes mistakes(at);
  EdgeDeltas edges_apart(at);
  SentenceReader reader;
  Scratch<float> room;
  const int Lp = at.Lp();
  const Arrays theta = pass.theta, rest = pass.rest;
  std::vector<int32_t> guess(size_t(c.longest) + 1);
  const ChainForm form(at, theta.trans);
  const EdgeTransitions<float> own(c, at, theta.trans, theta.edge);
  PathFinder<float> path(form, &own);
  path.start(theta.trans);
  for (int64_t i = 0; i < count; ++i) {
    if (i % 16 == 15) pulse();
    const int64_t s = order[i], n = c.length(s);
    if (n == 0) continue;
    const Sentence x = reader.open(c, s);
    const int32_t* g = guess.data();
    float* scores = room.reserve(n * Lp);
    const Ahead<R, float> ahead(c, at, theta.state, i + 1 < count ? order[i + 1] : -1, i + 2 < count ? order[i + 2] : -1);
    sum_scores<R>(x, at, theta.state, scores, ahead);
    const PathJob<float> job{s, n, scores, guess.data()};
    const double best = path.find(job);
    if (!std::isfinite(best)) {
      pass.failed = s;
      return;
    }
    const int64_t wrong = mistakes.find(x, g);
    if (wrong) {
      mistakes.ask<R>(theta.state, rest.state);
      Vec<float> squares{};
      double norm = 0;
      mistakes.each<R>(x, [&](int64_t k, float) { norm += is_feature(theta.state[k]); },
                       [&](int64_t k, Vec<float> u) {
                         u = keep<float>(u, features<float>(load(theta.state + k * W)));
                         squares += u * u;
                       });
      norm += sum_lanes<float>(squares);
      for (int64_t k = 0; k < int64_t(at.L) * Lp; k += W) {
        const Vec<float> u = keep<float>(load(&mistakes.edge[size_t(k)]), features<float>(load(theta.trans + k)));
        norm += sum_lanes<float>(u * u);
      }
      edges_apart.compare(c, theta.edge, s, x.y, g);
      for (const EdgeDelta& d : edges_apart.deltas) norm += d.by * d.by;
      if (!std::isfinite(norm)) {  // values too large to be squared
        pass.failed = s;
        return;
      }
      const double gold = path.path_score(job, x.y, theta.trans);
      const double loss = pass.type == 3 ? double(wrong) / double(n)
                                         : best - gold + (pass.cost_sensitive ? std::sqrt(double(wrong)) : 1.0);
      pass.loss += x.weight * loss;
      double tau = 0;
      if (pass.type == 3)
        tau = 1;
      else if (norm > 0 || pass.type == 2)
        tau = pass.type == 2 ? loss / (norm + 0.5 / pass.c) : pass.type == 1 ? std::min(pass.c, loss / norm) : loss / norm;
      if (!std::isfinite(float(tau * x.weight * pass.seen))) {  // values so small that the step has no number
        pass.failed = s;
        return;
      }
      const float by = float(tau * x.weight), later = float(tau * x.weight * pass.seen);
      const Vec<float> step = splat(by), late = splat(later);
      auto add = [&](float* w, float* r, Vec<float> u) {
        const Vec<float> before = load(w);
        store<float>(r, load(r) + keep<float>(late * u, features<float>(before)));
        store<float>(w, changed<float>(before, Vec<float>{} - step * u));
      };
      auto add_one = [&](int64_t k, float u) {
        if (!is_feature(theta.state[k])) return;
        rest.state[k] += later * u;
        theta.state[k] = (theta.state[k] + by * u) + 0.f;
      };
      mistakes.each<R>(x, add_one, [&](int64_t k, Vec<float> u) { add(theta.state + k * W, rest.state + k * W, u); });
      for (int64_t k = 0; k < int64_t(at.L) * Lp; k += W) add(theta.trans + k, rest.trans + k, load(&mistakes.edge[size_t(k)]));
      path.start(theta.trans);
      for (const EdgeDelta& d : edges_apart.deltas) {
        rest.edge[d.place] += later * float(d.by);
        theta.edge[d.place] = (theta.edge[d.place] + by * float(d.by)) + 0.f;
      }
    }
    pass.seen += 1;
  }
}

}  // namespace

void margin_pass(const Corpus& c, const Layout& at, MarginPass& pass, const int64_t* order, int64_t count) {
  with_rows(at, [&](auto rows) { run<decltype(rows)::value>(c, at, pass, order, count); });
}

}  // namespace tagfield
