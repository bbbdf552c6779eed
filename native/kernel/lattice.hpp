// Forward–backward and Viterbi over one sentence, in scaled arithmetic.
//
//     e_t = exp(s_t − max s_t)          X = exp(τ − max τ)                    both at most 1
//     a_t = e_t ∘ (a_{t−1} X) / c_{t−1}           c_t = Σ a_t                 forward
//     b_t = X v_{t+1} / d_{t+1}         v_t = e_t ∘ b_t,   d_t = Σ v_t        backward
//     P(y_t) = a_t ∘ b_t / (c_t m_t)                m_t = Σ a_t ∘ b_t / c_t
//     Σ_t P(y_t = i, y_{t+1} = j) = X_ij · Σ_t p_t(i) q_{t+1}(j)              p_t = a_t/(c_t m_t), q_t = v_t/d_t
//     log Z = Σ log c_t + Σ max s_t + (n−1) max τ
//
// The last sum over t is one matrix product a sentence instead of n rank-one updates. The division by c_{t−1} comes
// after the product with X, so the sum does not stand in the way of the next step.
//
// Guards. What underflows at a step is below L · tiny, the smallest normal number. Forward, no entry may be so small that
// this shows in it: while every a_t(j) c_{t−1} stays above LEAST, each is right to 1e-6 by itself (10 L · tiny / LEAST), and
// so is log Z. To watch the sums c_t alone would not do: a label that looks hopeless at both ends of a sentence, by more
// than the numbers hold, can still be on the best path when all others pay at every step between. Backward, with a_t right,
// the paths that are lost at step t are those through an entry b_t(i) < L · tiny / STEP; while m_t stays above MEET, their
// share is below L · tiny / (STEP · MEET), 3e-9 in float for 24 labels. A sentence that fails a guard is done again in
// double, and failing there in the log domain (logspace.hpp).
// A NaN fails every guard and comes out as a NaN log Z.
#pragma once
#include <cmath>
#include <memory>
#include <vector>

#include "kernel/logspace.hpp"
#include "kernel/matrix.hpp"
#include "kernel/scores.hpp"

namespace tagfield {

template <class T> struct Guard;
template <> struct Guard<float> {
  static constexpr float STEP = 1e-12f, MEET = 1e-16f, LEAST = 1e-30f;
  static constexpr int PER_LOG = 8;  // factors that fit into one double before its log is taken
};
template <> struct Guard<double> {
  static constexpr double STEP = 1e-140, MEET = 1e-150, LEAST = 1e-290;
  static constexpr int PER_LOG = 2;
};

template <class T> class Lattice {
 public:
  T *scores = nullptr, *node = nullptr, *edge = nullptr;  // [n, Lp], [n, Lp], [L, Lp]

  explicit Lattice(const Layout& at) : at_(at), L_(at.L), Lp_(at.Lp()) {
    X_.reserve(int64_t(L_) * Lp_);
    Xt_.reserve(int64_t(Lp_) * Lp_);
    edge = edge_.reserve(int64_t(L_) * Lp_);
  }

  T* room_for(int64_t n) {
    n_ = n;
    scores = scores_.reserve(n * Lp_);
    node = node_.reserve(n * Lp_);
    a_.reserve(n * Lp_ + W);
    e_.reserve(n * Lp_);
    return scores;
  }

  // X = exp(z·τ − max) and its transpose. Padding columns become 0.
  void set_transitions(const T* trans, T z) {
    trans_ = trans;
    Vec<T> top = splat<T>(-INFINITY);
    for (int i = 0; i < L_; ++i)
      for (int b = 0; b < at_.NB; ++b) {
        const Vec<T> x = load(trans + (int64_t(i) * at_.NB + b) * W) * z;
        top = vmax<T>(top, select<T>(mask_lanes<T>(at_.lanes(b)), x, splat<T>(-INFINITY)));
      }
    max_trans_ = max_lanes<T>(top);
    for (int i = 0; i < L_; ++i) {
      for (int b = 0; b < at_.NB; ++b) {
        const int64_t k = (int64_t(i) * at_.NB + b) * W;
        store<T>(&X_[k], keep<T>(vexp(load(trans + k) * z - max_trans_), mask_lanes<T>(at_.lanes(b))));
      }
      for (int j = 0; j < L_; ++j) Xt_[int64_t(j) * Lp_ + i] = X_[int64_t(i) * Lp_ + j];
    }
    for (int j = 0; j < L_; ++j)
      for (int i = L_; i < Lp_; ++i) Xt_[int64_t(j) * Lp_ + i] = 0;
  }

  // log Z of the n positions whose raw scores are in `scores`, times z; marginals in `node` and `edge` if wanted.
  double run(T z, bool marginals) {
    if constexpr (sizeof(T) == 4)
      if (wide_next > 0) return --wide_next, ++fallbacks, run_wide(z, marginals);
    double log_z = 0;
    bool sound = false;
    switch (at_.NB) {
      case 1: sound = scaled<1>(z, marginals, log_z); break;
      case 2: sound = scaled<2>(z, marginals, log_z); break;
      case 3: sound = scaled<3>(z, marginals, log_z); break;
      case 4: sound = scaled<4>(z, marginals, log_z); break;
      default: sound = scaled<0>(z, marginals, log_z);
    }
    if (sound) return log_z;
    ++fallbacks;
    wide_next = wide_run;
    if constexpr (sizeof(T) == 4)
      return run_wide(z, marginals);
    else
      return forward_backward_log(L_, Lp_, scores, trans_, double(z), n_, marginals ? node : nullptr, edge);
  }

  // The best path under raw scores and transitions (z = 1), into y; returns its score. Ties go to the lower label.
  double best_path(const T* trans, int32_t* y) {
    trans_ = trans;
    switch (at_.NB) {
      case 1: best_scores<1>(trans); break;
      case 2: best_scores<2>(trans); break;
      case 3: best_scores<3>(trans); break;
      case 4: best_scores<4>(trans); break;
      default: best_scores<0>(trans);
    }
    const T* last = &a_[(n_ - 1) * Lp_];
    int best = 0;
    for (int j = 1; j < L_; ++j)
      if (last[j] > last[best]) best = j;
    const double score = last[best];
    y[n_ - 1] = best;
    for (int64_t t = n_ - 1; t > 0; --t) {
      const T* before = &a_[(t - 1) * Lp_];
      const int j = best;
      best = 0;
      T top = before[0] + trans[j];
      for (int i = 1; i < L_; ++i) {
        const T s = before[i] + trans[int64_t(i) * Lp_ + j];
        if (s > top) top = s, best = i;
      }
      y[t - 1] = best;
    }
    return score;
  }

  int64_t fallbacks = 0;
  // Weights that are too large for one sentence are so for the next: after a fall-back, as many go to double at once. Left
  // at 0 where sentences are divided among threads, for the outcome of one would depend on which came before it.
  int wide_run = 0, wide_next = 0;

 private:
  const Layout& at_;
  int L_, Lp_;
  int64_t n_ = 0;
  T max_trans_ = 0;
  const T* trans_ = nullptr;
  Scratch<T> X_, Xt_, scores_, node_, edge_, a_, e_;
  std::unique_ptr<Lattice<double>> wide_;
  std::vector<double> wide_trans_;

  double run_wide(T z, bool marginals) {
    if (!wide_) wide_ = std::make_unique<Lattice<double>>(at_);
    wide_trans_.assign(trans_, trans_ + int64_t(L_) * Lp_);
    double* s = wide_->room_for(n_);
    for (int64_t k = 0; k < n_ * Lp_; ++k) s[k] = scores[k];
    wide_->set_transitions(wide_trans_.data(), double(z));
    const double log_z = wide_->run(double(z), marginals);
    if (marginals) {
      for (int64_t k = 0; k < n_ * Lp_; ++k) node[k] = T(wide_->node[k]);
      for (int64_t k = 0; k < int64_t(L_) * Lp_; ++k) edge[k] = T(wide_->edge[k]);
    }
    return log_z;
  }

  template <int NB> bool scaled(T z, bool marginals, double& log_z) {
    const int nb = NB ? NB : at_.NB;
    const double shift = exp_states<NB>(z, nb);
    double log_c = 0, product = 1;
    int factors = 0;
    T before = 1;
    Vec<T> least = splat<T>(1);
    const IVec<T> real = mask_lanes<T>(at_.lanes(nb - 1));  // lanes of the last block that are labels
    auto watch = [&](int b, const Vec<T>& x) { least = vmin<T>(least, b + 1 < nb ? x : select<T>(real, x, least)); };
    for (int64_t t = 0; t < n_; ++t) {
      T* a = &a_[t * Lp_];
      const T* e = &e_[t * Lp_];
      const Vec<T> inverse = splat<T>(1 / before);
      Vec<T> total{};
      if (t == 0) {
        for (int b = 0; b < nb; ++b) {
          const Vec<T> first = load(e + b * W);
          watch(b, first);
          store<T>(a + b * W, first);
          total += first;
        }
      } else {
        strips<NB>(nb, [&](int b0, auto width) {
          constexpr int G = decltype(width)::value;
          Vec<T> sum[G];
          weighted_rows<T, G>(&X_[b0 * W], a - Lp_, L_, Lp_, sum);
          for (int b = 0; b < G; ++b) {
            sum[b] *= load(e + (b0 + b) * W);
            watch(b0 + b, sum[b]);
            sum[b] *= inverse;
            store<T>(a + (b0 + b) * W, sum[b]);
            total += sum[b];
          }
        });
      }
      before = sum_lanes<T>(total);
      if (!(before >= Guard<T>::STEP)) return false;
      product *= double(before);
      if (++factors == Guard<T>::PER_LOG) log_c += std::log(product), product = 1, factors = 0;
    }
    if (!(min_lanes<T>(least) >= Guard<T>::LEAST)) return false;
    log_z = log_c + std::log(product) + shift + double(n_ - 1) * double(max_trans_);
    if (!std::isfinite(log_z)) return false;
    return !marginals || backward<NB>(nb, before);
  }

  // e_t = exp(z·(s_t − max s_t)); returns z · Σ max s_t.
  template <int NB> double exp_states(T z, int nb) {
    double shift = 0;
    for (int64_t t = 0; t < n_; ++t) {
      const T* s = scores + t * Lp_;
      Vec<T> top = load(s);
      for (int b = 1; b < nb; ++b) top = vmax<T>(top, load(s + b * W));
      const T m = max_lanes<T>(top);
      shift += double(m);
      for (int b = 0; b < nb; ++b) store<T>(&e_[t * Lp_ + b * W], vexp((load(s + b * W) - m) * z));
    }
    return shift * double(z);
  }

  // Turns a_t into p_t and e_t into q_t on the way, then multiplies them into `edge`.
  template <int NB> bool backward(int nb, T c_last) {
    const int64_t last = n_ - 1;
    {
      const Vec<T> inverse = splat<T>(1 / c_last);
      for (int b = 0; b < nb; ++b) store<T>(node + last * Lp_ + b * W, load(&a_[last * Lp_ + b * W]) * inverse);
    }
    for (int64_t t = last - 1; t >= 0; --t) {
      T *v = &e_[(t + 1) * Lp_], *a = &a_[t * Lp_], *e = &e_[t * Lp_], *p = node + t * Lp_;
      Vec<T> sum_v{}, sum_a{}, sum_ab{};
      for (int b = 0; b < nb; ++b) sum_v += load(v + b * W), sum_a += load(a + b * W);
      const T d = sum_lanes<T>(sum_v);
      if (!(d >= Guard<T>::STEP)) return false;
      const Vec<T> over_d = splat<T>(1 / d);
      strips<NB>(nb, [&](int b0, auto width) {
        constexpr int G = decltype(width)::value;
        Vec<T> sum[G];
        weighted_rows<T, G>(&Xt_[b0 * W], v, L_, Lp_, sum);
        for (int b = 0; b < G; ++b) {
          const Vec<T> beta = sum[b] * over_d, ab = load(a + (b0 + b) * W) * beta;
          store<T>(p + (b0 + b) * W, ab);
          store<T>(e + (b0 + b) * W, load(e + (b0 + b) * W) * beta);
          sum_ab += ab;
        }
      });
      const T meet = sum_lanes<T>(sum_ab);
      if (!(meet >= Guard<T>::MEET * sum_lanes<T>(sum_a))) return false;
      const Vec<T> over = splat<T>(1 / meet);
      for (int b = 0; b < nb; ++b) {
        store<T>(p + b * W, load(p + b * W) * over);
        store<T>(a + b * W, load(a + b * W) * over);
        store<T>(v + b * W, load(v + b * W) * over_d);
      }
    }
    for (int i0 = 0; i0 < L_; i0 += 4)
      strips<NB>(nb, [&](int b0, auto width) {
        constexpr int G = decltype(width)::value;
        Vec<T> sum[4][G] = {};
        outer_sum<T, G>(&a_[i0], &e_[Lp_ + b0 * W], last, Lp_, sum);
        for (int r = 0; r < 4 && i0 + r < L_; ++r)
          for (int b = 0; b < G; ++b) {
            const int64_t k = int64_t(i0 + r) * Lp_ + (b0 + b) * W;
            store<T>(edge + k, sum[r][b] * load(&X_[k]));
          }
      });
    return true;
  }

  template <int NB> void best_scores(const T* trans) {
    const int nb = NB ? NB : at_.NB;
    for (int64_t t = 0; t < n_; ++t)
      strips<NB>(nb, [&](int b0, auto width) {
        constexpr int G = decltype(width)::value;
        Vec<T> best[G] = {};
        if (t) best_rows<T, G>(trans + b0 * W, &a_[(t - 1) * Lp_], L_, Lp_, best);
        for (int b = 0; b < G; ++b)
          store<T>(&a_[t * Lp_ + (b0 + b) * W], best[b] + load(scores + t * Lp_ + (b0 + b) * W));
      });
  }
};

}  // namespace tagfield
