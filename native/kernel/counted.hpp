// Responses that depend on E and Ẽ separately (U4, U6, most γ): a table for each empirical count.
//
// Almost every (slot, label) has Ẽ = 0, and goes through the table of count 0 eight labels at a time. The gold labels
// of a slot have Ẽ = how often the attribute stands at them, and are looked up one by one in the table of that count.
// Where Ẽ is no small whole number (real-valued attributes) there is no table: those are collected, a sentence at a
// time, for a function that knows the exact direction.
#pragma once
#include <functional>
#include <vector>

#include "kernel/respond.hpp"
#include "kernel/scores.hpp"

namespace tagfield {

struct Counted {
  std::vector<Response> tables;  // of the counts 0, 1, 2, …
  std::function<void(const std::vector<double>& E, const std::vector<double>& empirical, std::vector<double>& out)> exact;

  bool has(double count) const { return count == std::floor(count) && count >= 0 && count < double(tables.size()); }

  Vec<float> without_gold(const Vec<float>& u) const {
    float lanes[W];
    store<float>(lanes, u);
    for (float v : lanes)
      if (v < 0) {
        for (float& w : lanes) w = tables[0].at_count(w, 0);
        return load(lanes);
      }
    return tables[0](u);
  }
};

// What a sentence leaves for the exact function.
struct Exactly {
  std::vector<double> E, empirical, direction;
  std::vector<int64_t> where;  // index of the weight; transitions count from minus one downwards

  void clear() { E.clear(), empirical.clear(), where.clear(); }
};

// The response of one block with known counts per label; lanes without a table get 0 and are collected.
inline Vec<float> respond_counted(const Counted& f, const Vec<float>& u, const float* counts, bool gold, const float* theta,
                                  int64_t base, bool transition, Exactly& rest) {
  Vec<float> r = f.without_gold(u);
  if (!gold) return r;
  float lanes[W], us[W];
  store<float>(lanes, r), store<float>(us, u);
  for (int k = 0; k < W; ++k) {
    const double c = double(counts[k]);
    if (c == 0) continue;
    if (f.has(c)) {
      lanes[k] = f.tables[size_t(c)].at_count(us[k], c);
    } else {
      lanes[k] = 0;
      uint32_t bits;
      std::memcpy(&bits, theta + base + k, 4);
      if (bits == 0x80000000u) continue;  // not a feature
      rest.E.push_back(double(us[k]) + c), rest.empirical.push_back(c);
      rest.where.push_back(transition ? -1 - (base + k) : base + k);
    }
  }
  return load(lanes);
}

// Like each_difference, with the empirical count of each label of the block: fn(block, u, counts, any gold?).
template <Rows R, class Fn>
inline void each_counted(const Corpus& c, const Layout& at, int64_t s, const float* D, Fn fn) {
  const int Lp = at.Lp();
  const int32_t *position = c.position, *y = c.labels + c.tokens[s];
  const float* value = c.value;
  const uint16_t* column = at.column;
  each_slot<R>(c, at, s, [&](int64_t k0, int64_t k1, int64_t from, int64_t to) {
    for (int64_t k = k0; k < k1; ++k) {
      const int b = block_of<R>(column, k, k0);
      Vec<float> u{};
      float counts[W] = {};
      bool gold = false;
      for (int64_t n = from; n < to; ++n) {
        const float v = value ? value[n] : 1.f;
        u += load(D + int64_t(position[n]) * Lp + b * W) * v;
        if (y[position[n]] / W == b) counts[y[position[n]] % W] += v, gold = true;
      }
      fn(k, u, counts, gold);
    }
  });
}

}  // namespace tagfield
