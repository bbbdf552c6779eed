// What is done once with a corpus: its bounds are checked, its slots put in order, its attributes and labels counted.
#include "kernel/corpus/corpus.hpp"

#include <algorithm>

#include "kernel/corpus/groups.hpp"
#include "kernel/corpus/weights.hpp"

namespace tagfield {

void Corpus::check() {
  if (tokens[0] || tokens[S] != T) throw std::invalid_argument("the sentence offsets do not span the arrays");
  for (int64_t s = 0; s < S; ++s) {
    if (tokens[s + 1] < tokens[s] || tokens[s + 1] > T) not_ascending(s);
    longest = length(s) > longest ? length(s) : longest;
  }
  if (narrow)
    check_places(narrow);
  else if (wide)
    check_places(wide);
  else
    check_slots(*this, attributes, 0);
  if (edges.slots) check_slots(edges, edges.attributes, 1);
  for (int64_t t = 0; t < T; ++t) {
    if (labels[t] < -1 || labels[t] == INT32_MAX) throw std::invalid_argument("a label id is out of bounds");
    if (labels[t] < 0) complete = false;
    if (labels[t] >= classes) classes = labels[t] + 1;
  }
}

const Corpus& Grouped::of(const Corpus& c) {
  std::call_once(once_, [&] {
    view_ = c;
    if (in_groups(c)) return;
    view_.narrow = nullptr, view_.wide = nullptr;
    if (c.longest <= INT16_MAX) {
      copy(c, narrow_);
      view_.narrow = narrow_.data();
    } else {
      copy(c, wide_);
      view_.wide = wide_.data();
    }
  });
  return view_;
}

static void count_slots(const int32_t* attribute, const int32_t* stop, int64_t slots, int64_t* counts) {
  int32_t last = 0;
  for (int64_t d = 0; d < slots; ++d) counts[attribute[d]] += stop[d] - last, last = stop[d];
}
void count_attributes(const Corpus& c, int64_t* counts) {
  SentenceReader reader;
  for (int64_t s = 0; s < c.S; ++s) {
    const Sentence x = reader.open(c, s);
    count_slots(x.attribute, x.stop, x.D, counts);
  }
}
void count_edge_attributes(const Corpus& c, int64_t* counts) {
  const EdgeSlots& of = c.edges;
  for (int64_t s = 0; of.slots && s < c.S; ++s)
    count_slots(of.attribute + of.slots[s], of.stop + of.slots[s], of.slots[s + 1] - of.slots[s], counts);
}

void count_transitions(const Corpus& c, int L, int64_t* counts) {  // [L, L]
  for (int64_t s = 0; s < c.S; ++s)
    for (int64_t t = c.tokens[s] + 1; t < c.tokens[s + 1]; ++t)
      if (c.labels[t - 1] >= 0 && c.labels[t] >= 0) ++counts[int64_t(c.labels[t - 1]) * L + c.labels[t]];
}

// Rows of blocks for the pairs that occur at least `minimum` times. Counting sort by attribute, then one row at a time.
ObservedRows observed_rows(const Corpus& c, int64_t A, int L, int64_t minimum) {
  std::vector<int64_t> start(size_t(A) + 1, 0);
  count_attributes(c, start.data() + 1);
  for (int64_t a = 0; a < A; ++a) start[a + 1] += start[a];
  std::vector<int32_t> label(size_t(c.N));
  {
    std::vector<int64_t> at(start.begin(), start.end() - 1);
    SentenceReader reader;
    for (int64_t s = 0; s < c.S; ++s) {
      const Sentence x = reader.open(c, s);
      int32_t from = 0;
      for (int64_t d = 0; d < x.D; from = x.stop[d++])
        for (int32_t n = from; n < x.stop[d]; ++n) label[at[x.attribute[d]]++] = x.y[x.position[n]];
    }
  }
  ObservedRows rows;
  rows.first.assign(size_t(A) + 1, 0);
  std::vector<int64_t> counts(size_t(L), 0);
  std::vector<int32_t> seen;
  for (int64_t a = 0; a < A; ++a) {
    seen.clear();
    for (int64_t n = start[a]; n < start[a + 1]; ++n)
      if (label[n] >= 0 && counts[label[n]]++ == 0) seen.push_back(label[n]);
    std::sort(seen.begin(), seen.end());
    for (int32_t y : seen) {
      if (counts[y] >= minimum) {
        ++rows.pairs;
        const int block = y / W, bit = 1 << (y % W);
        if (int64_t(rows.column.size()) > rows.first[a] && rows.column.back() == block)
          rows.lanes.back() = uint8_t(rows.lanes.back() | bit);
        else
          rows.column.push_back(uint16_t(block)), rows.lanes.push_back(uint8_t(bit));
      }
      counts[y] = 0;
    }
    rows.first[a + 1] = int64_t(rows.column.size());
  }
  return rows;
}

// The same for the triples of edge attribute, previous label and label: row e·L + i, for occurrences with both labels known.
ObservedRows observed_edges(const Corpus& c, int64_t E, int L, int64_t minimum) {
  const EdgeSlots& of = c.edges;
  std::vector<int64_t> start(size_t(E) + 1, 0);
  count_edge_attributes(c, start.data() + 1);
  for (int64_t e = 0; e < E; ++e) start[e + 1] += start[e];
  std::vector<int64_t> pairs(size_t(of.N));  // i·L + j, or −1
  {
    std::vector<int64_t> at(start.begin(), start.end() - 1);
    for (int64_t s = 0; of.slots && s < c.S; ++s) {
      int32_t from = 0;
      for (int64_t d = of.slots[s]; d < of.slots[s + 1]; from = of.stop[d++])
        for (int32_t n = from; n < of.stop[d]; ++n) {
          const int64_t t = c.tokens[s] + of.position[of.occurrences[s] + n];
          const int64_t i = c.labels[t - 1], j = c.labels[t];
          pairs[at[of.attribute[d]]++] = i < 0 || j < 0 ? -1 : i * L + j;
        }
    }
  }
  ObservedRows rows;
  rows.first.assign(size_t(E) * L + 1, 0);
  int64_t row = 0;  // rows before it are done
  for (int64_t e = 0; e < E; ++e) {
    const auto begin = pairs.begin() + start[e], end = pairs.begin() + start[e + 1];
    std::sort(begin, end);
    for (auto p = begin; p != end;) {
      const auto after = std::upper_bound(p, end, *p);
      if (*p >= 0 && after - p >= minimum) {
        ++rows.pairs;
        const int64_t r = e * L + *p / L, y = *p % L;
        while (row < r) rows.first[++row] = int64_t(rows.column.size());
        const int block = int(y / W), bit = 1 << (y % W);
        if (int64_t(rows.column.size()) > rows.first[r] && rows.column.back() == block)
          rows.lanes.back() = uint8_t(rows.lanes.back() | bit);
        else
          rows.column.push_back(uint16_t(block)), rows.lanes.push_back(uint8_t(bit));
      }
      p = after;
    }
  }
  while (row < E * L) rows.first[++row] = int64_t(rows.column.size());
  return rows;
}

}  // namespace tagfield
