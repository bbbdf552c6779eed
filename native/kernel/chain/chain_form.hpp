// Which form the chain takes, and in which form its expected transitions are kept.
//
//     few labels        one sentence at a time, transitions as a matrix [L, Lp]
//     many labels       several sentences together; a matrix,
//     … few with weight or a list: one number for each pair of labels that has a weight (listed_pairs.hpp)
//
// The form depends on the features and on what is asked for, never on threads or on which sentences are beside each other.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/chain/listed_pairs.hpp"
#include "kernel/chain/pair_factors.hpp"
#include "kernel/corpus/weights.hpp"

namespace tagfield {

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
};

// The expected transitions of a sentence, as its chain leaves them: numbers in the form of the chain, or the factors of a matrix
// (pair_factors.hpp), of which each owner of weights makes its part. Gold labels and the response change numbers at once; with
// factors, they wait until the numbers are made.
template <class T> class ExpectedTransitions {
  friend class OwnedTransitions;
  const ChainForm* form_ = nullptr;
  T* numbers_ = nullptr;
  PairFactors<T> factors_;
  const int32_t* gold_ = nullptr;  // labels that are still to be subtracted

 public:
  ExpectedTransitions() = default;
  ExpectedTransitions(const ChainForm& form, T* numbers) : form_(&form), numbers_(numbers) {}
  ExpectedTransitions(const ChainForm& form, const PairFactors<T>& factors) : form_(&form), factors_(factors) {}

  // In the form of the chain. Not where the job allows factors.
  T* numbers() const { return numbers_; }

  // E − Ẽ, where Ẽ counts the labels y [n].
  void subtract_gold(const int32_t* y, int64_t n) {
    gold_ = y;
    for (int64_t t = 1; numbers_ && t < n; ++t) form_->add(numbers_, y[t - 1], y[t], T(-1));
  }
  // E − Ẽ, where Ẽ is that of other paths.
  void subtract(const ExpectedTransitions& agreeing) {
    for (int64_t k = 0; k < form_->size(); ++k) numbers_[k] -= agreeing.numbers_[k];
  }
  // f(u) in the place of u, where the transitions [L, Lp] have a weight.
  template <class F> void respond(const T* trans, F f) {
    for (int64_t k = 0; numbers_ && k < form_->size(); k += W)
      if (form_->pairs() || any(features<T>(load(trans + k)))) store<T>(numbers_ + k, f(load(numbers_ + k)));
  }
};

// A sentence's change of the transition weights, and where its directions are.
template <class Change> struct Directed {
  Change change;
  const ExpectedTransitions<float>* by;
};

// The weights whose places are in [from, to) of the matrix. Each owner has its own.
class OwnedTransitions {
  typedef ExpectedTransitions<float> Expected;
  const ChainForm& form_;
  const int64_t from_, to_;
  MadeTogether made_;

  void make(const Expected& of) { made_.clear(), made_.add(of.factors_, of.gold_); }

 public:
  OwnedTransitions(const ChainForm& form, int64_t from, int64_t to) : form_(form), from_(from), to_(to) {}

  // Visits the blocks of a matrix: fn(place, direction). `respond` is asked for those that are made only now.
  template <class Respond, class Fn> void each(const Expected& of, Respond respond, Fn fn) {
    if (!of.numbers_) {
      make(of);
      made_.each(from_, to_, [&](size_t, int64_t k, const Vec<float>& u) { fn(k, respond(u)); });
    } else {
      for (int64_t k = from_; k < to_; k += W) fn(k, load(of.numbers_ + k));
    }
  }

  // Adds them to a matrix, times `by`.
  void add_to_matrix(const Expected& of, float by, float* matrix) {
    if (of.numbers_) return form_.add_to_matrix(of.numbers_, by, matrix, from_, to_);
    const Vec<float> factor = splat(by);
    make(of);
    made_.each(from_, to_, [&](size_t, int64_t k, const Vec<float>& u) { store<float>(matrix + k, load(matrix + k) + factor * u); });
  }

  // Changes the weights by one sentence after another. made(change, place, u) is the step of differences that are made only now.
  template <class Change, class Made>
  void step(const std::vector<Directed<Change>>& sentences, float* theta, float* squares, float* rest, Made made) {
    typedef const Directed<Change>* At;
    for (At one = sentences.data(), end = one + sentences.size(); one < end;) {
      At first = one;
      while (one < end && one->by->numbers_) ++one;
      if (one > first) step_numbers(first, one, theta, squares, rest);
      first = one, made_.clear();
      for (; one < end && !one->by->numbers_; ++one) made_.add(one->by->factors_, one->by->gold_);
      if (made_.size()) step_made(first, made);
    }
  }

 private:
  template <class Change, class Made> TAGFIELD_NOINLINE void step_made(const Directed<Change>* sentences, Made made) {
    made_.each(from_, to_, [&](size_t sentence, int64_t k, const Vec<float>& u) TAGFIELD_INLINED { made(sentences[sentence].change, k, u); });
  }

  template <class Change>
  void step_numbers(const Directed<Change>* first, const Directed<Change>* last, float* theta, float* squares, float* rest) const {
    typedef const Directed<Change>* At;
    if (!form_.pairs()) {
      for (At one = first; one < last; ++one)
        for (int64_t k = from_; k < to_; k += W) one->change.step(theta, squares, rest, k, load(theta + k), load(one->by->numbers_ + k));
      return;
    }
    const std::vector<int64_t>& places = form_.pairs()->place;
    const auto begin = places.begin(), end = places.end();
    const int64_t p0 = std::lower_bound(begin, end, from_) - begin, p1 = std::lower_bound(begin, end, to_) - begin;
    for (int64_t p = p0; p < p1; p += W) {
      const int count = int(std::min<int64_t>(W, p1 - p));
      const int64_t* place = &places[size_t(p)];
      float w[W], s[W] = {}, r[W] = {};
      for (int k = 0; k < W; ++k) w[k] = -0.f;  // no feature
      for (int k = 0; k < count; ++k) w[k] = theta[place[k]];
      for (int k = 0; squares && k < count; ++k) s[k] = squares[place[k]];
      for (int k = 0; rest && k < count; ++k) r[k] = rest[place[k]];
      for (At one = first; one < last; ++one) one->change.step(w, s, r, 0, load(w), load(one->by->numbers_ + p));
      for (int k = 0; k < count; ++k) theta[place[k]] = w[k];
      for (int k = 0; squares && k < count; ++k) squares[place[k]] = s[k];
      for (int k = 0; rest && k < count; ++k) rest[place[k]] = r[k];
    }
  }
};

}  // namespace tagfield
