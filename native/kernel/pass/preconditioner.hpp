// The preconditioner of a step: what becomes of the direction r = f(u) of a weight, by what the weight remembers of its steps.
//
//     flat       r
//     adaptive   r / (√S + δ)       S ← S + r²                           AdaGrad (Duchi et al. 2011)
//     newton     r / (S + δ)        S ← S + r²                           online Newton, its diagonal (Hazan et al. 2007)
//     sgdqn      r / (1 + λ_t·Q)    Q ← Q + skip·(curvature seen)        SGD-QN, corrected (Bordes et al. 2009, 2010)
//     smd        p·r                p ← p·max(½, 1 − μ·r·v), and v       stochastic meta-descent (Vishwanathan et al. 2006)
//
// The first three know a weight's step from its own direction, so they are part of the step (step.hpp), with any blocks and
// threads. The last two also look at how directions change with the weights (curvature_pass.cpp). Each weight has its S, Q or p in
// `Pass::squares`, and v in `Pass::velocity`. Weights that a sentence does not touch keep what they remember.
#pragma once
#include <stdexcept>
#include <type_traits>

#include "kernel/simd/simd.hpp"

namespace tagfield {

enum class Preconditioner { FLAT, ADAGRAD, NEWTON, SGDQN, SMD };
constexpr const char* PRECONDITIONERS[] = {"flat", "adaptive", "newton", "sgdqn", "smd"};

// fn(std::integral_constant of the preconditioner), for one that is part of the step; the compiler warns of one that is not listed.
template <class Fn> auto with_preconditioner(Preconditioner m, Fn fn) {
  using P = Preconditioner;
  switch (m) {
    case P::FLAT: return fn(std::integral_constant<P, P::FLAT>{});
    case P::ADAGRAD: return fn(std::integral_constant<P, P::ADAGRAD>{});
    case P::NEWTON: return fn(std::integral_constant<P, P::NEWTON>{});
    case P::SGDQN:
    case P::SMD: break;
  }
  throw std::logic_error("a preconditioner that measures curvature has a pass of its own");
}

constexpr bool measures_curvature(Preconditioner m) { return m == Preconditioner::SGDQN || m == Preconditioner::SMD; }

// The direction r of a block of weights, divided by what they remember; `squares` remembers r.
template <Preconditioner M> inline Vec<float> scaled(const Vec<float>& r, float* squares, const Vec<float>& floor) {
  static_assert(M == Preconditioner::ADAGRAD || M == Preconditioner::NEWTON, "the others are no function of r alone");
  const Vec<float> s = load(squares) + r * r;
  store<float>(squares, s);
  return r / ((M == Preconditioner::ADAGRAD ? vsqrt(s) : s) + floor);
}

}  // namespace tagfield
