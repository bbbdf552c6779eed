// A corpus as two lists for the gradient: by token, to sum scores, and by row, to sum the gradient.
//
//     by token   s_t(y)  = Σ_a value · x[a, y]      rows are read one after another, the sum stays in registers
//     by row     g[a, y] += Σ_t value · D_t(y)      over the tokens of a chunk of sentences; a row is read and written once
//
// The second list lets threads share the work and give the same bits: a row belongs to one task, which adds what its tokens say
// in the order of the corpus, on any thread. D of a chunk stays in the cache of a core, or near it. The rows of a poor
// attribute (feature_rows.hpp) are single features. No loop's length depends on how many labels an attribute has, so branch prediction
// does not fail.
#pragma once
#include <algorithm>

#include "kernel/gradient/packed_lists.hpp"

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
  void sum_scores(int64_t s, const double* x, const double* full, double* scores) const;

  // Adds value · D of every occurrence in a chunk, D [tokens, Lp], to the rows of one task.
  void add_task(int64_t chunk, int64_t task, const double* D, double* gradient, double* full) const;
};

}  // namespace tagfield
