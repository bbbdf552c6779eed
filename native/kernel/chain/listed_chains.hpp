// Forward–backward over a block of sentences whose transitions are mostly without a weight (listed_pairs.hpp).
//
//     e_t = exp(z (s_t − max s_t))        D_ij = e^{zτ(i,j)} − 1, for listed pairs only
//     f_t(j) = (c_{t−1} + Σ_i a_{t−1}(i) D_ij) / c_{t−1}       a_t = e_t ∘ f_t     c_t = Σ a_t                  forward
//     g_t(i) = (d_{t+1} + Σ_j D_ij v_{t+1}(j)) / d_{t+1}       v_t = e_t ∘ g_t     d_t = Σ v_t                  backward
//     P(y_t) = a_t ∘ g_t / m_t                                 m_t = Σ a_t ∘ g_t
//     P(y_t = i, y_{t+1} = j) = e^{zτ(i,j)} a_t(i) v_{t+1}(j) w_t      w_t = 1 / (m_t d_{t+1})        listed_chains.hpp
//     log Z = Σ log c_t + z Σ max s_t
//
// At both ends the sum before is 1. Lanes are sentences (side_by_side.hpp): a pair costs one multiplication for four or eight of them.
// Sums are in double, since c and the negative D cancel where everything before j has a large negative weight. Each position
// is one pass over the labels: vectors are divided by their sums when the next position reads them.
//
// Guards. Positive terms of f are part of it, and negative ones add up to at most 1. So f has an error of at most
//     lift = 4 (L/8 + pairs of a label/4 + 16) 2⁻⁵³
// apart from its relative rounding. Both passes add the lift: no entry is below its true value. The spurious probability mass is
//     forward  lift · d_t / m_t             backward  lift · c_t / m_t
// at position t, and flushed numbers add at most 8 tiny L (1 + M)² (1 + (1 + c_t + c_t/d_{t+1}) / m_t), M = max e^{zτ}. A sentence
// whose total exceeds its bound is not sound, and the caller takes another lattice. Without marginals every f_t(j) must be above
// lift/RIGHT, or the backward pass decides. What a label's score forbids has e = 0, and probability 0.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/chain/side_by_side.hpp"
#include "kernel/chain/listed_pairs.hpp"
#include "kernel/simd/scratch.hpp"

namespace tagfield {

// Where a block of sentences with listed pairs keeps its vectors, and the expected transitions that are summed from them.
//
//     Σ_t P(y_t = i, y_{t+1} = j) = e^{zτ(i,j)} Σ_t a_t(i) w_t · v_{t+1}(j)         a, v, w of listed_chains.hpp
//
// Lanes are sentences. A pair reads and writes its sum once for STEPS positions: of two of them, v stays in the first-level cache.
// Keeping a few positions of a label side by side was slower: writing one position used every fourth part of a line.
template <class T> class ListedSums {
  static constexpr int64_t STEPS = 2;
  const ListedPairs& pairs_;
  const int64_t size_;  // of one position
  Scratch<T> a_, v_, w_, sums_, by_lane_;

 public:
  explicit ListedSums(const ListedPairs& pairs) : pairs_(pairs), size_(int64_t(pairs.Lp) * W) {}

  void room_for(int64_t n) {
    a_.reserve((n + STEPS) * size_), v_.reserve((n + STEPS) * size_), w_.reserve((n + STEPS) * W);
    std::fill_n(a(n), STEPS * size_, T(0)), std::fill_n(v(n), STEPS * size_, T(0)), std::fill_n(w(n), STEPS * W, T(0));
  }
  T* a(int64_t t) const { return &a_[t * size_]; }  // [Lp, W]
  T* v(int64_t t) const { return &v_[t * size_]; }  // [Lp, W], e until the way back
  T* w(int64_t t) const { return &w_[t * W]; }      // [W]

  // The sums of every lane, over all positions of the longest sentence.
  void sum(int64_t longest, const T* factor) {
    const int64_t P = pairs_.padded();
    const int32_t *first = pairs_.from_first.data(), *to = pairs_.to.data();
    T* sums = zeros(sums_, P * W);
    for (int64_t t = 0; t + 1 < longest; t += STEPS) {
      const T *a0 = a(t), *a1 = a(t + 1), *v0 = v(t + 1), *v1 = v(t + 2);
      const Vec<T> w0 = load(w(t)), w1 = load(w(t + 1));
      for (int64_t i = 0; i < pairs_.L; ++i) {
        const Vec<T> x0 = load(a0 + i * W) * w0, x1 = load(a1 + i * W) * w1;
        for (int64_t p = first[i]; p < first[i + 1]; ++p) {
          const int64_t j = int64_t(to[p]) * W;
          store<T>(sums + p * W, load(sums + p * W) + x0 * load(v0 + j) + x1 * load(v1 + j));
        }
      }
    }
    T* out = by_lane_.reserve(P * W);
    for (int64_t p = 0; p < P; p += W) {
      T square[W * W];
      for (int k = 0; k < W; ++k) store<T>(square + k * W, load(sums + (p + k) * W) * splat<T>(factor[p + k]));
      transpose<T>(square, W, out + p, P);
    }
  }
  T* of_lane(int k) const { return by_lane_.get() + k * pairs_.padded(); }  // [P], padded to blocks of W
};

template <class T> struct ListedGuard;
template <> struct ListedGuard<float> {
  static constexpr double RIGHT = 1e-7, LARGEST = 1e30;  // of what is kept as T
  static double share(int64_t) { return 1e-7; }
};
template <> struct ListedGuard<double> {
  static constexpr double RIGHT = 1e-11, LARGEST = 1e100;
  static double share(int64_t n) { return 1e-11 * double(n + 10); }
};

template <class T> class ListedChains {
  static constexpr double TINY = std::numeric_limits<T>::min();
  static constexpr int PER_LOG = 4;  // factors that fit into one double before its log is taken

 public:
  explicit ListedChains(const ListedPairs& pairs)
      : pairs_(pairs), lift_(4 * (pairs.L / 8 + pairs.most() / 4 + 16) * 0x1p-53), steps_(pairs), sums_(pairs) {
    for (Part& part : part_)
      for (auto* vector : {&part.now, &part.then}) vector->reserve(int64_t(pairs.Lp) * MOST_LANES);
    rows_.reserve(int64_t(pairs.Lp) * W);
  }

  // D of the listed pairs, from trans [L, Lp]. False where a weight is too large for this lattice, or is not a number.
  bool set_transitions(const T* trans, T z) {
    usable_ = steps_.set(trans, z);
    const double M = 1 + steps_.largest;
    flushed_ = 8 * TINY * double(pairs_.L) * M * M;
    return usable_;
  }

  // log Z of each chain, and whether it is sound; with marginals also the nodes, and the pairs of the block (`expected`).
  void run(LaneChain<T>* chains, int count, T z, bool marginals) {
    const ByLength lanes(chains, count);
    for (int k = 0; k < count; ++k) chains[k].sound = usable_;
    if (!usable_ || lanes.longest == 0) return;
    sums_.room_for(lanes.longest), c_.reserve(lanes.longest * W);
    const bool wide = MOST_LANES == 8 && lanes.active(chains, 0) > 4;
    wide ? forward<MOST_LANES>(chains, lanes, z) : forward<4>(chains, lanes, z);
    bool again = marginals;
    for (int k = 0; k < count; ++k)
      again = again || (chains[lanes.order[k]].sound && !(least_[k] * ListedGuard<T>::RIGHT >= lift_));
    if (again) wide ? backward<MOST_LANES>(chains, lanes, marginals) : backward<4>(chains, lanes, marginals);
    unsummed_ = marginals ? lanes.longest : 0;
    for (int k = 0; k < count; ++k) lane_[lanes.order[k]] = k;
  }

  // Σ_t P(y_t = i, y_{t+1} = j) of chain k for every pair, in blocks of W; the caller may change them, until the next run.
  // All chains are summed when the first is asked for.
  T* expected(int chain) {
    if (unsummed_) sums_.sum(unsummed_, steps_.factor.data()), unsummed_ = 0;
    return sums_.of_lane(lane_[chain]);
  }

 private:
  const ListedPairs& pairs_;
  double lift_, flushed_ = 0;
  bool usable_ = false;
  int64_t unsummed_ = 0;  // positions of the last run, until its pairs are summed
  ListedSteps<T> steps_;
  ListedSums<T> sums_;
  Scratch<T> rows_;         // [Lp, W]
  Scratch<double> c_;       // [n, W]
  struct Part {
    Scratch<double> now, then;  // [Lp, lanes]: what a step reads and writes
  } part_[2];
  double least_[W];
  int lane_[W];

  // D · x of one pair, in each lane.
  template <int PART>
  TAGFIELD_INLINE static Doubles<PART> term(const int32_t* other, const double* D, int32_t q, const double* x) {
    typedef Doubles<PART> R;
    R d, at;
    fill(d, D[q]), read(at, x + int64_t(other[q]) * PART);
    return d * at;
  }
  // `before` + Σ of D · x[other label] over some fours, in each lane.
  template <int PART>
  TAGFIELD_INLINE static Doubles<PART> weigh(const int32_t* other, const double* D, int32_t from, int32_t to, const double* x,
                                             const Doubles<PART>& before) {
    typedef Doubles<PART> R;
    R s0{}, s1{}, s2{}, s3{};
    for (; from < to; from += Fours::SIZE) {
      s0 += term<PART>(other, D, from, x);
      s1 += term<PART>(other, D, from + 1, x);
      s2 += term<PART>(other, D, from + 2, x);
      s3 += term<PART>(other, D, from + 3, x);
    }
    return ((s0 + s1) + (s2 + s3)) + before;
  }

  // e_t of the chains that reach t, label by label; 0 in the lanes of the others. Adds max s_t to the shifts.
  void exp_states(const LaneChain<T>* chains, const ByLength& lanes, int active, int64_t t, T z, double* shift) {
    const int64_t Lp = pairs_.Lp;
    const T* s[W];
    T top[W], square[W * W] = {};
    for (int k = 0; k < active; ++k) {
      s[k] = chains[lanes.order[k]].scores + t * Lp;
      Vec<T> most = load(s[k]);
      for (int64_t j = W; j < Lp; j += W) most = vmax<T>(most, load(s[k] + j));
      top[k] = max_lanes<T>(most), shift[k] += double(top[k]);
    }
    T* e = sums_.v(t);
    for (int64_t j = 0; j < Lp; j += W) {
      for (int k = 0; k < active; ++k) store<T>(square + k * W, vexp((load(s[k] + j) - top[k]) * z));
      transpose<T>(square, W, e + j * W, W);
    }
  }

  // a_t of one part, and its sum. `before` is c_{t−1}, `over` 1/c_{t−1}.
  template <int PART> void forward_step(int part, int64_t t, const double* before, const double* over, double* c) {
    typedef Doubles<PART> R;
    const int32_t *label = pairs_.into.label.data(), *first = pairs_.into.first.data(), *source = pairs_.into.other.data();
    const double* D = steps_.into.data();
    const T* e = sums_.v(t) + part * PART;
    T* a = sums_.a(t) + part * PART;
    const double* x = part_[part].now.get();
    double* y = part_[part].then.get();
    R all, by, least, total{};
    read(all, before + part * PART), read(by, over + part * PART), read(least, least_ + part * PART);
    all = all * (1 + lift_);
    for (int64_t k0 = 0, Lp = pairs_.Lp; k0 < Lp; k0 += W) {
      R some{};
      for (int64_t k = k0; k < k0 + W; ++k) {
        const int64_t j = label[k];
        R at;
        widen(at, e + j * W);
        if (t) {
          const R f = weigh<PART>(source, D, first[k], first[k + 1], x, all) * by;
          least = smaller(least, f);
          at = at * f;
        }
        some += at;
        write(y + j * PART, at), narrow(a + j * W, at);
      }
      total += some;
    }
    write(least_ + part * PART, least), write(c + part * PART, total);
    std::swap(part_[part].now, part_[part].then);
  }

  template <int PART> void clear_upper(int64_t t) {
    T* a = sums_.a(t) + W / 2;
    for (int64_t j = 0, Lp = pairs_.Lp; j < Lp; ++j) narrow(a + j * W, Doubles<PART>{});
  }

  template <int PART> void forward(LaneChain<T>* chains, const ByLength& lanes, T z) {
    double shift[W] = {}, log_c[W] = {}, product[W], before[W], over[W];
    for (int k = 0; k < W; ++k) product[k] = before[k] = over[k] = 1, least_[k] = INFINITY;
    for (int64_t t = 0; t < lanes.longest; ++t) {
      const int active = lanes.active(chains, t), parts = (active + PART - 1) / PART;
      double* c = &c_[t * W];
      exp_states(chains, lanes, active, t, z, shift);
      for (int part = 0; part < parts; ++part) forward_step<PART>(part, t, before, over, c);
      for (int k = 0; k < W; ++k) {
        if (k >= active) c[k] = 1;
        if (!(c[k] >= 1e-60 && c[k] <= ListedGuard<T>::LARGEST)) chains[lanes.order[k]].sound = false, c[k] = 1;
        before[k] = c[k], over[k] = 1 / c[k], product[k] *= c[k];
        if (t % PER_LOG == PER_LOG - 1) log_c[k] += std::log(product[k]), product[k] = 1;
      }
      if constexpr (PART < W)
        if (parts < W / PART) clear_upper<PART>(t);
    }
    for (int k = 0; k < lanes.count; ++k) {
      LaneChain<T>& chain = chains[lanes.order[k]];
      chain.log_z = log_c[k] + std::log(product[k]) + double(z) * shift[k];
      if (!std::isfinite(chain.log_z)) chain.sound = false;
    }
  }

  // v_t of one part in the place of e_t, with their sum d; a_t ∘ g_t, with their sum m. `before` is d_{t+1}, `over` 1/d_{t+1}.
  template <int PART>
  void backward_step(int part, int64_t t, const double* before, const double* over, double* m, double* d) {
    typedef Doubles<PART> R;
    const int32_t *label = pairs_.from.label.data(), *first = pairs_.from.first.data(), *to = pairs_.from.other.data();
    const double* D = steps_.from.data();
    T *v = sums_.v(t) + part * PART, *rows = rows_.get() + part * PART;
    const T* a = sums_.a(t) + part * PART;
    const double* x = part_[part].now.get();
    double* y = part_[part].then.get();
    R all, by, sum_met{}, sum_v{};
    read(all, before + part * PART), read(by, over + part * PART);
    all = all * (1 + lift_);
    for (int64_t k0 = 0, Lp = pairs_.Lp; k0 < Lp; k0 += W) {
      R some{}, some_v{};
      for (int64_t k = k0; k < k0 + W; ++k) {
        const int64_t i = label[k];
        R at, e;
        widen(at, a + i * W), widen(e, v + i * W);
        const R g = weigh<PART>(to, D, first[k], first[k + 1], x, all) * by;
        const R met = at * g, on = e * g;
        some += met, some_v += on;
        narrow(rows + i * W, met), narrow(v + i * W, on), write(y + i * PART, on);
      }
      sum_met += some, sum_v += some_v;
    }
    write(m + part * PART, sum_met), write(d + part * PART, sum_v);
    std::swap(part_[part].now, part_[part].then);
  }

  template <int PART> void backward(LaneChain<T>* chains, const ByLength& lanes, bool marginals) {
    const int64_t Lp = pairs_.Lp;
    double share[W] = {}, m[W], d[W], before[W], over[W];
    T over_m[W];
    for (Part& part : part_) zeros(part.now, Lp * PART);
    for (int k = 0; k < W; ++k) before[k] = over[k] = 1;
    for (int64_t t = lanes.longest - 1; t >= 0; --t) {
      const int active = lanes.active(chains, t), parts = (active + PART - 1) / PART;
      for (int part = 0; part < parts; ++part) backward_step<PART>(part, t, before, over, m, d);
      T* w = sums_.w(t);
      for (int k = 0; k < W; ++k) {
        over_m[k] = w[k] = 0;
        if (k >= active) continue;
        const double by = 1 / m[k], c = c_[t * W + k];
        share[k] += lift_ * (d[k] + c) * by + flushed_ * (1 + (1 + c + c * over[k]) * by);
        const bool right = share[k] <= 1 && d[k] <= ListedGuard<T>::LARGEST && by * over[k] <= ListedGuard<T>::LARGEST &&
                           by <= ListedGuard<T>::LARGEST;
        if (right)
          over_m[k] = T(by), w[k] = T(by * over[k]), before[k] = d[k], over[k] = 1 / d[k];
        else
          share[k] = INFINITY, before[k] = over[k] = 1;
      }
      const Vec<T> scale = load(over_m);
      for (int64_t j = 0; marginals && j < Lp; j += W) {
        T square[W * W], turned[W * W];
        for (int k = 0; k < W; ++k) store<T>(square + k * W, load(&rows_[(j + k) * W]) * scale);
        transpose<T>(square, W, turned, W);
        for (int k = 0; k < active; ++k) store<T>(chains[lanes.order[k]].node + t * Lp + j, load(turned + k * W));
      }
    }
    for (int k = 0; k < lanes.count; ++k) {
      LaneChain<T>& chain = chains[lanes.order[k]];
      if (!(share[k] <= ListedGuard<T>::share(chain.n))) chain.sound = false;
    }
  }
};

}  // namespace tagfield
