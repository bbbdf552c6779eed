// Scores, best paths and marginals of a whole corpus; with limits, over allowed paths only.
//
//     sentences ─▶ scores ─▶ limits ─▶ chain.hpp ─▶ labels, probabilities, log Z
//
// The arithmetic is that of the weights, T: float, or double for weights that were read from elsewhere. A sentence whose scores
// are too large for float is decided in double (fine_chain.hpp). Every function throws std::overflow_error with the number of the
// first sentence whose scores are too large for what was asked.
#pragma once
#include <memory>

#include "kernel/chain/chain.hpp"
#include "kernel/chain/limits.hpp"
#include "kernel/decode/fine_chain.hpp"
#include "sequence_decoder.hpp"

namespace tagfield {

// s_t(y) of every token into out [T, L].
template <class T> void scores_all(const Corpus& c, const SizedField<T>& field, double* out, int threads);

// The best labels of every sentence into y [T], their score into score [S]; −∞ where no path is allowed.
template <class T>
void tag_all(const Corpus& c, const SizedField<T>& field, const Limits& limits, int32_t* y, double* score, int threads);

// P(y_t = y | x) into out [T, L] (if wanted), log Z into log_z [S], θ·Φ(x, y) of the labels y [T] into score [S]: NaN where a
// label is unknown. With limits all of it is among the allowed paths, and log Z or the score −∞ where there is none.
template <class T>
void marginals_all(const Corpus& c, const SizedField<T>& field, const Limits& limits, const int32_t* y, T* out, double* log_z,
                   double* score, int threads);

// The `count` best paths of every sentence, into out [S].
template <class T>
void nbest_all(const Corpus& c, const SizedField<T>& field, const Limits& limits, int64_t count, NBest* out, int threads);

// One sequence at a time, from attribute ids, with the same bits: nothing is packed, checked again or allocated for a call.
// During a long one, ask() is called now and then; it sets Python's error and throws Stopped if the call is to end.
std::unique_ptr<SequenceDecoder> make_sequence(const SizedField<float>& field, void (*ask)());
std::unique_ptr<SequenceDecoder> make_sequence(const SizedField<double>& field, void (*ask)());

}  // namespace tagfield
