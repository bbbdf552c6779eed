// The loss of a corpus and its gradient in float64, for L-BFGS, added to what is there.
//
//     expand rich rows ─▶ chunk after chunk: lattices, block by block ─▶ D ─▶ gradient, row by row ─▶ pack rich rows
//
// The number of threads never changes a bit. A block of sentences is one task, a set of rows is another; tasks of one phase
// write to different places, and what blocks have to add to the same numbers (loss, transitions, edges) is added in their order.
// So the corpus in parts, added one after another, gives the same bits as a whole, if parts consist of whole blocks.
//
// Each thread used to have its own gradient, which took the memory of all weights for each and made two threads as slow as one
// where there are millions of weights.
#pragma once
#include "kernel/chain/limits.hpp"
#include "kernel/gradient/packed.hpp"
#include "kernel/gradient/packed_positions.hpp"

namespace tagfield {

struct PointAndGradient {  // where a point of the optimiser and its gradient lie
  const double *x, *trans, *edge;                      // [K], [L, Lp], [KE]
  double *gradient, *grad_trans, *grad_edge;
};

class CorpusGradient {
  static constexpr int64_t ROWS = 512, BUFFERS = 3;  // rich rows of a task; chunks whose D is kept

  const Packed& packed_;
  const PackedEdges& edges_;
  const Corpus& c_;
  Scratch<double> full_, grad_full_, D_;

 public:
  CorpusGradient(const Packed& packed, const PackedEdges& edges) : packed_(packed), edges_(edges), c_(packed.corpus()) {}

  // Adds Σ_s weight_s · loss_s and its gradient; partial: some labels are unknown, or limits apply. NaN
  // where it is not finite.
  double add(PointAndGradient at, const Limits& limits, bool partial, int threads, double loss);
};

}  // namespace tagfield
