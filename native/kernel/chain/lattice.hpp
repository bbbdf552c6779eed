// Forward–backward over one sentence, in scaled arithmetic.
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
// Guards. Let M = max(1, max X), and let `tiny` be the smallest normal number. Underflow at one step takes from an entry
// less than
//     forward  4 tiny (L / c_{t−1} + M)          backward  4 tiny M (L + Σ b_{t+1}) / d_{t+1}
// (flushed: X and its products, e, the entry itself). Both passes add this bound, the lift, to every entry. So no entry
// is below its true value, and the spurious probability mass is known. At step t it is
//     forward  its lift · Σ_j b_t(j) / meet_t    backward  its lift · c_t / meet_t       meet_t = Σ_j a_t(j) b_t(j)
// If a sentence's total exceeds SHARE, the sentence is repeated in double, and then in the log domain (logspace.hpp).
// Checking the sums c_t is not enough: a label whose probability underflows at both ends of a sentence can still be on the
// best path, if all other labels pay a high cost at every step between.
// Without a backward pass there is no meet_t. Then the lift of every a_t(j) must be below RIGHT · a_t(j). With forbidden
// labels, whose probability must be exactly 0, nothing is lifted, and the same condition applies (`strict`).
// A NaN fails every guard and gives log Z = NaN.
#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "kernel/chain/scaling_history.hpp"
#include "kernel/chain/side_by_side.hpp"
#include "kernel/chain/log_domain.hpp"
#include "kernel/simd/matrix.hpp"
#include "kernel/corpus/scores.hpp"
#include "kernel/simd/scratch.hpp"

namespace tagfield {

template <class T> struct Guard;
template <> struct Guard<float> {
  static constexpr float STEP = 1e-18f, SHARE = 1e-7f, RIGHT = 1e-6f;
  static constexpr int PER_LOG = 8;  // factors that fit into one double before its log is taken
};
template <> struct Guard<double> {
  static constexpr double STEP = 1e-140, SHARE = 1e-12, RIGHT = 1e-13;
  static constexpr int PER_LOG = 2;
};

template <class T> class Lattice {
  template <class> friend class Lattice;
  static constexpr T TINY = std::numeric_limits<T>::min();

 public:
  T *scores = nullptr, *node = nullptr, *edge = nullptr;  // [n, Lp], [n, Lp], [L, Lp]

  explicit Lattice(const Layout& at) : at_(at), L_(at.L), Lp_(at.Lp()) {
    best_.reserve(L_);
  }

  T* room_for(int64_t n) {
    n_ = n;
    if (!edge) edge = edge_.reserve(int64_t(L_) * Lp_);
    scores = scores_.reserve(n * Lp_);
    node = node_.reserve(n * Lp_);
    a_.reserve(n * Lp_ + W);
    e_.reserve(n * Lp_);
    return scores;
  }

  // X = exp(z·τ − r) and its transpose. Padding columns become 0. Were r the largest τ, and that far above the rest, a step
  // along all others would cost 1e-15 and more: r is the mean over labels of their best transition, or what a step has
  // cost lately (`pace`).
  void set_transitions(const T* trans, T z) {
    trans_ = trans;
    X_.reserve(int64_t(L_) * Lp_), Xt_.reserve(int64_t(Lp_) * Lp_);
    const int last = Lp_ - W;
    const IVec<T> real = mask_lanes<T>(at_.lanes(at_.NB - 1));  // lanes of the last block that are labels
    T top = -INFINITY, sum = 0;
    for (int i = 0; i < L_; ++i) {
      const T* weights = trans + int64_t(i) * Lp_;
      Vec<T> row = select<T>(real, load(weights + last) * z, splat<T>(-INFINITY));
      for (int j = 0; j < last; j += W) row = vmax<T>(row, load(weights + j) * z);
      best_[i] = max_lanes<T>(row);
      top = best_[i] > top ? best_[i] : top;
    }
    constexpr T most = 36;  // M ≤ e^36, 4e15
    for (int i = 0; i < L_; ++i) sum += best_[i] > top - most ? best_[i] : top - most;  // some labels have none
    r_ = std::isfinite(pace) ? T(pace) : sum / T(L_);
    r_ = r_ < top ? r_ : top;
    r_ = r_ > top - most ? r_ : top - most;
    M_ = std::exp(top - r_);
    for (int i = 0; i < L_; ++i) {
      const T* weights = trans + int64_t(i) * Lp_;
      T* x = &X_[int64_t(i) * Lp_];
      for (int j = 0; j < Lp_; j += W) store<T>(x + j, vexp(load(weights + j) * z - r_));
      store<T>(x + last, keep<T>(load(x + last), real));
    }
    int i = 0;
    for (; i + W <= L_; i += W)
      for (int j = 0; j < Lp_; j += W) transpose<T>(&X_[int64_t(i) * Lp_ + j], Lp_, &Xt_[int64_t(j) * Lp_ + i], Lp_);
    for (; i < Lp_; ++i)
      for (int j = 0; j < L_; ++j) Xt_[int64_t(j) * Lp_ + i] = i < L_ ? X_[int64_t(i) * Lp_ + j] : T(0);
  }

  // log Z of the n positions whose raw scores are in `scores`, times z; marginals in `node` and `edge` if wanted.
  double run(T z, bool marginals) {
    double log_z = 0;
    bool sound = false;
    if (tries)
      switch (at_.NB) {
        case 1: sound = scaled<1>(z, marginals, log_z); break;
        case 2: sound = scaled<2>(z, marginals, log_z); break;
        case 3: sound = scaled<3>(z, marginals, log_z); break;
        case 4: sound = scaled<4>(z, marginals, log_z); break;
        default: sound = scaled<0>(z, marginals, log_z);
      }
    if (!sound) {
      ++fallbacks;
      if constexpr (sizeof(T) == 4)
        log_z = run_wide(z, marginals);
      else
        log_z = forward_backward_log(L_, Lp_, scores, trans_, double(z), n_, marginals ? node : nullptr, edge);
    }
    last = {tries, sound, n_ > 1 ? (log_z - shift_) / double(n_ - 1) : double(NAN)};
    return log_z;
  }

  // X [L, Lp], its transpose, r and max(1, max X), for dense_block.hpp.
  const T* factors() const { return X_.get(); }
  const T* factors_transposed() const { return Xt_.get(); }
  T shift() const { return r_; }
  T largest() const { return M_; }

  bool strict = false;
  bool pairs = true;  // whether marginals include those of pairs of labels, `edge`
  int64_t fallbacks = 0;
  // What a pass has learned from the sentences before (habits.hpp), and what it may learn from this one.
  double pace = NAN;
  bool tries = true;
  LatticeRun last;

 private:
  const Layout& at_;
  int L_, Lp_;
  int64_t n_ = 0;
  T r_ = 0, M_ = 1;
  double shift_ = 0;  // Σ max s_t of the sentence
  const T* trans_ = nullptr;
  Scratch<T> X_, Xt_, scores_, node_, edge_, a_, e_, best_;
  std::unique_ptr<Lattice<double>> wide_;
  std::vector<double> wide_trans_;

  double run_wide(T z, bool marginals) {
    if (!wide_) wide_ = std::make_unique<Lattice<double>>(at_);
    wide_trans_.assign(trans_, trans_ + int64_t(L_) * Lp_);
    wide_->strict = strict, wide_->pairs = pairs;
    double* s = wide_->room_for(n_);
    for (int64_t k = 0; k < n_ * Lp_; ++k) s[k] = scores[k];
    wide_->set_transitions(wide_trans_.data(), double(z));
    const double log_z = wide_->run(double(z), marginals);
    shift_ = wide_->shift_;
    if (marginals) {
      for (int64_t k = 0; k < n_ * Lp_; ++k) node[k] = T(wide_->node[k]);
      for (int64_t k = 0; pairs && k < int64_t(L_) * Lp_; ++k) edge[k] = T(wide_->edge[k]);
    }
    return log_z;
  }

  T lost_after(T c_before) const { return 4 * TINY * (T(L_) / c_before + M_); }

  template <int NB> bool scaled(T z, bool marginals, double& log_z) {
    const int nb = NB ? NB : at_.NB;
    shift_ = exp_states<NB>(z, nb);
    double log_c = 0, product = 1;
    int factors = 0;
    T before = 1;
    Vec<T> least = splat<T>(1);
    const bool watching = strict || !marginals;
    const IVec<T> real = mask_lanes<T>(at_.lanes(nb - 1));  // lanes of the last block that are labels
    for (int64_t t = 0; t < n_; ++t) {
      T* a = &a_[t * Lp_];
      const T* e = &e_[t * Lp_];
      const T lost = lost_after(before);
      const Vec<T> inverse = splat<T>(1 / before), lift = splat<T>(strict ? T(0) : lost), last_lift = keep<T>(lift, real);
      const Vec<T> in_lifts = splat<T>(Guard<T>::RIGHT / lost);
      Vec<T> total{};
      auto add = [&](int b, Vec<T> x) {
        if (watching) least = vmin<T>(least, b + 1 < nb ? x * in_lifts : select<T>(real, x * in_lifts, least));
        x += b + 1 < nb ? lift : last_lift;
        store<T>(a + b * W, x);
        total += x;
      };
      if (t == 0)
        for (int b = 0; b < nb; ++b) add(b, load(e + b * W));
      else
        strips<NB>(nb, [&](int b0, auto width) {
          constexpr int G = decltype(width)::value;
          Vec<T> sum[G];
          weighted_rows<T, G>(&X_[b0 * W], a - Lp_, L_, Lp_, sum);
          for (int b = 0; b < G; ++b) add(b0 + b, sum[b] * load(e + (b0 + b) * W) * inverse);
        });
      before = sum_lanes<T>(total);
      if (!(before >= Guard<T>::STEP)) return false;
      product *= double(before);
      if (++factors == Guard<T>::PER_LOG) log_c += std::log(product), product = 1, factors = 0;
    }
    if (watching && !(min_lanes<T>(least) >= 1)) return false;
    log_z = log_c + std::log(product) + shift_ + double(n_ - 1) * double(r_);
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
    T sum_b = T(L_), over_meet = 1 / c_last, share = 0;
    auto made_up = [&](T c_before) { return lost_after(c_before) * (sum_b * over_meet); };
    {
      const Vec<T> inverse = splat<T>(1 / c_last);
      for (int b = 0; b < nb; ++b) store<T>(node + last * Lp_ + b * W, load(&a_[last * Lp_ + b * W]) * inverse);
    }
    for (int64_t t = last - 1; t >= 0; --t) {
      T *v = &e_[(t + 1) * Lp_], *a = &a_[t * Lp_], *e = &e_[t * Lp_], *p = node + t * Lp_;
      Vec<T> sum_v{}, sum_a{}, sum_beta{}, sum_ab{};
      for (int b = 0; b < nb; ++b) sum_v += load(v + b * W), sum_a += load(a + b * W);
      const T d = sum_lanes<T>(sum_v), c = sum_lanes<T>(sum_a);
      share += made_up(c);
      if (!(d >= Guard<T>::STEP)) return false;
      const T lost = 4 * TINY * M_ * (T(L_) + sum_b) / d;
      const Vec<T> lift = splat<T>(strict ? T(0) : lost);
      const Vec<T> over_d = splat<T>(1 / d);
      strips<NB>(nb, [&](int b0, auto width) {
        constexpr int G = decltype(width)::value;
        Vec<T> sum[G];
        weighted_rows<T, G>(&Xt_[b0 * W], v, L_, Lp_, sum);
        for (int b = 0; b < G; ++b) {
          const Vec<T> beta = sum[b] * over_d + lift, ab = load(a + (b0 + b) * W) * beta;
          store<T>(p + (b0 + b) * W, ab);
          store<T>(e + (b0 + b) * W, load(e + (b0 + b) * W) * beta);
          sum_beta += beta;
          sum_ab += ab;
        }
      });
      over_meet = 1 / sum_lanes<T>(sum_ab), sum_b = sum_lanes<T>(sum_beta);
      share += lost * (c * over_meet);
      if (!(share <= Guard<T>::SHARE)) return false;
      const Vec<T> over = splat<T>(over_meet);
      for (int b = 0; b < nb; ++b) {
        store<T>(p + b * W, load(p + b * W) * over);
        store<T>(a + b * W, load(a + b * W) * over);
        store<T>(v + b * W, load(v + b * W) * over_d);
      }
    }
    if (!(share + made_up(1) <= Guard<T>::SHARE)) return false;
    if (!pairs) return true;
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
};

}  // namespace tagfield
