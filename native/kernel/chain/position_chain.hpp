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
// well. A sentence that fails is repeated in the log domain (logspace.hpp). What limits forbid (limits.hpp) is 0, exactly:
// a label that is 0 before its own step was reached by none. NaN fails and gives log Z = NaN. Where no path is allowed,
// log Z is −∞ and all probabilities are 0.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernel/chain/limits.hpp"
#include "kernel/chain/log_domain.hpp"
#include "kernel/simd/matrix.hpp"

namespace tagfield {

class EdgeLattice {
  static constexpr double LEAST = 1e-280, NONE = -std::numeric_limits<double>::infinity();

 public:
  double *scores = nullptr, *node = nullptr, *edge = nullptr;  // [n, Lp], [n, Lp], [L, Lp]: Σ_t P(y_{t−1} = i, y_t = j)
  int64_t fallbacks = 0;

  explicit EdgeLattice(const Layout& at) : at_(at), L_(at.L), Lp_(at.Lp()), size_(int64_t(at.L) * at.Lp()) {}

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
  double run(double z, bool marginals, bool pairs = true) {
    double log_z = NONE;
    X_.reserve(matrices_ * size_), r_.resize(size_t(matrices_));
    const Run found = scaled(z, marginals, pairs, log_z);
    if (found == Run::SOUND) return log_z;
    if (found == Run::UNSOUND) {
      ++fallbacks;
      log_z = in_logs(z, marginals);
      if (!(log_z < z * IMPOSSIBLE)) return log_z;
    }
    if (marginals) {
      std::fill_n(node, n_ * Lp_, 0.0);
      std::fill_n(edge, size_, 0.0);
      std::fill_n(X_.get(), matrices_ * size_, 0.0);
    }
    return NONE;
  }

  // The best path under raw scores and transitions (z = 1), into y; returns its score. Ties go to the lower label.
  double best_path(int32_t* y) {
    for (int64_t t = 0; t < n_; ++t)
      strips<0>(at_.NB, [&](int b0, auto width) {
        constexpr int G = decltype(width)::value;
        Vec<double> best[G] = {};
        if (t) best_rows<double, G>(tau(t) + b0 * W, &a_[(t - 1) * Lp_], L_, Lp_, best);
        for (int b = 0; b < G; ++b) {
          const int64_t k = t * Lp_ + (b0 + b) * W;
          store<double>(&a_[k], best[b] + load(scores + k));
        }
      });
    const double* last = &a_[(n_ - 1) * Lp_];
    int best = int(std::max_element(last, last + L_) - last);
    const double score = last[best];
    y[n_ - 1] = best;
    for (int64_t t = n_ - 1; t > 0; --t) {
      const double *before = &a_[(t - 1) * Lp_], *into = tau(t) + best;
      best = 0;
      for (int i = 1; i < L_; ++i)
        if (before[i] + into[int64_t(i) * Lp_] > before[best] + into[int64_t(best) * Lp_]) best = i;
      y[t - 1] = best;
    }
    return score;
  }

  double path_score(const int32_t* y) const {
    double score = scores[y[0]];
    for (int64_t t = 1; t < n_; ++t) score += tau(t)[int64_t(y[t - 1]) * Lp_ + y[t]] + scores[t * Lp_ + y[t]];
    return score;
  }

 private:
  enum class Run { SOUND, UNSOUND, NO_PATH };

  const Layout& at_;
  int L_, Lp_;
  int64_t size_, n_ = 0, matrices_ = 1;
  std::vector<int64_t> which_;  // [n] the matrix of each position; 0: the shared one
  std::vector<double> r_;       // [matrices]
  Scratch<double> tau_, X_, scores_, node_, edge_, a_, e_;  // tau_ and X_ [matrices, L, Lp]; X_ becomes the pairs

  double* X(int64_t t) { return &X_[which_[size_t(t)] * size_]; }

  Run scaled(double z, bool marginals, bool pairs, double& log_z) {
    const IVec<double> real = mask_lanes<double>(at_.lanes(at_.NB - 1));  // lanes of the last block that are labels
    for (int64_t k = 0; k < matrices_; ++k) exp_transitions(k, z, real);
    double shift = 0;
    for (int64_t t = 0; t < n_; ++t) {
      const double top = exp_states(t, z);
      if (top == NONE) return Run::NO_PATH;
      shift += z * top;
      if (!t) continue;
      const double r = r_[size_t(which_[size_t(t)])];
      if (r < z * IMPOSSIBLE) return Run::NO_PATH;
      shift += r;
    }
    for (int64_t t = 0; t < n_; ++t) {
      double* a = &a_[t * Lp_];
      const double* e = &e_[t * Lp_];
      Vec<double> total{}, least = splat<double>(1.0);
      strips<0>(at_.NB, [&](int b0, auto width) {
        constexpr int G = decltype(width)::value;
        Vec<double> sum[G];
        if (t)
          weighted_rows<double, G>(X(t) + b0 * W, a - Lp_, L_, Lp_, sum);
        else
          for (int b = 0; b < G; ++b) sum[b] = splat<double>(1.0);
        for (int b = 0; b < G; ++b) {
          const Vec<double> x = sum[b] * load(e + (b0 + b) * W);
          least = vmin<double>(b0 + b + 1 < at_.NB ? x : select<double>(real, x, least), least);
          total += x;
          store<double>(a + (b0 + b) * W, x);
        }
      });
      const double c = sum_lanes<double>(total);
      if (!(min_lanes<double>(least) >= LEAST) && lost(t)) return Run::UNSOUND;
      if (c == 0) return Run::NO_PATH;
      const Vec<double> over = splat<double>(1 / c);
      for (int b = 0; b < at_.NB; ++b) store<double>(a + b * W, load(a + b * W) * over);
      shift += std::log(c);
    }
    log_z = shift;
    if (!std::isfinite(log_z)) return Run::UNSOUND;
    return !marginals || backward(pairs) ? Run::SOUND : Run::UNSOUND;
  }

  // X of one matrix. r is that of the shared one, z·max τ, unless something is so far above it that its exp is not right.
  // Where r is too large for the others, LEAST tells.
  void exp_transitions(int64_t k, double z, const IVec<double>& real) {
    constexpr double most = 300;
    const double* from = &tau_[k * size_];
    double* to = &X_[k * size_];
    const auto labels = [&](int64_t c, const Vec<double>& x, const Vec<double>& padding) {
      return (c / W + 1) % at_.NB ? x : select<double>(real, x, padding);
    };
    if (k) {
      const double r = r_[size_t(k)] = r_[0];
      Vec<double> top = splat<double>(NONE);
      for (int64_t c = 0; c < size_; c += W) {
        if (!std::memcmp(from + c, &tau_[c], W * sizeof(double))) {
          store<double>(to + c, load(&X_[c]));
          continue;
        }
        const Vec<double> x = labels(c, load(from + c) * z - r, splat<double>(NONE));
        top = vmax<double>(top, x);
        store<double>(to + c, vexp(x));
      }
      if (!(max_lanes<double>(top) > most)) return;
    }
    Vec<double> top = splat<double>(NONE);
    for (int64_t c = 0; c < size_; c += W) top = vmax<double>(top, labels(c, load(from + c), top));
    const double r = r_[size_t(k)] = z * max_lanes<double>(top);
    for (int64_t c = 0; c < size_; c += W) store<double>(to + c, vexp(labels(c, load(from + c) * z - r, splat<double>(NONE))));
  }

  double exp_states(int64_t t, double z) {
    const double* s = scores + t * Lp_;
    Vec<double> top = load(s);
    for (int b = 1; b < at_.NB; ++b) top = vmax<double>(top, load(s + b * W));
    const double m = max_lanes<double>(top);
    for (int b = 0; b < at_.NB; ++b) store<double>(&e_[t * Lp_ + b * W], vexp((load(s + b * W) - m) * z));
    return m;
  }

  // Whether an entry of a_t is too small although a path reaches it. Those of a_{t−1} are 0 exactly where none does.
  bool lost(int64_t t) const {
    const double *a = &a_[t * Lp_], *s = scores + t * Lp_, *into = tau(t);
    for (int j = 0; j < L_; ++j) {
      if (a[j] >= LEAST || s[j] == NONE) continue;
      if (!t) return true;
      for (int i = 0; i < L_; ++i)
        if (a_[(t - 1) * Lp_ + i] != 0 && !(into[int64_t(i) * Lp_ + j] < IMPOSSIBLE)) return true;
    }
    return false;
  }

  bool backward(bool pairs) {
    std::copy_n(&a_[(n_ - 1) * Lp_], Lp_, node + (n_ - 1) * Lp_);
    std::fill_n(edge, size_, 0.0);
    for (int64_t t = n_ - 1; t > 0; --t) {
      double *q = &e_[t * Lp_], *a = &a_[(t - 1) * Lp_], *b = &e_[(t - 1) * Lp_], *p = node + (t - 1) * Lp_, *x = X(t);
      const bool mine = has_own(t);
      Vec<double> sum{};
      for (int k = 0; k < Lp_; k += W) sum += load(q + k);
      const double d = sum_lanes<double>(sum);
      if (!(d >= LEAST)) return false;
      const Vec<double> over_d = splat<double>(1 / d);
      for (int k = 0; k < Lp_; k += W) store<double>(q + k, load(q + k) * over_d);
      double m = 0;
      for (int i = 0; i < L_; ++i) {
        Vec<double> row{};
        for (int k = 0; k < Lp_; k += W) row += load(x + int64_t(i) * Lp_ + k) * load(q + k);
        const double beta = sum_lanes<double>(row);
        m += p[i] = a[i] * beta;
        b[i] *= beta;  // e_{t−1} becomes what q_{t−1} is a share of
      }
      if (!(m >= LEAST)) return false;
      for (int i = 0; i < Lp_; ++i) p[i] = i < L_ ? p[i] / m : 0;
      for (int i = 0; pairs && i < L_; ++i) {
        const Vec<double> from = splat<double>(a[i] / m);
        for (int k = 0; k < Lp_; k += W) {
          const int64_t c = int64_t(i) * Lp_ + k;
          const Vec<double> share = load(x + c) * load(q + k) * from;  // from · X alone may leave a double's range
          store<double>(edge + c, load(edge + c) + share);
          if (mine) store<double>(x + c, share);
        }
      }
    }
    return true;
  }

  double in_logs(double z, bool marginals) {
    std::fill_n(edge, size_, 0.0);
    return chain_in_logs(
        L_, Lp_, n_, [&](int64_t t, int j) { return z * scores[t * Lp_ + j]; },
        [&](int64_t t, int i, int j) { return z * tau(t)[int64_t(i) * Lp_ + j]; }, marginals ? node : nullptr,
        [&](int64_t t, const double* pairs) {
          for (int i = 0; i < L_; ++i)
            for (int j = 0; j < Lp_; ++j) {
              const double share = j < L_ ? pairs[int64_t(i) * L_ + j] : 0;
              edge[int64_t(i) * Lp_ + j] += share;
              if (has_own(t)) X(t)[int64_t(i) * Lp_ + j] = share;
            }
        });
  }
};

}  // namespace tagfield
