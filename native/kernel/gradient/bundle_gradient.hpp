// The lattices of a block of sentences: their loss, and the difference E − Ẽ of every position.
//
//     scores (packed.hpp) ─▶ lattice ─▶ loss, D [tokens, Lp], transitions [L, Lp], edges
//
// With many labels the block takes one lattice (block_lattice.hpp). Where few transitions have a weight, those are listed, and
// the others have no sum.
//
// Without limits and with all labels known, the loss of a sentence is log Z − θ·Φ. Otherwise it is log Z − log Z_known, where
// Z_known sums the paths that agree with the labels (−1: any label), and both sums are over allowed paths only. With class
// weights it is that of token_terms.hpp. A sentence whose transitions look at the input takes the lattice with a matrix for
// each position (edge_lattice.hpp). All of them are times the sentence's weight.
#pragma once
#include <memory>
#include <vector>

#include "kernel/chain/chains_together.hpp"
#include "kernel/chain/limits.hpp"
#include "kernel/gradient/packed.hpp"
#include "kernel/gradient/packed_positions.hpp"
#include "kernel/chain/token_losses.hpp"

namespace tagfield {

struct Weighed {  // the weights of an optimiser, where the kernels read them
  const double *x, *full, *trans, *edge;  // [K]; full rows; [L, Lp], with what may not follow; [KE]
};

// What a block adds to the loss and to the gradient of transitions and edges; its D goes elsewhere.
struct BlockSum {
  double loss = 0;
  Scratch<double> trans;     // [L, Lp], or of the listed pairs
  std::vector<double> edge;  // the lists of its sentences (packed_edges.hpp), one after another
};

class BlockLattices {  // each thread has its own
  const Packed& packed_;
  const PackedEdges& edges_;
  const Limits& limits_;
  const bool partial_;
  const Weighed at_;
  const Corpus& c_;
  const Layout& layout_;
  const SeenPairs* pairs_;
  const int64_t cells_;
  Lattice<double> lattice_;
  EdgeLattice edge_lattice_;
  std::unique_ptr<TokenTerms> terms_;
  std::vector<double> free_;  // the marginals of all paths
  std::unique_ptr<BlockLattice<double>> many_;
  Scratch<double> scores_[W], node_[W], edge_;

 public:
  BlockLattices(const Packed& packed, const PackedEdges& edges, const Limits& limits, bool partial, const Weighed& at,
                const SeenPairs* pairs)
      : packed_(packed), edges_(edges), limits_(limits), partial_(partial), at_(at), c_(packed.corpus()),
        layout_(packed.rows().layout()), pairs_(pairs), cells_(transitions(layout_, pairs)), lattice_(layout_),
        edge_lattice_(layout_) {
    if (layout_.L > SeenPairs::FEW && !c_.class_weight) {
      many_ = std::make_unique<BlockLattice<double>>(layout_, pairs);
      many_->strict = limits.any();
      many_->set_transitions(at.trans, 1.0);
    } else {
      lattice_.set_transitions(at.trans, 1.0);
    }
    if (!c_.class_weight) return;
    terms_ = std::make_unique<TokenTerms>(layout_);
    terms_->set_transitions(at.trans, 1.0, limits.any());
  }

  // How many sums of transitions a block has.
  static int64_t transitions(const Layout& at, const SeenPairs* pairs) {
    return pairs ? pairs->padded() : int64_t(at.L) * at.Lp();
  }

  // Sentences first .. last, whose D [tokens, Lp] begins at D.
  void run(int64_t first, int64_t last, double* D, BlockSum& sum) {
    sum.loss = 0;
    sum.edge.clear();
    double* trans = zeros(sum.trans, cells_);
    bool together = many_ != nullptr;
    for (int64_t s = first; s < last; ++s) together = together && !edges_.in(s);
    if (together) return run_many(first, last, D, sum.loss, trans);
    if (many_) lattice_.set_transitions(at_.trans, 1.0);
    for (int64_t s = first; s < last; ++s) {
      const int64_t n = c_.length(s), size = n * layout_.Lp();
      if (n == 0) continue;
      const double* node;
      if (edges_.in(s)) {
        packed_.sum_scores(s, at_.x, at_.full, edge_lattice_.room_for(n));
        edges_.fill(s, at_.trans, at_.edge, edge_lattice_);
        const size_t begin = sum.edge.size();
        sum.edge.resize(begin + size_t(edges_.size(s)), 0.0);
        sum.loss += c_.weight[s] * loss_of(s, edge_lattice_, trans, EdgeList{edges_, s, sum.edge.data() + begin});
        node = edge_lattice_.node;
      } else {
        packed_.sum_scores(s, at_.x, at_.full, lattice_.room_for(n));
        sum.loss += c_.weight[s] * (terms_ ? weighed(s, trans) : loss_of(s, lattice_, trans, NoList{}));
        node = terms_ ? terms_->node.data() : lattice_.node;
      }
      for (int64_t k = 0; k < size; k += W) store<double>(D + k, load(node + k) * c_.weight[s]);
      D += size;
    }
  }

 private:
  struct NoList {
    void pairs(const Lattice<double>&, double) const {}
    void gold(const int32_t*, double) const {}
  };
  struct EdgeList {
    const PackedEdges& edges;
    int64_t s;
    double* list;
    void pairs(const EdgeLattice& lattice, double weight) const { edges.add_pairs(s, lattice, weight, list); }
    void gold(const int32_t* y, double weight) const { edges.add_gold(s, y, weight, list); }
  };

  double path(const Lattice<double>& lattice, const int32_t* y, int64_t n) const {
    return path_score(layout_, lattice.scores, at_.trans, y, n);
  }
  double path(const EdgeLattice& lattice, const int32_t* y, int64_t) const { return lattice.path_score(y); }

  void add_transitions(const double* edge, double weight, double* trans) const {  // from a matrix
    for (int64_t p = 0; pairs_ && p < pairs_->size(); ++p) trans[p] += edge[pairs_->place[size_t(p)]] * weight;
    if (pairs_) return;
    for (int64_t k = 0; k < cells_; k += W) store<double>(trans + k, load(trans + k) + load(edge + k) * weight);
  }

  void add_pair(int i, int j, double weight, double* trans) const {
    const int64_t k = pairs_ ? pairs_->find(i, j) : int64_t(i) * layout_.Lp() + j;
    if (k >= 0) trans[k] += weight;
  }

  // Finds the loss from lattice.scores, leaves the differences in lattice.node and adds those of the transitions.
  template <class AnyLattice, class List> double loss_of(int64_t s, AnyLattice& lattice, double* trans, const List& list) {
    const int64_t n = c_.length(s), Lp = layout_.Lp();
    const int32_t* y = c_.labels + c_.tokens[s];
    const double weight = c_.weight[s];
    limits_.forbid(c_, layout_, s, lattice.scores);
    const double all = lattice.run(1.0, true);
    if (n > 1) add_transitions(lattice.edge, weight, trans);
    list.pairs(lattice, weight);
    if (!partial_) {
      const double loss = all - path(lattice, y, n);
      for (int64_t t = 0; t < n; ++t) {
        lattice.node[t * Lp + y[t]] -= 1;
        if (t) add_pair(y[t - 1], y[t], -weight, trans);
      }
      list.gold(y, -weight);
      return loss;
    }
    free_.assign(lattice.node, lattice.node + n * Lp);
    for (int64_t t = 0; t < n; ++t)
      for (int j = 0; y[t] >= 0 && j < layout_.L; ++j)
        if (j != y[t]) lattice.scores[t * Lp + j] = PAD<double>;
    const double known = lattice.run(1.0, true);
    for (int64_t k = 0; k < n * Lp; ++k) lattice.node[k] = free_[size_t(k)] - lattice.node[k];
    if (n > 1) add_transitions(lattice.edge, -weight, trans);
    list.pairs(lattice, -weight);
    return known > IMPOSSIBLE ? all - known : double(INFINITY);
  }

  // Adds the expected transitions of the last run.
  void add_edges(int64_t first, const BlockChain<double>* chains, int count, double sign, double* trans) {
    double* edge = edge_.reserve(cells_);
    for (int k = 0; k < count; ++k) {
      if (chains[k].n < 2) continue;
      const double weight = sign * c_.weight[first + k];
      many_->edges(k, chains[k].n, edge);
      for (int64_t p = 0; p < cells_; p += W) store<double>(trans + p, load(trans + p) + load(edge + p) * weight);
    }
  }

  // All sentences of a block together; none has edge attributes or class weights.
  void run_many(int64_t first, int64_t last, double* D, double& loss, double* trans) {
    const int count = int(last - first);
    const int64_t Lp = layout_.Lp();
    BlockChain<double> chains[W];
    double all[W];
    for (int k = 0; k < count; ++k) {
      const int64_t s = first + k, n = c_.length(s);
      double* scores = scores_[k].reserve(n * Lp);
      chains[k].scores = scores, chains[k].n = n, chains[k].node = D + (c_.tokens[s] - c_.tokens[first]) * Lp;
      if (n == 0) continue;
      packed_.sum_scores(s, at_.x, at_.full, scores);
      limits_.forbid(c_, layout_, s, scores);
    }
    many_->run(chains, count, 1.0, true);
    add_edges(first, chains, count, 1, trans);
    for (int k = 0; k < count; ++k) all[k] = chains[k].log_z;
    if (partial_) run_known(first, chains, count, trans);
    for (int k = 0; k < count; ++k) {
      const int64_t s = first + k, n = chains[k].n;
      const int32_t* y = c_.labels + c_.tokens[s];
      if (n == 0) continue;
      double* node = D + (c_.tokens[s] - c_.tokens[first]) * Lp;
      const double weight = c_.weight[s];
      if (partial_) {
        for (int64_t i = 0; i < n * Lp; i += W) store<double>(node + i, load(node + i) - load(chains[k].node + i));
        loss += weight * (chains[k].log_z > IMPOSSIBLE ? all[k] - chains[k].log_z : double(INFINITY));
      } else {
        loss += weight * (all[k] - path_score(layout_, chains[k].scores, at_.trans, y, n));
        for (int64_t t = 0; t < n; ++t) {
          node[t * Lp + y[t]] -= 1;
          if (t) add_pair(y[t - 1], y[t], -weight, trans);
        }
      }
      for (int64_t i = 0; i < n * Lp; i += W) store<double>(node + i, load(node + i) * weight);
    }
  }

  // The same chains over the paths that agree with the labels; their nodes go elsewhere, and their transitions are subtracted.
  void run_known(int64_t first, BlockChain<double>* chains, int count, double* trans) {
    const int64_t Lp = layout_.Lp();
    for (int k = 0; k < count; ++k) {
      const int32_t* y = c_.labels + c_.tokens[first + k];
      for (int64_t t = 0; t < chains[k].n; ++t)
        for (int j = 0; y[t] >= 0 && j < layout_.L; ++j)
          if (j != y[t]) scores_[k][t * Lp + j] = PAD<double>;
      chains[k].node = node_[k].reserve(chains[k].n * Lp);
    }
    many_->run(chains, count, 1.0, true);
    add_edges(first, chains, count, -1, trans);
  }

  double weighed(int64_t s, double* trans) {  // with class weights
    limits_.forbid(c_, layout_, s, lattice_.scores);
    const double found = terms_->run(c_, lattice_.scores, 1.0, c_.labels + c_.tokens[s], c_.length(s));
    if (c_.length(s) > 1) add_transitions(terms_->edge.data(), c_.weight[s], trans);
    return found;
  }
};

}  // namespace tagfield
