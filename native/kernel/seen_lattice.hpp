// Forward–backward over a block of sentences whose transitions are mostly without a weight (seen_pairs.hpp).
//
//     e_t = exp(z (s_t − max s_t))      D_ij = e^{zτ(i,j)} − 1, for listed pairs only
//     f_t(j) = 1 + Σ_i α_{t−1}(i) D_ij      a_t = e_t ∘ f_t     c_t = Σ a_t     α_t = a_t / c_t         forward
//     g_t(i) = 1 + Σ_j D_ij q_{t+1}(j)      v_t = e_t ∘ g_t     d_t = Σ v_t     q_t = v_t / d_t         backward
//     P(y_t) = α_t ∘ g_t / m_t              m_t = Σ α_t ∘ g_t
//     Σ_t P(y_t = i, y_{t+1} = j) = e^{zτ(i,j)} Σ_t α_t(i)/m_t · q_{t+1}(j)
//     log Z = Σ log c_t + z Σ max s_t
//
// Lanes are sentences (lanes.hpp): a pair costs one multiplication for four or eight of them. Sums are in double, since 1 and the
// negative D cancel where everything before j has a large negative weight.
//
// Guards. Positive terms of f are part of it, and negative ones add up to at most 1. So f has an error of at most
//     lift = 4 (L/8 + pairs of a label/4 + 16) 2⁻⁵³
// apart from its relative rounding. Both passes add the lift: no entry is below its true value. The spurious probability mass is
//     forward  lift · d_t / (c_t m_t)       backward  lift / m_t
// at position t, and flushed numbers add at most 8 tiny L (1 + M)² (1 + 1/m_t + 1/(c_t m_t)), M = max e^{zτ}. A sentence whose total
// exceeds its bound is not sound, and the caller takes another lattice. Without marginals every f_t(j) must be above
// lift/RIGHT, or the backward pass decides. What a label's score forbids has e = 0, and probability 0.
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "kernel/block_chains.hpp"
#include "kernel/lanes.hpp"
#include "kernel/scratch.hpp"
#include "kernel/seen_pairs.hpp"

namespace tagfield {

template <class T> struct SeenGuard;
template <> struct SeenGuard<float> {
  static constexpr double RIGHT = 1e-7, LARGEST_STEP = 36;
  static double share(int64_t) { return 1e-7; }
};
template <> struct SeenGuard<double> {
  static constexpr double RIGHT = 1e-11, LARGEST_STEP = 100;
  static double share(int64_t n) { return 1e-11 * double(n + 10); }
};

template <class T> class SeenLattice {
  static constexpr double TINY = std::numeric_limits<T>::min();
  static constexpr int PER_LOG = 4;   // factors that fit into one double before its log is taken
  static constexpr int STEPS = 4;     // positions that are summed into a pair at a time

 public:
  explicit SeenLattice(const SeenPairs& pairs)
      : pairs_(pairs), lift_(4 * (pairs.L / 8 + pairs.most() / 4 + 16) * 0x1p-53), into_(pairs.into.pair.size(), 0.0),
        from_(pairs.from.pair.size(), 0.0), step_(pairs.to.size() + W), factor_(pairs.to.size() + W) {
    for (Part& part : part_)
      for (auto* vector : {&part.now, &part.then}) vector->reserve(int64_t(pairs.Lp) * MOST_LANES);
    rows_.reserve(int64_t(pairs.Lp) * W);
  }

  // D of the listed pairs, from trans [L, Lp]. False where a weight is too large for this lattice, or is not a number.
  bool set_transitions(const T* trans, T z) {
    double top = 0;
    int64_t p = 0;
    bool within = true;
    for (int i = 0; i < pairs_.L; ++i)
      for (; p < pairs_.from_first[size_t(i) + 1]; ++p) {
        const double x = double(z) * double(trans[int64_t(i) * pairs_.Lp + pairs_.to[size_t(p)]]);
        within = within && x <= SeenGuard<T>::LARGEST_STEP;
        top = x > top ? x : top;
        step_[size_t(p)] = x;
      }
    usable_ = within;
    if (!within) return false;
    for (p = 0; p < pairs_.size(); p += W) {
      double x[W];
      store<double>(x, vexp(load(&step_[size_t(p)])));
      for (int k = 0; k < W; ++k) factor_[size_t(p) + k] = T(x[k]), step_[size_t(p) + k] = x[k] - 1;
    }
    for (size_t q = 0; q < into_.size(); ++q)
      if (pairs_.into.pair[q] >= 0) into_[q] = step_[size_t(pairs_.into.pair[q])];
    for (size_t q = 0; q < from_.size(); ++q)
      if (pairs_.from.pair[q] >= 0) from_[q] = step_[size_t(pairs_.from.pair[q])];
    const double M = 1 + std::exp(top);
    flushed_ = 8 * TINY * double(pairs_.L) * M * M;
    return true;
  }

  // log Z of each chain, and whether it is sound; with marginals also the nodes, and the pairs of the block (`expected`).
  void run(BlockChain<T>* chains, int count, T z, bool marginals) {
    const ByLength lanes(chains, count);
    for (int k = 0; k < count; ++k) chains[k].sound = usable_;
    if (!usable_ || lanes.longest == 0) return;
    room_for(lanes.longest);
    const bool wide = MOST_LANES == 8 && lanes.active(chains, 0) > 4;
    wide ? forward<MOST_LANES>(chains, lanes, z) : forward<4>(chains, lanes, z);
    bool again = marginals;
    for (int k = 0; k < count; ++k)
      again = again || (chains[lanes.order[k]].sound && !(least_[k] * SeenGuard<T>::RIGHT >= lift_));
    if (again) wide ? backward<MOST_LANES>(chains, lanes, marginals) : backward<4>(chains, lanes, marginals);
    unsummed_ = marginals ? lanes.longest : 0;
    for (int k = 0; k < count; ++k) lane_[lanes.order[k]] = k;
  }

  // Σ_t P(y_t = i, y_{t+1} = j) of pair p and chain k is expected[p·W + lane(k)], P rounded up to blocks of W.
  // They are summed when they are first asked for.
  const T* expected() {
    if (unsummed_) sum_pairs(unsummed_), unsummed_ = 0;
    return sums_.get();
  }
  int lane(int chain) const { return lane_[chain]; }

 private:
  const SeenPairs& pairs_;
  double lift_, flushed_ = 0;
  bool usable_ = false;
  int64_t unsummed_ = 0;  // positions of the last run, until its pairs are summed
  std::vector<double> into_, from_;  // D in the two orders of the pairs
  std::vector<double> step_;         // [P] D
  std::vector<T> factor_;            // [P] e^{zτ}
  Scratch<T> e_, alpha_, rows_, sums_;  // e, then q; α, then α/m: where `place` says
  Scratch<double> c_;                   // [n, W]
  struct Part {
    Scratch<double> now, then;          // [Lp, lanes]: what a step reads and writes
  } part_[2];
  double least_[W];
  int lane_[W];

  // Where label j of position t is: [t/STEPS, Lp, t%STEPS, W], so that a few positions of a label lie together. e is SHIFT
  // positions further on, and so q_{t+1} lies in e_ where α_t lies in alpha_, a chunk later.
  static constexpr int64_t SHIFT = STEPS - 1;
  int64_t place(int64_t t, int64_t j) const { return ((t / STEPS * pairs_.Lp + j) * STEPS + t % STEPS) * W; }

  void room_for(int64_t n) {
    const int64_t chunk = STEPS * W * int64_t(pairs_.Lp), chunks = (n + STEPS - 1) / STEPS;
    alpha_.reserve(chunks * chunk), e_.reserve((chunks + 2) * chunk), c_.reserve(n * W);
    std::fill_n(&alpha_[(chunks - 1) * chunk], chunk, T(0));  // positions beyond the last one
    std::fill_n(&e_[(chunks - 1) * chunk], 3 * chunk, T(0));
  }

  // D · x of one pair, in each lane.
  template <int PART>
  TAGFIELD_INLINE static Doubles<PART> term(const int32_t* other, const double* D, int32_t q, const double* x) {
    typedef Doubles<PART> R;
    R d, at;
    fill(d, D[q]), read(at, x + int64_t(other[q]) * PART);
    return d * at;
  }
  // Σ of D · x[other label] over some fours, in each lane.
  template <int PART>
  TAGFIELD_INLINE static Doubles<PART> weigh(const int32_t* other, const double* D, int32_t from, int32_t to, const double* x) {
    typedef Doubles<PART> R;
    R s0{}, s1{}, s2{}, s3{};
    for (; from < to; from += Fours::SIZE) {
      s0 += term<PART>(other, D, from, x);
      s1 += term<PART>(other, D, from + 1, x);
      s2 += term<PART>(other, D, from + 2, x);
      s3 += term<PART>(other, D, from + 3, x);
    }
    return (s0 + s1) + (s2 + s3);
  }

  // Sums over all labels, in each lane.
  template <int PART> TAGFIELD_INLINE void total(const double* x, double* out) const {
    typedef Doubles<PART> R;
    R s[8] = {};
    for (int64_t j = 0; j < pairs_.Lp; j += 8)
#pragma GCC unroll 8
      for (int k = 0; k < 8; ++k) {
        R at;
        read(at, x + (j + k) * PART);
        s[k] += at;
      }
    write(out, ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
  }

  // e_t of the chains that reach t, label by label; 0 in the lanes of the others. Adds max s_t to the shifts.
  void exp_states(const BlockChain<T>* chains, const ByLength& lanes, int active, int64_t t, T z, double* shift) {
    const int64_t Lp = pairs_.Lp;
    for (int k = 0; k < W; ++k) {
      T* row = &rows_[k * Lp];
      if (k >= active) {
        for (int64_t j = 0; j < Lp; j += W) store<T>(row + j, Vec<T>{});
        continue;
      }
      const T* s = chains[lanes.order[k]].scores + t * Lp;
      Vec<T> top = load(s);
      for (int64_t j = W; j < Lp; j += W) top = vmax<T>(top, load(s + j));
      const T m = max_lanes<T>(top);
      shift[k] += double(m);
      for (int64_t j = 0; j < Lp; j += W) store<T>(row + j, vexp((load(s + j) - m) * z));
    }
    for (int64_t j = 0; j < Lp; j += W) transpose<T>(&rows_[j], Lp, &e_[place(t + SHIFT, j)], STEPS * W);
  }

  template <int PART> void forward_step(int part, int64_t t, double* c) {
    typedef Doubles<PART> R;
    const int64_t Lp = pairs_.Lp;
    const int32_t *label = pairs_.into.label.data(), *first = pairs_.into.first.data(), *source = pairs_.into.other.data();
    const double* D = into_.data();
    const T* e = &e_[place(t + SHIFT, 0) + part * PART];
    double *x = part_[part].now.get(), *y = part_[part].then.get();
    R one, least;
    fill(one, 1 + lift_), read(least, least_ + part * PART);
    for (int64_t k = 0; k < Lp; ++k) {
      const int64_t j = label[k];
      R at;
      widen(at, e + j * STEPS * W);
      if (t) {
        const R f = weigh<PART>(source, D, first[k], first[k + 1], x) + one;
        least = smaller(least, f);
        at = at * f;
      }
      write(y + j * PART, at);
    }
    write(least_ + part * PART, least);
    total<PART>(y, c + part * PART);
  }
  template <int PART> void normalise(int part, int64_t t, const double* inverse) {
    typedef Doubles<PART> R;
    double *x = part_[part].now.get(), *y = part_[part].then.get();
    T* alpha = &alpha_[place(t, 0) + part * PART];
    R by;
    read(by, inverse + part * PART);
    for (int64_t j = 0, Lp = pairs_.Lp; j < Lp; ++j) {
      R at;
      read(at, y + j * PART);
      at = at * by;
      write(x + j * PART, at);
      narrow(alpha + j * STEPS * W, at);
    }
  }

  template <int PART> void clear_upper(int64_t t) {
    typedef Doubles<PART> R;
    T* alpha = &alpha_[place(t, 0) + W / 2];
    for (int64_t j = 0, Lp = pairs_.Lp; j < Lp; ++j) narrow(alpha + j * STEPS * W, R{});
  }

  template <int PART> void forward(BlockChain<T>* chains, const ByLength& lanes, T z) {
    double shift[W] = {}, log_c[W] = {}, product[W], inverse[W];
    for (int k = 0; k < W; ++k) product[k] = 1, least_[k] = INFINITY;
    for (int64_t t = 0; t < lanes.longest; ++t) {
      const int active = lanes.active(chains, t), parts = (active + PART - 1) / PART;
      double* c = &c_[t * W];
      exp_states(chains, lanes, active, t, z, shift);
      for (int part = 0; part < parts; ++part) forward_step<PART>(part, t, c);
      for (int k = 0; k < W; ++k) {
        if (k >= active) c[k] = 1;
        if (!(c[k] >= 1e-60 && c[k] <= 1e60)) chains[lanes.order[k]].sound = false, c[k] = 1;
        inverse[k] = 1 / c[k], product[k] *= c[k];
        if (t % PER_LOG == PER_LOG - 1) log_c[k] += std::log(product[k]), product[k] = 1;
      }
      for (int part = 0; part < parts; ++part) normalise<PART>(part, t, inverse);
      if constexpr (PART < W)
        if (parts < W / PART) clear_upper<PART>(t);
    }
    for (int k = 0; k < lanes.count; ++k) {
      BlockChain<T>& chain = chains[lanes.order[k]];
      chain.log_z = log_c[k] + std::log(product[k]) + double(z) * shift[k];
      if (!std::isfinite(chain.log_z)) chain.sound = false;
    }
  }

  template <int PART> void backward_step(int part, int64_t t, double* m, double* d) {
    typedef Doubles<PART> R;
    const int64_t Lp = pairs_.Lp;
    const int32_t *label = pairs_.from.label.data(), *first = pairs_.from.first.data(), *to = pairs_.from.other.data();
    const double* D = from_.data();
    const T *e = &e_[place(t + SHIFT, 0) + part * PART], *alpha = &alpha_[place(t, 0) + part * PART];
    double *x = part_[part].now.get(), *y = part_[part].then.get();
    T* rows = rows_.get() + part * PART;
    R one, sum{};
    fill(one, 1 + lift_);
    for (int64_t k = 0; k < Lp; ++k) {
      const int64_t i = label[k];
      R a, at;
      widen(a, alpha + i * STEPS * W), widen(at, e + i * STEPS * W);
      const R g = weigh<PART>(to, D, first[k], first[k + 1], x) + one;
      const R met = a * g;
      sum += met;
      narrow(rows + i * W, met);
      write(y + i * PART, at * g);
    }
    write(m + part * PART, sum);
    total<PART>(y, d + part * PART);
  }
  // α becomes α/m, e becomes q, and rows α ∘ g/m.
  template <int PART> void finish_step(int part, int64_t t, const double* over_m, const double* over_d) {
    typedef Doubles<PART> R;
    double *x = part_[part].now.get(), *y = part_[part].then.get();
    T *alpha = &alpha_[place(t, 0) + part * PART], *e = &e_[place(t + SHIFT, 0) + part * PART], *row = rows_.get() + part * PART;
    R by_m, by_d;
    read(by_m, over_m + part * PART), read(by_d, over_d + part * PART);
    for (int64_t j = 0, Lp = pairs_.Lp; j < Lp; ++j, alpha += STEPS * W, e += STEPS * W, row += W, x += PART, y += PART) {
      R a, v, met;
      widen(a, alpha), widen(met, row), read(v, y);
      v = v * by_d;
      narrow(alpha, a * by_m), narrow(row, met * by_m), narrow(e, v), write(x, v);
    }
  }

  template <int PART> void backward(BlockChain<T>* chains, const ByLength& lanes, bool marginals) {
    const int64_t Lp = pairs_.Lp;
    double share[W] = {}, m[W], d[W], over_m[W], over_d[W];
    for (Part& part : part_) zeros(part.now, Lp * PART);
    for (int64_t t = lanes.longest - 1; t >= 0; --t) {
      const int active = lanes.active(chains, t), parts = (active + PART - 1) / PART;
      for (int part = 0; part < parts; ++part) backward_step<PART>(part, t, m, d);
      for (int k = 0; k < W; ++k) {
        over_m[k] = over_d[k] = 0;
        if (k >= active) continue;
        over_m[k] = 1 / m[k], over_d[k] = 1 / d[k];
        const double over_cm = over_m[k] / c_[t * W + k];
        share[k] += lift_ * (d[k] * over_cm + over_m[k]) + flushed_ * (1 + over_m[k] + over_cm);
        if (!(share[k] <= 1) || !(d[k] <= 1e60)) over_m[k] = over_d[k] = 0, share[k] = INFINITY;
      }
      for (int part = 0; part < parts; ++part) finish_step<PART>(part, t, over_m, over_d);
      for (int64_t j = 0; marginals && j < Lp; j += W) {
        T square[W * W];
        transpose<T>(&rows_[j * W], W, square, W);
        for (int k = 0; k < active; ++k) store<T>(chains[lanes.order[k]].node + t * Lp + j, load(square + k * W));
      }
    }
    for (int k = 0; k < lanes.count; ++k) {
      BlockChain<T>& chain = chains[lanes.order[k]];
      if (!(share[k] <= SeenGuard<T>::share(chain.n))) chain.sound = false;
    }
  }

  // Σ_t α_t(i)/m_t · q_{t+1}(j), a few positions at a time: their vectors stay near, and each sum is read and written once.
  void sum_pairs(int64_t longest) {
    const int64_t Lp = pairs_.Lp, P = pairs_.size(), chunk = STEPS * W * Lp;
    T* sums = zeros(sums_, (P + W) / W * W * W);
    for (int64_t c = 0; c * STEPS + 1 < longest; ++c)
      for (int64_t i = 0; i < pairs_.L; ++i) {
        Vec<T> a[STEPS];
        for (int k = 0; k < STEPS; ++k) a[k] = load(&alpha_[c * chunk + (i * STEPS + k) * W]);
        for (int32_t p = pairs_.from_first[size_t(i)]; p < pairs_.from_first[size_t(i) + 1]; ++p) {
          const T* q = &e_[(c + 1) * chunk + int64_t(pairs_.to[size_t(p)]) * STEPS * W];
          Vec<T> sum = load(sums + int64_t(p) * W);
#pragma GCC unroll 4
          for (int k = 0; k < STEPS; ++k) sum += a[k] * load(q + k * W);
          store<T>(sums + int64_t(p) * W, sum);
        }
      }
    for (int64_t p = 0; p < P; ++p) store<T>(sums + p * W, load(sums + p * W) * splat<T>(factor_[size_t(p)]));
  }
};

}  // namespace tagfield
