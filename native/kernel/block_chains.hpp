// What the lattices of blocks work on: up to W sentences at a time.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernel/simd.hpp"

namespace tagfield {

// One sentence of a block.
template <class T> struct BlockChain {
  const T* scores = nullptr;  // [n, Lp]
  int64_t n = 0;
  T* node = nullptr;          // [n, Lp], for the marginals
  double log_z = 0;
  bool sound = false;         // whether it passed the guards
};

// The chains of a block, the longest first, so that those in use at a position are the first ones.
struct ByLength {
  int order[W];  // chain of each lane
  int count = 0;
  int64_t longest = 0;

  template <class T> ByLength(const BlockChain<T>* chains, int n) : count(n) {
    for (int k = 0; k < n; ++k) order[k] = k;
    std::stable_sort(order, order + n, [&](int a, int b) { return chains[a].n > chains[b].n; });
    longest = n ? chains[order[0]].n : 0;
  }
  // How many chains reach position t, of those that are left.
  template <class T> int active(const BlockChain<T>* chains, int64_t t) const {
    int k = 0;
    while (k < count && chains[order[k]].n > t) ++k;
    return k;
  }
};

}  // namespace tagfield
