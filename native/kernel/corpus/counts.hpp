// Counts the (attribute, label) pairs, the transitions and the (edge attribute, label, label) triples in the training
// data, for the feature set `observed`.
#pragma once
#include <vector>

#include "kernel/corpus/weights.hpp"
#include "kernel/corpus/corpus.hpp"

namespace tagfield {

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
