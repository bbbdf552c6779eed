// The loops of owned_step.hpp over the rows of a sentence, for each kind of rows and each kind of step.
#pragma once
#include <memory>
#include <type_traits>
#include <vector>

#include "kernel/pass/owned_step.hpp"

namespace tagfield {

template <Rows R, bool Respond, Preconditioner M, bool Average> class OwnedLoops final : public OwnedStep {
  const Corpus& c_;
  const Layout& at_;
  const Pass& pass_;
  const Share share_;
  const Arrays theta_, squares_, rest_;
  typedef Change<false, M, Average> Plain;
  std::vector<Directed<Plain>> waiting_;  // sentences whose transitions are still to be changed
  OwnedTransitions transitions_;

 public:
  OwnedLoops(const Corpus& c, const Layout& at, const Pass& pass, const ChainForm& form, const Share& share)
      : c_(c), at_(at), pass_(pass), share_(share), theta_(pass.theta), squares_(pass.squares), rest_(pass.averaging ? pass.rest : Arrays{}),
        transitions_(form, share.from, share.to) {}

  void step(const Bundle& bundle, int k, const Item& item, Progress& now, StepAhead& ahead) override {
    const auto ask = [&ahead](int64_t, int64_t) TAGFIELD_INLINED { ahead.step<R == Rows::FULL, M != Preconditioner::FLAT || Average>(); };
    const Sentence& x = bundle.x[size_t(k)];
    const float gain = float(x.weight * now.rate(pass_) / (now.shrink(pass_) * now.z));
    const Change<Respond, M, Average> change{Respond ? *pass_.response : Response{}, splat(gain),
                                                    splat(float(pass_.floor)), splat(float(now.Z))};
    const Plain plain{Response{}, change.gain, change.floor, change.Z};
    if constexpr (R == Rows::SPARSE) {
      if (!item.exactly) step_tokens(x, bundle.rows[size_t(k)], item, change, ask);
    } else {
      if (!item.exactly) step_states(x, bundle.begin(k, share_.groups), bundle.end(k, share_.groups), item, change, ask);
    }
    if (x.n > 1 && !(item.exactly && pass_.respond_edges)) waiting_.push_back({plain, &item.transitions});
    if (item.looks) step_edges(bundle.order[k], item, change, plain);
    if (!item.leftover.where.empty()) finish(), step_exactly(item.leftover, plain);
    if (now.advance(pass_)) finish(), fold_share(now), now.folded();
  }

  void finish() override {
    transitions_.step(waiting_, theta_.trans, squares_.trans, rest_.trans, [this](const Plain& plain, int64_t k, const Vec<float>& u) TAGFIELD_INLINED {
      if (Respond && pass_.respond_edges) {
        const Change<Respond, M, Average> change{Respond ? *pass_.response : Response{}, plain.gain, plain.floor, plain.Z};
        change(theta_.trans, squares_.trans, rest_.trans, k, u);
      } else {
        plain.step(theta_.trans, squares_.trans, rest_.trans, k, load(theta_.trans + k), u);
      }
    });
    waiting_.clear();
  }

  void fold_all(const Progress& now) override { fold_share(now); }

 private:
  // By token (token_rows.hpp); attributes that occur several times, or with values, by slot.
  template <class Step, class Ask>
  TAGFIELD_NOINLINE void step_tokens(const Sentence& x, const TokenRows& rows, const Item& item, const Step change, Ask ask) const {
    constexpr int AHEAD = 12;  // rows that are asked for before their turn
    const Arrays theta = theta_, squares = squares_, rest = rest_;
    const uint16_t* column = at_.column;
    const float* F = item.F;
    const TokenRows::Row* end = rows.end();
    for (int64_t t = 0; t < x.n; ++t, F += at_.Lp())
      for (const TokenRows::Row *row = rows.begin(t), *last = rows.end(t); row < last; ++row) {
        ask(row->first, row->first + row->blocks);
        if (end - row > AHEAD) prefetch(theta.state + row[AHEAD].first * W), prefetch(column + row[AHEAD].first);
        if (!row->alone) continue;
        for (int64_t k = row->first, k1 = k + row->blocks; k < k1; ++k)
          change.step(theta.state, squares.state, rest.state, k * W, load(theta.state + k * W), load(F + int64_t(column[k]) * W));
      }
    for (int32_t d : rows.several) step_states(x, d, d + 1, item, change, [](int64_t, int64_t) {});
  }

  template <class Step, class Ask>
  void step_states(const Sentence& x, int64_t d0, int64_t d1, const Item& item, const Step change, Ask ask) const {
    const int Lp = at_.Lp();
    const bool three = R == Rows::FULL && at_.NB == 3;  // the common case, its loops written out
    const float *D = item.D, *F = item.F, *value = x.value;
    const int32_t* position = x.position;
    const uint16_t* column = at_.column;
    const Arrays theta = theta_, squares = squares_, rest = rest_;
    const Counted* counted = pass_.counted;
    each_slot<R>(x, at_, d0, d1, [=, &x, &ask](int64_t k0, int64_t k1, int64_t from, int64_t to) TAGFIELD_INLINED {
      ask(k0, k1);
      if (to - from == 1 && !value) {
        const float* f = F + int64_t(position[from]) * Lp;
        const auto step = [&](int64_t k, int b) TAGFIELD_INLINED {
          change.step(theta.state, squares.state, rest.state, k * W, load(theta.state + k * W), load(f + b * W));
        };
        if (three)
          step(k0, 0), step(k0 + 1, 1), step(k0 + 2, 2);
        else
          for (int64_t k = k0; k < k1; ++k) step(k, block_of<R>(column, k, k0));
      } else if (!Respond && counted) {
        if constexpr (!Respond)
          counted_slot<R>(x, at_, *counted, D, theta.state, k0, k1, from, to, nullptr,
                          [&](int64_t k, const Vec<float>& w, const Vec<float>& r) {
                            change.step(theta.state, squares.state, rest.state, k * W, w, r);
                          });
      } else if (!Respond && three && !value) {
        Vec<float> u0{}, u1{}, u2{};
        for (int64_t n = from; n < to; ++n) {
          const float* d = D + int64_t(position[n]) * Lp;
          u0 += load(d), u1 += load(d + W), u2 += load(d + 2 * W);
        }
        change(theta.state, squares.state, rest.state, k0 * W, u0);
        change(theta.state, squares.state, rest.state, (k0 + 1) * W, u1);
        change(theta.state, squares.state, rest.state, (k0 + 2) * W, u2);
      } else {
        for (int64_t k = k0; k < k1; ++k)
          change(theta.state, squares.state, rest.state, k * W,
                 difference(D + block_of<R>(column, k, k0) * W, position, value, from, to, Lp));
      }
    });
  }

  template <class Step>
  TAGFIELD_NOINLINE void step_edges(int64_t s, const Item& item, const Step change, const Plain plain) const {
    if (item.exactly && pass_.respond_edges) return;  // they are among the leftovers
    if (pass_.counted && item.known)
      item.own_pairs->each_counted(c_, s, share_.groups, pass_, nullptr, [&](int64_t k, const Vec<float>& w, const Vec<float>& r) {
        change.step(theta_.edge, squares_.edge, rest_.edge, k, w, r);
      });
    else
      item.own_pairs->each_difference(c_, s, share_.groups, [&](int64_t k, const Vec<float>& u) {
        if (Respond && pass_.respond_edges)
          change(theta_.edge, squares_.edge, rest_.edge, k, u);
        else
          plain(theta_.edge, squares_.edge, rest_.edge, k, u);
      });
  }

  // What no table knows, by the exact directions.
  TAGFIELD_NOINLINE void step_exactly(const Exactly& left, const Plain plain) const {
    for (size_t i = 0; i < left.where.size(); ++i) {
      const Part part = left.part[i];
      const int64_t base = left.where[i] / W * W;
      if (part == Part::TRANS ? base < share_.from || base >= share_.to : !share_.groups.has(left.groups[i])) continue;
      float lanes[W] = {};
      lanes[left.where[i] % W] = float(left.direction[i]);
      float* weights = theta_.of(part);
      plain.step(weights, squares_.of(part), rest_.of(part), base, load(weights + base), load(lanes));
    }
  }

  TAGFIELD_NOINLINE void fold_share(const Progress& now) const {
    const auto fold_part = [&](Part part, int64_t from, int64_t to) {
      fold(theta_.of(part) + from, rest_.of(part) ? rest_.of(part) + from : nullptr, to - from, now.z, now.Z);
    };
    const auto fold_rows = [&](Part part, int64_t rows, auto first) {  // first(row): its first block
      for (int64_t row = 0; row < rows; row += RUN)
        if (share_.groups.has(group_of(row))) fold_part(part, first(row) * W, first(std::min(rows, row + RUN)) * W);
    };
    fold_rows(Part::STATE, at_.A, [&](int64_t a) { return R == Rows::FULL ? a * at_.NB : at_.first[a]; });
    fold_rows(Part::EDGE, at_.E, [&](int64_t e) { return at_.edge_first ? at_.edge_first[e * at_.L] : e * at_.L * at_.NB; });
    fold_part(Part::TRANS, share_.from, share_.to);
  }
};

// Of one preconditioner, which is compiled by itself: beside others, GCC inlines less, and an epoch of u2.g1 took 5 % longer.
template <Preconditioner M>
std::unique_ptr<OwnedStep> make_loops(const Corpus& c, const Layout& at, const Pass& pass, const ChainForm& form, const Share& share) {
  std::unique_ptr<OwnedStep> made;
  const auto make = [&](auto rows, auto respond, auto average) {
    made = std::make_unique<OwnedLoops<decltype(rows)::value, decltype(respond)::value, M, decltype(average)::value>>(c, at, pass, form, share);
  };
  with_rows(at, [&](auto rows) {
    const auto average = [&](auto respond) {
      if constexpr (M == Preconditioner::FLAT)
        pass.averaging ? make(rows, respond, std::true_type{}) : make(rows, respond, std::false_type{});
      else
        make(rows, respond, std::true_type{});  // a step that divides does not notice one more question
    };
    pass.response ? average(std::true_type{}) : average(std::false_type{});
  });
  return made;
}

}  // namespace tagfield
