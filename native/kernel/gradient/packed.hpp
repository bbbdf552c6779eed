// A corpus as two lists for the gradient: by token, to sum scores, and by row, to sum the gradient.
//
//     by token   s_t(y)  = Σ_a value · x[a, y]      rows are read one after another, the sum stays in registers
//     by row     g[a, y] += Σ_t value · D_t(y)      over the tokens of a chunk of sentences; a row is read and written once
//
// The second list lets threads share the work and give the same bits: a row belongs to one task, which adds what its tokens say
// in the order of the corpus, whoever runs it. D of a chunk stays in the cache of a core, or near it. The rows of a poor
// attribute (rows.hpp) are single features. No loop's length depends on how many labels an attribute has, so branch prediction
// does not fail.
#pragma once
#include <algorithm>

#include "kernel/gradient/packed_lists.hpp"
#include "kernel/gradient/row_sum.hpp"
#include "kernel/corpus/scores.hpp"

namespace tagfield {

class Packed {
  typedef PackedLists P;

  const Corpus& c_;
  const FeatureRows& rows_;
  P of_;

 public:
  Packed(const Corpus& c, const FeatureRows& rows) : c_(c), rows_(rows), of_(c, rows) {}

  const Corpus& corpus() const { return c_; }
  const FeatureRows& rows() const { return rows_; }
  int64_t chunks() const { return int64_t(of_.chunks.size()); }
  int64_t first_sentence(int64_t chunk) const { return of_.chunks[size_t(chunk)].first; }
  int64_t last_sentence(int64_t chunk) const { return of_.chunks[size_t(chunk)].last; }
  int64_t tasks(int64_t chunk) const { return int64_t(of_.chunks[size_t(chunk)].tasks.size()) - 1; }
  int64_t most_tokens() const {  // of a chunk
    int64_t most = 0;
    for (const P::Chunk& k : of_.chunks) most = std::max(most, c_.tokens[k.last] - c_.tokens[k.first]);
    return most;
  }

  // scores [n, Lp] of sentence s; `full` are the full rows.
  void sum_scores(int64_t s, const double* x, const double* full, double* scores) const {
    const int64_t n = c_.length(s), stride = rows_.stride(), Lp = rows_.layout().Lp();
    label_strips(rows_.layout().L, [&](int b, auto width) {
      typedef RowSum<decltype(width)::value> Sum;
      const uint32_t *row = of_.row.data() + of_.sentence[0][size_t(s)], *end = of_.end[0].data() + c_.tokens[s];
      const float* value = of_.value[0].empty() ? nullptr : of_.value[0].data() + of_.sentence[0][size_t(s)];
      uint32_t i = 0;
      for (int64_t t = 0; t < n; ++t) {
        Sum sum;
        sum.clear();
        if (value)
          for (; i < end[t]; ++i) sum.add(full + int64_t(row[i]) * stride + b, value[i]);
        else
          for (; i < end[t]; ++i) {
            Sum::ask_for(full + int64_t(row[i + P::AHEAD]) * stride + b);
            sum.add(full + int64_t(row[i]) * stride + b);
          }
        sum.store(scores + t * Lp + b);
      }
    });
    for (int64_t t = 0; t < n; ++t)
      for (int64_t j = rows_.layout().L; j < Lp; ++j) scores[t * Lp + j] = PAD<double>;
    const int64_t from = of_.sentence[1][size_t(s)];
    const uint32_t *feature = of_.feature.data() + from, *end = of_.end[1].data() + c_.tokens[s];
    const uint16_t* label = of_.label.data() + from;
    const float* value = of_.value[1].empty() ? nullptr : of_.value[1].data() + from;
    uint32_t i = 0;
    for (int64_t t = 0; t < n; ++t, scores += Lp)
      if (value)
        for (; i < end[t]; ++i) scores[label[i]] += x[feature[i]] * double(value[i]);
      else
        for (; i < end[t]; ++i) {
          prefetch(x + feature[i + P::FAR]);
          scores[label[i]] += x[feature[i]];
        }
  }

  // Adds value · D of every occurrence in a chunk, D [tokens, Lp], to the rows of one task.
  void add_task(int64_t chunk, int64_t task, const double* D, double* gradient, double* full) const {
    const P::Task &from = of_.chunks[size_t(chunk)].tasks[size_t(task)], &to = (&from)[1];
    const int64_t stride = rows_.stride(), Lp = rows_.layout().Lp();
    label_strips(rows_.layout().L, [&](int b, auto width) {
      typedef RowSum<decltype(width)::value> Sum;
      const uint32_t *row = of_.of_row.data(), *token = of_.token.data() + from.entries;
      const float* value = of_.row_value[0].empty() ? nullptr : of_.row_value[0].data() + from.entries;
      for (int64_t k = from.rows; k < to.rows; ++k) {
        double* g = full + int64_t(row[k]) * stride + b;
        Sum::ask_for(full + int64_t(row[k + P::AHEAD]) * stride + b);
        Sum sum;
        sum.load(g);
        uint32_t last;
        do {
          Sum::ask_for(D + int64_t(token[P::AHEAD] & ~P::LAST) * Lp + b);
          const double* d = D + int64_t(*token & ~P::LAST) * Lp + b;
          last = *token++ & P::LAST;
          if (value)
            sum.add(d, *value++);
          else
            sum.add(d);
        } while (!last);
        sum.store(g);
      }
    });
    const P::Feature* entry = of_.by_feature.data();
    if (!of_.row_value[1].empty())
      for (int64_t i = from.features; i < to.features; ++i)
        gradient[entry[i].from] += D[entry[i].to] * double(of_.row_value[1][size_t(i)]);
    else
      for (int64_t i = from.features; i < to.features; ++i) {
        prefetch(gradient + entry[i + P::FAR].from);
        gradient[entry[i].from] += D[entry[i].to];
      }
  }
};

}  // namespace tagfield
