// What one step of a stochastic pass is made of: the settings of a pass, the change of a block of weights, features that
// a stream shows for the first time, and the exact directions that no table knows. stochastic.hpp has the formulas.
#pragma once
#include <cmath>
#include <functional>
#include <vector>

#include "kernel/pass/counted.hpp"
#include "kernel/chain/position_weights.hpp"
#include "kernel/pass/minibatch.hpp"
#include "kernel/corpus/groups.hpp"
#include "kernel/pass/preconditioner.hpp"
#include "kernel/pass/response.hpp"
#include "kernel/chain/limits.hpp"

namespace tagfield {

// ‖x‖², summed in double: one pass over memory, and the same bits whatever BLAS is installed.
double squared_norm(const float* x, int64_t n);

constexpr int MAX_BLOCK = 1024;

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
  Preconditioner preconditioner = Preconditioner::FLAT;
  double floor = 1e-3;           // δ of adaptive and newton
  int skip = 16;                 // of sgdqn: steps from one look at the curvature to the next
  double most = 100;             // of sgdqn: the largest curvature, in multiples of C
  double mu = 0.1, memory = 1;   // of smd: μ, λ
  bool respond_edges = true;
  int block = 1, threads = 1;    // sentences that share their weights; threads never change a bit
  double least_work = 0;         // ns that a block must take on one thread, or there is only one
  std::function<void()> pulse;   // called on the calling thread now and then; may throw
  const Response* response = nullptr;
  const Counted* counted = nullptr;
  int64_t minibatch = 1;         // sentences of one step
  bool mean = false;             // of their differences; else the sum
  bool ends = true;              // a mini-batch ends with this call, however short
  Gathered* gathered = nullptr;  // where there are mini-batches, or kinds of features (minibatch_step.hpp)
  Kinds kinds;
  Limits limits;
  Arrays theta, squares, rest;   // θ̄, S, R; of sgdqn and smd, preconditioner.hpp says what is in the place of S
  Arrays velocity;               // v̄ of smd
  bool remembers() const { return preconditioner != Preconditioner::FLAT; }
  // What a step over n sentences takes of the penalty, in the unit of its sums or means.
  double share_of(int64_t n) const { return mean ? double(n) / double(minibatch) : double(n); }
  // out
  double loss = 0;
  int64_t fallbacks = 0;
  int64_t steps = 0;             // of mini-batches
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

// The pairs of attribute and known label, the transitions, and the triples of edge attributes that a sentence shows.
template <Rows R> void observe(const Corpus& c, const Sentence& x, const Layout& at, const Pass& pass, int64_t s) {
  const int32_t* y = x.y;
  if (pass.observe_edges && c.edges.in(s))
    each_edge_slot(c.edges, at, s, [&](int64_t e, int64_t from, int64_t to) {
      for (int64_t n = from; n < to; ++n) {
        const int64_t t = c.edges.position[n];
        if (y[t - 1] < 0 || y[t] < 0) continue;
        const int64_t k = at.edge_place(e * at.L + y[t - 1], y[t]);
        if (k >= 0) make_feature(pass.theta.edge, pass.remembers() ? pass.squares.edge : nullptr, k);
      }
    });
  for (int64_t t = 1; pass.observe_edges && t < x.n; ++t)
    if (y[t - 1] >= 0 && y[t] >= 0)
      make_feature(pass.theta.trans, pass.remembers() ? pass.squares.trans : nullptr, int64_t(y[t - 1]) * at.Lp() + y[t]);
  if (!pass.observe_states) return;
  each_slot<R>(x, at, [&](int64_t k0, int64_t k1, int64_t from, int64_t to) {
    for (int64_t n = from; n < to; ++n) {
      const int32_t label = y[x.position[n]];
      for (int64_t k = k0; label >= 0 && k < k1; ++k)
        if (block_of<R>(at.column, k, k0) == label / W)
          make_feature(pass.theta.state, pass.remembers() ? pass.squares.state : nullptr, k * W + label % W);
    }
  });
}

// The change of one block of weights: u through the response and the preconditioner, times the step.
template <bool Respond, Preconditioner M, bool Average> struct Change {
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
    if constexpr (M != Preconditioner::FLAT) r = scaled<M>(r, squares + k, floor);
    const Vec<float> d = keep<float>(gain * r, lanes);
    store<float>(theta + k, changed<float>(w, d));
    if (Average && (M == Preconditioner::FLAT || rest)) store<float>(rest + k, load(rest + k) - Z * d);
  }
};

// The directions of a sentence's transitions where they depend on E and Ẽ separately, in the place of u = E − Ẽ [L, Lp].
// counts [L, Lp] is zeros, before and after.
inline void count_edges(const Sentence& x, const Layout& at, const Counted& f, const float* theta, float* edge, float* counts,
                        Exactly& rest) {
  const int64_t Lp = at.Lp();
  for (int64_t t = 1; t < x.n; ++t) counts[x.y[t - 1] * Lp + x.y[t]] += 1;
  for (int64_t k = 0; k < at.L * Lp; k += W) {
    const Vec<float> u = load(edge + k);
    bool gold = false;
    for (int i = 0; i < W; ++i) gold = gold || counts[k + i] != 0;
    Vec<float> r = f.without_gold(gold ? blank_gold(u, counts + k) : u);
    if (gold) r = correct_gold(f, u, r, counts + k, theta, k, Part::TRANS, &rest);
    store<float>(edge + k, r);
  }
  for (int64_t t = 1; t < x.n; ++t) counts[x.y[t - 1] * Lp + x.y[t]] = 0;
}

}  // namespace tagfield
