// A view of the packed arrays of a corpus (tagfield/data/dataset.py). Its bounds are checked once, on creation; loops do not
// check them again.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/simd/scratch.hpp"

namespace tagfield {

// The slots of edge attributes: the same arrays as those of the states, at positions ≥ 1.
struct EdgeSlots {
  int64_t D = 0, N = 0;                    // slots, occurrences
  const int64_t* slots = nullptr;          // [S+1]; null where there are none
  const int64_t* occurrences = nullptr;    // [S+1]
  const int32_t* attribute = nullptr;      // [D]
  const int32_t* stop = nullptr;           // [D]
  const int32_t* position = nullptr;       // [N]
  const float* value = nullptr;            // [N] or null
  int32_t attributes = 0;                  // one more than the largest id

  bool in(int64_t s) const { return slots && slots[s] < slots[s + 1]; }
};

struct Corpus {
  int64_t S = 0, T = 0, D = 0, N = 0;      // sentences, tokens, slots, occurrences
  const int64_t* tokens = nullptr;         // [S+1]
  const int64_t* slots = nullptr;          // [S+1]
  const int64_t* occurrences = nullptr;    // [S+1]
  const int32_t* attribute = nullptr;      // [D]
  const int32_t* stop = nullptr;           // [D]; null where the occurrences are places
  const int32_t* position = nullptr;       // [N]; likewise
  const uint16_t* narrow = nullptr;        // [N] places: the position, and in the top bit the end of a slot
  const uint32_t* wide = nullptr;          // [N] the same for sentences that are too long for that
  const float* value = nullptr;            // [N] or null
  const int32_t* labels = nullptr;         // [T]
  const double* weight = nullptr;          // [S]
  int32_t attributes = 0, classes = 0;     // one more than the largest id
  int64_t longest = 0;
  bool complete = true;                    // no label is unknown
  const double* class_weight = nullptr;    // [L] or null: what a token of each label weighs in training
  EdgeSlots edges;

  int64_t length(int64_t s) const { return tokens[s + 1] - tokens[s]; }

  void check();

 private:
  [[noreturn]] static void not_ascending(int64_t s) {
    throw std::invalid_argument("the sentence offsets are not ascending at sequence " + std::to_string(s));
  }
  template <class Slots> void check_spans(const Slots& of) const {
    if (of.slots[0] || of.occurrences[0] || of.slots[S] != of.D || of.occurrences[S] != of.N)
      throw std::invalid_argument("the sentence offsets do not span the arrays");
    for (int64_t s = 0; s < S; ++s)
      if (of.slots[s + 1] < of.slots[s] || of.occurrences[s + 1] < of.occurrences[s] || of.slots[s + 1] > of.D ||
          of.occurrences[s + 1] > of.N)
        not_ascending(s);
  }
  // Every sentence has as many ends of slots as slots, the last of them at its last occurrence.
  template <class Place> void check_places(const Place* place) {
    constexpr int TOP = 8 * int(sizeof(Place)) - 1;
    check_spans(*this);
    int32_t most = -1;
    for (int64_t d = 0; d < D; ++d) {
      if (attribute[d] < 0 || attribute[d] == INT32_MAX) throw std::invalid_argument("an attribute id is out of bounds");
      most = attribute[d] > most ? attribute[d] : most;
    }
    attributes = most + 1;
    for (int64_t s = 0; s < S; ++s) {
      const int64_t n = length(s), end = occurrences[s + 1];
      int64_t ends = 0, beyond = 0;
      for (int64_t i = occurrences[s]; i < end; ++i) {
        ends += place[i] >> TOP;
        beyond += int64_t(place[i] & Place(~(Place(1) << TOP))) >= n;
      }
      if (beyond) throw std::invalid_argument("a position is out of bounds in sequence " + std::to_string(s));
      if (ends != slots[s + 1] - slots[s] || (end > occurrences[s] && !(place[end - 1] >> TOP)))
        throw std::invalid_argument("the places do not end the slots of sequence " + std::to_string(s));
    }
  }
  // Slots of the states, or of the edges, whose positions begin at 1.
  template <class Slots> void check_slots(const Slots& of, int32_t& names, int lowest) const {
    check_spans(of);
    for (int64_t s = 0; s < S; ++s) {
      const int64_t n = length(s), occ = of.occurrences[s + 1] - of.occurrences[s];
      int64_t last = 0;
      for (int64_t d = of.slots[s]; d < of.slots[s + 1]; ++d) {
        if (of.stop[d] < last || of.stop[d] > occ || of.attribute[d] < 0 || of.attribute[d] == INT32_MAX)
          throw std::invalid_argument("a slot is out of bounds in sequence " + std::to_string(s));
        last = of.stop[d];
        if (of.attribute[d] >= names) names = of.attribute[d] + 1;
      }
      if (last != occ) throw std::invalid_argument("occurrences without a slot in sequence " + std::to_string(s));
      for (int64_t i = of.occurrences[s]; i < of.occurrences[s + 1]; ++i)
        if (of.position[i] < lowest || of.position[i] >= n)
          throw std::invalid_argument("a position is out of bounds in sequence " + std::to_string(s));
    }
  }
};

// One sentence of a corpus, opened: every loop over attributes reads this view, however the corpus stores them.
//
// A corpus keeps where its attributes occur in one of two forms (corpus.hpp):
//     stop [D], position [N]    int32; a sentence is a view into them
//     place [N]                 uint16, or uint32 where a sentence is that long: the position, and in the top bit whether the
//                               occurrence is the last one of its slot. A third of the memory; opening a sentence decodes it
//                               into memory that the reader keeps.
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

// For feature sets: counts of the (attribute, label) pairs, the transitions and the (edge attribute, label, label) triples.
struct ObservedRows {
  std::vector<int64_t> first;  // [A+1]
  std::vector<uint16_t> column;  // [B]
  std::vector<uint8_t> lanes;    // [B] the pairs in the block
  int64_t pairs = 0;
};

// Occurrences of each attribute [A], of each edge attribute [E], and of each pair of known labels [L, L].
void count_attributes(const Corpus& c, int64_t* counts);
void count_edge_attributes(const Corpus& c, int64_t* counts);
void count_transitions(const Corpus& c, int L, int64_t* counts);

// Rows of blocks for the pairs that occur at least `minimum` times; and for the triples of an edge attribute.
ObservedRows observed_rows(const Corpus& c, int64_t A, int L, int64_t minimum);
ObservedRows observed_edges(const Corpus& c, int64_t E, int L, int64_t minimum);

}  // namespace tagfield
