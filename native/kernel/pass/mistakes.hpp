// Where the guess ŷ of a sentence differs from gold y, for the margin algorithms: δ = Φ(x, y) − Φ(x, ŷ) is 0 elsewhere.
//
// Most tokens of a mislabelled sentence are right, so most of its attributes do not change. `hits` are the others. An
// attribute without values that occurs once has two weights that change, by +1 and −1: those are visited one by one, all
// others by blocks of u = Σ value · D, as in scores.hpp.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "kernel/chain/position_weights.hpp"
#include "kernel/corpus/scores.hpp"

namespace tagfield {

inline bool is_feature(float weight) {
  uint32_t bits;
  std::memcpy(&bits, &weight, 4);
  return bits != 0x80000000u;  // −0.0
}

class Mistakes {
 public:
  const float* D = nullptr;  // [n, Lp]  +1 at y_t and −1 at ŷ_t where they differ
  std::vector<float> edge;   // [L, Lp]  the same for the transitions of the two paths

  explicit Mistakes(const Layout& at) : edge(size_t(at.L) * size_t(at.Lp())), at_(at) {}

  // Returns how many labels are wrong; only if there are any, the rest is filled in.
  int64_t find(const Sentence& x, const int32_t* g) {
    const int64_t n = x.n, Lp = at_.Lp();
    const int32_t* y = x.y;
    int64_t count = 0;
    for (int64_t t = 0; t < n; ++t) count += g[t] != y[t];
    if (!count) return 0;
    float* d = difference_.reserve(n * Lp);
    uint8_t* wrong = wrong_.reserve(n);
    std::fill(d, d + n * Lp, 0.f);
    std::fill(edge.begin(), edge.end(), 0.f);
    for (int64_t t = 0; t < n; ++t) {
      wrong[t] = g[t] != y[t];
      if (wrong[t]) d[t * Lp + y[t]] = 1, d[t * Lp + g[t]] = -1;
      if (t && (wrong[t] || wrong[t - 1])) edge[size_t(y[t - 1] * Lp + y[t])] += 1, edge[size_t(g[t - 1] * Lp + g[t])] -= 1;
    }
    D = d, y_ = y, g_ = g;
    hits_.clear();
    const int32_t *stop = x.stop, *position = x.position;
    for (int64_t s = 0, from = 0; s < x.D; from = stop[s++]) {
      uint8_t hit = 0;
      for (int64_t i = from; i < stop[s]; ++i) hit |= wrong[position[i]];
      if (hit) hits_.push_back({x.attribute[s], int32_t(from), stop[s]});
    }
    return count;
  }

  // Asks for the rows of two arrays that will be visited.
  template <Rows R> void ask(const float* one, const float* two) const {
    for (const Hit& hit : hits_) {
      const int64_t k = R == Rows::FULL ? int64_t(hit.attribute) * at_.NB : at_.first[hit.attribute];
      const int64_t last = (R == Rows::FULL ? k + at_.NB : at_.first[hit.attribute + 1]) - 1;
      prefetch(one + k * W), prefetch(two + k * W), prefetch(two + std::max(k, last) * W);
    }
  }

  // Visits what changes: single(place of a weight, u) and block(block of weights, u).
  template <Rows R, class Single, class Block> void each(const Sentence& x, Single single, Block block) const {
    const int64_t Lp = at_.Lp();
    for (const Hit& hit : hits_)
      if (R == Rows::FULL && !x.value && hit.to == hit.from + 1) {
        const int64_t row = int64_t(hit.attribute) * Lp, t = x.position[hit.from];
        single(row + y_[t], 1.f), single(row + g_[t], -1.f);
      } else {
        visit<R>(x, hit, block);
      }
  }

  // The same by blocks alone.
  template <Rows R, class Block> void each_block(const Sentence& x, Block block) const {
    for (const Hit& hit : hits_) visit<R>(x, hit, block);
  }

 private:
  struct Hit {
    int32_t attribute, from, to;  // occurrences
  };

  template <Rows R, class Block> void visit(const Sentence& x, const Hit& hit, Block& block) const {
    const int64_t k0 = R == Rows::FULL ? int64_t(hit.attribute) * at_.NB : at_.first[hit.attribute];
    const int64_t k1 = R == Rows::FULL ? k0 + at_.NB : at_.first[hit.attribute + 1];
    for (int64_t k = k0; k < k1; ++k)
      block(k, difference(D + block_of<R>(at_.column, k, k0) * W, x.position, x.value, hit.from, hit.to, at_.Lp()));
  }

  const Layout& at_;
  Scratch<float> difference_;
  Scratch<uint8_t> wrong_;
  std::vector<Hit> hits_;
  const int32_t *y_ = nullptr, *g_ = nullptr;
};

// The same for the edge weights of a sentence: only the pairs of the two paths count, so δ is a short list.
struct EdgeDelta {
  int64_t place;  // of the weight
  double by;      // δ
};

struct EdgeDeltas {
  std::vector<EdgeDelta> deltas;

  explicit EdgeDeltas(const Layout& at) : at_(at) {}

  // δ of gold y and guess g, for the features of the edges that sentence s has. A sentence without any has none.
  TAGFIELD_NOINLINE void compare(const Corpus& c, const float* edge, int64_t s, const int32_t* y, const int32_t* g) {
    deltas.clear();
    if (!c.edges.in(s)) return;
    each_edge_slot(c.edges, at_, s, [&](int64_t e, int64_t from, int64_t to) {
      const auto add = [&](int32_t i, int32_t j, double by) {
        const int64_t k = at_.edge_place(e * at_.L + i, j);
        uint32_t bits = 0;
        if (k >= 0) std::memcpy(&bits, edge + k, 4);
        if (k >= 0 && bits != 0x80000000u) deltas.push_back({k, by});  // −0.0 is not a feature
      };
      for (int64_t n = from; n < to; ++n) {
        const int64_t t = c.edges.position[n];
        if (y[t - 1] == g[t - 1] && y[t] == g[t]) continue;
        const double value = c.edges.value ? double(c.edges.value[n]) : 1;
        add(y[t - 1], y[t], value), add(g[t - 1], g[t], -value);
      }
    });
    std::stable_sort(deltas.begin(), deltas.end(), [](const EdgeDelta& a, const EdgeDelta& b) { return a.place < b.place; });
    size_t last = 0;
    for (size_t i = 1; i < deltas.size(); ++i)
      if (deltas[i].place == deltas[last].place)
        deltas[last].by += deltas[i].by;
      else
        deltas[++last] = deltas[i];
    if (!deltas.empty()) deltas.resize(last + 1);
  }

 private:
  const Layout& at_;
};

}  // namespace tagfield
