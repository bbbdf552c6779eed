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
  Response none;                 // that of count 0 for u = E ≥ 0, its first row, read as if f were odd
  std::function<void(const std::vector<double>& E, const std::vector<double>& empirical, std::vector<double>& out)> exact;

  bool has(double count) const { return count == std::floor(count) && count >= 0 && count < double(tables.size()); }

  void add(const Response& table) {
    if (tables.empty()) {
      none = table;
      none.odd = true;
      none.find_straight();
    }
    tables.push_back(table);
  }

  TAGFIELD_INLINE Vec<float> without_gold(const Vec<float>& u) const {
    if (!any_negative(u)) return none(u);
    float lanes[W];  // only attributes with negative values come here
    store<float>(lanes, u);
    for (float& w : lanes) w = tables[0].at_count(w, 0);
    return load(lanes);
  }
};

// What a sentence leaves for the exact function.
struct Exactly {
  std::vector<double> E, empirical, direction;
  std::vector<int64_t> where;  // index of the weight; transitions count from minus one downwards

  void clear() { E.clear(), empirical.clear(), where.clear(); }
};

// Replaces the response of the lanes that have a count; those without a table get 0 and are collected.
inline Vec<float> correct_gold(const Counted& f, const Vec<float>& u, const Vec<float>& r, const float* counts,
                               const float* theta, int64_t base, bool transition, Exactly& rest) {
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

// u with 0 where there is a count: those lanes are negative, and are looked up elsewhere.
inline Vec<float> blank_gold(const Vec<float>& u, const float* counts) {
  float us[W];
  store<float>(us, u);
  for (int k = 0; k < W; ++k) us[k] = counts[k] == 0 ? us[k] : 0;
  return load(us);
}

// Visits every block of sentence s with its u and its response: fn(block, response).
template <Rows R, class Fn>
inline void each_counted(const Corpus& c, const Layout& at, const Counted& f, int64_t s, const float* D, const float* theta,
                         Exactly& rest, Fn fn) {
  const int Lp = at.Lp();
  const int32_t *position = c.position, *y = c.labels + c.tokens[s];
  const float* value = c.value;
  const uint16_t* column = at.column;
  each_slot<R>(c, at, s, [&, position, y, value, column, Lp](int64_t k0, int64_t k1, int64_t from, int64_t to) {
    for (int64_t k = k0; k < k1; ++k) {
      const int b = block_of<R>(column, k, k0);
      Vec<float> u{};
      bool gold = false;
      for (int64_t n = from; n < to; ++n) {
        const Vec<float> d = load(D + int64_t(position[n]) * Lp + b * W);
        u += value ? d * value[n] : d;
        gold = gold || y[position[n]] / W == b;
      }
      const Vec<float> w = load(theta + k * W);
      if (!any(features<float>(w))) continue;
      if (!gold) {
        fn(k, w, value ? f.without_gold(u) : f.none(u));
        continue;
      }
      if (to - from == 1 && !value) {  // nearly always: one gold label, counted once
        const int lane = y[position[from]] % W;
        float lanes[W];
        store<float>(lanes, f.none(u));
        lanes[lane] = f.tables[1].at_count(D[int64_t(position[from]) * Lp + b * W + lane], 1);
        fn(k, w, load(lanes));
        continue;
      }
      float counts[W] = {};
      for (int64_t n = from; n < to; ++n)
        if (y[position[n]] / W == b) counts[y[position[n]] % W] += value ? value[n] : 1.f;
      fn(k, w, correct_gold(f, u, f.without_gold(blank_gold(u, counts)), counts, theta, k * W, false, rest));
    }
  });
}

}  // namespace tagfield
