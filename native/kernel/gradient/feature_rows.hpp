// The K weights of an optimiser without padding: x holds the features of each attribute, one attribute after another.
//
// Attributes with few labels are "poor": a sentence lists each of their features. Those with at least an eighth of the labels are
// "rich": they are few and frequent, so they are expanded to full rows before a pass and packed again after it. Where every
// attribute has every label, the rows of x are full rows already, and nothing is expanded.
//
// The first version used a block of doubles per attribute. Nine in ten attributes of the observed set have one or two labels,
// so the blocks were mostly padding, and memory was the bottleneck.
#pragma once
#include <stdexcept>
#include <vector>

#include "kernel/corpus/weights.hpp"

namespace tagfield {

class FeatureRows {
 public:
  static constexpr int RICH = 8;   // a row is rich if it has Lp / RICH features,
  static constexpr int MANY = 16;  // or so many: each occurrence of a poor one is listed with each of its features

 private:
  Layout at_;
  int64_t K_ = 0;
  bool dense_ = true;
  std::vector<int64_t> first_;      // [A+1]; empty where rows are dense
  std::vector<uint16_t> label_;     // [K]; the same
  std::vector<int32_t> rich_row_;   // [A] or −1; the same
  std::vector<int64_t> rich_;       // [rich rows, 2] their features in x

 public:
  // Attribute a has the features first[a] .. first[a+1] of the K, whose labels ascend.
  FeatureRows(int labels, int64_t attributes, const int64_t* first, const int32_t* label, int64_t features) : K_(features) {
    at_.L = labels, at_.NB = (labels + W - 1) / W, at_.A = attributes;
    if (labels < 1 || labels > 65536) throw std::invalid_argument("the labels do not fit");
    if (first[0] != 0 || first[attributes] != features) throw std::invalid_argument("the rows do not span the features");
    if (features > int64_t(UINT32_MAX) && !(attributes <= int64_t(INT32_MAX) && features == attributes * labels))
      throw std::invalid_argument("too many features");
    for (int64_t a = 0; a < attributes; ++a) {
      if (first[a + 1] < first[a] || first[a + 1] > features) throw std::invalid_argument("the rows are not ascending");
      for (int64_t k = first[a]; k < first[a + 1]; ++k)
        if (label[k] < 0 || label[k] >= labels || (k > first[a] && label[k] <= label[k - 1]))
          throw std::invalid_argument("the labels of a row are not ascending");
      dense_ = dense_ && first[a + 1] - first[a] == labels;
    }
    if (dense_) return;
    first_.assign(first, first + attributes + 1);
    label_.assign(label, label + features);
    rich_row_.assign(size_t(attributes), -1);
    for (int64_t a = 0; a < attributes; ++a) {
      const int64_t has = first[a + 1] - first[a];
      if (has * RICH < at_.Lp() && has < MANY) continue;
      rich_row_[size_t(a)] = int32_t(rich_.size() / 2);
      rich_.push_back(first[a]), rich_.push_back(first[a + 1]);
    }
  }

  const Layout& layout() const { return at_; }
  int64_t features() const { return K_; }
  bool dense() const { return dense_; }
  int64_t rich_rows() const { return int64_t(rich_.size() / 2); }
  int64_t stride() const { return dense_ ? at_.L : at_.Lp(); }  // from one full row to the next

  // The full row of an attribute, or −1 where it is poor.
  int64_t row(int64_t a) const { return dense_ ? a : rich_row_[size_t(a)]; }
  int64_t features_of(int64_t a) const { return first_[size_t(a) + 1] - first_[size_t(a)]; }  // of a poor one, as below
  template <class Fn> void each_feature(int64_t a, Fn fn) const {  // fn(feature, label), of a poor one
    for (int64_t k = first_[size_t(a)]; k < first_[size_t(a) + 1]; ++k) fn(k, label_[size_t(k)]);
  }

  // Rich rows from .. to: full [rich rows, Lp] becomes those of x, with 0 where there is no feature.
  void unfold(int64_t from, int64_t to, const double* x, double* full) const {
    std::fill(full + from * at_.Lp(), full + to * at_.Lp(), 0.0);
    each_rich(from, to, [=](int64_t k, int64_t place) { full[place] = x[k]; });
  }
  void fold(int64_t from, int64_t to, const double* full, double* x) const {  // and back
    each_rich(from, to, [=](int64_t k, int64_t place) { x[k] = full[place]; });
  }

 private:
  template <class Fn> void each_rich(int64_t from, int64_t to, Fn fn) const {
    for (int64_t r = from; r < to; ++r)
      for (int64_t k = rich_[size_t(2 * r)]; k < rich_[size_t(2 * r) + 1]; ++k) fn(k, r * at_.Lp() + label_[size_t(k)]);
  }
};

}  // namespace tagfield
