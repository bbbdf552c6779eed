// The corpus and the K weights of an optimiser without padding: x holds the features of each row, one row after another.
//
// The first version used a block of doubles per attribute. Nine in ten attributes have one or two labels, so the blocks
// were mostly padding, and memory was the bottleneck. Now a sentence is two lists that are read in order: its features,
// for attributes with few labels ("poor"), and its rows, for attributes with at least a sixth of the labels ("rich").
// There are few rich rows, but they are frequent; they are expanded to full rows before a pass and packed again after it.
// No loop length depends on the attribute, so branch prediction does not fail.
#pragma once
#include <vector>

#include "kernel/matrix.hpp"
#include "kernel/scores.hpp"

namespace tagfield {

class Packed {
  static constexpr int RICH = 6;    // a row is rich if it has Lp / RICH features,
  static constexpr int MANY = 16;   // or so many: each occurrence of a poor one is listed with each of its features
  static constexpr int AHEAD = 32;  // entries between asking for memory and using it

  struct Entry {
    uint32_t from;  // poor: a feature of x;                rich: a rich row
    uint32_t to;    // poor: a place in the scores [n, Lp]; rich: a position
  };

  const Corpus& c_;
  Layout at_;
  std::vector<uint16_t> label_;     // [K]
  std::vector<int64_t> rich_;       // [rich rows, 2] their features in x
  std::vector<Entry> entries_[2];   // poor and rich, each with AHEAD more, so that looking ahead needs no check
  std::vector<float> values_[2];    // of the entries, or empty
  std::vector<int64_t> from_[2];    // [S+1] where those of a sentence begin

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
      const int64_t features = first[a + 1] - first[a];
      if (features * RICH < at_.Lp() && features < MANY) continue;
      rich_row[size_t(a)] = int32_t(rich_.size() / 2);
      rich_.push_back(first[a]), rich_.push_back(first[a + 1]);
    }
    if (c.longest * at_.Lp() > int64_t(UINT32_MAX)) throw std::invalid_argument("a sequence is too long for so many labels");
    label_.assign(label, label + first[attributes]);
    SentenceReader reader;
    for (int64_t s = 0; s <= c.S; ++s) list(reader, s, first, rich_row);
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

  // Also prefetches the gradient's rows, which are in the cache when the lattice is done.
  void sum_scores(int64_t s, const double* x, const double* rich, double* scores, const double* gradient,
                  const double* grad_rich) const {
    const int64_t Lp = at_.Lp();
    blank_scores(at_, scores, c_.length(s));
    each<0>(s, [=](const Entry* e, auto value) {
      prefetch(x + e[AHEAD].from), prefetch(gradient + e->from);
      scores[e->to] += value(x[e->from]);
    });
    each_block(s, [=](const Entry* e, int64_t b, auto width, auto value) {
      const double *w = rich + e->from * Lp + b, *later = rich + e[AHEAD].from * Lp + b, *g = grad_rich + e->from * Lp + b;
      double* out = scores + e->to * Lp + b;
      for (int k = 0; k < decltype(width)::value * W; k += W) {
        prefetch(later + k), prefetch(g + k);
        store<double>(out + k, load(out + k) + value(load(w + k)));
      }
    });
  }

  // Adds weight · value · D[position] of every occurrence to the gradient.
  void add_differences(int64_t s, const double* D, double weight, double* gradient, double* rich) const {
    const int64_t Lp = at_.Lp();
    each<0>(s, [=](const Entry* e, auto value) { gradient[e->from] += weight * value(D[e->to]); });
    each_block(s, [=](const Entry* e, int64_t b, auto width, auto value) {
      double* g = rich + e->from * Lp + b;
      const double* d = D + e->to * Lp + b;
      for (int k = 0; k < decltype(width)::value * W; k += W)
        store<double>(g + k, load(g + k) + value(load(d + k)) * weight);
    });
  }

 private:
  // Calls fn(entry, value), where value(v) is v times the value of the occurrence.
  template <int Kind, class Fn> TAGFIELD_INLINE void each(int64_t s, Fn fn) const {
    const Entry* entry = entries_[Kind].data();
    const int64_t end = from_[Kind][size_t(s) + 1];
    if (values_[Kind].empty()) {
      for (int64_t i = from_[Kind][size_t(s)]; i < end; ++i) fn(entry + i, [](auto v) { return v; });
      return;
    }
    for (int64_t i = from_[Kind][size_t(s)]; i < end; ++i) {
      const double worth = values_[Kind][size_t(i)];
      fn(entry + i, [worth](auto v) { return v * worth; });
    }
  }
  // The same for the blocks of rich rows: fn(entry, first label, how many blocks, value).
  template <class Fn> TAGFIELD_INLINE void each_block(int64_t s, Fn fn) const {
    switch (at_.NB) {
      case 1: return each<1>(s, [&](const Entry* e, auto value) { fn(e, 0, Width<1>{}, value); });
      case 2: return each<1>(s, [&](const Entry* e, auto value) { fn(e, 0, Width<2>{}, value); });
      case 3: return each<1>(s, [&](const Entry* e, auto value) { fn(e, 0, Width<3>{}, value); });
    }
    each<1>(s, [&](const Entry* e, auto value) {
      for (int b = 0; b < at_.NB; ++b) fn(e, int64_t(b) * W, Width<1>{}, value);
    });
  }

  void list(SentenceReader& reader, int64_t s, const int64_t* first, const std::vector<int32_t>& rich_row) {
    for (int kind = 0; kind < 2; ++kind) from_[kind].push_back(int64_t(entries_[kind].size()));
    if (s == c_.S) {
      for (auto& entries : entries_) entries.resize(entries.size() + AHEAD, Entry{0, 0});
      return;
    }
    const Sentence x = reader.open(c_, s);
    int64_t i = 0;
    for (int64_t d = 0; d < x.D; ++d) {
      const size_t a = size_t(x.attribute[d]);
      for (; i < x.stop[d]; ++i) {
        auto add = [&](int kind, int64_t from, int64_t to) {
          entries_[kind].push_back({uint32_t(from), uint32_t(to)});
          if (x.value) values_[kind].push_back(x.value[i]);
        };
        if (rich_row[a] >= 0)
          add(1, rich_row[a], x.position[i]);
        else
          for (int64_t k = first[a]; k < first[a + 1]; ++k)
            add(0, k, int64_t(x.position[i]) * at_.Lp() + label_[size_t(k)]);
      }
    }
  }
};

}  // namespace tagfield
