// Class weights: the loss of a sentence is  Σ_t w_t·(−log p(y_t | x)),  w_t = w(y_t), the weight of its gold label.
//
//     p_t = p(y_t | x)     h(y') = Σ_t c_t [y'_t = y_t],  c_t = w_t/p_t
//     Σ_t w_t (E[Φ] − E[Φ | y_t]) = −(E[Φ h] − E[Φ] E[h]) = −dE_ε[Φ]/dε,  where s_t(y_t) grows by ε c_t
//
// So the gradient takes two more runs of the lattice, at ±ε, whatever the length of the sentence. The label of a token that is
// nearly impossible has a large c_t, which would drown the others in rounding: its E[Φ | y_t] comes from a run of its own, in
// which it is fixed. All of it is in double: differences of floats would be too coarse.
#pragma once
#include <cmath>
#include <vector>

#include "kernel/chain/scaled.hpp"

namespace tagfield {

class TokenLosses {
  static constexpr double UNLIKELY = 1e-3;  // below this a token has a run of its own
  static constexpr double STEP = 1e-4;      // ε · max c

  const States at_;
  ScaledChain<double> lattice_;
  std::vector<double> trans_, scores_;
  std::vector<int64_t> places_;  // of the labels that are moved by ±ε c
  std::vector<double> c_;

  void place(int64_t n) { std::copy_n(scores_.data(), n * at_.Lp(), lattice_.scores); }
  // Adds `factor` times the expectations of the last run.
  void collect(int64_t n, double factor) {
    for (int64_t k = 0; k < n * at_.Lp(); ++k) node[size_t(k)] += factor * lattice_.node[k];
    for (int64_t k = 0; n > 1 && k < int64_t(edge.size()); ++k) edge[size_t(k)] += factor * lattice_.edge[k];
  }

 public:
  std::vector<double> node, edge;  // [n, Lp], [L, Lp]: the gradient of the loss

  explicit TokenLosses(const States& at) : at_(at), lattice_(at), edge(size_t(at.L) * size_t(at.Lp())) {}

  template <class T> void set_transitions(const T* trans, double z, bool strict) {
    trans_.resize(edge.size());
    for (size_t k = 0; k < trans_.size(); ++k) trans_[k] = double(trans[k]) * z;
    lattice_.strict = strict;
    lattice_.set_transitions(trans_.data(), 1.0);
  }

  // The loss of n positions with scores z·s [n, Lp], and its gradient. A token without a label has no term.
  template <class T> double run(const double* class_weight, const T* s, double z, const int32_t* y, int64_t n) {
    const int64_t Lp = at_.Lp();
    node.assign(size_t(n * Lp), 0.0), edge.assign(edge.size(), 0.0);
    scores_.resize(size_t(n * Lp));
    for (int64_t k = 0; k < n * Lp; ++k) scores_[size_t(k)] = double(s[k]) * z;
    lattice_.room_for(n);
    place(n);
    const double log_z = lattice_.run(1.0, true);
    places_.clear(), c_.clear();
    double loss = 0, most = 0, own = 0;
    std::vector<int64_t> unlikely;
    for (int64_t t = 0; t < n; ++t) {
      if (y[t] < 0) continue;
      const double w = class_weight[y[t]], p = lattice_.node[t * Lp + y[t]];
      if (!(p >= UNLIKELY)) {
        unlikely.push_back(t);
        own += w;
        continue;
      }
      loss -= w * std::log(std::min(p, 1.0));
      places_.push_back(t * Lp + y[t]), c_.push_back(w / p);
      most = std::max(most, w / p);
    }
    if (!unlikely.empty()) collect(n, own);  // w · E[Φ] of each; for the others it is part of the covariance
    for (int64_t t : unlikely) {
      const double w = class_weight[y[t]];
      place(n);
      keep_label(at_, y[t], lattice_.scores + t * Lp);
      loss += w * (log_z - lattice_.run(1.0, true));
      collect(n, -w);
    }
    for (double side : {1.0, -1.0}) {
      if (places_.empty()) break;
      const double epsilon = STEP / most;
      place(n);
      for (size_t i = 0; i < places_.size(); ++i) lattice_.scores[places_[i]] += side * epsilon * c_[i];
      lattice_.run(1.0, true);
      collect(n, -side / (2 * epsilon));
    }
    return loss;
  }
};

}  // namespace tagfield
