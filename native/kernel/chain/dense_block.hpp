// Forward–backward over a block of sentences with many labels, all of whose transitions have a weight.
//
// The formulas and the guards are those of lattice.hpp; there, the matrix X of 400 labels comes from the second-level cache for
// every position, and the processor waits for it. Here the positions t of all sentences of the block are one matrix product:
//
//     a_t [K, Lp] = e_t ∘ (a_{t−1} [K, L] · X [L, Lp]) / c_{t−1}         K: the sentences that reach t
//
// Each sum over labels is in one accumulator and in the order of the labels, whatever K is: a sentence gets the same bits
// whichever sentences are beside it.
#pragma once
#include <cmath>

#include "kernel/chain/side_by_side.hpp"
#include "kernel/chain/lattice.hpp"
#include "kernel/simd/matrix.hpp"

namespace tagfield {

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

// What the expected transitions of a chain are made of: Σ_t P(y_t = i, y_{t+1} = j) = X_ij Σ_t p_t(i) q_t(j)
template <class T> struct PairFactors {
  const T *p = nullptr, *q = nullptr, *X = nullptr;  // [n, Lp], [n, Lp], [L, Lp]
  int64_t n = 0;
  int L = 0, Lp = 0;

  // Those of R rows from i0 on, a multiple of R, and of G blocks from b0 on.
  template <int R, int G> TAGFIELD_INLINE void tile(int i0, int b0, Vec<T> (*u)[G]) const {
    const T *P = p + i0, *Q = q + b0 * W;
    Vec<T> sum[R][G] = {};
    for (int64_t t = 0; t < n; ++t, P += Lp, Q += Lp) {
      Vec<T> by[G];
#pragma GCC unroll 8
      for (int b = 0; b < G; ++b) by[b] = load(Q + b * W);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Vec<T> one = splat<T>(P[r]);
#pragma GCC unroll 8
        for (int b = 0; b < G; ++b) sum[r][b] += one * by[b];
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 8
      for (int b = 0; b < G; ++b)
        u[r][b] = i0 + r < L ? sum[r][b] * load(X + int64_t(i0 + r) * Lp + (b0 + b) * W) : sum[r][b];
  }

  static constexpr int ROWS = 4;
  // Those of ROWS rows from i0 on, a multiple of ROWS, into out [ROWS, Lp]; less at the end.
  void rows(int i0, T* out) const {
    strips<0>(Lp / W, [&](int b0, auto width) {
      constexpr int G = decltype(width)::value;
      Vec<T> sum[ROWS][G] = {};
      outer_sum<T, G>(p + i0, q + b0 * W, n, Lp, sum);
      for (int r = 0; r < ROWS && i0 + r < L; ++r)
        for (int b = 0; b < G; ++b)
          store<T>(out + r * Lp + (b0 + b) * W, sum[r][b] * load(X + int64_t(i0 + r) * Lp + (b0 + b) * W));
    });
  }
};

template <class T> class DenseBlock {
  static constexpr T TINY = std::numeric_limits<T>::min();
  // Accumulators that stay in registers, in blocks of W.
#if defined(__AVX512F__)
  static constexpr int HELD = sizeof(T) == 4 ? 16 : 8;
#else
  static constexpr int HELD = sizeof(T) == 4 ? 8 : 4;
#endif
  static constexpr int MOST = HELD / 2 < W ? HELD / 2 : W;  // sentences in one product

 public:
  explicit DenseBlock(const Layout& at) : at_(at), L_(at.L), Lp_(at.Lp()), plain_(at) {}

  // As in Lattice, with nothing learned from sentences before.
  void set_transitions(const T* trans, T z) {
    plain_.set_transitions(trans, z);
    X_ = plain_.factors(), r_ = plain_.shift(), M_ = plain_.largest();
    Xt_ = plain_.factors_transposed();
  }

  // log Z of each chain, and whether it is sound; with marginals also the nodes, and what `edge` needs.
  void run(BlockChain<T>* chains, int count, T z, bool marginals, bool strict = false) {
    const ByLength lanes(chains, count);
    for (int k = 0; k < count; ++k) chains[k].sound = chains[k].n > 0;
    begin_[0] = 0;
    for (int k = 0; k < count; ++k) begin_[k + 1] = begin_[k] + chains[lanes.order[k]].n, lane_[lanes.order[k]] = k;
    a_.reserve(begin_[count] * Lp_ + W), e_.reserve(begin_[count] * Lp_);
    forward(chains, lanes, z, !marginals || strict, strict);
    if (marginals) backward(chains, lanes, strict);
  }

  // Of one chain of the last run, until the next one.
  PairFactors<T> factors(int chain, int64_t n) const {
    const int64_t first = begin_[lane_[chain]] * Lp_;
    return {&a_[first], &e_[first + Lp_], X_, n - 1, L_, Lp_};
  }

 private:
  const Layout& at_;
  int L_, Lp_;
  Lattice<T> plain_;  // its transitions
  T r_ = 0, M_ = 1;
  const T *X_ = nullptr, *Xt_ = nullptr;
  Scratch<T> a_, e_, sums_;
  int64_t begin_[W + 1];
  int lane_[W];

  // sums_[lane][b] = Σ_i row[lane][i] · X[i][b], of every lane and block.
  void products(const T* X, const T* const* row, int active) {
    T* out = sums_.reserve(int64_t(W) * Lp_);
    for (int k = 0; k < active; k += MOST, row += MOST, out += int64_t(MOST) * Lp_) switch (std::min(MOST, active - k)) {
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
    if constexpr (K <= MOST) {
      constexpr int G = K == 1 ? std::min(8, HELD) : HELD / K >= 4 ? 4 : HELD / K >= 2 ? 2 : 1;
      int b = 0;
      for (; b + G <= at_.NB; b += G) product_strip<T, K, G>(X + b * W, row, L_, Lp_, out + b * W, Lp_);
      for (; b < at_.NB; ++b) product_strip<T, K, 1>(X + b * W, row, L_, Lp_, out + b * W, Lp_);
    }
  }

  T lost_after(T c_before) const { return 4 * TINY * (T(L_) / c_before + M_); }

  double exp_row(const T* s, T z, T* e) const {
    Vec<T> top = load(s);
    for (int b = 1; b < at_.NB; ++b) top = vmax<T>(top, load(s + b * W));
    const T m = max_lanes<T>(top);
    for (int b = 0; b < at_.NB; ++b) store<T>(e + b * W, vexp((load(s + b * W) - m) * z));
    return double(m);
  }

  void forward(BlockChain<T>* chains, const ByLength& lanes, T z, bool watching, bool strict) {
    const int nb = at_.NB;
    const IVec<T> real = mask_lanes<T>(at_.lanes(nb - 1));  // lanes of the last block that are labels
    double shift[W] = {}, log_c[W] = {}, product[W];
    T before[W];
    Vec<T> least[W], total[W], inverse[W], lift[W], last_lift[W], in_lifts[W];
    for (int k = 0; k < W; ++k) product[k] = 1, before[k] = 1, least[k] = splat<T>(1);
    for (int64_t t = 0; t < lanes.longest; ++t) {
      const int active = lanes.active(chains, t);
      const T* rows[W];
      for (int k = 0; k < active; ++k) {
        const T lost = lost_after(before[k]);
        shift[k] += exp_row(chains[lanes.order[k]].scores + t * Lp_, z, &e_[(begin_[k] + t) * Lp_]);
        rows[k] = &a_[0] + (begin_[k] + t - 1) * Lp_;
        total[k] = Vec<T>{}, inverse[k] = splat<T>(1 / before[k]), in_lifts[k] = splat<T>(Guard<T>::RIGHT / lost);
        lift[k] = splat<T>(strict ? T(0) : lost), last_lift[k] = keep<T>(lift[k], real);
      }
      const auto add = [&](int k, int b, Vec<T> x) {
        if (watching) least[k] = vmin<T>(least[k], b + 1 < nb ? x * in_lifts[k] : select<T>(real, x * in_lifts[k], least[k]));
        x += b + 1 < nb ? lift[k] : last_lift[k];
        store<T>(&a_[(begin_[k] + t) * Lp_ + b * W], x);
        total[k] += x;
      };
      if (t == 0)
        for (int k = 0; k < active; ++k)
          for (int b = 0; b < nb; ++b) add(k, b, load(&e_[begin_[k] * Lp_ + b * W]));
      else
        products(X_, rows, active);
      for (int k = 0; t && k < active; ++k)
        for (int b = 0; b < nb; ++b)
          add(k, b, load(&sums_[k * Lp_ + b * W]) * load(&e_[(begin_[k] + t) * Lp_ + b * W]) * inverse[k]);
      for (int k = 0; k < active; ++k) {
        before[k] = sum_lanes<T>(total[k]);
        if (!(before[k] >= Guard<T>::STEP && before[k] <= std::numeric_limits<T>::max()))
          chains[lanes.order[k]].sound = false, before[k] = 1;
        product[k] *= double(before[k]);
        if ((t + 1) % Guard<T>::PER_LOG == 0) log_c[k] += std::log(product[k]), product[k] = 1;
      }
    }
    for (int k = 0; k < lanes.count; ++k) {
      BlockChain<T>& chain = chains[lanes.order[k]];
      if (watching && !(min_lanes<T>(least[k]) >= 1)) chain.sound = false;
      chain.log_z = log_c[k] + std::log(product[k]) + double(z) * shift[k] + double(chain.n - 1) * double(r_);
      if (!std::isfinite(chain.log_z)) chain.sound = false;
      c_last_[k] = before[k];
    }
  }
  T c_last_[W];

  // Turns a_t into p_t and e_t into q_t on the way.
  void backward(BlockChain<T>* chains, const ByLength& lanes, bool strict) {
    const int nb = at_.NB;
    T sum_b[W], over_meet[W], share[W] = {}, c[W], lost[W];
    Vec<T> sum_beta[W], sum_ab[W], lift[W], over_d[W];
    for (int64_t t = lanes.longest - 1; t >= 0; --t) {
      const int active = lanes.active(chains, t);
      int going = 0;  // chains that reach t + 1
      const T* rows[W];
      for (int k = 0; k < active; ++k) {
        BlockChain<T>& chain = chains[lanes.order[k]];
        const T* a = &a_[(begin_[k] + t) * Lp_];
        if (t + 1 == chain.n) {
          sum_b[k] = T(L_), over_meet[k] = 1 / c_last_[k];
          for (int b = 0; b < nb; ++b) store<T>(chain.node + t * Lp_ + b * W, load(a + b * W) * splat<T>(over_meet[k]));
          continue;
        }
        going = k + 1;
        const T* v = rows[k] = &e_[(begin_[k] + t + 1) * Lp_];
        Vec<T> sum_v{}, sum_a{};
        for (int b = 0; b < nb; ++b) sum_v += load(v + b * W), sum_a += load(a + b * W);
        const T d = sum_lanes<T>(sum_v);
        c[k] = sum_lanes<T>(sum_a);
        share[k] += lost_after(c[k]) * (sum_b[k] * over_meet[k]);
        if (!(d >= Guard<T>::STEP)) share[k] = std::numeric_limits<T>::infinity();
        lost[k] = 4 * TINY * M_ * (T(L_) + sum_b[k]) / d;
        lift[k] = splat<T>(strict ? T(0) : lost[k]), over_d[k] = splat<T>(1 / d);
        sum_beta[k] = sum_ab[k] = Vec<T>{};
      }
      products(Xt_, rows, going);
      for (int k = 0; k < going; ++k)
        for (int b = 0; b < nb; ++b) {
          const int64_t at = (begin_[k] + t) * Lp_ + b * W;
          const Vec<T> beta = load(&sums_[k * Lp_ + b * W]) * over_d[k] + lift[k], ab = load(&a_[at]) * beta;
          store<T>(chains[lanes.order[k]].node + t * Lp_ + b * W, ab);
          store<T>(&e_[at], load(&e_[at]) * beta);
          sum_beta[k] += beta, sum_ab[k] += ab;
        }
      for (int k = 0; k < going; ++k) {
        over_meet[k] = 1 / sum_lanes<T>(sum_ab[k]), sum_b[k] = sum_lanes<T>(sum_beta[k]);
        share[k] += lost[k] * (c[k] * over_meet[k]);
        T *node = chains[lanes.order[k]].node + t * Lp_, *a = &a_[(begin_[k] + t) * Lp_], *v = &e_[(begin_[k] + t + 1) * Lp_];
        const Vec<T> over = splat<T>(over_meet[k]);
        for (int b = 0; b < nb; ++b) {
          store<T>(node + b * W, load(node + b * W) * over);
          store<T>(a + b * W, load(a + b * W) * over);
          store<T>(v + b * W, load(v + b * W) * over_d[k]);
        }
      }
    }
    for (int k = 0; k < lanes.count; ++k)
      if (!(share[k] + lost_after(1) * (sum_b[k] * over_meet[k]) <= Guard<T>::SHARE)) chains[lanes.order[k]].sound = false;
  }
};

}  // namespace tagfield
