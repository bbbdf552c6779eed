// Which form the chain takes, and in which form its expected transitions are kept.
//
//     few labels        one sentence at a time, transitions as a matrix [L, Lp]
//     many labels       several sentences together; a matrix,
//     … few with weight or a list: one number for each pair of labels that has a weight (listed_pairs.hpp)
//
// The form depends on the features and on what is asked for, never on threads or on which sentences are beside each other.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "kernel/chain/listed_pairs.hpp"

namespace tagfield {

// A sentence's change of the transitions, and its directions in their form.
template <class Change> struct Directed {
  Change change;
  const float* edge;
};

class ChainForm {
  States at_;
  std::unique_ptr<const ListedPairs> pairs_;

 public:
  // From the transitions [L, Lp], of which −0.0 has no weight. `fixed`: no weight is added on the way; and where probabilities are
  // asked for, no rule forbids a pair, since what must not follow is exactly impossible in a matrix only.
  template <class T> ChainForm(const States& at, const T* trans, bool fixed = true)
      : at_(at), pairs_(fixed ? ListedPairs::where_they_pay(at, trans) : nullptr) {}

  const States& states() const { return at_; }
  // Whether forward–backward takes several sentences together.
  bool together() const { return at_.L > ListedPairs::FEW; }
  // How many sentences are best added before a flush, of Chain and of PathFinder.
  int chains_together() const { return together() ? W : 1; }
  int paths_together() const { return pairs_ ? W : 1; }
  const ListedPairs* pairs() const { return pairs_.get(); }
  int64_t size() const { return pairs_ ? pairs_->padded() : at_.cells(); }

  // Adds to the number of the pair (i, j), if it has one.
  template <class T> void add(T* edge, int i, int j, T by) const {
    const int64_t k = pairs_ ? pairs_->find(i, j) : int64_t(i) * at_.Lp() + j;
    if (k >= 0) edge[k] += by;
  }
  // Adds numbers in this form to those of a matrix whose places are in [from, to), times `by`.
  template <class T> void add_to_matrix(const T* edge, T by, T* matrix, int64_t from, int64_t to) const {
    if (pairs_) {
      const auto begin = pairs_->place.begin(), end = pairs_->place.end();
      for (auto p = std::lower_bound(begin, end, from); p != end && *p < to; ++p) matrix[*p] += by * edge[p - begin];
    } else {
      const Vec<T> factor = splat<T>(by);
      for (int64_t k = from; k < to; k += W) store<T>(matrix + k, load(matrix + k) + factor * load(edge + k));
    }
  }

  // Changes the weights whose places are in [from, to) of the matrix, by the directions of one sentence after another.
  template <class Change>
  void step(const std::vector<Directed<Change>>& by, float* theta, float* squares, float* rest, int64_t from, int64_t to) const {
    if (!pairs_) {
      for (const Directed<Change>& one : by)
        for (int64_t k = from; k < to; k += W) one.change.step(theta, squares, rest, k, load(theta + k), load(one.edge + k));
      return;
    }
    const auto begin = pairs_->place.begin(), end = pairs_->place.end();
    const int64_t first = std::lower_bound(begin, end, from) - begin, last = std::lower_bound(begin, end, to) - begin;
    for (int64_t p = first; p < last; p += W) {
      const int count = int(std::min<int64_t>(W, last - p));
      const int64_t* place = &pairs_->place[size_t(p)];
      float w[W], s[W] = {}, r[W] = {};
      for (int k = 0; k < W; ++k) w[k] = -0.f;  // no feature
      for (int k = 0; k < count; ++k) w[k] = theta[place[k]];
      for (int k = 0; squares && k < count; ++k) s[k] = squares[place[k]];
      for (int k = 0; rest && k < count; ++k) r[k] = rest[place[k]];
      for (const Directed<Change>& one : by) one.change.step(w, s, r, 0, load(w), load(one.edge + p));
      for (int k = 0; k < count; ++k) theta[place[k]] = w[k];
      for (int k = 0; squares && k < count; ++k) squares[place[k]] = s[k];
      for (int k = 0; rest && k < count; ++k) rest[place[k]] = r[k];
    }
  }
};

}  // namespace tagfield
