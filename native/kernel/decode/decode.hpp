// Scores, best paths and marginals of a whole corpus; with limits, over allowed paths only.
//
//     sentences ─▶ scores ─▶ limits ─▶ chain.hpp ─▶ labels, probabilities, log Z
//
// The arithmetic is that of the weights, T: float, or double for weights that were read from elsewhere. Every function throws
// std::overflow_error with the number of the first sentence whose scores are too large for what was asked.
#pragma once
#include "kernel/chain/chain.hpp"
#include "kernel/chain/limits.hpp"

namespace tagfield {

// s_t(y) of every token into out [T, L].
template <class T> void scores_all(const Corpus& c, const FieldOf<T>& field, T* out, int threads);

// The best labels of every sentence into y [T], their score into score [S]; −∞ where no path is allowed.
template <class T>
void tag_all(const Corpus& c, const FieldOf<T>& field, const Limits& limits, int32_t* y, double* score, int threads);

// P(y_t = y | x) into out [T, L] (if wanted), log Z into log_z [S], θ·Φ(x, labels) into score [S]: NaN where a label is
// unknown. With limits all of it is among the allowed paths, and log Z or the score −∞ where there is none.
template <class T>
void marginals_all(const Corpus& c, const FieldOf<T>& field, const Limits& limits, T* out, double* log_z, double* score,
                   int threads);

// The `count` best paths of every sentence, into out [S].
template <class T>
void nbest_all(const Corpus& c, const FieldOf<T>& field, const Limits& limits, int64_t count, NBest* out, int threads);

}  // namespace tagfield
