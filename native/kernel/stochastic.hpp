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
#pragma once
#include <cmath>
#include <vector>

#include "kernel/lattice.hpp"
#include "kernel/counted.hpp"
#include "kernel/respond.hpp"
#include "kernel/unknown.hpp"

namespace tagfield {

// ‖x‖², summed in double: one pass over memory, and the same bits whatever BLAS is installed.
inline double squared_norm(const float* x, int64_t n) {
  double lanes[W] = {}, rest = 0;
  int64_t k = 0;
  for (; k + W <= n; k += W)
    for (int i = 0; i < W; ++i) lanes[i] += double(x[k + i]) * double(x[k + i]);
  for (; k < n; ++k) rest += double(x[k]) * double(x[k]);
  for (double lane : lanes) rest += lane;
  return rest;
}

struct Pass {
  double rate = 0.1, decay = 0;  // λ̂, C
  bool constant = false;
  bool streaming = false;        // a part of a stream: C = 2·c2, shared by t + 1 sentences
  bool observe_states = false, observe_edges = false;  // the pairs of a sentence become features, where they are not
  double t = 0, scale = 1;       // steps made so far, z
  bool averaging = false;
  double summed_scale = 0;       // Z
  int64_t averaged = 0;          // how many θ are in the average
  double cost = 0;               // of a wrong label
  bool adaptive = false;
  double floor = 1e-3;           // δ
  bool respond_edges = true;
  const Response* response = nullptr;
  const Counted* counted = nullptr;
  Limits limits;
  Arrays theta, squares, rest;   // θ̄, S, R
  // out
  double loss = 0;
  int64_t fallbacks = 0;
  int64_t failed = -1;           // the sentence where the loss stopped being a number
};

// θ̄ ← z θ̄, for a new z of 1. What is flushed becomes +0.0, for a weight of −0.0 is not a feature. The sum Z θ̄ − R of
// the average is moved into R and Z starts again from 0: dividing Z by z, again and again, would leave float's range.
inline void fold(float* theta, float* rest, int64_t size, double z, double Z) {
  for (int64_t k = 0; k < size; ++k) {
    if (theta[k] == 0) continue;
    if (rest) rest[k] = float(rest[k] - Z * theta[k]);
    const float w = float(theta[k] * z);
    theta[k] = w == 0 ? 0.f : w;
  }
}

// −0.0 is not a feature, +0.0 is. A feature that is new has no squares yet, whatever was added in its lane before.
inline void make_feature(float* theta, float* squares, int64_t k) {
  if (theta[k] != 0 || !std::signbit(theta[k])) return;
  theta[k] = 0.f;
  if (squares) squares[k] = 0.f;
}

// The pairs of attribute and known label, and the transitions, that a sentence shows.
template <Rows R> void observe(const Corpus& c, const Layout& at, const Pass& pass, int64_t s) {
  const int32_t* y = c.labels + c.tokens[s];
  for (int64_t t = 1; pass.observe_edges && t < c.length(s); ++t)
    if (y[t - 1] >= 0 && y[t] >= 0)
      make_feature(pass.theta.trans, pass.adaptive ? pass.squares.trans : nullptr, int64_t(y[t - 1]) * at.Lp() + y[t]);
  if (!pass.observe_states) return;
  each_slot<R>(c, at, s, [&](int64_t k0, int64_t k1, int64_t from, int64_t to) {
    for (int64_t n = from; n < to; ++n) {
      const int32_t label = y[c.position[n]];
      for (int64_t k = k0; label >= 0 && k < k1; ++k)
        if (block_of<R>(at.column, k, k0) == label / W)
          make_feature(pass.theta.state, pass.adaptive ? pass.squares.state : nullptr, k * W + label % W);
    }
  });
}

// The change of one block of weights: u through the response and the metric, times the step.
template <bool Respond, bool Adaptive, bool Average> struct Change {
  Response f;
  Vec<float> gain, floor, Z;

  inline void operator()(float* theta, float* squares, float* rest, int64_t k, Vec<float> u) const {
    const Vec<float> w = load(theta + k);
    const IVec<float> lanes = features<float>(w);
    if (Respond && !any(lanes)) return;
    step(theta, squares, rest, k, w, Respond ? f(u) : u);
  }

  // The same for a direction that is already known.
  inline void step(float* theta, float* squares, float* rest, int64_t k, const Vec<float>& w, Vec<float> r) const {
    const IVec<float> lanes = features<float>(w);
    if (Adaptive) {
      const Vec<float> s = load(squares + k) + r * r;
      store<float>(squares + k, s);
      r = r / (vsqrt(s) + floor);
    }
    const Vec<float> d = keep<float>(gain * r, lanes);
    store<float>(theta + k, changed<float>(w, d));
    if (Average) store<float>(rest + k, load(rest + k) - Z * d);
  }
};

// The step of a sentence's transitions, whose directions depend on E and Ẽ separately.
template <class Step>
void counted_edges(const Corpus& c, const Layout& at, const Pass& pass, int64_t s, const float* edge, const Step& step,
                   std::vector<float>& edge_counts, Exactly& rest) {
  const Arrays &theta = pass.theta, &squares = pass.squares, &averaged = pass.rest;
  const int Lp = at.Lp();
  const int64_t n = c.length(s);
  const int32_t* y = c.labels + c.tokens[s];
  for (int64_t t = 1; t < n; ++t) edge_counts[size_t(y[t - 1]) * Lp + y[t]] += 1;
  for (int64_t k = 0; k < int64_t(at.L) * Lp; k += W) {
    const Vec<float> w = load(theta.trans + k), u = load(edge + k);
    const float* counts = &edge_counts[size_t(k)];
    bool gold = false;
    for (int i = 0; i < W; ++i) gold = gold || counts[i] != 0;
    Vec<float> r = u;
    if (pass.respond_edges) r = pass.counted->without_gold(gold ? blank_gold(u, counts) : u);
    if (pass.respond_edges && gold) r = correct_gold(*pass.counted, u, r, counts, theta.trans, k, true, rest);
    step.step(theta.trans, squares.trans, averaged.trans, k, w, r);
  }
  for (int64_t t = 1; t < n; ++t) edge_counts[size_t(y[t - 1]) * Lp + y[t]] = 0;
}

// What no table knows: the exact directions, asked for once a sentence.
template <class Step> void exact_step(const Pass& pass, const Step& step, Exactly& rest) {
  if (rest.where.empty()) return;
  {
    KeepSubnormals keep;  // a function of the user's
    pass.counted->exact(rest.E, rest.empirical, rest.direction);
  }
  for (size_t i = 0; i < rest.where.size(); ++i) {
    const bool transition = rest.where[i] < 0;
    const int64_t at_weight = transition ? -1 - rest.where[i] : rest.where[i], base = at_weight / W * W;
    float lanes[W] = {};
    lanes[at_weight % W] = float(rest.direction[i]);
    float* weights = transition ? pass.theta.trans : pass.theta.state;
    step.step(weights, transition ? pass.squares.trans : pass.squares.state,
              transition ? pass.rest.trans : pass.rest.state, base, load(weights + base), load(lanes));
  }
  rest.clear();
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
  Scratch<float> directions, allowed_trans;
  const int32_t* position = c.position;
  const float* value = c.value;
  const uint16_t* column = at.column;
  double& z = pass.scale;  // up to date also where a user's function throws
  for (int64_t i = 0; i < count; ++i) {
    const int64_t s = order[i], n = c.length(s);
    if (n == 0) continue;
    const int32_t* y = c.labels + c.tokens[s];
    if (pass.observe_states || pass.observe_edges) observe<R>(c, at, pass, s);
    float* scores = lattice.room_for(n);
    sum_scores<R>(c, at, theta.state, s, scores, i + 1 < count ? order[i + 1] : -1, i + 2 < count ? order[i + 2] : -1,
                  Adaptive ? squares.state : nullptr, Average ? rest.state : nullptr);
    pass.limits.forbid(c, at, s, scores);
    const float scale = float(z);  // for all: of large scores, the difference between z and this would be seen
    for (int64_t t = 0; pass.cost != 0 && t < n; ++t)
      if (y[t] >= 0) scores[t * Lp + y[t]] -= float(pass.cost) / scale;
    lattice.set_transitions(pass.limits.in_force(at, theta.trans, allowed_trans), scale);
    const bool known = c.complete || all_known(y, n);
    const double loss = known ? lattice.run(scale, true) - double(scale) * path_score(at, scores, theta.trans, y, n)
                              : expected.run(lattice, at, y, n, scale);
    if (!std::isfinite(loss)) {
      pass.failed = s;
      break;
    }
    pass.loss += c.weight[s] * loss;

    float *D = lattice.node, *edge = lattice.edge;
    for (int64_t t = 0; known && t < n; ++t) {
      D[t * Lp + y[t]] -= 1;
      if (t) edge[int64_t(y[t - 1]) * Lp + y[t]] -= 1;
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
    const auto step_slot = [=, &c, &at, &pass, &leftover](int64_t k0, int64_t k1, int64_t from, int64_t to) {
      if (to - from == 1 && !value) {
        const float* f = F + int64_t(position[from]) * Lp;
        for (int64_t k = k0; k < k1; ++k)
          change.step(theta.state, squares.state, rest.state, k * W, load(theta.state + k * W),
                      load(f + block_of<R>(column, k, k0) * W));
      } else if (counted) {
        counted_slot<R>(c, at, *pass.counted, s, D, theta.state, k0, k1, from, to, leftover,
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
      expected.collect<R>(c, at, s, theta.state, theta.trans, n > 1 && pass.respond_edges, leftover);
    else
      each_slot<R>(c, at, s, step_slot);
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
    exact_step(pass, change, leftover);

    z *= shrink;
    pass.t += 1;
    if (Average) pass.summed_scale += z, ++pass.averaged;
    // Fold z into the weights before it leaves float's range; and sooner where Z θ̄ − R, of weights that grow as z falls,
    // would lose its digits.
    if (z < (Average ? 1e-3 : 1e-9)) {
      fold(theta.state, Average ? rest.state : nullptr, at.B * W, z, pass.summed_scale);
      fold(theta.trans, Average ? rest.trans : nullptr, int64_t(at.L) * Lp, z, pass.summed_scale);
      pass.summed_scale = 0;
      z = 1;
    }
  }
  pass.fallbacks += lattice.fallbacks;
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
