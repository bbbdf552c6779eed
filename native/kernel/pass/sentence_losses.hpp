// The losses of the sentences that one thread of a stochastic pass has: from their scores to u = E − Ẽ and the directions.
//
//     known labels      loss = log Z − s(gold)         u = E − Ẽ
//     unknown labels    loss = log Z − log Z_agreeing  Ẽ is the expectation over the paths that agree with the known labels
//     class weights     chain/token_losses.hpp
//
// If a label is unknown, Ẽ is not a count, so directions that need E and Ẽ separately are computed exactly, without a table.
//
// The cost of the softmax margin (Gimpel and Smith 2010) is added to the score of every wrong label. Subtracting it from the
// gold label at each position gives the same loss and the same u.
//
// Six in seven attributes of a sentence occur in it once (CoNLL-2000), and their u is that of the position. So f is called
// here, once per position, and again only for attributes that occur several times or have values, which leaves a fifth of
// the calls.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/chain/chain.hpp"
#include "kernel/chain/position_weights.hpp"
#include "kernel/pass/bundle.hpp"
#include "kernel/pass/step.hpp"

namespace tagfield {

// E and Ẽ of a sentence with unknown labels: states [n, Lp], transitions [L, Lp].
struct Expected {
  Scratch<float> E, empirical, edge_E, edge_empirical;

  // E and Ẽ of every weight of the sentence, for the exact direction; the transitions only where they respond. `groups` are
  // where its groups begin.
  template <Rows R>
  void collect(const Sentence& x, const int32_t* groups, const Layout& at, const float* state, const float* trans, bool edges,
               Exactly& into) const {
    const int Lp = at.Lp();
    for (into.group = 0; into.group < GROUPS; ++into.group)
      each_slot<R>(x, at, groups[into.group], groups[into.group + 1], [&](int64_t k0, int64_t k1, int64_t from, int64_t to) {
        for (int64_t k = k0; k < k1; ++k) {
          const int first = block_of<R>(at.column, k, k0) * W;
          for (int lane = 0; lane < W; ++lane) {
            double e = 0, known = 0;
            for (int64_t n = from; n < to; ++n) {
              const int64_t at_label = int64_t(x.position[n]) * Lp + first + lane;
              const double v = x.value ? double(x.value[n]) : 1;
              e += v * double(E[at_label]), known += v * double(empirical[at_label]);
            }
            into.add(state, k * W + lane, e, known, Part::STATE);
          }
        }
      });
    for (int64_t k = 0; edges && k < int64_t(at.L) * Lp; ++k)
      into.add(trans, k, double(edge_E[k]), double(edge_empirical[k]), Part::TRANS);
  }
};

class SentenceLosses final : ChainReader<float> {
  const Corpus& c_;
  const Layout& at_;
  const Pass& pass_;
  EdgeTransitions<float> own_;
  Chain<float> chain_;
  Expected expected_;
  Scratch<float> allowed_;
  std::vector<float> counts_;  // [L, Lp] zeros, for responses to counts
  float scale_ = 1;

 public:
  SentenceLosses(const Corpus& c, const Layout& at, const Pass& pass, const ChainForm& form)
      : c_(c), at_(at), pass_(pass), own_(c, at, nullptr, nullptr),
        chain_(form, {true, true, false, pass.limits.any(), c.class_weight}, &own_),
        counts_(pass.counted ? size_t(at.cells()) : 0, 0.f) {}

  int64_t fallbacks() const { return chain_.fallbacks(); }

  // The weights of a bundle, as all its sentences see them, and what was learned before it.
  void start(double z, const ScalingHistory& history) {
    scale_ = float(z);  // for all: of large scores, the difference between z and this would be seen
    own_.trans = pass_.limits.in_force(at_, pass_.theta.trans, allowed_), own_.edge = pass_.theta.edge;
    chain_.start(own_.trans, scale_, &history);
  }

  float* room_for(int64_t n) { return chain_.room_for(n); }  // for the scores of the next sentence
  // How many runs of a chain, of those that teach, sentence s needs.
  int runs_of(int64_t s, const Sentence& x) const { return chain_.counted_runs(s, !known(x)); }

  // Sentence s, whose scores are in `scores` [n, Lp]; `groups` are where its groups begin.
  void run(int64_t s, const Sentence& x, const int32_t* groups, float* scores, Item& item);
  // Those that wait; all sentences of the thread have their results afterwards.
  void run_waiting() { chain_.flush(*this); }

 private:
  bool known(const Sentence& x) const { return c_.complete || all_known(x.y, x.n); }
  // Whether f asks for E and Ẽ, and not for u alone.
  bool separately() const { return pass_.counted || (pass_.gathered && pass_.gathered->empirical.state); }

  void result(const ChainJob<float>& job, Paths paths, const ChainResult<float>& found) override;
  void end(const ChainJob<float>& job) override;
  void respond(Item& item);
  void keep_known(const Sentence& x, Item& item) const;
  void collect(Item& item);
  void collect_counted(Item& item);
};

}  // namespace tagfield
