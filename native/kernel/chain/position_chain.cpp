// The recursions of position_chain.hpp.
#include "kernel/chain/position_chain.hpp"

#include <cstring>

#include "kernel/chain/log_domain.hpp"
#include "kernel/simd/matrix.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield {

double PositionChain::run(double z, bool marginals, bool pairs) {
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

double PositionChain::best_path(int32_t* y) {
  for (int64_t t = 0; t < n_; ++t) {
    pulse(t);
    strips<0>(at_.NB, [&](int b0, auto width) {
      constexpr int G = decltype(width)::value;
      Vec<double> best[G] = {};
      if (t) best_rows<double, G>(tau(t) + b0 * W, &a_[(t - 1) * Lp_], L_, Lp_, best);
      for (int b = 0; b < G; ++b) {
        const int64_t k = t * Lp_ + (b0 + b) * W;
        store<double>(&a_[k], best[b] + load(scores + k));
      }
    });
  }
  const double* last = &a_[(n_ - 1) * Lp_];
  int best = int(std::max_element(last, last + L_) - last);
  const double score = last[best];
  y[n_ - 1] = best;
  for (int64_t t = n_ - 1; t > 0; --t) {
    pulse(t);
    const double *before = &a_[(t - 1) * Lp_], *into = tau(t) + best;
    best = 0;
    for (int i = 1; i < L_; ++i)
      if (before[i] + into[int64_t(i) * Lp_] > before[best] + into[int64_t(best) * Lp_]) best = i;
    y[t - 1] = best;
  }
  return score;
}

PositionChain::Run PositionChain::scaled(double z, bool marginals, bool pairs, double& log_z) {
  const IVec<double> real = mask_lanes<double>(at_.lanes(at_.NB - 1));  // lanes of the last block that are labels
  for (int64_t k = 0; k < matrices_; ++k) pulse(k), exp_transitions(k, z, real);
  double shift = 0;
  for (int64_t t = 0; t < n_; ++t) {
    pulse(t);
    const double top = exp_states(t, z);
    if (top == NONE) return Run::NO_PATH;
    shift += z * top;
    if (!t) continue;
    const double r = r_[size_t(which_[size_t(t)])];
    if (r < z * IMPOSSIBLE) return Run::NO_PATH;
    shift += r;
  }
  for (int64_t t = 0; t < n_; ++t) {
    pulse(t);
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

void PositionChain::exp_transitions(int64_t k, double z, const IVec<double>& real) {
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

double PositionChain::exp_states(int64_t t, double z) {
  const double* s = scores + t * Lp_;
  Vec<double> top = load(s);
  for (int b = 1; b < at_.NB; ++b) top = vmax<double>(top, load(s + b * W));
  const double m = max_lanes<double>(top);
  for (int b = 0; b < at_.NB; ++b) store<double>(&e_[t * Lp_ + b * W], vexp((load(s + b * W) - m) * z));
  return m;
}

bool PositionChain::lost(int64_t t) const {
  const double *a = &a_[t * Lp_], *s = scores + t * Lp_, *into = tau(t);
  for (int j = 0; j < L_; ++j) {
    if (a[j] >= LEAST || s[j] == NONE) continue;
    if (!t) return true;
    for (int i = 0; i < L_; ++i)
      if (a_[(t - 1) * Lp_ + i] != 0 && !(into[int64_t(i) * Lp_ + j] < IMPOSSIBLE)) return true;
  }
  return false;
}

bool PositionChain::backward(bool pairs) {
  std::copy_n(&a_[(n_ - 1) * Lp_], Lp_, node + (n_ - 1) * Lp_);
  std::fill_n(edge, size_, 0.0);
  for (int64_t t = n_ - 1; t > 0; --t) {
    pulse(t);
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

double PositionChain::in_logs(double z, bool marginals) {
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

}  // namespace tagfield
