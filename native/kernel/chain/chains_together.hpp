// Forward–backward over blocks of up to W sentences with many labels, in the form that suits their transitions.
//
//     few listed pairs   listed_chains.hpp    transitions without a weight share one term
//     else               scaled.hpp     positions of all sentences are one matrix product
//
// The form depends on the weights that exist and on nothing else. A sentence that fails the guards takes the lattice for one
// sentence (scaled.hpp), with its own guards and fall-backs.
#pragma once
#include <memory>

#include "kernel/chain/listed_chains.hpp"
#include "kernel/chain/scaled.hpp"

namespace tagfield {

template <class T> class ChainsTogether {
  static constexpr int64_t LONGEST = 2048;  // positions, with listed pairs

 public:
  // `pairs` are the listed ones, or null where the matrix is to be used; they outlive this.
  ChainsTogether(const States& at, const ListedPairs* pairs) : at_(at), pairs_(pairs) {
    if (pairs)
      seen_ = std::make_unique<ListedChains<T>>(*pairs);
    else
      dense_ = std::make_unique<ScaledChains<T>>(at);
  }

  bool strict = false;  // as in scaled.hpp; not with listed pairs
  int64_t fallbacks = 0;

  void set_transitions(const T* trans, T z) {
    trans_ = trans, plain_ready_ = false;
    pairs_ ? void(seen_->set_transitions(trans, z)) : dense_->set_transitions(trans, z);
  }

  // log Z of each chain; with marginals also its node, and `edges`.
  void run(LaneChain<T>* chains, int count, T z, bool marginals) {
    if (pairs_)
      run_listed(chains, count, z, marginals);
    else
      dense_->run(chains, count, z, marginals, strict);
    for (int k = 0; k < count; ++k) {
      alone_[k] = chains[k].n > 0 && !chains[k].sound;
      if (alone_[k]) run_alone(chains[k], k, z, marginals);
    }
  }

  // How many expected transitions a sentence has: one for each listed pair, in blocks of W, or all [L, Lp].
  int64_t edge_size() const {
    return pairs_ ? pairs_->padded() : int64_t(at_.L) * at_.Lp();
  }
  // The expected transitions of chain k of the last run, which has n positions.
  void edges(int k, int64_t n, T* out) {
    if (n < 2)
      std::fill_n(out, edge_size(), T(0));
    else if (!pairs_)
      copy_matrix(k, n, out);
    else if (alone_[k])
      pairs_->gather(edge_[k].get(), out);
    else
      std::copy_n(seen_->expected(k), edge_size(), out);
  }
  // The same where they are, to be changed, until the next run; null where `edges` has to write them.
  T* edges_in_place(int k, int64_t n) { return pairs_ && !alone_[k] && n > 1 ? seen_->expected(k) : nullptr; }

  // What they are made of, until the next run; nothing where they are already known.
  PairFactors<T> factors(int k, int64_t n) const {
    return pairs_ || alone_[k] || n < 2 ? PairFactors<T>{} : dense_->factors(k, n);
  }

 private:
  const States at_;
  const ListedPairs* pairs_;
  std::unique_ptr<ListedChains<T>> seen_;
  std::unique_ptr<ScaledChains<T>> dense_;
  std::unique_ptr<ScaledChain<T>> plain_;  // for what fails the guards
  const T* trans_ = nullptr;
  bool plain_ready_ = false, alone_[W] = {};
  Scratch<T> edge_[W];

  void copy_matrix(int k, int64_t n, T* out) const {
    if (alone_[k]) {
      std::copy_n(edge_[k].get(), edge_size(), out);
      return;
    }
    dense_->factors(k, n).template matrix<0>(out);
  }

  // Lanes of eight take the memory of eight sentences: very long ones are left to the other lattice.
  void run_listed(LaneChain<T>* chains, int count, T z, bool marginals) {
    int64_t n[W];
    for (int k = 0; k < count; ++k) {
      n[k] = chains[k].n;
      if (n[k] > LONGEST) chains[k].n = 0;
    }
    seen_->run(chains, count, z, marginals);
    for (int k = 0; k < count; ++k) {
      chains[k].n = n[k];
      if (n[k] > LONGEST) chains[k].sound = false;
    }
  }

  void run_alone(LaneChain<T>& chain, int k, T z, bool marginals) {
    const int64_t size = chain.n * at_.Lp(), edges = int64_t(at_.L) * at_.Lp();
    ++fallbacks;
    if (!plain_) plain_ = std::make_unique<ScaledChain<T>>(at_);
    if (!plain_ready_) plain_->set_transitions(trans_, z), plain_ready_ = true;
    plain_->strict = strict;
    std::copy_n(chain.scores, size, plain_->room_for(chain.n));
    chain.log_z = plain_->run(z, marginals);
    if (!marginals) return;
    std::copy_n(plain_->node, size, chain.node);
    std::copy_n(plain_->edge, edges, edge_[k].reserve(edges));
  }
};

}  // namespace tagfield
