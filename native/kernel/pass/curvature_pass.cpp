// A pass whose preconditioner measures curvature: how the directions r(θ) = f(u(θ)) of a sentence change with the weights. One sentence
// after another, on one thread: each step needs the weights that the step before has left, so there is nothing to share.
//
// SGD-QN, in the form of its erratum. B, the diagonal of step sizes, has its schedule inside: 1/B grows by the curvature that is
// seen, between C and most·C. A sentence without the weight would show C, so 1/B = 1/λ_t + Q, and Q changes only where it occurs:
//
//     θ_i ← (1 − Cλ_t)·θ_i − d_i        d = λ_t·r/(1 + λ_t·Q)
//     every `skip` steps, after d:      Q_i ← Q_i + skip·clip(κ_i, 0, (most − 1)·C)
//     κ_i = −d_i·(r_i(θ − d) − r_i(θ)) / (d_i² + ε²)                    ε: no curvature from changes that float cannot see
//
// Stochastic meta-descent. p_i is the gain of a weight, v_i the derivative of θ_i by the logarithm of all gains so far:
//
//     p_i ← p_i·clip(1 − μ·r_i·v_i, ½, 2)
//     θ_i ← (1 − Cλ_t)·θ_i − λ_t·p_i·r_i
//     v_i ← λ·(1 − Cλ_t)·v_i − λ_t·p_i·(r_i + λ·(J·v)_i)                J = ∂r/∂θ, for f(u) = u the covariance of the features
//
//     J·v ≈ (r(θ + hv) − r(θ − hv)) / 2h        h: scores change by at most SHIFT = 1/64 for each position and each transition
//
// Both lattices are those of training, so known and unknown labels, rules, class weights, edge attributes and every f(u) have
// their J·v. The error is that of the third derivative, SHIFT²/6, and of float, 1e−7/SHIFT: together below a thousandth of the
// largest score of v. A tangent lattice would have neither, but one for each of those kinds.
//
// All are scaled as the weights are: θ = z·θ̄, v = z·v̄. So both shrink by C without being touched. λ < 1 forgets v only at the steps
// that touch the weight. A sentence's weight multiplies its r.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernel/pass/group_scores.hpp"
#include "kernel/pass/owned_step.hpp"
#include "kernel/pass/sentence_losses.hpp"
#include "kernel/pass/stochastic.hpp"

namespace tagfield {

// A vector for each block of weights of a sentence, in the order in which they are visited.
class Tape {
  std::vector<float> values_;
  size_t end_ = 0;

 public:
  void clear() { end_ = 0; }
  void push(const Vec<float>& v) {
    if (end_ + W > values_.size()) values_.resize(2 * values_.size() + 64 * W);
    store<float>(&values_[end_], v), end_ += W;
  }
  float* at(size_t i) { return &values_[i * W]; }
};

template <Rows R> class CurvaturePass {
  static constexpr float SHIFT = 1.f / 64, LEAST = 1e-4f;  // LEAST: ε

  const Corpus& c_;
  const Layout& at_;
  Pass& pass_;
  const std::vector<int64_t>& order_;
  const ChainForm form_;  // a matrix
  Pass aside_;                 // the pass at θ ± h·v
  std::vector<float> trans_;   // its transitions [L, Lp]
  SentenceLosses here_, there_;
  GroupSums<R> sums_;
  Bundle bundles_[2];
  RowsAhead rows_, beside_;
  ScalingHistory history_;
  Progress now_;
  Scratch<float> scores_, slopes_;    // [n, Lp] of θ̄ and of v̄
  Item item_, other_;
  mutable OwnedTransitions transitions_;
  Tape first_, second_;

 public:
  CurvaturePass(const Corpus& c, const Layout& at, Pass& pass, const std::vector<int64_t>& order)
      : c_(c), at_(at), pass_(pass), order_(order), form_(at, pass.theta.trans, false), aside_(pass),
        trans_(pass.theta.trans, pass.theta.trans + int64_t(at.L) * at.Lp()), here_(c, at, pass, form_), there_(c, at, aside_, form_),
        sums_(at), bundles_{Bundle(1), Bundle(1)}, rows_(at, pass.theta.state, pass.squares.state),
        beside_(at, pass.velocity.state, pass.averaging ? pass.rest.state : nullptr), now_(pass), transitions_(form_, 0, at.cells()) {
    aside_.theta.trans = trans_.data();
  }

  void run() {
    FlushSubnormals flush;
    open(0);
    for (int64_t i = 0; i < int64_t(order_.size()); ++i) {
      open(i + 1);
      if (pass_.pulse) pass_.pulse();
      const Bundle& bundle = bundles_[i % 2];
      const Sentence& x = bundle.x[0];
      sum(bundle, pass_.theta.state, scores_.reserve(x.n * at_.Lp()));
      bool sound = look(bundle, here_, 0, item_);
      for (int k = 0; sound && k < item_.ran; ++k) history_.learn(item_.runs[k]);
      const double loss = item_.loss;
      if (sound) sound = pass_.preconditioner == Preconditioner::SMD ? meta_descent(bundle) : quasi_newton(bundle);
      if (!sound) {
        pass_.failed = bundle.order[0];
        break;
      }
      pass_.loss += x.weight * loss;
      if (now_.advance(pass_)) fold_all(), now_.folded();
    }
    now_.write(pass_);
    pass_.fallbacks += here_.fallbacks() + there_.fallbacks();
  }

 private:
  void open(int64_t i) {
    const int64_t size = int64_t(order_.size());
    Bundle& bundle = bundles_[i % 2];
    bundle.open(c_, order_.data() + std::min(i, size), i < size);
    rows_.clear(), beside_.clear();
    list_slots(bundle, 0, bundle.count, Groups{}, rows_), list_slots(bundle, 0, bundle.count, Groups{}, beside_);
  }

  // The scores [n, Lp] that an array of weights gives a sentence. The rows of the next sentence are asked for meanwhile.
  void sum(const Bundle& bundle, const float* state, float* out) {
    sums_.sum(bundle.x[0], state, bundle.groups[0].data(), Groups{}, out, [&](int64_t, int64_t) TAGFIELD_INLINED { rows_.step(), beside_.step(); });
  }

  // The lattice at θ + h·v; false where its loss is no number.
  bool look(const Bundle& bundle, SentenceLosses& chains, float h, Item& item) {
    const Sentence& x = bundle.x[0];
    const int64_t size = x.n * at_.Lp();
    chains.start(now_.z, history_);
    float* scores = chains.room_for(x.n);
    if (h == 0)
      std::copy_n(scores_.get(), size, scores);
    else
      for (int64_t k = 0; k < size; k += W) store<float>(scores + k, load(scores_.get() + k) + splat(h) * load(slopes_.get() + k));
    pad_scores(at_, scores, x.n);
    chains.run(bundle.order[0], x, bundle.groups[0].data(), scores, item);
    chains.run_waiting();
    return std::isfinite(item.loss);
  }

  // Visits every block of weights of the sentence with its direction: fn(part, place, r), in the same order each time.
  template <class Fn> void each_direction(const Bundle& bundle, const Item& item, Fn fn) const {
    const Sentence& x = bundle.x[0];
    const int Lp = at_.Lp();
    const bool responds = pass_.response, edges_too = responds && pass_.respond_edges;
    const Response f = responds ? *pass_.response : Response{};
    each_slot<R>(x, at_, 0, x.D, [&](int64_t k0, int64_t k1, int64_t from, int64_t to) TAGFIELD_INLINED {
      const bool once = to - from == 1 && !x.value;
      for (int64_t k = k0; k < k1; ++k) {
        const int64_t b = block_of<R>(at_.column, k, k0);
        if (once) {
          fn(Part::STATE, k * W, load(item.F + int64_t(x.position[from]) * Lp + b * W));
        } else {
          const Vec<float> u = difference(item.D + b * W, x.position, x.value, from, to, Lp);
          fn(Part::STATE, k * W, responds ? f(u) : u);
        }
      }
    });
    if (x.n > 1)
      transitions_.each(item.transitions, [&](const Vec<float>& u) { return edges_too ? f(u) : u; },
                        [&](int64_t k, const Vec<float>& r) { fn(Part::TRANS, k, r); });
    if (item.looks)
      item.own_pairs->each_difference(c_, bundle.order[0], Groups{}, [&](int64_t k, const Vec<float>& u) {
        fn(Part::EDGE, k, edges_too ? f(u) : u);
      });
  }

  // Subtracts d from a block of weights θ̄; returns what was subtracted.
  Vec<float> change(Part part, int64_t k, const Vec<float>& d) const {
    float* theta = pass_.theta.of(part) + k;
    const Vec<float> w = load(theta), kept = keep<float>(d, features<float>(w));
    store<float>(theta, changed<float>(w, kept));
    if (pass_.averaging) {
      float* rest = pass_.rest.of(part) + k;
      store<float>(rest, load(rest) - splat(float(now_.Z)) * kept);
    }
    return kept;
  }

  TAGFIELD_NOINLINE bool quasi_newton(const Bundle& bundle) {
    const Sentence& x = bundle.x[0];
    const double rate = now_.rate(pass_), C = now_.decay(pass_);
    const Vec<float> one = splat(1.f), lambda = splat(float(rate)), gain = splat(float(x.weight * rate / (now_.shrink(pass_) * now_.z)));
    const bool looks = std::fmod(now_.t + 1, double(pass_.skip)) == 0;
    first_.clear(), second_.clear();
    each_direction(bundle, item_, [&](Part part, int64_t k, const Vec<float>& r) TAGFIELD_INLINED {
      const Vec<float> d = change(part, k, gain * (r / (one + lambda * load(pass_.squares.of(part) + k))));
      if (looks) first_.push(r), second_.push(d);
    });
    if (!looks) return true;
    sum(bundle, pass_.theta.state, scores_.get());
    if (!look(bundle, here_, 0, other_)) return false;
    const Vec<float> z = splat(float(now_.z)), weight = splat(float(x.weight)), least = splat(LEAST * LEAST), none{};
    const Vec<float> most = splat(float((pass_.most - 1) * C)), skip = splat(float(pass_.skip));
    size_t i = 0;
    each_direction(bundle, other_, [&](Part part, int64_t k, const Vec<float>& r) TAGFIELD_INLINED {
      const Vec<float> d = z * load(second_.at(i));
      const Vec<float> seen = weight * d * (load(first_.at(i)) - r) / (d * d + least);
      float* q = pass_.squares.of(part) + k;
      store<float>(q, load(q) + skip * vmin<float>(vmax<float>(seen, none), most));
      ++i;
    });
    return true;
  }

  TAGFIELD_NOINLINE bool meta_descent(const Bundle& bundle) {
    const Sentence& x = bundle.x[0];
    first_.clear();
    sum(bundle, pass_.velocity.state, slopes_.reserve(x.n * at_.Lp()));
    const float steepest = float(now_.z) * steepest_score(bundle), h = steepest > 0 ? SHIFT / steepest : 0.f;
    const bool curved = h > 0 && std::isfinite(h);
    if (curved) {
      const auto edges = edges_of(bundle);
      for (const float side : {h, -h}) {
        move_aside(edges, side);
        const bool sound = look(bundle, there_, side, other_);
        put_back(edges);
        if (!sound) return false;
        size_t i = 0;
        each_direction(bundle, other_, [&](Part, int64_t, const Vec<float>& r) TAGFIELD_INLINED {
          if (side > 0)
            first_.push(r);
          else
            store<float>(first_.at(i), (load(first_.at(i)) - r) * splat(0.5f / h));
          ++i;
        });
      }
    }
    const double shrink = now_.shrink(pass_);
    const Vec<float> weight = splat(float(x.weight)), z = splat(float(now_.z)), mu = splat(float(pass_.mu)), one = splat(1.f);
    const Vec<float> memory = splat(float(pass_.memory)), gain = splat(float(x.weight * now_.rate(pass_) / (shrink * now_.z)));
    size_t i = 0;
    each_direction(bundle, item_, [&](Part part, int64_t k, const Vec<float>& r) TAGFIELD_INLINED {
      const Vec<float> slope = curved ? load(first_.at(i)) : Vec<float>{};
      float *p = pass_.squares.of(part) + k, *v = pass_.velocity.of(part) + k;
      const Vec<float> speed = load(v), by = one - mu * weight * r * (z * speed);
      const Vec<float> longer = load(p) * vmin<float>(vmax<float>(by, splat(0.5f)), splat(2.f));
      store<float>(p, longer);
      const IVec<float> lanes = features<float>(load(pass_.theta.of(part) + k));
      change(part, k, gain * longer * r);
      store<float>(v, keep<float>(memory * speed - gain * longer * (r + memory * slope), lanes));
      ++i;
    });
    return true;
  }

  // The largest score that v̄ gives a label, a pair of labels, or the edge attributes of a pair.
  float steepest_score(const Bundle& bundle) const {
    const Sentence& x = bundle.x[0];
    float most = 0, edges = 0;
    for (int64_t k = 0; k < x.n * at_.Lp(); ++k) most = std::max(most, std::abs(slopes_[k]));
    for (int64_t k = 0; x.n > 1 && k < int64_t(at_.L) * at_.Lp(); ++k) edges = std::max(edges, std::abs(pass_.velocity.trans[k]));
    if (item_.looks)
      each_edge_slot(c_.edges, at_, bundle.order[0], [&](int64_t e, int64_t from, int64_t to) {
        float largest = 0, value = 0;
        for (int i = 0; i < at_.L; ++i)
          at_.each_edge_block(e * at_.L + i, [&](int64_t k, int) {
            for (int lane = 0; lane < W; ++lane) largest = std::max(largest, std::abs(pass_.velocity.edge[k * W + lane]));
          });
        for (int64_t n = from; n < to; ++n) value = std::max(value, c_.edges.value ? std::abs(c_.edges.value[n]) : 1.f);
        edges += largest * value;
      });
    return std::max(most, edges);
  }

  // The edge weights of a sentence, where they are, to be put back: they are changed in place.
  struct Kept {
    int64_t k;
    Vec<float> w;
  };
  std::vector<Kept> edges_of(const Bundle& bundle) const {
    std::vector<Kept> kept;
    if (item_.looks)
      item_.own_pairs->each_difference(c_, bundle.order[0], Groups{}, [&](int64_t k, const Vec<float>&) {
        kept.push_back({k, load(pass_.theta.edge + k)});
      });
    return kept;
  }
  void move_aside(const std::vector<Kept>& edges, float h) {
    for (int64_t k = 0; k < int64_t(trans_.size()); ++k) trans_[size_t(k)] = pass_.theta.trans[k] + h * pass_.velocity.trans[k];
    for (const Kept& one : edges) store<float>(pass_.theta.edge + one.k, one.w + splat(h) * load(pass_.velocity.edge + one.k));
  }
  void put_back(const std::vector<Kept>& edges) const {
    for (const Kept& one : edges) store<float>(pass_.theta.edge + one.k, one.w);
  }

  void fold_all() {
    const auto fold_part = [&](Part part, int64_t size) {
      fold(pass_.theta.of(part), pass_.averaging ? pass_.rest.of(part) : nullptr, size, now_.z, now_.Z);
      float* v = pass_.velocity.of(part);
      for (int64_t k = 0; v && k < size; ++k) v[k] = float(v[k] * now_.z);
    };
    fold_part(Part::STATE, at_.B * W), fold_part(Part::EDGE, at_.EB * W), fold_part(Part::TRANS, int64_t(at_.L) * at_.Lp());
  }
};

void run_curvature_pass(const Corpus& c, const Layout& at, Pass& p, const std::vector<int64_t>& order) {
  with_rows(at, [&](auto rows) { CurvaturePass<decltype(rows)::value>(c, at, p, order).run(); });
}

}  // namespace tagfield
