// What the two native modules agree on: a sequence of attribute ids goes from `_text` to the kernels without becoming arrays.
//
//     Python objects ─▶ native/text: ids ─▶ SequenceDecoder ─▶ native/kernel: best path, marginals ─▶ native/text: lists
//
// The kernels hand out a capsule that holds a SequenceDecoder, and `_text` calls it. Both modules are compiled with different
// options, so nothing but these plain records crosses, and no inline function is shared.
#pragma once
#include <cstdint>

namespace tagfield {

struct AttributeIds {       // of one sequence
  const int32_t* ids;       // [N] every id is ≥ 0 and below the decoder's `attributes`
  const float* values;      // [N] or null: all are 1
  const int64_t* ends;      // [n] the attributes of token t are ids[ends[t−1] .. ends[t]], where ends[−1] counts as 0
  int64_t n;                // tokens
};

// INTERRUPTED: Ctrl-C, or another signal's handler raised; Python's error is set.
enum class Decoded { DONE, TOO_LARGE, INTERRUPTED };

// A call has the decoder's memory to itself: it is made under the interpreter's lock, or with a decoder that no other call has
// (Model.label_ids). It runs no Python code, but for handlers of signals during a sequence of LONG tokens and more, which has
// memory of its own.
struct SequenceDecoder {
  static constexpr const char* NAME = "tagfield.SequenceDecoder 1";

  static constexpr int64_t LONG = 16384;

  int64_t attributes = 0;
  int32_t labels = 0;

  virtual ~SequenceDecoder() = default;
  // Asks for what a later call will read: first where the rows of weights lie, and a while after that the rows.
  virtual void ask_places(const AttributeIds& x) = 0;
  virtual void ask_rows(const AttributeIds& x) = 0;
  // The best labels into y [n].
  virtual Decoded best(const AttributeIds& x, int32_t* y) = 0;
  // P(y_t = y | x) into node [n, labels]; TOO_LARGE where a score is so large that probabilities would not be exact.
  virtual Decoded marginals(const AttributeIds& x, double* node) = 0;
};

}  // namespace tagfield
