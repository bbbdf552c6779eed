// The passes of scaled.hpp, over sentences side by side; what multiplies with X is a policy.
//
//     Sums::MOST             sentences at once
//     Sums::NB               blocks of W states, 0 where that is known at run time only
//     sums.each(X, row, active, fn)      fn(lane, block, Σ_i row[lane][i] · X[i][block]) for every lane and block
#include "kernel/chain/scaled.hpp"

#include <limits>

#include "kernel/chain/log_domain.hpp"
#include "kernel/simd/matrix.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield {

namespace {

template <class T> struct Guard;
template <> struct Guard<float> {
  static constexpr float STEP = 1e-18f, SHARE = 1e-7f, RIGHT = 1e-6f;
  static constexpr int PER_LOG = 8;  // factors that fit into one double before its log is taken
};
template <> struct Guard<double> {
  static constexpr double STEP = 1e-140, SHARE = 1e-12, RIGHT = 1e-13;
  static constexpr int PER_LOG = 2;
};

template <class T> constexpr T TINY = std::numeric_limits<T>::min();

// One sentence: its sums go from registers to where they are used.
template <class T, int Blocks> struct InRegisters {
  static constexpr int MOST = 1, NB = Blocks;
  const States& at;

  template <class Fn> TAGFIELD_INLINE void each(const T* X, const T* const* row, int, Fn fn) {
    strips<NB>(at.NB, [&](int b0, auto width) TAGFIELD_INLINED {
      constexpr int G = decltype(width)::value;
      Vec<T> sum[G];
      weighted_rows<T, G>(X + b0 * W, row[0], at.L, at.Lp(), sum);
      for (int b = 0; b < G; ++b) fn(0, b0 + b, sum[b]);
    });
  }
};

// out[k][b] = Σ_i a[k][i] · X[i][b] for K rows a and G blocks from where X points; the rows of `out` are `step` apart.
template <class T, int K, int G>
TAGFIELD_NOINLINE void product_strip(const T* X, const T* const* a, int L, int Lp, T* out, int64_t step) {
  Vec<T> sum[K][G] = {};
  for (int i = 0; i < L; ++i, X += Lp) {
    Vec<T> x[G];
#pragma GCC unroll 8
    for (int b = 0; b < G; ++b) x[b] = load(X + b * W);
#pragma GCC unroll 8
    for (int k = 0; k < K; ++k) {
      const Vec<T> by = splat<T>(a[k][i]);
#pragma GCC unroll 8
      for (int b = 0; b < G; ++b) sum[k][b] += by * x[b];
    }
  }
#pragma GCC unroll 8
  for (int k = 0; k < K; ++k)
#pragma GCC unroll 8
    for (int b = 0; b < G; ++b) store<T>(out + k * step + b * W, sum[k][b]);
}

// Several sentences: one product of matrices. Each sum over states is in one accumulator and in the order of the states,
// however many sentences there are.
template <class T> struct MatrixProduct {
  static constexpr int MOST = W, NB = 0;
  // Accumulators that stay in registers, in blocks of W.
#if defined(__AVX512F__)
  static constexpr int HELD = sizeof(T) == 4 ? 16 : 8;
#else
  static constexpr int HELD = sizeof(T) == 4 ? 8 : 4;
#endif
  static constexpr int TOGETHER = HELD / 2 < W ? HELD / 2 : W;  // sentences in one product

  const States& at;
  T* sums;  // [W, Lp]

  template <class Fn> TAGFIELD_INLINE void each(const T* X, const T* const* row, int active, Fn fn) {
    products(X, row, active);
    const int Lp = at.Lp();
    for (int k = 0; k < active; ++k)
      for (int b = 0; b < at.NB; ++b) fn(k, b, load(sums + k * Lp + b * W));
  }

 private:
  TAGFIELD_NOINLINE void products(const T* X, const T* const* row, int active) const {
    T* out = sums;
    for (int k = 0; k < active; k += TOGETHER, row += TOGETHER, out += int64_t(TOGETHER) * at.Lp())
      switch (std::min(TOGETHER, active - k)) {
        case 1: product<1>(X, row, out); break;
        case 2: product<2>(X, row, out); break;
        case 3: product<3>(X, row, out); break;
        case 4: product<4>(X, row, out); break;
        case 5: product<5>(X, row, out); break;
        case 6: product<6>(X, row, out); break;
        case 7: product<7>(X, row, out); break;
        default: product<8>(X, row, out);
      }
  }
  template <int K> void product(const T* X, const T* const* row, T* out) const {
    if constexpr (K <= TOGETHER) {
      constexpr int G = K == 1 ? std::min(8, HELD) : HELD / K >= 4 ? 4 : HELD / K >= 2 ? 2 : 1;
      const int Lp = at.Lp();
      int b = 0;
      for (; b + G <= at.NB; b += G) product_strip<T, K, G>(X + b * W, row, at.L, Lp, out + b * W, Lp);
      for (; b < at.NB; ++b) product_strip<T, K, 1>(X + b * W, row, at.L, Lp, out + b * W, Lp);
    }
  }
};

}  // namespace

template <class T> void ScaledSteps<T>::exp_transitions(const T* trans, T z, double pace) {
  trans_ = trans;
  X_.reserve(int64_t(L_) * Lp_), Xt_.reserve(int64_t(Lp_) * Lp_);
  const int last = Lp_ - W;
  const IVec<T> real = mask_lanes<T>(at_.lanes(at_.NB - 1));  // lanes of the last block that are states
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

template <class T> T ScaledSteps<T>::lost_after(T c_before) const { return 4 * TINY<T> * (T(L_) / c_before + M_); }

// e_t = exp(z·(s_t − max s_t)); returns max s_t.
template <class T> template <int NB> TAGFIELD_INLINE double ScaledSteps<T>::exp_row(const T* s, T z, T* e) const {
  const int nb = NB ? NB : at_.NB;
  Vec<T> top = load(s);
  for (int b = 1; b < nb; ++b) top = vmax<T>(top, load(s + b * W));
  const T m = max_lanes<T>(top);
  for (int b = 0; b < nb; ++b) store<T>(e + b * W, vexp((load(s + b * W) - m) * z));
  return double(m);
}

// A sentence alone stops where it is not sound; one beside others goes on with 1 in the place of what it lost.
template <class T>
template <class Sums>
TAGFIELD_INLINE void ScaledSteps<T>::forward(Sums& sums, LaneChain<T>* chains, const ByLength& lanes, T z, bool watching, bool strict) {
  constexpr int K = Sums::MOST, NB = Sums::NB;
  const int nb = NB ? NB : at_.NB;
  const IVec<T> real = mask_lanes<T>(at_.lanes(nb - 1));  // lanes of the last block that are states
  double log_c[K] = {}, product[K];
  T before[K];
  Vec<T> least[K], total[K], inverse[K], lift[K], last_lift[K], in_lifts[K];
  for (int k = 0; k < K; ++k) shift_[k] = 0, product[k] = 1, before[k] = 1, least[k] = splat<T>(1);
  if constexpr (K == 1) {  // all exp first, which wait for nothing
    double shift = 0;
    for (int64_t t = 0; t < lanes.longest; ++t) pulse(t), shift += exp_row<NB>(chains[0].scores + t * Lp_, z, &e_[t * Lp_]);
    shift_[0] = shift * double(z);
  }
  for (int64_t t = 0; t < lanes.longest; ++t) {
    pulse(t);
    const int active = K == 1 ? 1 : lanes.active(chains, t);
    const T* rows[K];
    T *a[K], *e[K];  // of position t; copies of the pointers, which any store might change otherwise
    for (int k = 0; k < active; ++k) {
      const T lost = lost_after(before[k]);
      a[k] = &a_[(begin_[k] + t) * Lp_], e[k] = &e_[(begin_[k] + t) * Lp_], rows[k] = a[k] - Lp_;
      if constexpr (K > 1) shift_[k] += exp_row<NB>(chains[lanes.order[k]].scores + t * Lp_, z, e[k]);
      total[k] = Vec<T>{}, inverse[k] = splat<T>(1 / before[k]), in_lifts[k] = splat<T>(Guard<T>::RIGHT / lost);
      lift[k] = splat<T>(strict ? T(0) : lost), last_lift[k] = keep<T>(lift[k], real);
    }
    const auto add = [&](int k, int b, Vec<T> x) TAGFIELD_INLINED {
      if (watching) least[k] = vmin<T>(least[k], b + 1 < nb ? x * in_lifts[k] : select<T>(real, x * in_lifts[k], least[k]));
      x += b + 1 < nb ? lift[k] : last_lift[k];
      store<T>(a[k] + b * W, x);
      total[k] += x;
    };
    if (t == 0)
      for (int k = 0; k < active; ++k)
        for (int b = 0; b < nb; ++b) add(k, b, load(e[k] + b * W));
    else
      sums.each(X_.get(), rows, active, [&](int k, int b, const Vec<T>& sum) TAGFIELD_INLINED {
        add(k, b, sum * load(e[k] + b * W) * inverse[k]);
      });
    for (int k = 0; k < active; ++k) {
      before[k] = sum_lanes<T>(total[k]);
      if (!(before[k] >= Guard<T>::STEP && before[k] <= std::numeric_limits<T>::max())) {
        chains[lanes.order[k]].sound = false, before[k] = 1;
        if constexpr (K == 1) return;
      }
      product[k] *= double(before[k]);
      if ((t + 1) % Guard<T>::PER_LOG == 0) log_c[k] += std::log(product[k]), product[k] = 1;
    }
  }
  for (int k = 0; k < lanes.count; ++k) {
    LaneChain<T>& chain = chains[lanes.order[k]];
    if (watching && !(min_lanes<T>(least[k]) >= 1)) chain.sound = false;
    chain.log_z = log_c[k] + std::log(product[k]) + (K == 1 ? shift_[k] : double(z) * shift_[k]) + double(chain.n - 1) * double(r_);
    if (!std::isfinite(chain.log_z)) chain.sound = false;
    c_last_[k] = before[k];
  }
}

// Turns a_t into p_t and e_t into q_t on the way.
template <class T>
template <class Sums>
TAGFIELD_INLINE void ScaledSteps<T>::backward(Sums& sums, LaneChain<T>* chains, const ByLength& lanes, bool strict) {
  constexpr int K = Sums::MOST, NB = Sums::NB;
  const int nb = NB ? NB : at_.NB;
  T sum_b[K] = {}, over_meet[K] = {}, share[K] = {}, c[K], lost[K];
  Vec<T> sum_beta[K], sum_ab[K], lift[K], over_d[K];
  for (int64_t t = lanes.longest - 1; t >= 0; --t) {
    pulse(t);
    const int active = K == 1 ? 1 : lanes.active(chains, t);
    int going = 0;  // chains that reach t + 1
    const T* rows[K];
    T *a[K], *e[K], *v[K], *p[K];
    for (int k = 0; k < active; ++k) {
      LaneChain<T>& chain = chains[lanes.order[k]];
      a[k] = &a_[(begin_[k] + t) * Lp_], e[k] = &e_[(begin_[k] + t) * Lp_], p[k] = chain.node + t * Lp_;
      if (t + 1 == chain.n) {
        sum_b[k] = T(L_), over_meet[k] = 1 / c_last_[k];
        for (int b = 0; b < nb; ++b) store<T>(p[k] + b * W, load(a[k] + b * W) * splat<T>(over_meet[k]));
        continue;
      }
      going = k + 1;
      rows[k] = v[k] = e[k] + Lp_;
      Vec<T> sum_v{}, sum_a{};
      for (int b = 0; b < nb; ++b) sum_v += load(v[k] + b * W), sum_a += load(a[k] + b * W);
      const T d = sum_lanes<T>(sum_v);
      c[k] = sum_lanes<T>(sum_a);
      share[k] += lost_after(c[k]) * (sum_b[k] * over_meet[k]);
      if (!(d >= Guard<T>::STEP)) share[k] = std::numeric_limits<T>::infinity();
      lost[k] = 4 * TINY<T> * M_ * (T(L_) + sum_b[k]) / d;
      lift[k] = splat<T>(strict ? T(0) : lost[k]), over_d[k] = splat<T>(1 / d);
      sum_beta[k] = sum_ab[k] = Vec<T>{};
    }
    if (going == 0) continue;
    sums.each(Xt_.get(), rows, going, [&](int k, int b, const Vec<T>& sum) TAGFIELD_INLINED {
      const Vec<T> beta = sum * over_d[k] + lift[k], ab = load(a[k] + b * W) * beta;
      store<T>(p[k] + b * W, ab);
      store<T>(e[k] + b * W, load(e[k] + b * W) * beta);
      sum_beta[k] += beta, sum_ab[k] += ab;
    });
    for (int k = 0; k < going; ++k) {
      over_meet[k] = 1 / sum_lanes<T>(sum_ab[k]), sum_b[k] = sum_lanes<T>(sum_beta[k]);
      share[k] += lost[k] * (c[k] * over_meet[k]);
      if constexpr (K == 1)
        if (!(share[0] <= Guard<T>::SHARE)) {
          chains[0].sound = false;
          return;
        }
      const Vec<T> over = splat<T>(over_meet[k]);
      for (int b = 0; b < nb; ++b) {
        store<T>(p[k] + b * W, load(p[k] + b * W) * over);
        store<T>(a[k] + b * W, load(a[k] + b * W) * over);
        store<T>(v[k] + b * W, load(v[k] + b * W) * over_d[k]);
      }
    }
  }
  for (int k = 0; k < lanes.count; ++k)
    if (!(share[k] + lost_after(1) * (sum_b[k] * over_meet[k]) <= Guard<T>::SHARE)) chains[lanes.order[k]].sound = false;
}

template <class T> template <int NB> TAGFIELD_NOINLINE bool ScaledChain<T>::scaled(T z, bool marginals, double& log_z) {
  InRegisters<T, NB> sums{this->at_};
  LaneChain<T> chain{scores, n_, node, 0, true};
  const ByLength lanes = ByLength::one(n_);
  this->forward(sums, &chain, lanes, z, strict || !marginals, strict);
  log_z = chain.log_z;
  if (!chain.sound || !marginals) return chain.sound;
  this->backward(sums, &chain, lanes, strict);
  if (chain.sound && pairs)
    PairFactors<T>{this->a_.get(), this->e_.get() + this->Lp_, this->X_.get(), n_ - 1, this->L_, this->Lp_}.template matrix<NB>(edge);
  return chain.sound;
}

template <class T> double ScaledChain<T>::run(T z, bool marginals) {
  double log_z = 0;
  bool sound = false;
  if (tries)
    switch (this->at_.NB) {
      case 1: sound = scaled<1>(z, marginals, log_z); break;
      case 2: sound = scaled<2>(z, marginals, log_z); break;
      case 3: sound = scaled<3>(z, marginals, log_z); break;
      case 4: sound = scaled<4>(z, marginals, log_z); break;
      default: sound = scaled<0>(z, marginals, log_z);
    }
  double shift = this->shift_[0];
  if (!sound) {
    ++fallbacks;
    if constexpr (sizeof(T) == 4) {
      log_z = run_wide(z, marginals);
      shift = wide_->shift_[0];
    } else {
      log_z = forward_backward_log(this->L_, this->Lp_, scores, this->trans_, double(z), n_, marginals ? node : nullptr, edge);
    }
  }
  last = {tries, sound, n_ > 1 ? (log_z - shift) / double(n_ - 1) : double(NAN)};
  return log_z;
}

template <class T> double ScaledChain<T>::run_wide(T z, bool marginals) {
  if (!wide_) wide_ = std::make_unique<ScaledChain<double>>(this->at_);
  wide_trans_.assign(this->trans_, this->trans_ + this->at_.cells());
  wide_->strict = strict, wide_->pairs = pairs;
  double* s = wide_->room_for(n_);
  for (int64_t k = 0; k < n_ * this->Lp_; ++k) s[k] = scores[k];
  wide_->set_transitions(wide_trans_.data(), double(z));
  const double log_z = wide_->run(double(z), marginals);
  if (marginals) {
    for (int64_t k = 0; k < n_ * this->Lp_; ++k) node[k] = T(wide_->node[k]);
    for (int64_t k = 0; pairs && k < this->at_.cells(); ++k) edge[k] = T(wide_->edge[k]);
  }
  return log_z;
}

template <class T> void ScaledChains<T>::run(LaneChain<T>* chains, int count, T z, bool marginals, bool strict) {
  const ByLength lanes(chains, count);
  for (int k = 0; k < count; ++k) chains[k].sound = chains[k].n > 0;
  auto& begin = this->begin_;
  for (int k = 0; k < count; ++k) begin[k + 1] = begin[k] + chains[lanes.order[k]].n, lane_[lanes.order[k]] = k;
  this->a_.reserve(begin[count] * this->Lp_ + W), this->e_.reserve(begin[count] * this->Lp_);
  MatrixProduct<T> sums{this->at_, sums_.reserve(int64_t(W) * this->Lp_)};
  this->forward(sums, chains, lanes, z, !marginals || strict, strict);
  if (marginals) this->backward(sums, chains, lanes, strict);
}

template class ScaledChain<double>;
template class ScaledChain<float>;
template class ScaledChains<double>;
template class ScaledChains<float>;

}  // namespace tagfield
