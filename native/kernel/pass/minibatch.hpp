// What the sentences of a mini-batch add up to before f and the step, and which f each kind of feature has.
//
//     U = Σ_s weight_s (E_s − Ẽ_s)      C = Σ_s weight_s Ẽ_s, only where f depends on E and Ẽ separately
//
// Both have the layout of the weights. Rows that no sentence touched are −0.0: no sum of differences is −0.0 but for one that was
// flushed, and a row that is listed twice is stepped once. The lists are by group (groups.hpp), so that threads may come and go
// between two calls: a mini-batch may be longer than what one call sees.
#pragma once
#include <cstring>
#include <vector>

#include "kernel/pass/counted.hpp"
#include "kernel/corpus/groups.hpp"
#include "kernel/pass/response.hpp"
#include "kernel/simd/scratch.hpp"

namespace tagfield {

// The response of one kind of feature; with neither, f(u) = u.
struct Kind {
  const Response* response = nullptr;
  const Counted* counted = nullptr;
};

// Which kind each feature is; without rows, all attributes are kind 0, and edges are what `edges` says.
struct Kinds {
  std::vector<Kind> list;
  const uint8_t* of_state = nullptr;  // [A]
  const uint8_t* of_edge = nullptr;   // [E]
  int states = 0, transitions = 0, edges = 0;

  int state(int64_t a) const { return of_state ? of_state[a] : states; }
  int edge(int64_t e) const { return of_edge ? of_edge[e] : edges; }
  bool counted() const {
    for (const Kind& kind : list)
      if (kind.counted) return true;
    return false;
  }
};

class Gathered {
  Scratch<float> sums_[3], counts_[3];
  int64_t sizes_[3] = {-1, -1, -1};
  bool counting_ = false;

 public:
  struct Block {
    int64_t k;
    int kind;
  };
  Arrays u, empirical;                       // U; C, or null
  std::vector<int32_t> rows[GROUPS];         // attributes that were touched
  std::vector<Block> edges[GROUPS];          // blocks of edge weights
  int64_t sentences = 0;                     // of the mini-batch so far

  static bool untouched(const float* x) {
    uint32_t bits;
    std::memcpy(&bits, x, 4);
    return bits == 0x80000000u;
  }

  // Room for a layout. What was gathered stays, unless the layout is another one.
  void open(const Layout& at, bool counting) {
    const int64_t sizes[3] = {at.B * W, int64_t(at.L) * at.Lp(), at.EB * W};
    if (std::equal(sizes, sizes + 3, sizes_) && counting == counting_) return;
    float** to[2][3] = {{&u.state, &u.trans, &u.edge}, {&empirical.state, &empirical.trans, &empirical.edge}};
    for (int i = 0; i < 3; ++i) {
      sizes_[i] = sizes[i];
      std::fill_n(*to[0][i] = sums_[i].reserve(sizes[i]), sizes[i], i == 1 ? 0.f : -0.f);
      *to[1][i] = counting ? zeros(counts_[i], sizes[i]) : nullptr;
    }
    counting_ = counting, sentences = 0;
    for (int g = 0; g < GROUPS; ++g) rows[g].clear(), edges[g].clear();
  }
};

}  // namespace tagfield
