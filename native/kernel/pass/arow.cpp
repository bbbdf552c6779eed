// The loop of AROW over the sentences of a pass (mistake_passes.hpp).
#include "kernel/pass/mistake_passes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/chain/chain.hpp"
#include "kernel/pass/mistakes.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield {

namespace {

template <Rows R> void run(const Corpus& c, const Layout& at, ArowPass& pass, const int64_t* order, int64_t count) {
  Mistakes mistakes(at);
  Scratch<float> room;
  EdgeDeltas edges_apart(at);
  SentenceReader reader;
  const int Lp = at.Lp();
  const int64_t edges = int64_t(at.L) * Lp;
  std::vector<int32_t> guess(size_t(c.longest) + 1);
  const ChainForm form(at, pass.mean.trans);
  const EdgeTransitions<float> own(c, at, pass.mean.trans, pass.mean.edge);
  PathFinder<float> path(form, &own);
  path.start(pass.mean.trans);
  for (int64_t i = 0; i < count; ++i) {
    if (i % 16 == 15) pulse();
    const int64_t s = order[i], n = c.length(s);
    if (n == 0) continue;
    const int32_t *y = c.labels + c.tokens[s], *g = guess.data();
    float* scores = room.reserve(n * Lp);
    const Sentence x = reader.open(c, s);
    const Ahead<R, float> ahead(c, at, pass.mean.state, i + 1 < count ? order[i + 1] : -1, i + 2 < count ? order[i + 2] : -1);
    sum_scores<R>(x, at, pass.mean.state, scores, ahead);
    const PathJob<float> job{s, n, scores, guess.data()};
    const double best = path.find(job);
    if (!std::isfinite(best)) {
      pass.failed = s;
      return;
    }
    const int64_t wrong = mistakes.find(x, g);
    const double weight = x.weight;
    if (!wrong || weight == 0) continue;
    mistakes.ask<R>(pass.mean.state, pass.spread.state);
    double unsure = pass.gamma;
    auto measure = [&](const float* mean, const float* spread, Vec<float> u) {
      u = keep<float>(u, features<float>(load(mean)));
      unsure += weight * sum_lanes<float>(u * u * load(spread));
    };
    mistakes.each_block<R>(x, [&](int64_t k, Vec<float> u) { measure(pass.mean.state + k * W, pass.spread.state + k * W, u); });
    for (int64_t k = 0; k < edges; k += W) measure(pass.mean.trans + k, pass.spread.trans + k, load(&mistakes.edge[size_t(k)]));
    edges_apart.compare(c, pass.mean.edge, s, y, g);
    for (const EdgeDelta& d : edges_apart.deltas) unsure += weight * d.by * d.by * double(pass.spread.edge[d.place]);
    const double gold = path.path_score(job, y, pass.mean.trans);
    const double loss = best - gold + double(wrong);
    pass.loss += weight * loss;
    const float by = float(weight * loss / unsure), over_gamma = float(weight / pass.gamma);
    const Vec<float> alpha = splat(by), over = splat(over_gamma);
    auto step = [&](float* mean, float* spread, Vec<float> u) {
      const Vec<float> w = load(mean), v = load(spread);
      store<float>(mean, changed<float>(w, Vec<float>{} - alpha * v * u));
      store<float>(spread, v / (v * u * u * over + 1.f));
    };
    mistakes.each_block<R>(x, [&](int64_t k, Vec<float> u) { step(pass.mean.state + k * W, pass.spread.state + k * W, u); });
    for (int64_t k = 0; k < edges; k += W) step(pass.mean.trans + k, pass.spread.trans + k, load(&mistakes.edge[size_t(k)]));
    path.start(pass.mean.trans);
    for (const EdgeDelta& d : edges_apart.deltas) {
      const float u = float(d.by), v = pass.spread.edge[d.place];
      pass.mean.edge[d.place] = (pass.mean.edge[d.place] + by * v * u) + 0.f;
      pass.spread.edge[d.place] = v / (v * u * u * over_gamma + 1.f);
    }
  }
}

}  // namespace

void arow_pass(const Corpus& c, const Layout& at, ArowPass& pass, const int64_t* order, int64_t count) {
  with_rows(at, [&](auto rows) { run<decltype(rows)::value>(c, at, pass, order, count); });
}

}  // namespace tagfield
