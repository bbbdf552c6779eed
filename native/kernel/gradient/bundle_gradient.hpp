// The chains of a bundle of sentences: their loss, and the difference E − Ẽ of every position.
//
//     scores (packed.hpp) ─▶ chain.hpp ─▶ loss, D [tokens, Lp], transitions, edges
//
// Without limits and with all labels known, the loss of a sentence is log Z − θ·Φ. Otherwise it is log Z − log Z_agreeing, where
// the second sums the paths that agree with the labels (−1: any label), and both sums are over allowed paths only. With class
// weights it is that of token_losses.hpp. All of them are times the sentence's weight.
#pragma once
#include <vector>

#include "kernel/chain/chain.hpp"
#include "kernel/chain/limits.hpp"
#include "kernel/gradient/packed.hpp"
#include "kernel/gradient/packed_positions.hpp"

namespace tagfield {

struct Weighed {  // the weights of an optimiser, where the kernels read them
  const double *x, *full, *trans, *edge;  // [K]; full rows; [L, Lp], with what may not follow; [KE]
};

// What a bundle adds to the loss and to the gradient of transitions and edges; its D goes elsewhere.
struct BundleSum {
  double loss = 0;
  Scratch<double> trans;     // in the form of the chain
  std::vector<double> edge;  // the lists of its sentences (packed_positions.hpp), one after another
};

class BundleGradient final : ChainReader<double> {  // each thread has its own
  const Packed& packed_;
  const PackedEdges& edges_;
  const Limits& limits_;
  const bool partial_;
  const Weighed at_;
  const Corpus& c_;
  const Layout& layout_;
  const ChainForm& form_;
  struct Own final : OwnTransitions {
    const PackedEdges& edges;
    const Weighed& at;
    Own(const PackedEdges& edges_, const Weighed& at_) : edges(edges_), at(at_) {}
    bool in(int64_t s) const override { return edges.in(s); }
    bool fill(int64_t s, PositionChain& into) const override { return edges.fill(s, at.trans, at.edge, into), true; }
  } own_;
  Chain<double> chain_;
  BundleSum* sum_ = nullptr;
  int64_t first_ = 0;
  double log_z_[BLOCK][2];    // of each sentence: over all paths, over those that agree
  size_t list_[BLOCK];        // where its list begins in sum_->edge

 public:
  BundleGradient(const Packed& packed, const PackedEdges& edges, const Limits& limits, bool partial, const Weighed& at,
                 const ChainForm& form)
      : packed_(packed), edges_(edges), limits_(limits), partial_(partial), at_(at), c_(packed.corpus()),
        layout_(packed.rows().layout()), form_(form), own_(edges, at_),
        chain_(form, {true, true, false, limits.any(), c_.class_weight}, &own_) {
    chain_.start(at_.trans, 1.0);
  }

  // Sentences first .. last, at most BLOCK, whose D [tokens, Lp] begins at D.
  void run(int64_t first, int64_t last, double* D, BundleSum& sum);

 private:
  void result(const ChainJob<double>& job, Paths paths, const ChainResult<double>& found) override;
  void end(const ChainJob<double>& job) override;
};

}  // namespace tagfield
