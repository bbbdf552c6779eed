// How the expected transitions of a sentence are kept in a stochastic pass, and how they change the weights.
//
//     listed    one number for each pair with a weight, where these are few among many labels (seen_pairs.hpp)
//     matrix    [L, Lp]
//
// The form depends on the features and on the pass, never on threads or blocks. A matrix is large: that of 400 labels has 640 kB.
// So what it is made of is handed on instead, and who owns some of the weights makes their rows of it (`step_factors`).
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "kernel/chain/chains_together.hpp"

namespace tagfield {

// A sentence's change of the transitions, and its directions in their form.
template <class Change> struct Directed {
  Change change;
  const float* edge;
};

class TransitionForm {
  int64_t cells_;
  std::unique_ptr<const SeenPairs> pairs_;

 public:
  // `fixed`: no feature is added on the way, and no rule forbids a pair.
  TransitionForm(const Layout& at, const float* trans, bool fixed)
      : cells_(int64_t(at.L) * at.Lp()), pairs_(fixed ? SeenPairs::where_they_pay(at, trans) : nullptr) {}

  const SeenPairs* pairs() const { return pairs_.get(); }
  int64_t size() const { return pairs_ ? pairs_->padded() : cells_; }

  // Takes the gold pair (i, j) from the expected transitions.
  void subtract(const Layout& at, float* edge, int i, int j) const {
    const int64_t k = pairs_ ? pairs_->find(i, j) : int64_t(i) * at.Lp() + j;
    if (k >= 0) edge[k] -= 1;
  }

  // Changes the weights whose places are in [from, to) of the matrix, by the directions of one sentence after another.
  template <class Change>
  void step(const std::vector<Directed<Change>>& by, float* theta, float* squares, float* rest, int64_t from, int64_t to) const {
    if (!pairs_) {
      for (const Directed<Change>& one : by)
        for (int64_t k = from; k < to; k += W) one.change.step(theta, squares, rest, k, load(theta + k), load(one.edge + k));
      return;
    }
    const auto begin = pairs_->place.begin(), end = pairs_->place.end();
    const int64_t first = std::lower_bound(begin, end, from) - begin, last = std::lower_bound(begin, end, to) - begin;
    for (int64_t p = first; p < last; p += W) {
      const int count = int(std::min<int64_t>(W, last - p));
      const int64_t* place = &pairs_->place[size_t(p)];
      float w[W], s[W] = {}, r[W] = {};
      for (int k = 0; k < W; ++k) w[k] = -0.f;  // no feature
      for (int k = 0; k < count; ++k) w[k] = theta[place[k]];
      for (int k = 0; squares && k < count; ++k) s[k] = squares[place[k]];
      for (int k = 0; rest && k < count; ++k) r[k] = rest[place[k]];
      for (const Directed<Change>& one : by) one.change.step(w, s, r, 0, load(w), load(one.edge + p));
      for (int k = 0; k < count; ++k) theta[place[k]] = w[k];
      for (int k = 0; squares && k < count; ++k) squares[place[k]] = s[k];
      for (int k = 0; rest && k < count; ++k) rest[place[k]] = r[k];
    }
  }
};

// The expected transitions of several sentences, made from their factors, without their gold labels y: calls
// step(sentence, place, u) for each block of weights in [from, to) of the matrix. A tile of weights is changed by one sentence after
// another: by rows of whole matrices, factors and weights came from the second-level cache each time.
class MadeTogether {
#if defined(__AVX512F__)
  static constexpr int ROWS = 8;  // with two blocks, as many sums as stay in registers
#else
  static constexpr int ROWS = 4;
#endif
  struct Gold {
    int64_t tile;  // its place in the order of tiles
    int i, j;
  };
  struct Sentence {
    PairFactors<float> of;
    std::vector<Gold> gold;
    size_t next = 0;
  };
  std::vector<Sentence> sentences_;
  size_t count_ = 0;

  static int64_t tile_of(const PairFactors<float>& of, int i, int j) {
    return int64_t(j / (2 * W)) * ((of.L + ROWS - 1) / ROWS) + i / ROWS;
  }

  template <int G, class Step> void strip(int b0, int64_t from, int64_t to, Step& step) {
    const PairFactors<float>& any = sentences_[0].of;
    const int64_t Lp = any.Lp;
    for (int i0 = int(from / Lp) / ROWS * ROWS; i0 * Lp < to; i0 += ROWS)
      for (size_t k = 0; k < count_; ++k) {
        Sentence& one = sentences_[k];
        Vec<float> u[ROWS][G];
        one.of.tile<ROWS, G>(i0, b0, u);
        const int64_t tile = tile_of(any, i0, b0 * W);
        while (one.next < one.gold.size() && one.gold[one.next].tile < tile) ++one.next;  // those of other owners
        for (; one.next < one.gold.size() && one.gold[one.next].tile == tile; ++one.next) {
          const Gold& gold = one.gold[one.next];
          Vec<float>& at = u[gold.i - i0][gold.j / W - b0];
          float lanes[W];
          store<float>(lanes, at);
          lanes[gold.j % W] -= 1;
          at = load(lanes);
        }
        for (int r = 0; r < ROWS && i0 + r < any.L; ++r)
          for (int b = 0; b < G; ++b) {
            const int64_t place = (i0 + r) * Lp + (b0 + b) * W;
            if (place >= from && place < to) step(k, place, u[r][b]);
          }
      }
  }

 public:
  void clear() { count_ = 0; }
  size_t size() const { return count_; }
  void add(const PairFactors<float>& of, const int32_t* y) {
    if (count_ == sentences_.size()) sentences_.emplace_back();
    Sentence& one = sentences_[count_++];
    one.of = of, one.next = 0, one.gold.clear();
    for (int64_t t = 1; t <= of.n; ++t) one.gold.push_back({tile_of(of, y[t - 1], y[t]), y[t - 1], y[t]});
    std::sort(one.gold.begin(), one.gold.end(), [](const Gold& a, const Gold& b) { return a.tile < b.tile; });
  }

  template <class Step> void each(int64_t from, int64_t to, Step step) {
    const int blocks = count_ ? sentences_[0].of.Lp / W : 0;
    int b = 0;
    for (; b + 2 <= blocks; b += 2) strip<2>(b, from, to, step);
    if (b < blocks) strip<1>(b, from, to, step);
  }
};

// The plain sentences of one thread's share of a block, which take the lattices of blocks together.
class WaitingChains {
  const Layout& at_;
  BlockLattice<float> lattice_;
  struct Waiting {
    int item;
    BlockChain<float> chain;
  };
  std::vector<Waiting> waiting_;

 public:
  WaitingChains(const Layout& at, const TransitionForm& form) : at_(at), lattice_(at, form.pairs()) {}

  // Whether sentences with so many labels wait for each other.
  static bool pays(const Layout& at) { return at.L > SeenPairs::FEW; }

  int64_t fallbacks() const { return lattice_.fallbacks; }

  void start(const float* trans, float z, bool strict) {
    lattice_.strict = strict;
    lattice_.set_transitions(trans, z);
    waiting_.clear();
  }
  // Scores [n, Lp], which stay until `run`, and where the nodes go.
  void add(int item, const float* scores, int64_t n, float* node) { waiting_.push_back({item, {scores, n, node, 0, false}}); }

  // Calls done(item, log Z, edges, here, factors) for each, where edges(out) writes its expected transitions. Where they are, or
  // their factors, is told if they last until the next block.
  template <class Done> void run(float z, Done done) {
    std::stable_sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) { return a.chain.n > b.chain.n; });
    for (size_t first = 0; first < waiting_.size(); first += W) {
      const int count = int(std::min<size_t>(W, waiting_.size() - first));
      BlockChain<float> chains[W];
      for (int k = 0; k < count; ++k) chains[k] = waiting_[first + size_t(k)].chain;
      lattice_.run(chains, count, z, true);
      const bool last = waiting_.size() <= W;
      for (int k = 0; k < count; ++k)
        done(waiting_[first + size_t(k)].item, chains[k].log_z, [&](float* out) { lattice_.edges(k, chains[k].n, out); },
             last ? lattice_.edges_in_place(k, chains[k].n) : nullptr,
             last ? lattice_.factors(k, chains[k].n) : PairFactors<float>{});
    }
    waiting_.clear();
  }
};

}  // namespace tagfield
