// The sentences of a bundle: what the lattices of a stochastic pass leave for the owners of the weights.
//
//     scores, in parts   by the owners of the rows          [n, Lp] each
//     D, F, loss         by the thread of the lattice       u of every position, f(u)
//     transitions        by the thread of the lattice       u or f(u), or what u is made of
//     steps              by the owners of the rows, from D, F and transitions
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "kernel/corpus/ahead.hpp"
#include "kernel/corpus/groups.hpp"
#include "kernel/chain/scaling_history.hpp"
#include "kernel/pass/position_differences.hpp"
#include "kernel/pass/token_rows.hpp"
#include "kernel/chain/chain_form.hpp"

namespace tagfield {

struct Item {
  int64_t s = 0;  // the sentence, as its thread reads it
  const Sentence* x = nullptr;
  const int32_t* groups = nullptr;
  double loss = 0;
  bool known = true;     // every label is
  bool looks = false;    // it has edge attributes
  bool exactly = false;  // every direction comes from the exact function
  float* D = nullptr;                   // [n, Lp]
  ExpectedTransitions<float> transitions;
  const float* F = nullptr;             // [n, Lp], maybe D
  Exactly leftover;
  Scratch<float> empirical, edge_empirical;  // Ẽ [n, Lp] and [L, Lp], where mini-batches need it and labels are unknown
  Scratch<float> edge_room;                  // memory for `transitions`
  std::unique_ptr<PositionDifferences> own_pairs;       // the pairs of a sentence that looks
  ScaledRun runs[2];                   // of the plain lattice, for the history
  int ran = 0, first_run = 0;           // how many; how many runs of the block come before it

  void make_room(const Layout& at, int64_t n) { D = D_.reserve(n * at.Lp()), F = D; }
  void open_pairs(const Layout& at) {
    if (!own_pairs) own_pairs = std::make_unique<PositionDifferences>(at);
  }
  float* own_directions(const Layout& at, int64_t n) { return F_.reserve(n * at.Lp()); }

 private:
  Scratch<float> D_, F_;
};

// The sentences of a bundle as one thread reads them.
struct Bundle {
  std::vector<SentenceReader> readers;
  std::vector<Sentence> x;
  std::vector<std::array<int32_t, GROUPS + 1>> groups;  // where they begin
  std::vector<TokenRows> rows;                          // those of one owner, by token; only where rows are sparse
  const int64_t* order = nullptr;
  int count = 0;

  explicit Bundle(int size) : readers(size_t(size)), x(size_t(size)), groups(size_t(size)), rows(size_t(size)) {}

  void open(const Corpus& c, const int64_t* sentences, int of) {
    order = sentences, count = of;
    for (int k = 0; k < count; ++k) {
      x[size_t(k)] = readers[size_t(k)].open(c, order[k]);
      find_groups(x[size_t(k)], groups[size_t(k)].data());
    }
  }
  // What `open` will read of sentence s.
  static void list(const Corpus& c, int64_t s, LinesAhead& into) {
    const int64_t d = c.slots[s], last = c.slots[s + 1], i = c.occurrences[s], end = c.occurrences[s + 1];
    into.add(c.attribute + d, c.attribute + last);
    if (c.narrow)
      into.add(c.narrow + i, c.narrow + end);
    else if (c.wide)
      into.add(c.wide + i, c.wide + end);
    else
      into.add(c.stop + d, c.stop + last), into.add(c.position + i, c.position + end);
    if (c.value) into.add(c.value + i, c.value + end);
    into.add(c.labels + c.tokens[s], c.labels + c.tokens[s + 1]);
  }
  int64_t begin(int k, const Groups& of) const { return groups[size_t(k)][size_t(of.begin)]; }
  int64_t end(int k, const Groups& of) const { return groups[size_t(k)][size_t(of.end)]; }
};

// Adds the slots of one owner in the sentences `from` .. `to` of a block to what is asked for.
inline void list_slots(const Bundle& bundle, int from, int to, const Groups& mine, RowsAhead& into) {
  for (int k = from; k < std::min(to, bundle.count); ++k) {
    const int32_t* attribute = bundle.x[size_t(k)].attribute;
    into.add(attribute + bundle.begin(k, mine), attribute + bundle.end(k, mine));
  }
}

// Which of `threads` runs the lattice of each sentence: the longest first, each to the one that has least.
inline void share_lattices(const Bundle& bundle, int threads, std::vector<int>& whose, std::vector<int>& by_length,
                           std::vector<int64_t>& load) {
  whose.assign(size_t(bundle.count), 0);
  if (threads == 1) return;
  by_length.resize(size_t(bundle.count)), load.assign(size_t(threads), 0);
  for (int k = 0; k < bundle.count; ++k) by_length[size_t(k)] = k;
  std::stable_sort(by_length.begin(), by_length.end(), [&](int a, int b) { return bundle.x[size_t(a)].n > bundle.x[size_t(b)].n; });
  for (int k : by_length) {
    const auto least = std::min_element(load.begin(), load.end());
    whose[size_t(k)] = int(least - load.begin()), *least += bundle.x[size_t(k)].n;
  }
}

}  // namespace tagfield
