// One sentence of a corpus, opened: every loop over attributes reads this view, however the corpus stores them.
//
// A corpus keeps where its attributes occur in one of two forms (corpus.hpp):
//     stop [D], position [N]    int32; a sentence is a view into them
//     place [N]                 uint16, or uint32 where a sentence is that long: the position, and in the top bit whether the
//                               occurrence is the last one of its slot. A third of the memory; opening a sentence decodes it
//                               into memory that the reader keeps.
#pragma once
#include "kernel/corpus.hpp"
#include "kernel/scratch.hpp"

namespace tagfield {

struct Sentence {                      // offsets count from the sentence's first slot and first occurrence
  int64_t n = 0, D = 0, N = 0;         // tokens, slots, occurrences
  const int32_t* attribute = nullptr;  // [D]
  const int32_t* stop = nullptr;       // [D] slot d occurs at stop[d−1] .. stop[d], where stop[−1] counts as 0
  const int32_t* position = nullptr;   // [N]
  const float* value = nullptr;        // [N] or null: all are 1
  const int32_t* y = nullptr;          // [n]
  double weight = 1;
};

// Opens one sentence after another. What it returned is valid until it opens the next one, so each thread has its own.
class SentenceReader {
  Scratch<int32_t> stop_, position_;

  // No branch depends on the bits: the end of the slot is overwritten by each of its occurrences.
  template <class Place> void decode(const Place* place, Sentence& x) {
    constexpr int TOP = 8 * int(sizeof(Place)) - 1;
    constexpr Place POSITION = Place(~(Place(1) << TOP));
    int32_t *stop = stop_.reserve(x.D), *position = position_.reserve(x.N);
    for (int64_t i = 0; i < x.N; ++i) position[i] = int32_t(place[i] & POSITION);
    int64_t d = 0;
    for (int64_t i = 0; i < x.N; ++i) {
      stop[d] = int32_t(i + 1);
      d += place[i] >> TOP;
    }
    x.stop = stop, x.position = position;
  }

 public:
  Sentence open(const Corpus& c, int64_t s) {
    const int64_t d = c.slots[s], i = c.occurrences[s];
    Sentence x;
    x.n = c.length(s), x.D = c.slots[s + 1] - d, x.N = c.occurrences[s + 1] - i;
    x.attribute = c.attribute + d;
    x.value = c.value ? c.value + i : nullptr;
    x.y = c.labels + c.tokens[s];
    x.weight = c.weight[s];
    if (c.narrow)
      decode(c.narrow + i, x);
    else if (c.wide)
      decode(c.wide + i, x);
    else
      x.stop = c.stop + d, x.position = c.position + i;
    return x;
  }
};

}  // namespace tagfield
