// The step of a mini-batch on the weights of one owner: gather the sentences, then f once and one step for each weight.
//
//     sum    θ̄ ← θ̄ − λ_t / ((1 − mCλ_t) z) · f(U, C)             m = n, the number of sentences
//     mean   θ̄ ← θ̄ − λ_t m / ((1 − mCλ_t) z) · f(U/n, C/n)       m = n/b: 1, or less for a short mini-batch
//     z  ← (1 − mCλ_t) z,   t ← t + m
//
// So with f(u) = u a sum is the gradient of the n sentences' share of the objective, and a mean at b times the rate is the same.
// The same loop serves mini-batches of one sentence where kinds of features have responses of their own.
#pragma once
#include <vector>

#include "kernel/pass/minibatch.hpp"
#include "kernel/pass/owned_step.hpp"

namespace tagfield {

// Directions that no table knows, of one owner: a list for each kind.
typedef std::vector<Exactly> Leftovers;

class MinibatchStep {
  static constexpr int AHEAD = 12;  // slots, or rows, whose memory is asked for before their turn

  const Corpus& c_;
  const Layout& at_;
  const Pass& pass_;
  const Share share_;
  const Kinds& kinds_;
  Gathered& to_;
  OwnedTransitions transitions_;

 public:
  MinibatchStep(const Corpus& c, const Layout& at, const Pass& pass, const ChainForm& form, const Share& share)
      : c_(c), at_(at), pass_(pass), share_(share), kinds_(pass.kinds), to_(*pass.gathered), transitions_(form, share.from, share.to) {}

  // Adds sentence k of a bundle, and asks for rows of the next one.
  void gather(const Bundle& bundle, int k, const Item& item, RowsAhead& rows) {
    const Sentence& x = bundle.x[size_t(k)];
    const float weight = pass_.minibatch > 1 ? float(x.weight) : 1.f;
    with_rows(at_, [&](auto kind) {
      int turn = 0;
      for (int g = share_.groups.begin; g < share_.groups.end; ++g)
        gather_rows<decltype(kind)::value>(x, bundle.groups[size_t(k)].data(), g, item, weight, rows, turn);
    });
    if (x.n > 1) gather_transitions(x, item, weight);
    if (item.looks) gather_edges(bundle.order[k], item, weight);
  }

  // One step with what was gathered of `sentences`, for directions that tables know; collects the others.
  void apply(const Progress& now, int64_t sentences, double weight, Leftovers& left) {
    with_change(now, sentences, weight, [&](const auto& plain) { apply_with(plain, sentences, left); });
  }

  // The rest of the step, from the exact directions.
  void apply_exactly(const Progress& now, int64_t sentences, double weight, const Leftovers& left) {
    with_change(now, sentences, weight, [&](const auto& plain) {
      for (const Exactly& each : left)
        for (size_t i = 0; i < each.where.size(); ++i) {
          const Part part = each.part[i];
          const int64_t base = each.where[i] / W * W;
          float lanes[W] = {};
          lanes[each.where[i] % W] = float(each.direction[i]);
          float* weights = pass_.theta.of(part);
          plain.step(weights, pass_.squares.of(part), pass_.rest.of(part), base, load(weights + base), load(lanes));
        }
    });
  }

 private:
  template <class Plain> void apply_with(const Plain& plain, int64_t sentences, Leftovers& left) const {
    const Vec<float> share = splat(pass_.mean ? float(1 / double(sentences)) : 1.f);
    left.resize(kinds_.list.size());
    for (Exactly& each : left) each.clear();
    const Arrays &theta = pass_.theta, &squares = pass_.squares, &rest = pass_.rest;
    for (int g = share_.groups.begin; g < share_.groups.end; ++g) {
      for (Exactly& each : left) each.group = g;
      const std::vector<int32_t>& rows = to_.rows[g];
      for (size_t i = 0; i < rows.size(); ++i) {
        if (i + AHEAD < rows.size()) ask_row(rows[i + AHEAD]);
        const int64_t first = first_block(rows[i]), last = first_block(rows[i] + 1);
        if (Gathered::untouched(to_.u.state + first * W)) continue;
        const int kind = kinds_.state(rows[i]);
        for (int64_t k = first * W; k < last * W; k += W)
          step(plain, Part::STATE, theta.state, squares.state, rest.state, k, kind, share, left), clear(Part::STATE, k, -0.f);
      }
      for (const Gathered::Block& edge : to_.edges[g]) {
        if (Gathered::untouched(to_.u.edge + edge.k)) continue;
        step(plain, Part::EDGE, theta.edge, squares.edge, rest.edge, edge.k, edge.kind, share, left), clear(Part::EDGE, edge.k, -0.f);
      }
      to_.rows[g].clear(), to_.edges[g].clear();
    }
    for (int64_t k = share_.from; k < share_.to; k += W)
      step(plain, Part::TRANS, theta.trans, squares.trans, rest.trans, k, kinds_.transitions, share, left), clear(Part::TRANS, k, 0.f);
  }

  int64_t first_block(int64_t a) const { return at_.rows == Rows::FULL ? a * at_.NB : at_.first[a]; }

  // fn(the change of a block of weights), for the preconditioner and the averaging of the pass.
  template <class Fn> void with_change(const Progress& now, int64_t sentences, double weight, Fn fn) const {
    const double m = pass_.share_of(sentences);
    const float gain = float(weight * now.rate(pass_) * (pass_.mean ? m : 1) / (now.shrink(pass_, m) * now.z));
    const auto averaged = [&](auto preconditioner) {
      constexpr Preconditioner M = decltype(preconditioner)::value;
      const Vec<float> by = splat(gain), floor = splat(float(pass_.floor)), Z = splat(float(now.Z));
      pass_.averaging ? fn(Change<false, M, true>{Response{}, by, floor, Z}) : fn(Change<false, M, false>{Response{}, by, floor, Z});
    };
    with_preconditioner(pass_.preconditioner, averaged);
  }

  void ask_row(int64_t a) const {
    const int64_t k = first_block(a) * W, end = first_block(a + 1) * W;
    for (int64_t i = k; i < end && i < k + 64; i += 16) {
      prefetch(pass_.theta.state + i), prefetch(to_.u.state + i);
      if (pass_.remembers()) prefetch(pass_.squares.state + i);
      if (pass_.averaging) prefetch(pass_.rest.state + i);
    }
  }

  template <Rows R>
  TAGFIELD_NOINLINE void gather_rows(const Sentence& x, const int32_t* begin, int g, const Item& item, float weight, RowsAhead& rows,
                                     int& turn) {
    const int Lp = at_.Lp();
    const float *D = item.D, *value = x.value;
    const int32_t *position = x.position, *attribute = x.attribute, *stop = x.stop;
    const uint16_t* column = at_.column;
    float* u = to_.u.state;
    std::vector<int32_t>& touched = to_.rows[g];
    const Vec<float> by = splat(weight);
    const int64_t last = begin[g + 1];
    for (int64_t d = begin[g], from = d ? stop[d - 1] : 0; d < last; ++d) {
      const int64_t to = stop[d], k0 = first_block(attribute[d]), k1 = first_block(attribute[d] + 1);
      if (R == Rows::FULL && ++turn % 2) rows.step();
      if (d + AHEAD < last) {
        const float* row = u + first_block(attribute[d + AHEAD]) * W;
        prefetch(row), prefetch(row + 16);
      }
      if (k0 < k1 && Gathered::untouched(u + k0 * W)) touched.push_back(attribute[d]);
      for (int64_t k = k0; k < k1; ++k) {
        const int b = block_of<R>(column, k, k0);
        store<float>(u + k * W, load(u + k * W) + by * difference(D + b * W, position, value, from, to, Lp));
      }
      if (to_.empirical.state) count<R>(x, item, weight, k0, k1, from, to);
      from = to;
    }
  }

  // Ẽ of a slot: its gold labels, or where labels are unknown, what is likely among the paths that agree.
  template <Rows R>
  TAGFIELD_NOINLINE void count(const Sentence& x, const Item& item, float weight, int64_t k0, int64_t k1, int64_t from, int64_t to) const {
    float* counts = to_.empirical.state;
    for (int64_t k = k0; k < k1; ++k) {
      const int b = block_of<R>(at_.column, k, k0);
      if (!item.known) {
        const float* known = item.empirical.get() + b * W;
        const Vec<float> sum = difference(known, x.position, x.value, from, to, at_.Lp());
        store<float>(counts + k * W, load(counts + k * W) + splat(weight) * sum);
        continue;
      }
      for (int64_t n = from; n < to; ++n) {
        const int32_t y = x.y[x.position[n]];
        if (y / W == b) counts[k * W + y % W] += weight * (x.value ? x.value[n] : 1.f);
      }
    }
  }

  void gather_transitions(const Sentence& x, const Item& item, float weight) {
    float* counts = to_.empirical.trans;
    const int64_t from = share_.from, to = share_.to;
    const Vec<float> by = splat(weight);
    transitions_.add_to_matrix(item.transitions, weight, to_.u.trans);
    if (!counts) return;
    if (!item.known) {
      const float* known = item.edge_empirical.get();
      for (int64_t k = from; k < to; k += W) store<float>(counts + k, load(counts + k) + by * load(known + k));
      return;
    }
    for (int64_t t = 1; t < x.n; ++t) {
      const int64_t k = int64_t(x.y[t - 1]) * at_.Lp() + x.y[t];
      if (k >= from && k < to) counts[k] += weight;
    }
  }

  TAGFIELD_NOINLINE void gather_edges(int64_t s, const Item& item, float weight) const {
    const Vec<float> by = splat(weight);
    float *u = to_.u.edge, *counts = to_.empirical.edge;
    item.own_pairs->each_expected(c_, s, share_.groups, counts != nullptr, item.known,
                               [&](int64_t e, int64_t k, const Vec<float>& one, const Vec<float>& known) {
      if (Gathered::untouched(u + k)) to_.edges[group_of(e)].push_back({k, kinds_.edge(e)});
      store<float>(u + k, load(u + k) + by * one);
      if (counts) store<float>(counts + k, load(counts + k) + by * known);
    });
  }

  // f and the step for one block of weights.
  template <class Plain>
  TAGFIELD_INLINE void step(const Plain& plain, Part part, float* theta, float* squares, float* rest, int64_t k, int kind,
                            const Vec<float>& share, Leftovers& left) const {
    const Vec<float> w = load(theta + k);
    if (!any(features<float>(w))) return;
    const Vec<float> u = load(to_.u.of(part) + k) * share;
    const Kind& of = kinds_.list[size_t(kind)];
    if (of.counted)
      plain.step(theta, squares, rest, k, w, counted(*of.counted, part, theta, k, u, share, left[size_t(kind)]));
    else
      plain.step(theta, squares, rest, k, w, of.response ? (*of.response)(u) : u);
  }

  TAGFIELD_NOINLINE Vec<float> counted(const Counted& f, Part part, const float* theta, int64_t k, const Vec<float>& u,
                                       const Vec<float>& share, Exactly& left) const {
    float counts[W];
    store<float>(counts, load(to_.empirical.of(part) + k) * share);
    bool gold = false;
    for (float count : counts) gold = gold || count != 0;
    const Vec<float> r = f.without_gold(gold ? blank_gold(u, counts) : u);
    return gold ? correct_gold(f, u, r, counts, theta, k, part, &left) : r;
  }

  void clear(Part part, int64_t k, float nothing) const {
    store<float>(to_.u.of(part) + k, splat(nothing));
    if (to_.empirical.state) store<float>(to_.empirical.of(part) + k, Vec<float>{});
  }
};

}  // namespace tagfield
