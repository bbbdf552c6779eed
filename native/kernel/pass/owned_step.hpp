// The steps of a bundle's sentences on the weights of one owner, in the order of the sentences.
//
//     λ_t = λ̂ / (1 + λ̂ C t)                                   (constant λ̂ if `constant` is set)
//     θ̄  ← θ̄ − λ_t / ((1 − Cλ_t) z) · f(u)                    θ = z θ̄: only active weights are touched
//     z   ← (1 − Cλ_t) z
//
// Averaging of θ_1 … θ_n without touching inactive weights: with Z = Σ z_τ and R += Z · δ for every change δ of θ̄,
//     Σ θ_τ = Z θ̄_n − R.
// The preconditioner divides f(u) by what the weight remembers of its steps (preconditioner.hpp).
//
// In a stream the number of sentences N is unknown, and the result must not depend on how the stream is cut into passes.
// So the penalty is divided by the number of sentences so far, C_t = C/(t + 1). Weights shrink by 1/(1 + C_t λ_t), which is
// positive for every rate.
#pragma once
#include <memory>
#include <vector>

#include "kernel/pass/bundle.hpp"
#include "kernel/pass/step.hpp"

namespace tagfield {

// What moves with every sentence. Each owner counts for itself, and all get the same numbers.
struct Progress {
  double t = 0, z = 1, Z = 0;
  int64_t averaged = 0;

  explicit Progress(const Pass& pass) : t(pass.t), z(pass.scale), Z(pass.summed_scale), averaged(pass.averaged) {}
  void write(Pass& pass) const { pass.t = t, pass.scale = z, pass.summed_scale = Z, pass.averaged = averaged; }

  double decay(const Pass& pass) const { return pass.streaming ? pass.decay / (t + 1) : pass.decay; }
  double rate(const Pass& pass) const { return pass.constant ? pass.rate : pass.rate / (1 + pass.rate * decay(pass) * t); }
  double shrink(const Pass& pass, double m = 1) const {
    return pass.streaming ? 1 / (1 + decay(pass) * rate(pass)) : 1 - m * decay(pass) * rate(pass);
  }

  // To the next step, over m sentences' share of the penalty. Returns whether to fold z into the weights: before it leaves float's range, and sooner where
  // Z θ̄ − R, of weights that grow as z falls, would lose its digits.
  bool advance(const Pass& pass, double m = 1) {
    z *= shrink(pass, m), t += m;
    if (pass.averaging) Z += z, ++averaged;
    return z < (pass.averaging ? 1e-3 : 1e-9);
  }
  void folded() { Z = 0, z = 1; }
};

// The weights of one owner: its groups of attributes and of edge attributes, and a contiguous part of the transitions.
struct Share {
  Groups groups;
  int64_t from = 0, to = 0;  // of the transitions [L·Lp]

  // Owner `me` of `owners`. Transitions are divided at cache lines.
  static Share of(const Layout& at, int me, int owners) {
    const int64_t size = int64_t(at.L) * at.Lp(), LINE = 2 * W;
    const auto cut = [&](int i) { return i == owners ? size : size * i / owners / LINE * LINE; };
    return {{GROUPS / owners * me, GROUPS / owners * (me + 1)}, cut(me), cut(me + 1)};
  }
};

// What an owner asks for while it steps: rows of the next bundle, directions that other threads computed, what lies beside the weights.
struct StepAhead {
  RowsAhead& rows;
  LinesAhead& results;
  RowsAhead& beside;
  int turn = 0;

  template <bool Full, bool Beside> TAGFIELD_INLINE void step() {
    if (Full && ++turn % 2)
      rows.step();
    else
      results.step();
    if (Beside) beside.step();
  }
};

class OwnedStep {
 public:
  virtual ~OwnedStep() = default;
  // The step of sentence k of a bundle.
  virtual void step(const Bundle& bundle, int k, const Item& item, Progress& now, StepAhead& ahead) = 0;
  // The transitions of the sentences since the last time: all of them together, since a weight that is at hand is changed by
  // eight sentences in less time than it takes to find it twice.
  virtual void finish() = 0;
  // z into the weights of the owner.
  virtual void fold_all(const Progress& now) = 0;
};

std::unique_ptr<OwnedStep> make_owned_step(const Corpus& c, const Layout& at, const Pass& pass, const ChainForm& form,
                                           const Share& share);

}  // namespace tagfield
