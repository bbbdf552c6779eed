// The passes that learn from the mistakes of the best path: passive–aggressive and AROW.
//
// One pass of the passive–aggressive algorithm (Crammer et al. 2006; the cost and the averaging as in CRFsuite).
//
//     ŷ = argmax θ·Φ(x,·)     δ = Φ(x,y) − Φ(x,ŷ)     loss ℓ = θ·Φ(x,ŷ) − θ·Φ(x,y) + cost,  cost = √(wrong) or 1
//     τ = ℓ/‖δ‖²  (PA-0)     min(c, ℓ/‖δ‖²)  (PA-I)     ℓ/(‖δ‖² + 1/(2c))  (PA-II)
//     type 3, the averaged perceptron: τ = 1, and the loss is the fraction of wrong labels
//     θ ← θ + τ δ            R ← R + n τ δ            average after n sentences: θ − R/n
//
// One pass of AROW (Crammer, Kulesza, Dredze 2009), for label sequences as in CRFsuite.
//
//     ŷ = argmax μ·Φ(x,·)     δ = Φ(x,y) − Φ(x,ŷ)     loss ℓ = μ·Φ(x,ŷ) − μ·Φ(x,y) + wrong labels
//     α = wℓ/(γ + w Σ Σ_i δ_i²)      μ_i ← μ_i + α Σ_i δ_i         1/Σ_i ← 1/Σ_i + w δ_i²/γ
//
// Σ is diagonal and holds the variance of each weight. The more often a weight was corrected, the less it moves. A sentence
// of weight w has γ/w in the place of γ: at weight 0 it changes nothing, neither μ nor Σ.
#pragma once
#include <cstdint>

#include "kernel/corpus/corpus.hpp"
#include "kernel/corpus/weights.hpp"

namespace tagfield {

struct MarginPass {
  int type = 1;
  double c = 1;
  bool cost_sensitive = true;
  Arrays theta, rest;  // θ and R
  double seen = 1;  // n
  // out
  double loss = 0;
  int64_t failed = -1;
};

void margin_pass(const Corpus& c, const Layout& at, MarginPass& pass, const int64_t* order, int64_t count);

struct ArowPass {
  double gamma = 1;
  Arrays mean, spread;  // μ and Σ
  // out
  double loss = 0;
  int64_t failed = -1;
};

void arow_pass(const Corpus& c, const Layout& at, ArowPass& pass, const int64_t* order, int64_t count);

}  // namespace tagfield
