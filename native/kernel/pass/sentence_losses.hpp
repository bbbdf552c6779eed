// The lattices of a stochastic pass on one thread: from the scores of a sentence to its loss, u = E − Ẽ and the directions.
//
//     known labels      loss = log Z − s(gold)         u = E − Ẽ
//     unknown labels    loss = log Z − log Z_known     unknown.hpp
//     edge attributes   the same, in their own lattice (looked.hpp)
//     class weights     token_terms.hpp
//     many labels       sentences wait, and take one lattice together (transition_form.hpp); with unknown labels, twice
//
// The cost of the softmax margin (Gimpel and Smith 2010) is added to the score of every wrong label. Subtracting it from the
// gold label at each position gives the same loss and the same u.
//
// Six in seven attributes of a sentence occur in it once (CoNLL-2000), and their u is that of the position. So f is called
// here, once per position, and again only for attributes that occur several times or have values, which leaves a fifth of
// the calls.
#pragma once
#include <cmath>
#include <memory>
#include <vector>

#include "kernel/pass/bundle.hpp"
#include "kernel/chain/lattice.hpp"
#include "kernel/pass/step.hpp"
#include "kernel/chain/token_losses.hpp"
#include "kernel/chain/transition_form.hpp"

namespace tagfield {

template <Rows R> class Chains {
  const Corpus& c_;
  const Layout& at_;
  const Pass& pass_;
  const TransitionForm& form_;
  Lattice<float> lattice_;
  EdgeLattice looking_;
  Expected expected_;
  std::unique_ptr<TokenTerms> terms_;
  Scratch<float> allowed_;
  std::vector<float> counts_;  // [L, Lp] zeros, for responses to counts
  const float* trans_ = nullptr;
  float scale_ = 1;
  int skip_ = 0;
  bool plain_ready_ = false;
  struct Later {  // a sentence that waits
    int64_t s;
    const Sentence* x;
    const int32_t* groups;
    const float* scores;
    Item* item;
  };
  std::unique_ptr<WaitingChains> many_;
  std::vector<Later> later_;
  struct Room {  // what a sentence that waits keeps until then
    Scratch<float> scores;             // over all paths
    Scratch<float> agreeing, node;     // over those that agree with the known labels: scores, and what they give
  };
  std::vector<std::unique_ptr<Room>> rooms_;
  Scratch<float> edge_;                                 // expected transitions of such paths
  Scratch<float> matrix_;                               // transitions [L, Lp] of a sentence that does not wait

 public:
  Chains(const Corpus& c, const Layout& at, const Pass& pass, const TransitionForm& form)
      : c_(c), at_(at), pass_(pass), form_(form), lattice_(at), looking_(at),
        terms_(c.class_weight ? std::make_unique<TokenTerms>(at) : nullptr),
        counts_(pass.counted ? size_t(at.L) * size_t(at.Lp()) : 0, 0.f) {
    if (WaitingChains::pays(at) && !terms_) many_ = std::make_unique<WaitingChains>(at, form);
  }

  int64_t fallbacks() const { return lattice_.fallbacks + looking_.fallbacks + (many_ ? many_->fallbacks() : 0); }

  // The weights of a block, as all its sentences see them, and what was learned before it.
  void start(double z, const Habits& habits) {
    scale_ = float(z);  // for all: of large scores, the difference between z and this would be seen
    trans_ = pass_.limits.in_force(at_, pass_.theta.trans, allowed_);
    lattice_.pace = habits.pace, skip_ = habits.skip;
    plain_ready_ = false;
    if (many_) many_->start(trans_, scale_, pass_.limits.any()), later_.clear();
    if (terms_) terms_->set_transitions(trans_, double(scale_), pass_.limits.any());
  }

  // For the scores of the next sentence.
  float* room_for(int64_t n) {
    if (!many_) return lattice_.room_for(n);
    return room().scores.reserve(n * at_.Lp());
  }

  // Sentence s, whose scores are in `scores` [n, Lp]; `groups` are where its groups begin.
  void run(int64_t s, const Sentence& x, const int32_t* groups, float* scores, Item& item) {
    const int64_t n = x.n, Lp = at_.Lp();
    item.make_room(at_, n);
    item.factors = {};
    item.leftover.clear();
    item.known = c_.complete || all_known(x.y, n), item.looks = c_.edges.in(s);
    item.exactly = pass_.counted && !item.known;
    item.ran = 0;
    pass_.limits.forbid(c_, at_, s, scores);
    for (int64_t t = 0; pass_.cost != 0 && t < n; ++t)
      if (x.y[t] >= 0) scores[t * Lp + x.y[t]] -= float(pass_.cost) / scale_;
    if (many_ && !item.looks && (item.known || !separately())) {
      many_->add(2 * int(later_.size()), scores, n, item.D);
      if (!item.known) add_agreeing(x, scores);
      later_.push_back({s, &x, groups, scores, &item});
      return;
    }
    item.make_edges(form_.size());
    lattice_.room_for(n);
    lattice_.scores = scores, lattice_.node = item.D;
    lattice_.edge = form_.pairs() ? matrix_.reserve(int64_t(at_.L) * Lp) : item.edge;
    item.loss = terms_ ? weighted(x, scores) : item.looks ? looked(s, x, item) : plain(x, scores, item);
    if (form_.pairs() && n > 1) form_.pairs()->gather(lattice_.edge, item.edge);
    finish(s, x, groups, item);
  }

  // Those that wait; all sentences of the thread have their results afterwards.
  void run_waiting() {
    if (!many_) return;
    many_->run(scale_, [&](int k, double log_z, auto edges, float* here, const PairFactors<float>& factors) {
      const Later& one = later_[size_t(k / 2)];
      Item& item = *one.item;
      if (k % 2) return subtract_agreeing(*rooms_[size_t(k / 2)], one, log_z, edges);
      item.loss = log_z;
      if (item.known && !pass_.counted) item.factors = factors;
      if (item.known && here)
        item.edge = here;
      else if (!item.factors.p)
        item.make_edges(form_.size()), edges(item.edge);
      if (!item.known) return;
      item.loss -= double(scale_) * path_score(at_, one.scores, pass_.theta.trans, one.x->y, one.x->n);
      finish(one.s, *one.x, one.groups, item);
    });
  }

 private:
  Room& room() {
    while (rooms_.size() <= later_.size()) rooms_.push_back(std::make_unique<Room>());
    return *rooms_[later_.size()];
  }
  // Whether f asks for E and Ẽ, and not for u alone.
  bool separately() const { return pass_.counted || (pass_.gathered && pass_.gathered->empirical.state); }

  // The paths of the next sentence that agree with its known labels wait as well, behind all its paths: their Ẽ is subtracted.
  void add_agreeing(const Sentence& x, const float* scores) {
    const int64_t Lp = at_.Lp(), size = x.n * Lp;
    Room& at = room();
    float* agreeing = at.agreeing.reserve(size);
    std::copy_n(scores, size, agreeing);
    leave_known(at_, x.y, x.n, agreeing);
    many_->add(2 * int(later_.size()) + 1, agreeing, x.n, at.node.reserve(size));
  }
  template <class Edges> void subtract_agreeing(const Room& at, const Later& one, double log_z, Edges edges) {
    Item& item = *one.item;
    const int64_t nodes = one.x->n * at_.Lp(), pairs = one.x->n > 1 ? form_.size() : 0;
    item.loss -= log_z;
    for (int64_t k = 0; k < nodes; ++k) item.D[k] -= at.node[k];
    if (pairs) edges(edge_.reserve(pairs));
    for (int64_t k = 0; k < pairs; ++k) item.edge[k] -= edge_[k];
    finish(one.s, *one.x, one.groups, item);
  }

  void finish(int64_t s, const Sentence& x, const int32_t* groups, Item& item) {
    if (!std::isfinite(item.loss)) return;
    for (int64_t t = 0; item.known && !terms_ && t < x.n; ++t) {
      item.D[t * at_.Lp() + x.y[t]] -= 1;
      if (t && !item.factors.p) form_.subtract(at_, item.edge, x.y[t - 1], x.y[t]);
    }
    respond(s, x, groups, item);
  }

  double plain(const Sentence& x, const float* scores, Item& item) {
    if (!plain_ready_) lattice_.set_transitions(trans_, scale_), plain_ready_ = true;
    const auto once = [&] {
      lattice_.tries = item.first_run + item.ran >= skip_;
      const double log_z = lattice_.run(scale_, true);
      item.runs[item.ran++] = lattice_.last;
      return log_z;
    };
    return item.known ? once() - double(scale_) * path_score(at_, scores, pass_.theta.trans, x.y, x.n)
                      : expected_.run(lattice_, at_, x.y, x.n, once);
  }

  TAGFIELD_NOINLINE double looked(int64_t s, const Sentence& x, Item& item) {
    if (!item.looked) item.looked = std::make_unique<Looked>(at_);
    Looked& pairs = *item.looked;
    pairs.open(c_, trans_, pass_.theta.edge, s, looking_);
    if (item.known) return pairs.run_known(looking_, lattice_, scale_, x.y);
    const double loss = expected_.run(lattice_, at_, x.y, x.n, [&] { return pairs.run(looking_, lattice_, scale_); });
    pairs.subtract_before();
    return loss;
  }

  TAGFIELD_NOINLINE double weighted(const Sentence& x, const float* scores) {
    const double loss = terms_->run(c_, scores, double(scale_), x.y, x.n);
    for (int64_t k = 0; k < x.n * at_.Lp(); ++k) lattice_.node[k] = float(terms_->node[size_t(k)]);
    for (int64_t k = 0; k < int64_t(at_.L) * at_.Lp(); ++k) lattice_.edge[k] = float(terms_->edge[size_t(k)]);
    return loss;
  }

  // F = f(D), the directions of the transitions in the place of their u, and what no table knows.
  void respond(int64_t s, const Sentence& x, const int32_t* groups, Item& item) {
    const int64_t n = x.n, Lp = at_.Lp(), edges = item.factors.p ? 0 : form_.size();
    if (pass_.gathered) return keep_known(x, item);
    if (item.exactly) return collect(s, x, groups, item);
    const bool edges_too = n > 1 && pass_.respond_edges;
    if (pass_.counted) {
      float* F = item.own_directions(at_, n);
      respond_rows(*pass_.counted, item.D, x.y, n, int(Lp), F);
      item.F = F;
      if (edges_too) count_edges(x, at_, *pass_.counted, pass_.theta.trans, item.edge, counts_.data(), item.leftover);
      collect_counted(s, x, groups, item);
    } else if (pass_.response) {
      const Response f = *pass_.response;
      float* F = item.own_directions(at_, n);
      for (int64_t k = 0; k < n * Lp; k += W) store<float>(F + k, f(load(item.D + k)));
      item.F = F;
      for (int64_t k = 0; edges_too && k < edges; k += W)
        if (form_.pairs() || any(features<float>(load(pass_.theta.trans + k)))) store<float>(item.edge + k, f(load(item.edge + k)));
    }
  }

  // For mini-batches, which respond later: Ẽ, where it is not counts.
  TAGFIELD_NOINLINE void keep_known(const Sentence& x, Item& item) const {
    if (item.known || !pass_.gathered->empirical.state) return;
    const int64_t nodes = x.n * at_.Lp(), edges = int64_t(at_.L) * at_.Lp();
    std::copy_n(expected_.empirical.get(), nodes, item.empirical.reserve(nodes));
    if (x.n > 1) std::copy_n(expected_.edge_empirical.get(), edges, item.edge_empirical.reserve(edges));
  }

  TAGFIELD_NOINLINE void collect(int64_t s, const Sentence& x, const int32_t* groups, Item& item) {
    const Arrays& theta = pass_.theta;
    const bool edges_too = x.n > 1 && pass_.respond_edges;
    expected_.collect<R>(x, groups, at_, theta.state, theta.trans, edges_too, item.leftover);
    if (item.looks && pass_.respond_edges) item.looked->collect(c_, s, theta.edge, item.leftover);
  }

  // Attributes with values, and those that occur more often than there are tables.
  TAGFIELD_NOINLINE void collect_counted(int64_t s, const Sentence& x, const int32_t* groups, Item& item) {
    const Counted& f = *pass_.counted;
    const int64_t tables = int64_t(f.tables.size());
    Exactly& rest = item.leftover;
    for (rest.group = 0; rest.group < GROUPS; ++rest.group)
      each_slot<R>(x, at_, groups[rest.group], groups[rest.group + 1], [&](int64_t k0, int64_t k1, int64_t from, int64_t to) {
        if (x.value || to - from >= tables)
          counted_slot<R>(x, at_, f, item.D, pass_.theta.state, k0, k1, from, to, &rest,
                          [](int64_t, const Vec<float>&, const Vec<float>&) {});
      });
    if (item.looks)
      item.looked->each_counted(c_, s, Groups{}, pass_, &rest, [](int64_t, const Vec<float>&, const Vec<float>&) {});
  }
};

}  // namespace tagfield
