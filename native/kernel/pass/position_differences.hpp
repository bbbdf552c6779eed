// What a stochastic pass needs of a sentence whose transitions look at the input: its lattice, and E − Ẽ of every pair of
// labels at the positions t that have edge attributes.
//
//     u(e, i, j) = Σ_{occurrences of e, at t} value · (P(y_{t−1} = i, y_t = j) − Ẽ_t(i, j))
//
// Ẽ_t is 1 for the gold pair, or where labels are unknown, the probability among the paths that agree with those known.
#pragma once
#include <utility>
#include <vector>

#include "kernel/chain/position_weights.hpp"
#include "kernel/pass/step.hpp"

namespace tagfield {

struct PositionDifferences {
  explicit PositionDifferences(const Layout& at) : at_(at), size_(int64_t(at.L) * at.Lp()) {}

  // The pairs of a chain that has run. Those of the run before are kept.
  TAGFIELD_NOINLINE void keep(const PositionChain& chain, int64_t n) {
    place_.assign(size_t(n), -1);
    int64_t own = 0;
    for (int64_t t = 1; t < n; ++t)
      if (chain.has_own(t)) place_[size_t(t)] = size_ * own++;
    std::swap(pairs_, before_);
    pairs_.reserve(own * size_);
    for (int64_t t = 1; t < n; ++t)
      for (int64_t k = 0; place_[size_t(t)] >= 0 && k < size_; ++k) pairs_[place_[size_t(t)] + k] = float(chain.pair(t)[k]);
  }

  // The pairs become E − Ẽ where every label is known.
  void subtract_gold(const int32_t* y, int64_t n) {
    for (int64_t t = 1; t < n; ++t)
      if (place_[size_t(t)] >= 0) pairs_[place_[size_t(t)] + int64_t(y[t - 1]) * at_.Lp() + y[t]] -= 1;
  }

  // After a run over all paths and one over those that agree with the known labels: E stays in before_, Ẽ in known_.
  void subtract_agreeing() {
    int64_t own = 0;
    for (int64_t place : place_) own += place >= 0;
    known_.reserve(own * size_);
    for (int64_t k = 0; k < own * size_; ++k) known_[k] = pairs_[k], pairs_[k] = before_[k] - pairs_[k];
  }

  // Visits every block of weights of the sentence's edge attributes in the groups `mine`: fn(place of its first weight, u).
  template <class Fn> void each_difference(const Corpus& c, int64_t s, Groups mine, Fn fn) const {
    each_block(c, s, mine, [&](int64_t, int64_t k, int i, int b, int64_t from, int64_t to) {
      fn(k * W, sum(c, pairs_, i, b, from, to));
    });
  }

  // The same where the direction depends on E and Ẽ separately: fn(place, weights, direction).
  template <class Fn> void each_counted(const Corpus& c, int64_t s, Groups mine, const Pass& pass, Exactly* rest, Fn fn) const {
    const int32_t* y = c.labels + c.tokens[s];
    each_block(c, s, mine, [&](int64_t e, int64_t k, int i, int b, int64_t from, int64_t to) {
      if (rest) rest->group = group_of(e);
      const Vec<float> w = load(pass.theta.edge + k * W), u = sum(c, pairs_, i, b, from, to);
      if (!pass.respond_edges) return fn(k * W, w, u);
      float counts[W] = {};
      bool gold = false;
      for (int64_t n = from; n < to; ++n) {
        const int64_t t = c.edges.position[n];
        if (y[t - 1] != i || y[t] / W != b) continue;
        counts[y[t] % W] += c.edges.value ? c.edges.value[n] : 1.f, gold = true;
      }
      Vec<float> r = pass.counted->without_gold(gold ? blank_gold(u, counts) : u);
      if (gold) r = correct_gold(*pass.counted, u, r, counts, pass.theta.edge, k * W, Part::EDGE, rest);
      fn(k * W, w, r);
    });
  }

  // u and, where it is asked for, Ẽ: fn(edge attribute, place of its first weight, u, Ẽ).
  template <class Fn> void each_expected(const Corpus& c, int64_t s, Groups mine, bool counting, bool known, Fn fn) const {
    const int32_t* y = c.labels + c.tokens[s];
    each_block(c, s, mine, [&](int64_t e, int64_t k, int i, int b, int64_t from, int64_t to) {
      float counts[W] = {};
      for (int64_t n = from; counting && known && n < to; ++n) {
        const int64_t t = c.edges.position[n];
        if (y[t - 1] == i && y[t] / W == b) counts[y[t] % W] += c.edges.value ? c.edges.value[n] : 1.f;
      }
      fn(e, k * W, sum(c, pairs_, i, b, from, to), counting && !known ? sum(c, known_, i, b, from, to) : load(counts));
    });
  }

  // E and Ẽ of every edge weight of a sentence with unknown labels, for the exact direction.
  void collect(const Corpus& c, int64_t s, const float* theta, Exactly& into) const {
    each_block(c, s, Groups{}, [&](int64_t a, int64_t k, int i, int b, int64_t from, int64_t to) {
      float e[W], known[W];
      store<float>(e, sum(c, before_, i, b, from, to)), store<float>(known, sum(c, known_, i, b, from, to));
      into.group = group_of(a);
      for (int lane = 0; lane < W; ++lane) into.add(theta, k * W + lane, double(e[lane]), double(known[lane]), Part::EDGE);
    });
  }

 private:
  const Layout& at_;
  int64_t size_;
  std::vector<int64_t> place_;  // [n] where the pairs of a position are; −1 where it has no edge attribute
  Scratch<float> pairs_, before_, known_;

  template <class Fn> void each_block(const Corpus& c, int64_t s, Groups mine, Fn fn) const {
    each_edge_slot(c.edges, at_, s, [&](int64_t e, int64_t from, int64_t to) {
      for (int i = 0; mine.has(group_of(e)) && i < at_.L; ++i)
        at_.each_edge_block(e * at_.L + i, [&](int64_t k, int b) { fn(e, k, i, b, from, to); });
    });
  }
  // Not inlined: whether GCC contracts the r·r of a step that follows would depend on what else is in the file.
  TAGFIELD_NOINLINE Vec<float> sum(const Corpus& c, const Scratch<float>& of, int i, int b, int64_t from, int64_t to) const {
    const EdgeSlots& e = c.edges;
    Vec<float> u{};
    for (int64_t n = from; n < to; ++n) {
      const Vec<float> pair = load(&of[place_[size_t(e.position[n])] + int64_t(i) * at_.Lp() + b * W]);
      u += e.value ? pair * e.value[n] : pair;
    }
    return u;
  }
};

}  // namespace tagfield
