// Forward–backward and Viterbi over one sentence whose transitions look at the input: τ_t may differ at every position.
//
//     e_t = exp(z·(s_t − max s_t))      X_t = exp(z·τ_t − r_t)                 r_t: see exp_transitions
//     a_t = e_t ∘ (a_{t−1} X_t) / c_t                  c_t: what makes Σ a_t = 1                    forward
//     b_{t−1} = X_t q_t,    q_t = e_t ∘ b_t / d_t      d_t: what makes Σ q_t = 1                    backward
//     P(y_t = j) = a_t(j) b_t(j) / m_t                 m_t = Σ_j a_t(j) b_t(j)
//     P(y_{t−1} = i, y_t = j) = a_{t−1}(i)/m_{t−1} · X_t(i,j) · q_t(j)
//     log Z = Σ_t (log c_t + z·max s_t + r_t)
//
// Everything is in double, whose range leaves room for scores that are hundreds apart. Positions without an attribute of
// their own share one matrix, and its exp. Where a position has one, most of its attributes have few weights, so exp is
// computed only for the blocks that differ from the shared ones.
//
// Guards. exp, a product and a sum of L of them lose at most 3 L tiny, `tiny` being the smallest normal number. Every
// e_t ∘ (a_{t−1} X_t) of a label that some path reaches must be at least LEAST, so it is right to 3 L tiny / LEAST, 1e-27 L.
// Then the mass of the paths that b loses at t is at most 3 L tiny / m_t of all, and m_t and d_t must be at least LEAST as
// well. A sentence that fails is repeated in the log domain (log_domain.hpp). What limits forbid (limits.hpp) is 0, exactly:
// a label that is 0 before its own step was reached by none. NaN fails and gives log Z = NaN. Where no path is allowed,
// log Z is −∞ and all probabilities are 0.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/chain/state.hpp"
#include "kernel/simd/scratch.hpp"

namespace tagfield {

class PositionChain {
  static constexpr double LEAST = 1e-280, NONE = -std::numeric_limits<double>::infinity();

 public:
  double *scores = nullptr, *node = nullptr, *edge = nullptr;  // [n, Lp], [n, Lp], [L, Lp]: Σ_t P(y_{t−1} = i, y_t = j)
  int64_t fallbacks = 0;

  explicit PositionChain(const States& at) : at_(at), L_(at.L), Lp_(at.Lp()), size_(int64_t(at.L) * at.Lp()) {}

  // A sentence of n ≥ 1 positions: room_for ─▶ own(t) for the positions with transitions of their own ─▶ open(shared) ─▶
  // fill scores, and add to tau(t) where a position has its own ─▶ run, best_path, path_score.
  double* room_for(int64_t n) {
    n_ = n, matrices_ = 1;
    which_.assign(size_t(n), 0);
    scores = scores_.reserve(n * Lp_);
    node = node_.reserve(n * Lp_);
    edge = edge_.reserve(size_);
    a_.reserve(n * Lp_);
    e_.reserve(n * Lp_);
    return scores;
  }
  void own(int64_t t) {
    if (!which_[size_t(t)]) which_[size_t(t)] = matrices_++;
  }
  bool has_own(int64_t t) const { return which_[size_t(t)] > 0; }

  template <class S> void open(const S* shared) {  // shared [L, Lp]: the transitions of every position so far
    tau_.reserve(matrices_ * size_);
    for (int64_t c = 0; c < size_; ++c) tau_[c] = double(shared[c]);
    for (int64_t k = 1; k < matrices_; ++k) std::copy_n(tau_.get(), size_, &tau_[k * size_]);
  }
  double* tau(int64_t t) { return &tau_[which_[size_t(t)] * size_]; }              // τ_t [L, Lp], t ≥ 1
  const double* tau(int64_t t) const { return &tau_[which_[size_t(t)] * size_]; }
  const double* pair(int64_t t) const { return &X_[which_[size_t(t)] * size_]; }  // [L, Lp], where has_own(t), after run

  // log Z; marginals in node if wanted, and in edge and pair unless they are not. The scores and τ stay as they are, so it
  // may run again.
  double run(double z, bool marginals, bool pairs = true);

  // The best path under raw scores and transitions (z = 1), into y; returns its score. Ties go to the lower label.
  double best_path(int32_t* y);

  double path_score(const int32_t* y) const {
    double score = scores[y[0]];
    for (int64_t t = 1; t < n_; ++t) score += tau(t)[int64_t(y[t - 1]) * Lp_ + y[t]] + scores[t * Lp_ + y[t]];
    return score;
  }

 private:
  enum class Run { SOUND, UNSOUND, NO_PATH };

  const States at_;
  int L_, Lp_;
  int64_t size_, n_ = 0, matrices_ = 1;
  std::vector<int64_t> which_;  // [n] the matrix of each position; 0: the shared one
  std::vector<double> r_;       // [matrices]
  Scratch<double> tau_, X_, scores_, node_, edge_, a_, e_;  // tau_ and X_ [matrices, L, Lp]; X_ becomes the pairs

  double* X(int64_t t) { return &X_[which_[size_t(t)] * size_]; }

  Run scaled(double z, bool marginals, bool pairs, double& log_z);

  // X of one matrix. r is that of the shared one, z·max τ, unless something is so far above it that its exp is not right.
  // Where r is too large for the others, LEAST tells.
  void exp_transitions(int64_t k, double z, const IVec<double>& real);

  double exp_states(int64_t t, double z);

  // Whether an entry of a_t is too small although a path reaches it. Those of a_{t−1} are 0 exactly where none does.
  bool lost(int64_t t) const;

  bool backward(bool pairs);

  double in_logs(double z, bool marginals);
};

}  // namespace tagfield
