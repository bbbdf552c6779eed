// Responses that depend on E and Ẽ separately (U4, U6, most γ): a table for each empirical count.
//
// Almost every (slot, label) has Ẽ = 0 and uses the table of count 0, eight labels at a time. A gold label of a slot has
// Ẽ = the number of positions where the attribute occurs with it, and is looked up in the table of that count. If Ẽ is
// not a small whole number, or E is negative (real-valued attributes), there is no table. Those cases are collected, one
// sentence at a time, and passed to a function that computes the exact direction.
#pragma once
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "kernel/pass/response.hpp"
#include "kernel/corpus/scores.hpp"

namespace tagfield {

struct Counted {
  std::vector<Response> tables;  // of the counts 0, 1, 2, …
  Response none;                 // that of count 0 for u = E ≥ 0, its first row, read as if f were odd
  std::function<void(const std::vector<double>& E, const std::vector<double>& empirical, std::vector<double>& out)> exact;

  // Whether a table knows this. E < 0, by more than rounding, comes of negative values only.
  bool has(double count, double u) const {
    return count == std::floor(count) && count >= 0 && count < double(tables.size()) && u + count > -1e-6 * (1 + count);
  }

  void add(const Response& table) {
    if (tables.empty()) {
      none = table;
      none.odd = true;
      none.find_first_curved();
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
  std::vector<int64_t> where;  // index of the weight
  std::vector<Part> part;      // and of which array
  std::vector<uint8_t> groups; // of the attributes, whose owners make the steps
  int group = 0;               // of what is added next

  void clear() { E.clear(), empirical.clear(), direction.clear(), where.clear(), part.clear(), groups.clear(), group = 0; }

  void add(const float* theta, int64_t k, double e, double known, Part of) {
    uint32_t bits;
    std::memcpy(&bits, theta + k, 4);
    if (bits == 0x80000000u) return;  // not a feature
    E.push_back(e), empirical.push_back(known), where.push_back(k), part.push_back(of), groups.push_back(uint8_t(group));
  }
};

// Replaces the response of the lanes that have a count; those without a table get 0, and are collected where `rest` is given.
inline Vec<float> correct_gold(const Counted& f, const Vec<float>& u, const Vec<float>& r, const float* counts,
                               const float* theta, int64_t base, Part part, Exactly* rest) {
  float lanes[W], us[W];
  store<float>(lanes, r), store<float>(us, u);
  for (int k = 0; k < W; ++k) {
    const double c = double(counts[k]);
    if (c == 0) continue;
    if (f.has(c, double(us[k]))) {
      lanes[k] = f.tables[size_t(c)].at_count(us[k], c);
    } else {
      lanes[k] = 0;
      if (rest) rest->add(theta, base + k, double(us[k]) + c, c, part);
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

// The responses of the positions by themselves: F [n, Lp] from D = E − Ẽ, where the gold label has counted once.
inline void respond_rows(const Counted& f, const float* D, const int32_t* y, int64_t n, int Lp, float* F) {
  const Response none = f.none, once = f.tables[1];
  for (int64_t t = 0; t < n; ++t, D += Lp, F += Lp) {
    for (int j = 0; j < Lp; j += W) {
      Vec<float> u = load(D + j);
      if (j == y[t] / W * W) u = vmax<float>(u, Vec<float>{});  // the gold lane is the only negative one
      store<float>(F + j, none(u));
    }
    F[y[t]] = once.at_count(D[y[t]], 1);
  }
}

// Visits the blocks of a slot with more than one occurrence, or with values: fn(block, weights, response).
template <Rows R, class Fn>
inline void counted_slot(const Sentence& x, const Layout& at, const Counted& f, const float* D, const float* theta, int64_t k0,
                         int64_t k1, int64_t from, int64_t to, Exactly* rest, Fn fn) {
  const int Lp = at.Lp();
  const int32_t *position = x.position, *y = x.y;
  const float* value = x.value;
  uint64_t gold = 0;  // which blocks have a gold label; beyond 64 blocks, which may have
  for (int64_t n = from; n < to; ++n) gold |= uint64_t(1) << (y[position[n]] / W & 63);
  for (int64_t k = k0; k < k1; ++k) {
    const Vec<float> w = load(theta + k * W);
    if (!any(features<float>(w))) continue;
    const int b = block_of<R>(at.column, k, k0);
    const Vec<float> u = difference(D + b * W, position, value, from, to, Lp);
    if (!(gold >> (b & 63) & 1)) {
      fn(k, w, value ? f.without_gold(u) : f.none(u));
      continue;
    }
    float counts[W] = {};
    for (int64_t n = from; n < to; ++n)
      if (y[position[n]] / W == b) counts[y[position[n]] % W] += value ? value[n] : 1.f;
    const Vec<float> r = f.without_gold(blank_gold(u, counts));
    fn(k, w, correct_gold(f, u, r, counts, theta, k * W, Part::STATE, rest));
  }
}

}  // namespace tagfield
