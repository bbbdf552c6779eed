// The corpus and the K weights of an optimiser, side by side: x holds the features one after the other, row by row,
// with no room for what is not a feature.
//
// A block of doubles for every attribute was tried first. Four in five attributes have one or two labels, so the blocks
// were mostly padding, and the passes waited for memory: the packed rows take a sixth of it and half the time. Rows that
// fill a sixth of the labels or more are the frequent ones, and stay in the cache; those are unfolded into full rows
// before a pass and folded back after it (`Rich`), for full rows need no look-up of labels.
#pragma once
#include <algorithm>
#include <tuple>
#include <vector>

#include "kernel/scores.hpp"

namespace tagfield {

class Packed {
  static constexpr int RICH = 6;    // a row is rich if it has Lp / RICH features
  static constexpr int AHEAD = 32;  // slots between asking for memory and using it

  struct Slot {
    uint32_t first, count;  // features of x; of a rich slot, `first` is the rich row
    int32_t stop;           // last occurrence, counted from the sentence's first
  };

  const Corpus& c_;
  Layout at_;
  std::vector<uint16_t> label_;    // [K]
  std::vector<Slot> slots_[2];     // poor and rich ones, each with AHEAD more, so that looking ahead needs no check
  std::vector<int64_t> from_[2];   // [S+1] where those of a sentence begin
  std::vector<int32_t> position_;  // [N], a sentence's poor slots first
  std::vector<float> value_;       // [N] or empty
  std::vector<int64_t> rich_;      // [rich rows, 2] their features in x

 public:
  // Attribute a has the features first[a] .. first[a+1], whose labels ascend.
  Packed(const Corpus& c, int labels, int64_t attributes, const int64_t* first, const int32_t* label) : c_(c) {
    at_.L = labels, at_.NB = (labels + W - 1) / W, at_.A = attributes;
    if (labels < 1 || labels > 65536 || c.classes > labels) throw std::invalid_argument("the labels do not fit");
    if (first[0] != 0 || c.attributes > attributes) throw std::invalid_argument("the rows do not fit the attributes");
    std::vector<int32_t> rich_row(size_t(attributes), -1);
    for (int64_t a = 0; a < attributes; ++a) {
      if (first[a + 1] < first[a] || first[a + 1] > int64_t(UINT32_MAX)) throw std::invalid_argument("the rows are not ascending");
      for (int64_t k = first[a]; k < first[a + 1]; ++k)
        if (label[k] < 0 || label[k] >= labels || (k > first[a] && label[k] <= label[k - 1]))
          throw std::invalid_argument("the labels of a row are not ascending");
      if ((first[a + 1] - first[a]) * RICH < at_.Lp()) continue;
      rich_row[size_t(a)] = int32_t(rich_.size() / 2);
      rich_.push_back(first[a]), rich_.push_back(first[a + 1]);
    }
    label_.assign(label, label + first[attributes]);
    arrange(first, rich_row);
  }

  const Corpus& corpus() const { return c_; }
  const Layout& layout() const { return at_; }
  int64_t features() const { return int64_t(label_.size()); }
  int64_t rich_size() const { return int64_t(rich_.size() / 2) * at_.Lp(); }

  void unfold(const double* x, double* rich) const {  // rich [rich_size()] becomes the rich rows of x
    for (size_t r = 0; r < rich_.size() / 2; ++r)
      for (int64_t k = rich_[2 * r]; k < rich_[2 * r + 1]; ++k) rich[r * size_t(at_.Lp()) + label_[size_t(k)]] = x[k];
  }
  void fold(const double* rich, double* gradient) const {  // and is added back
    for (size_t r = 0; r < rich_.size() / 2; ++r)
      for (int64_t k = rich_[2 * r]; k < rich_[2 * r + 1]; ++k)
        gradient[k] += rich[r * size_t(at_.Lp()) + label_[size_t(k)]];
  }

  // The gradient's rows are asked for at the same time: by the time the lattice is done they are there.
  void sum_scores(int64_t s, const double* x, const double* rich, double* scores, const double* gradient,
                  const double* grad_rich) const {
    const int64_t Lp = at_.Lp();
    blank_scores(at_, scores, c_.length(s));
    const uint16_t* label = label_.data();
    each_poor(s, [=](const Slot& slot, const Slot& later, const int32_t* from, const int32_t* to, const float* value) {
      prefetch(x + later.first), prefetch(label + later.first), prefetch(gradient + slot.first);
      for (uint32_t k = slot.first; k < slot.first + slot.count; ++k) {
        double* column = scores + label[k];
        for (const int32_t* p = from; p < to; ++p) column[*p * Lp] += value ? x[k] * double(value[p - from]) : x[k];
      }
    });
    each_rich(s, [=](int64_t row, int64_t later, int b0, auto width, const int32_t* from, const int32_t* to, const float* value) {
      constexpr int G = decltype(width)::value;
      for (int b = 0; b < G; ++b) prefetch(rich + later + (b0 + b) * W), prefetch(grad_rich + row + (b0 + b) * W);
      Vec<double> w[G];
      for (int b = 0; b < G; ++b) w[b] = load(rich + row + (b0 + b) * W);
      for (const int32_t* p = from; p < to; ++p) {
        double* out = scores + *p * Lp + b0 * W;
        for (int b = 0; b < G; ++b)
          store<double>(out + b * W, load(out + b * W) + (value ? w[b] * double(value[p - from]) : w[b]));
      }
    });
  }

  // Adds weight · Σ over the positions of value · D[position] to the gradient.
  void add_differences(int64_t s, const double* D, double weight, double* gradient, double* rich) const {
    const int64_t Lp = at_.Lp();
    const uint16_t* label = label_.data();
    each_poor(s, [=](const Slot& slot, const Slot&, const int32_t* from, const int32_t* to, const float* value) {
      for (uint32_t k = slot.first; k < slot.first + slot.count; ++k) {
        const double* column = D + label[k];
        double u = 0;
        for (const int32_t* p = from; p < to; ++p) u += value ? column[*p * Lp] * double(value[p - from]) : column[*p * Lp];
        gradient[k] += weight * u;
      }
    });
    each_rich(s, [=](int64_t row, int64_t, int b0, auto width, const int32_t* from, const int32_t* to, const float* value) {
      constexpr int G = decltype(width)::value;
      Vec<double> u[G] = {};
      for (const int32_t* p = from; p < to; ++p) {
        const double* d = D + *p * Lp + b0 * W;
        for (int b = 0; b < G; ++b) u[b] += value ? load(d + b * W) * double(value[p - from]) : load(d + b * W);
      }
      for (int b = 0; b < G; ++b) {
        double* g = rich + row + (b0 + b) * W;
        store<double>(g, load(g) + u[b] * weight);
      }
    });
  }

 private:
  // Calls fn(slot, later slot, its positions, their end, its values) for the poor or the rich slots of sentence s.
  template <int Kind, class Fn> TAGFIELD_INLINE void each(int64_t s, Fn fn) const {
    const Slot *slot = slots_[Kind].data() + from_[Kind][size_t(s)], *end = slots_[Kind].data() + from_[Kind][size_t(s) + 1];
    const int32_t* base = position_.data() + c_.occurrences[s];
    const float* values = value_.empty() ? nullptr : value_.data() + c_.occurrences[s];
    int32_t from = 0;
    if (Kind == 1 && from_[0][size_t(s)] < from_[0][size_t(s) + 1]) from = slots_[0][size_t(from_[0][size_t(s) + 1]) - 1].stop;
    for (; slot < end; from = slot->stop, ++slot)
      fn(*slot, slot[AHEAD], base + from, base + slot->stop, values ? values + from : nullptr);
  }
  template <class Fn> TAGFIELD_INLINE void each_poor(int64_t s, Fn fn) const { each<0>(s, fn); }
  template <class Fn> TAGFIELD_INLINE void each_rich(int64_t s, Fn fn) const {
    const int64_t Lp = at_.Lp();
    each<1>(s, [&](const Slot& slot, const Slot& next, const int32_t* p, const int32_t* q, const float* value) {
      const int64_t row = slot.first * Lp, later = next.first * Lp;
      switch (at_.NB) {
        case 1: fn(row, later, 0, Width<1>{}, p, q, value); break;
        case 2: fn(row, later, 0, Width<2>{}, p, q, value); break;
        case 3: fn(row, later, 0, Width<3>{}, p, q, value); break;
        default: strips<0>(at_.NB, [&](int b0, auto width) { fn(row, later, b0, width, p, q, value); });
      }
    });
  }

  // Slots of equal length stand together, so that the processor guesses right how often a loop runs.
  struct Key {
    bool rich;
    int32_t occurrences;
    int64_t features;
    int32_t from;
    size_t attribute;
    bool operator<(const Key& o) const {
      return std::tie(rich, occurrences, features) < std::tie(o.rich, o.occurrences, o.features);
    }
  };
  void arrange(const int64_t* first, const std::vector<int32_t>& rich_row) {
    std::vector<Key> order;
    position_.resize(size_t(c_.N));
    if (c_.value) value_.resize(size_t(c_.N));
    for (auto& from : from_) from.push_back(0);
    for (int64_t s = 0; s < c_.S; ++s) {
      const int64_t base = c_.occurrences[s];
      int32_t stop = 0;
      order.clear();
      for (int64_t d = c_.slots[s]; d < c_.slots[s + 1]; ++d) {
        const size_t a = size_t(c_.attribute[d]);
        const int32_t from = d > c_.slots[s] ? c_.stop[d - 1] : 0;
        order.push_back({rich_row[a] >= 0, c_.stop[d] - from, rich_row[a] >= 0 ? 0 : first[a + 1] - first[a], from, a});
      }
      std::stable_sort(order.begin(), order.end());
      for (const Key& key : order) {
        for (int32_t i = key.from; i < key.from + key.occurrences; ++i, ++stop) {
          position_[size_t(base + stop)] = c_.position[base + i];
          if (c_.value) value_[size_t(base + stop)] = c_.value[base + i];
        }
        slots_[key.rich].push_back({uint32_t(key.rich ? rich_row[key.attribute] : first[key.attribute]), uint32_t(key.features), stop});
      }
      for (int kind = 0; kind < 2; ++kind) from_[kind].push_back(int64_t(slots_[kind].size()));
    }
    for (auto& slots : slots_) slots.resize(slots.size() + AHEAD, Slot{0, 0, 0});
  }
};

}  // namespace tagfield
