// Python bindings of block_lattice.hpp and seen_paths.hpp, for tests: sentences from plain scores.
#pragma once
#include <algorithm>

#include "kernel/block_lattice.hpp"
#include "kernel/handles.hpp"
#include "kernel/seen_paths.hpp"

namespace {

// Sentences from scores [T, L], of which sentence s is tokens[s] .. tokens[s+1], and transitions [L, L].
template <class T> struct PlainBlocks {
  Layout at;
  std::vector<T> trans;
  std::vector<std::vector<T>> scores, node;

  PlainBlocks(const View<T, 2>& s, const View<int64_t, 1>& tokens, const View<T, 2>& tau) {
    const size_t L = s.shape(1);
    require(L >= 1 && tau.shape(0) == L && tau.shape(1) == L && tokens.shape(0) >= 1 && tokens.data()[0] == 0 &&
                tokens.data()[tokens.shape(0) - 1] == int64_t(s.shape(0)),
            "scores [T, L], tokens [S+1] and transitions [L, L] do not fit together");
    at.L = int(L), at.NB = (at.L + W - 1) / W;
    const size_t Lp = size_t(at.Lp());
    trans.assign(L * Lp, T(-0.0));
    for (size_t i = 0; i < L; ++i) std::copy_n(tau.data() + i * L, L, &trans[i * Lp]);
    for (size_t k = 0; k + 1 < tokens.shape(0); ++k) {
      const int64_t first = tokens.data()[k], n = tokens.data()[k + 1] - first;
      require(n >= 1 && first + n <= int64_t(s.shape(0)), "each sentence needs tokens, and all of them together as many as scores");
      scores.emplace_back(size_t(n) * Lp, PAD<T>), node.emplace_back(size_t(n) * Lp);
      for (int64_t t = 0; t < n; ++t) std::copy_n(s.data() + size_t(first + t) * L, L, &scores.back()[size_t(t) * Lp]);
    }
  }
  // fn(chains, first sentence, how many) for each block.
  template <class Fn> void each(Fn fn) {
    for (size_t first = 0; first < scores.size(); first += W) {
      BlockChain<T> chains[W];
      const size_t count = std::min(size_t(W), scores.size() - first);
      for (size_t k = 0; k < count; ++k) {
        chains[k].scores = scores[first + k].data(), chains[k].node = node[first + k].data();
        chains[k].n = int64_t(scores[first + k].size()) / at.Lp();
      }
      fn(chains, first, int(count));
    }
  }
};

template <class T> void bind_blocks_of(nb::module_& m) {
  // log Z [S], nodes [T, L], transitions [S, L, L] (of listed pairs, if listed), and how many sentences failed the guards.
  m.def("block_forward_backward", [](View<T, 2> scores, View<int64_t, 1> tokens, View<T, 2> trans, bool listed, bool marginals) {
    PlainBlocks<T> plain(scores, tokens, trans);
    const size_t S = plain.scores.size(), L = scores.shape(1), Lp = size_t(plain.at.Lp());
    const SeenPairs pairs(plain.at, plain.trans.data());
    auto log_z = fresh<double, 1>({S});
    auto node = fresh<T, 2>({marginals ? scores.shape(0) : 0, L});
    auto edge = fresh<T, 3>({marginals ? S : 0, L, L});
    FlushSubnormals flush;
    BlockLattice<T> lattice(plain.at, listed ? &pairs : nullptr);
    lattice.set_transitions(plain.trans.data(), T(1));
    std::vector<T> out(size_t(lattice.edge_size()));
    plain.each([&](BlockChain<T>* chains, size_t first, int count) {
      lattice.run(chains, count, T(1), marginals);
      for (size_t k = 0; k < size_t(count); ++k) {
        log_z.data()[first + k] = chains[k].log_z;
        if (!marginals) continue;
        lattice.edges(int(k), chains[k].n, out.data());
        T* into = edge.data() + (first + k) * L * L;
        for (size_t i = 0; i < L; ++i)
          if (listed)
            for (int32_t p = pairs.from_first[i]; p < pairs.from_first[i + 1]; ++p)
              into[i * L + size_t(pairs.to[size_t(p)])] = out[size_t(p)];
          else
            std::copy_n(&out[i * Lp], L, into + i * L);
      }
    });
    for (size_t s = 0, t = 0; marginals && s < S; ++s)
      for (size_t k = 0; k < plain.node[s].size(); k += Lp, ++t) std::copy_n(&plain.node[s][k], L, node.data() + t * L);
    return std::make_tuple(log_z, node, edge, lattice.fallbacks);
  }, "scores"_a, "tokens"_a, "trans"_a, "listed"_a, "marginals"_a);

  m.def("block_best_paths", [](View<T, 2> scores, View<int64_t, 1> tokens, View<T, 2> trans) {
    PlainBlocks<T> plain(scores, tokens, trans);
    const SeenPairs pairs(plain.at, plain.trans.data());
    auto score = fresh<double, 1>({plain.scores.size()});
    auto y = fresh<int32_t, 1>({scores.shape(0)});
    SeenPaths<T> paths(pairs);
    paths.set_transitions(plain.trans.data());
    plain.each([&](BlockChain<T>* chains, size_t first, int count) {
      int32_t* labels[W] = {};
      for (int k = 0; k < count; ++k) labels[k] = y.data() + tokens.data()[first + size_t(k)];
      paths.run(chains, count, labels);
      for (int k = 0; k < count; ++k) score.data()[first + size_t(k)] = chains[k].log_z;
    });
    return std::make_tuple(score, y);
  }, "scores"_a, "tokens"_a, "trans"_a);
}

void bind_blocks(nb::module_& m) {
  bind_blocks_of<float>(m);
  bind_blocks_of<double>(m);
}

}  // namespace
