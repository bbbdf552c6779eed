// A view of the packed arrays of a corpus (tagfield/dataset.py). Its bounds are checked once, on creation; loops do not
// check them again.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace tagfield {

struct Corpus {
  int64_t S = 0, T = 0, D = 0, N = 0;      // sentences, tokens, slots, occurrences
  const int64_t* tokens = nullptr;         // [S+1]
  const int64_t* slots = nullptr;          // [S+1]
  const int64_t* occurrences = nullptr;    // [S+1]
  const int32_t* attribute = nullptr;      // [D]
  const int32_t* stop = nullptr;           // [D]
  const int32_t* position = nullptr;       // [N]
  const float* value = nullptr;            // [N] or null
  const int32_t* labels = nullptr;         // [T]
  const double* weight = nullptr;          // [S]
  int32_t attributes = 0, classes = 0;     // one more than the largest id
  int64_t longest = 0;
  bool complete = true;                    // no label is unknown

  int64_t length(int64_t s) const { return tokens[s + 1] - tokens[s]; }

  void check() {
    if (tokens[0] || slots[0] || occurrences[0] || tokens[S] != T || slots[S] != D || occurrences[S] != N)
      throw std::invalid_argument("the sentence offsets do not span the arrays");
    for (int64_t s = 0; s < S; ++s) {
      if (tokens[s + 1] < tokens[s] || slots[s + 1] < slots[s] || occurrences[s + 1] < occurrences[s] ||
          tokens[s + 1] > T || slots[s + 1] > D || occurrences[s + 1] > N)
        throw std::invalid_argument("the sentence offsets are not ascending at sequence " + std::to_string(s));
      const int64_t n = tokens[s + 1] - tokens[s], occ = occurrences[s + 1] - occurrences[s];
      longest = n > longest ? n : longest;
      int64_t last = 0;
      for (int64_t d = slots[s]; d < slots[s + 1]; ++d) {
        if (stop[d] < last || stop[d] > occ || attribute[d] < 0 || attribute[d] == INT32_MAX)
          throw std::invalid_argument("a slot is out of bounds in sequence " + std::to_string(s));
        last = stop[d];
        if (attribute[d] >= attributes) attributes = attribute[d] + 1;
      }
      if (last != occ) throw std::invalid_argument("occurrences without a slot in sequence " + std::to_string(s));
      for (int64_t i = occurrences[s]; i < occurrences[s + 1]; ++i)
        if (position[i] < 0 || position[i] >= n)
          throw std::invalid_argument("a position is out of bounds in sequence " + std::to_string(s));
    }
    for (int64_t t = 0; t < T; ++t) {
      if (labels[t] < -1 || labels[t] == INT32_MAX) throw std::invalid_argument("a label id is out of bounds");
      if (labels[t] < 0) complete = false;
      if (labels[t] >= classes) classes = labels[t] + 1;
    }
  }
};

}  // namespace tagfield
