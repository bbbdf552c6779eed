// Rows of state weights belong to eight groups, for good: each thread of a pass owns some of them, and only it reads and
// changes their rows.
//
//     group(a) = (a / 4) mod 8
//
// Four full rows are whole pairs of cache lines, so owners do not share lines. Runs of 16 rows gave one of two owners 57 % of the
// occurrences on CoNLL-2000: the first few dozen attributes of a corpus occur in almost every sentence.
//
// The slots of a sentence are in order of their groups, so an owner's slots are one range: asking "is it mine?" at every slot
// would mispredict each second answer. The builder makes datasets in this order; of one that is in another, made by
// hand or with renumbered attributes, a pass makes a copy.
//
// A score is the sum of its groups' parts, added as a tree: ((0+1)+(2+3)) + ((4+5)+(6+7)). So it has the same bits whichever thread
// has computed which part.
#pragma once
#include <algorithm>
#include <mutex>
#include <vector>

#include "kernel/corpus/corpus.hpp"

namespace tagfield {

constexpr int GROUPS = 8, RUN = 4;

inline int group_of(int64_t a) { return int(a / RUN % GROUPS); }

struct Groups {  // those of one owner
  int begin = 0, end = GROUPS;

  bool has(int group) const { return begin <= group && group < end; }
};

// Where the slots of each group begin [GROUPS + 1], for slots in order: binary searches side by side, without a branch that
// depends on what they find.
inline void find_groups(const Sentence& x, int32_t* begin) {
  const auto below = [&](int64_t d, int g) { return int32_t(uint32_t(x.attribute[d]) / RUN % GROUPS < uint32_t(g)); };
  std::fill_n(begin, GROUPS + 1, 0);
  int32_t left = int32_t(x.D);
  for (; left > 1; left -= left / 2)
    for (int g = 1; g < GROUPS; ++g) begin[g] += below(begin[g] + left / 2 - 1, g) * (left / 2);
  for (int g = 1; left && g < GROUPS; ++g) begin[g] += below(begin[g], g);
  begin[GROUPS] = int32_t(x.D);
}

inline bool in_groups(const Corpus& c) {
  for (int64_t s = 0; s < c.S; ++s)
    for (int64_t d = c.slots[s] + 1; d < c.slots[s + 1]; ++d)
      if (group_of(c.attribute[d]) < group_of(c.attribute[d - 1])) return false;
  return true;
}

// A corpus whose slots are in order of their groups, and otherwise in the order that they had.
class Grouped {
  std::once_flag once_;
  Corpus view_;
  std::vector<int64_t> slots_;
  std::vector<int32_t> attribute_;
  std::vector<uint16_t> narrow_;
  std::vector<uint32_t> wide_;
  std::vector<float> value_;

  template <class Place> void copy(const Corpus& c, std::vector<Place>& places) {
    constexpr Place END = Place(Place(1) << (8 * int(sizeof(Place)) - 1));
    slots_.reserve(size_t(c.S) + 1), slots_.push_back(0);
    attribute_.reserve(size_t(c.D)), places.reserve(size_t(c.N)), value_.reserve(c.value ? size_t(c.N) : 0);
    SentenceReader reader;
    std::vector<int32_t> order;
    for (int64_t s = 0; s < c.S; ++s) {
      const Sentence x = reader.open(c, s);
      order.clear();
      for (int g = 0; g < GROUPS; ++g)
        for (int64_t d = 0; d < x.D; ++d)
          if (group_of(x.attribute[d]) == g) order.push_back(int32_t(d));
      for (int32_t d : order) {
        const int32_t from = d ? x.stop[d - 1] : 0, to = x.stop[d];
        if (from == to) continue;  // a slot without occurrences changes nothing
        attribute_.push_back(x.attribute[d]);
        for (int32_t i = from; i < to; ++i) {
          places.push_back(Place(Place(x.position[i]) | (i + 1 == to ? END : Place(0))));
          if (x.value) value_.push_back(x.value[i]);
        }
      }
      slots_.push_back(int64_t(attribute_.size()));
    }
    view_.slots = slots_.data(), view_.attribute = attribute_.data(), view_.D = int64_t(attribute_.size());
    view_.stop = view_.position = nullptr;
    view_.value = c.value ? value_.data() : nullptr;
  }

 public:
  // The corpus itself where it is in order, or a copy, made once.
  const Corpus& of(const Corpus& c);
};

}  // namespace tagfield
