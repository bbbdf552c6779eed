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

struct ArowPass {
  double gamma = 1;
  Arrays mean, spread;  // μ and Σ
  // out
  double loss = 0;
  int64_t failed = -1;
};

void arow_pass(const Corpus& c, const Layout& at, ArowPass& pass, const int64_t* order, int64_t count);

}  // namespace tagfield
