// Forward–backward in scaled arithmetic, of one sentence or of several.
//
//     e_t = exp(s_t − max s_t)          X = exp(τ − r)                        r: see set_transitions
//     a_t = e_t ∘ (a_{t−1} X) / c_{t−1}           c_t = Σ a_t                 forward
//     b_t = X v_{t+1} / d_{t+1}         v_t = e_t ∘ b_t,   d_t = Σ v_t        backward
//     P(y_t) = a_t ∘ b_t / (c_t m_t)                m_t = Σ a_t ∘ b_t / c_t
//     Σ_t P(y_t = i, y_{t+1} = j) = X_ij · Σ_t p_t(i) q_{t+1}(j)              p_t = a_t/(c_t m_t), q_t = v_t/d_t
//     log Z = Σ log c_t + Σ max s_t + (n−1) r
//
// The last sum over t is one matrix product per sentence instead of n rank-one updates. The division by c_{t−1} follows
// the product with X, so that the product does not wait for the sum.
//
// The two forms differ in the product with X only (scaled.cpp):
//     ScaledChain     one sentence; the sums of up to 32 states stay in registers
//     ScaledChains    up to W sentences with many states: X of 400 states comes from the second-level cache, so the positions t
//                     of all sentences are one matrix product. A sentence gets the same bits whichever are beside it.
//
// Guards. Let M = max(1, max X), and let `tiny` be the smallest normal number. Underflow at one step takes from an entry
// less than
//     forward  4 tiny (L / c_{t−1} + M)          backward  4 tiny M (L + Σ b_{t+1}) / d_{t+1}
// (flushed: X and its products, e, the entry itself). Both passes add this bound, the lift, to every entry. So no entry
// is below its true value, and the spurious probability mass is known. At step t it is
//     forward  its lift · Σ_j b_t(j) / meet_t    backward  its lift · c_t / meet_t       meet_t = Σ_j a_t(j) b_t(j)
// If a sentence's total exceeds SHARE, the sentence is repeated in double, and then in the log domain (log_domain.hpp).
// Checking the sums c_t is not enough: a label whose probability underflows at both ends of a sentence can still be on the
// best path, if all other labels pay a high cost at every step between.
// Without a backward pass there is no meet_t. Then the lift of every a_t(j) must be below RIGHT · a_t(j). With forbidden
// labels, whose probability must be exactly 0, nothing is lifted, and the same condition applies (`strict`).
// A NaN fails every guard and gives log Z = NaN.
#pragma once
#include <cmath>
#include <memory>
#include <vector>

#include "kernel/chain/pair_factors.hpp"
#include "kernel/chain/scaling_history.hpp"
#include "kernel/chain/side_by_side.hpp"
#include "kernel/chain/state.hpp"
#include "kernel/simd/scratch.hpp"

namespace tagfield {

// What both forms share: X, and both passes over sentences side by side.
template <class T> class ScaledSteps {
 protected:
  const States at_;
  const int L_, Lp_;
  T r_ = 0, M_ = 1;
  const T* trans_ = nullptr;
  Scratch<T> X_, Xt_, a_, e_, best_;
  int64_t begin_[W + 1] = {};  // where each lane begins in a_ and e_, in positions
  double shift_[W] = {};       // Σ max s_t of each lane; of a sentence alone, times z
  T c_last_[W];

  explicit ScaledSteps(const States& at) : at_(at), L_(at.L), Lp_(at.Lp()) { best_.reserve(L_); }

  void exp_transitions(const T* trans, T z, double pace);
  T lost_after(T c_before) const;
  template <int NB> double exp_row(const T* s, T z, T* e) const;
  template <class Sums> void forward(Sums& sums, LaneChain<T>* chains, const ByLength& lanes, T z, bool watching, bool strict);
  template <class Sums> void backward(Sums& sums, LaneChain<T>* chains, const ByLength& lanes, bool strict);
};

template <class T> class ScaledChain : ScaledSteps<T> {
  template <class> friend class ScaledChain;

 public:
  T *scores = nullptr, *node = nullptr, *edge = nullptr;  // [n, Lp], [n, Lp], [L, Lp]

  explicit ScaledChain(const States& at) : ScaledSteps<T>(at) {}

  T* room_for(int64_t n) {
    n_ = n;
    if (!edge) edge = edge_.reserve(this->at_.cells());
    scores = scores_.reserve(n * this->Lp_);
    node = node_.reserve(n * this->Lp_);
    this->a_.reserve(n * this->Lp_ + W);
    this->e_.reserve(n * this->Lp_);
    return scores;
  }

  // X = exp(z·τ − r) and its transpose. Padding columns become 0. Were r the largest τ, and that far above the rest, a step
  // along all others would cost 1e-15 and more: r is the mean over labels of their best transition, or what a step has
  // cost lately (`pace`).
  void set_transitions(const T* trans, T z) { this->exp_transitions(trans, z, pace); }

  // log Z of the n positions whose raw scores are in `scores`, times z; marginals in `node` and `edge` if wanted.
  double run(T z, bool marginals);

  bool strict = false;
  bool pairs = true;  // whether marginals include those of pairs of labels, `edge`
  int64_t fallbacks = 0;
  // What a pass has learned from the sentences before (scaling_history.hpp), and what it may learn from this one.
  double pace = NAN;
  bool tries = true;
  ScaledRun last;

 private:
  int64_t n_ = 0;
  Scratch<T> scores_, node_, edge_;
  std::unique_ptr<ScaledChain<double>> wide_;
  std::vector<double> wide_trans_;

  double run_wide(T z, bool marginals);
  template <int NB> bool scaled(T z, bool marginals, double& log_z);
};

template <class T> class ScaledChains : ScaledSteps<T> {
 public:
  explicit ScaledChains(const States& at) : ScaledSteps<T>(at) {}

  // As above, with nothing learned from sentences before.
  void set_transitions(const T* trans, T z) { this->exp_transitions(trans, z, NAN); }

  // log Z of each chain, and whether it is sound; with marginals also the nodes, and what `factors` needs.
  void run(LaneChain<T>* chains, int count, T z, bool marginals, bool strict = false);

  // Of one chain of the last run, until the next one.
  PairFactors<T> factors(int chain, int64_t n) const {
    const int64_t first = this->begin_[lane_[chain]] * this->Lp_;
    return {&this->a_[first], &this->e_[first + this->Lp_], this->X_.get(), n - 1, this->L_, this->Lp_};
  }

 private:
  Scratch<T> sums_;
  int lane_[W];
};

}  // namespace tagfield
