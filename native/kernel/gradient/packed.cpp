// The sums of packed.hpp, by token and by row.
#include "kernel/gradient/packed.hpp"

#include "kernel/chain/state.hpp"
#include "kernel/gradient/row_sum.hpp"

namespace tagfield {

void Packed::sum_scores(int64_t s, const double* x, const double* full, double* scores) const {
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
          Sum::ask_for(full + int64_t(row[i + PackedLists::AHEAD]) * stride + b);
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
        prefetch(x + feature[i + PackedLists::FAR]);
        scores[label[i]] += x[feature[i]];
      }
}

void Packed::add_task(int64_t chunk, int64_t task, const double* D, double* gradient, double* full) const {
  const PackedLists::Task &from = of_.chunks[size_t(chunk)].tasks[size_t(task)], &to = (&from)[1];
  const int64_t stride = rows_.stride(), Lp = rows_.layout().Lp();
  label_strips(rows_.layout().L, [&](int b, auto width) {
    typedef RowSum<decltype(width)::value> Sum;
    const uint32_t *row = of_.of_row.data(), *token = of_.token.data() + from.entries;
    const float* value = of_.row_value[0].empty() ? nullptr : of_.row_value[0].data() + from.entries;
    for (int64_t k = from.rows; k < to.rows; ++k) {
      double* g = full + int64_t(row[k]) * stride + b;
      Sum::ask_for(full + int64_t(row[k + PackedLists::AHEAD]) * stride + b);
      Sum sum;
      sum.load(g);
      uint32_t last;
      do {
        Sum::ask_for(D + int64_t(token[PackedLists::AHEAD] & ~PackedLists::LAST) * Lp + b);
        const double* d = D + int64_t(*token & ~PackedLists::LAST) * Lp + b;
        last = *token++ & PackedLists::LAST;
        if (value)
          sum.add(d, *value++);
        else
          sum.add(d);
      } while (!last);
      sum.store(g);
    }
  });
  const PackedLists::Feature* entry = of_.by_feature.data();
  if (!of_.row_value[1].empty())
    for (int64_t i = from.features; i < to.features; ++i)
      gradient[entry[i].from] += D[entry[i].to] * double(of_.row_value[1][size_t(i)]);
  else
    for (int64_t i = from.features; i < to.features; ++i) {
      prefetch(gradient + entry[i + PackedLists::FAR].from);
      gradient[entry[i].from] += D[entry[i].to];
    }
}

}  // namespace tagfield
