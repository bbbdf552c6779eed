// One pass of stochastic natural gradient descent with the scaled sparse L2 step.
//
//     λ_t = λ̂ / (1 + λ̂ C t)                                   (constant λ̂ if `constant` is set)
//     u   = E_t − Ẽ_t of one sentence                          summed over its positions
//     θ̄  ← θ̄ − λ_t / ((1 − Cλ_t) z) · f(u)                    θ = z θ̄: only active weights are touched
//     z   ← (1 − Cλ_t) z
//
// Averaging of θ_1 … θ_n without touching inactive weights: with Z = Σ z_τ and R += Z · δ for every change δ of θ̄,
//     Σ θ_τ = Z θ̄_n − R.
// The cost of the softmax margin (Gimpel and Smith 2010) is added to the score of every wrong label: the loss is
//     log Σ_y exp(s(y) + cost · wrong labels of y) − s(gold)
// and u is that of these expectations. Subtracting it from the gold label at each position gives the same loss and the same u.
// The adaptive metric divides f(u) by √S + δ, S being the running sum of f(u)² of that weight.
//
// In a stream the number of sentences N is unknown, and the result must not depend on how the stream is cut into passes.
// So the penalty is divided by the number of sentences so far, C_t = C/(t + 1). Weights shrink by 1/(1 + C_t λ_t), which is
// positive for every rate. A feature is added when a sentence first contains it (`observe`).
//
// Six in seven attributes of a sentence occur in it once (CoNLL-2000), and their u is that of the position. So f is called
// once per position, and again only for attributes that occur several times or have values, which
// leaves a fifth of the calls.
//
// A sentence with edge attributes takes another lattice (looked.hpp), with u = E − Ẽ of its pairs of labels; all else is
// the same.
#pragma once
#include <cmath>
#include <memory>
#include <vector>

#include "kernel/lattice.hpp"
#include "kernel/looked.hpp"
#include "kernel/step.hpp"
#include "kernel/token_terms.hpp"

namespace tagfield {

// The step of a sentence's edge weights. Not inlined, and with copies of the changes: the loops of sentences without any
// keep them in registers.
template <bool Respond, class Step, class Plain>
TAGFIELD_NOINLINE void step_edges(const Corpus& c, const Pass& pass, int64_t s, const Looked& looked, bool known,
                                  const Step change, const Plain plain, Exactly& leftover) {
  const Arrays &theta = pass.theta, &squares = pass.squares, &rest = pass.rest;
  if (pass.counted && !known && pass.respond_edges)
    looked.collect(c, s, theta.edge, leftover);
  else if (pass.counted && known)
    looked.each_counted(c, s, pass, leftover, [&](int64_t k, const Vec<float>& w, const Vec<float>& r) {
      change.step(theta.edge, squares.edge, rest.edge, k, w, r);
    });
  else
    looked.each_difference(c, s, [&](int64_t k, const Vec<float>& u) {
      if (Respond && pass.respond_edges)
        change(theta.edge, squares.edge, rest.edge, k, u);
      else
        plain(theta.edge, squares.edge, rest.edge, k, u);
    });
}

template <Rows R, bool Respond, bool Adaptive, bool Average>
void stochastic_pass(const Corpus& c, const Layout& at, Pass& pass, const int64_t* order, int64_t count) {
  Lattice<float> lattice(at);
  lattice.follow = !pass.streaming;  // it adapts to the sentences before, and a pass may begin anywhere in a stream
  const int Lp = at.Lp(), NB = at.NB;
  const Arrays theta = pass.theta, squares = pass.squares, rest = pass.rest;
  std::vector<float> edge_counts(pass.counted ? size_t(at.L) * Lp : 0, 0.f);
  Exactly leftover;
  Expected expected;
  const std::unique_ptr<TokenTerms> terms = c.class_weight ? std::make_unique<TokenTerms>(at) : nullptr;
  Looked looked(at);
  Scratch<float> directions, allowed_trans;
  SentenceReader reader;
  const uint16_t* column = at.column;
  double& z = pass.scale;  // up to date also where a user's function throws
  for (int64_t i = 0; i < count; ++i) {
    const int64_t s = order[i], n = c.length(s);
    if (n == 0) continue;
    const Sentence x = reader.open(c, s);
    const int32_t *y = x.y, *position = x.position;
    const float* value = x.value;
    if (pass.observe_states || pass.observe_edges) observe<R>(c, x, at, pass, s);
    float* scores = lattice.room_for(n);
    const Ahead<R, float> ahead(c, at, theta.state, i + 1 < count ? order[i + 1] : -1, i + 2 < count ? order[i + 2] : -1);
    sum_scores<R>(x, at, theta.state, scores, ahead, Adaptive ? squares.state : nullptr, Average ? rest.state : nullptr);
    pass.limits.forbid(c, at, s, scores);
    const float scale = float(z);  // for all: of large scores, the difference between z and this would be seen
    for (int64_t t = 0; pass.cost != 0 && t < n; ++t)
      if (y[t] >= 0) scores[t * Lp + y[t]] -= float(pass.cost) / scale;
    const float* trans = pass.limits.in_force(at, theta.trans, allowed_trans);
    const bool known = c.complete || all_known(y, n), looks = c.edges.in(s);
    double loss = 0;
    if (terms) {
      terms->set_transitions(trans, double(scale), pass.limits.any());
      loss = terms->run(c, scores, double(scale), y, n);
    } else if (looks) {
      looked.open(c, trans, theta.edge, s);
      loss = known ? looked.run_known(lattice, scale, y)
                   : expected.run(lattice, at, y, n, [&] { return looked.run(lattice, scale); });
      if (!known) looked.subtract_before();
    } else {
      lattice.set_transitions(trans, scale);
      loss = known ? lattice.run(scale, true) - double(scale) * path_score(at, scores, theta.trans, y, n)
                   : expected.run(lattice, at, y, n, [&] { return lattice.run(scale, true); });
    }
    if (!std::isfinite(loss)) {
      pass.failed = s;
      break;
    }
    pass.loss += c.weight[s] * loss;

    float *D = lattice.node, *edge = lattice.edge;
    for (int64_t t = 0; known && !terms && t < n; ++t) {
      D[t * Lp + y[t]] -= 1;
      if (t) edge[int64_t(y[t - 1]) * Lp + y[t]] -= 1;
    }
    if (terms) {
      for (int64_t k = 0; k < n * Lp; ++k) D[k] = float(terms->node[size_t(k)]);
      for (int64_t k = 0; k < int64_t(at.L) * Lp; ++k) edge[k] = float(terms->edge[size_t(k)]);
    }

    const double decay = pass.streaming ? pass.decay / (pass.t + 1) : pass.decay;
    const double rate = pass.constant ? pass.rate : pass.rate / (1 + pass.rate * decay * pass.t);
    const double shrink = pass.streaming ? 1 / (1 + decay * rate) : 1 - decay * rate;
    const float gain = float(c.weight[s] * rate / (shrink * z)), Z = float(pass.summed_scale);
    const Change<Respond, Adaptive, Average> change{Respond ? *pass.response : Response{}, splat(gain), splat(float(pass.floor)), splat(Z)};
    const float* F = D;
    const bool counted = pass.counted && known, exactly = pass.counted && !known;
    if (counted)
      respond_rows(*pass.counted, D, y, n, Lp, directions.reserve(n * Lp));
    else if (Respond)
      for (int64_t k = 0, end = directions.reserve(n * Lp) ? n * Lp : 0; k < end; k += W)
        store<float>(&directions[k], change.f(load(D + k)));
    if (counted || Respond) F = directions.get();
    const auto step_slot = [=, &x, &at, &pass, &leftover](int64_t k0, int64_t k1, int64_t from, int64_t to) {
      if (to - from == 1 && !value) {
        const float* f = F + int64_t(position[from]) * Lp;
        for (int64_t k = k0; k < k1; ++k)
          change.step(theta.state, squares.state, rest.state, k * W, load(theta.state + k * W),
                      load(f + block_of<R>(column, k, k0) * W));
      } else if (counted) {
        counted_slot<R>(x, at, *pass.counted, D, theta.state, k0, k1, from, to, leftover,
                        [&](int64_t k, const Vec<float>& w, const Vec<float>& r) {
                          change.step(theta.state, squares.state, rest.state, k * W, w, r);
                        });
      } else {
        for (int64_t k = k0; k < k1; ++k)
          change(theta.state, squares.state, rest.state, k * W,
                 difference(D + block_of<R>(column, k, k0) * W, position, value, from, to, Lp));
      }
    };
    if (exactly)
      expected.collect<R>(x, at, theta.state, theta.trans, n > 1 && pass.respond_edges, leftover);
    else
      each_slot<R>(x, at, step_slot);
    const Change<false, Adaptive, Average> plain{Response{}, splat(gain), splat(float(pass.floor)), splat(Z)};
    if (n > 1 && counted)
      counted_edges(c, at, pass, s, edge, change, edge_counts, leftover);
    else if (n > 1 && !(exactly && pass.respond_edges))
      for (int64_t k = 0; k < int64_t(at.L) * NB; ++k) {
        const Vec<float> u = load(edge + k * W);
        if (Respond && pass.respond_edges)
          change(theta.trans, squares.trans, rest.trans, k * W, u);
        else
          plain(theta.trans, squares.trans, rest.trans, k * W, u);
      }
    if (looks) step_edges<Respond>(c, pass, s, looked, known, change, plain, leftover);
    exact_step(pass, change, leftover);

    z *= shrink;
    pass.t += 1;
    if (Average) pass.summed_scale += z, ++pass.averaged;
    // Fold z into the weights before it leaves float's range; and sooner where Z θ̄ − R, of weights that grow as z falls,
    // would lose its digits.
    if (z < (Average ? 1e-3 : 1e-9)) {
      fold(theta.state, Average ? rest.state : nullptr, at.B * W, z, pass.summed_scale);
      fold(theta.trans, Average ? rest.trans : nullptr, int64_t(at.L) * Lp, z, pass.summed_scale);
      fold(theta.edge, Average ? rest.edge : nullptr, at.EB * W, z, pass.summed_scale);
      pass.summed_scale = 0;
      z = 1;
    }
  }
  pass.fallbacks += lattice.fallbacks + looked.lattice.fallbacks;
}

template <Rows R, bool Respond> void choose_pass(const Corpus& c, const Layout& at, Pass& p, const int64_t* o, int64_t n) {
  if (p.adaptive)
    p.averaging ? stochastic_pass<R, Respond, true, true>(c, at, p, o, n)
                : stochastic_pass<R, Respond, true, false>(c, at, p, o, n);
  else
    p.averaging ? stochastic_pass<R, Respond, false, true>(c, at, p, o, n)
                : stochastic_pass<R, Respond, false, false>(c, at, p, o, n);
}

inline void run_pass(const Corpus& c, const Layout& at, Pass& p, const int64_t* order, int64_t count) {
  FlushSubnormals flush;
  with_rows(at, [&](auto rows) {
    constexpr Rows R = decltype(rows)::value;
    p.response ? choose_pass<R, true>(c, at, p, order, count) : choose_pass<R, false>(c, at, p, order, count);
  });
}

}  // namespace tagfield
