// For tests only, and not in the wheel: one chain, or several, from plain scores, in the form that the test names.
#include <algorithm>
#include <cstring>

#include "interpreter.hpp"
#include "kernel/bind/handles.hpp"
#include "kernel/chain/chain.hpp"
#include "kernel/chain/chains_together.hpp"
#include "kernel/chain/listed_paths.hpp"
#include "kernel/chain/position_chain.hpp"
#include "kernel/chain/scaled.hpp"

namespace tagfield::bind {
namespace {

// One lattice from plain scores [n, L] and transitions [L, L].
template <class T> struct Plain {
  States at;
  std::vector<T> trans;
  ScaledChain<T> lattice;

  Plain(const View<T, 2>& s, const View<T, 2>& tau)
      : at(int(s.shape(1))), trans(size_t(at.L) * at.Lp(), T(0)), lattice(at) {
    const int64_t n = int64_t(s.shape(0));
    T* scores = lattice.room_for(n);
    blank_scores(at, scores, n);
    for (int64_t t = 0; t < n; ++t)
      for (int j = 0; j < at.L; ++j) scores[t * at.Lp() + j] = s.data()[t * at.L + j];
    for (int i = 0; i < at.L; ++i)
      for (int j = 0; j < at.L; ++j) trans[size_t(i) * at.Lp() + j] = tau.data()[size_t(i) * at.L + j];
    lattice.set_transitions(trans.data(), T(1));
  }
};

template <class T> void bind_lattice(nb::module_& m) {
  m.def("forward_backward", [](View<T, 2> scores, View<T, 2> trans, bool marginals) {
    require(scores.shape(0) >= 1 && scores.shape(1) >= 1 && trans.shape(0) == scores.shape(1) && trans.shape(1) == scores.shape(1),
            "scores [n, L] and transitions [L, L] do not fit together");
    const size_t n = scores.shape(0), L = scores.shape(1);
    FlushSubnormals flush;
    Plain<T> plain(scores, trans);
    const double log_z = plain.lattice.run(T(1), marginals);
    auto node = fresh<T, 2>({marginals ? n : 0, L}), edge = fresh<T, 2>({L, L});
    if (marginals) {
      for (size_t t = 0; t < n; ++t)
        for (size_t j = 0; j < L; ++j) node.data()[t * L + j] = plain.lattice.node[t * plain.at.Lp() + j];
      for (size_t i = 0; n > 1 && i < L; ++i)
        for (size_t j = 0; j < L; ++j) edge.data()[i * L + j] = plain.lattice.edge[i * plain.at.Lp() + j];
    }
    return std::make_tuple(log_z, node, edge, plain.lattice.fallbacks);
  }, "scores"_a, "trans"_a, "marginals"_a);
  m.def("best_path", [](View<T, 2> scores, View<T, 2> trans) {
    require(scores.shape(0) >= 1 && scores.shape(1) >= 1 && trans.shape(0) == scores.shape(1) && trans.shape(1) == scores.shape(1),
            "scores [n, L] and transitions [L, L] do not fit together");
    Plain<T> plain(scores, trans);
    auto y = fresh<int32_t, 1>({scores.shape(0)});
    const ChainForm form(plain.at, plain.trans.data());
    PathFinder<T> finder(form, nullptr);
    finder.start(plain.trans.data());
    const double score = finder.find({0, int64_t(scores.shape(0)), plain.lattice.scores, y.data()});
    return std::make_tuple(score, y);
  }, "scores"_a, "trans"_a);
}

// Sentences from scores [T, L], of which sentence s is tokens[s] .. tokens[s+1], and transitions [L, L].
template <class T> struct PlainBlocks {
  States at;
  std::vector<T> trans;
  std::vector<std::vector<T>> scores, node;

  PlainBlocks(const View<T, 2>& s, const View<int64_t, 1>& tokens, const View<T, 2>& tau) {
    const size_t L = s.shape(1);
    require(L >= 1 && tau.shape(0) == L && tau.shape(1) == L && tokens.shape(0) >= 1 && tokens.data()[0] == 0 &&
                tokens.data()[tokens.shape(0) - 1] == int64_t(s.shape(0)),
            "scores [T, L], tokens [S+1] and transitions [L, L] do not fit together");
    at = States(int(L));
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
      LaneChain<T> chains[W];
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
    const ListedPairs pairs(plain.at, plain.trans.data());
    auto log_z = fresh<double, 1>({S});
    auto node = fresh<T, 2>({marginals ? scores.shape(0) : 0, L});
    auto edge = fresh<T, 3>({marginals ? S : 0, L, L});
    FlushSubnormals flush;
    ChainsTogether<T> lattice(plain.at, listed ? &pairs : nullptr);
    lattice.set_transitions(plain.trans.data(), T(1));
    std::vector<T> out(size_t(lattice.edge_size()));
    plain.each([&](LaneChain<T>* chains, size_t first, int count) {
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
    const ListedPairs pairs(plain.at, plain.trans.data());
    auto score = fresh<double, 1>({plain.scores.size()});
    auto y = fresh<int32_t, 1>({scores.shape(0)});
    ListedPaths<T> paths(pairs);
    paths.set_transitions(plain.trans.data());
    plain.each([&](LaneChain<T>* chains, size_t first, int count) {
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

// Python bindings of position_chain.hpp: one chain from plain scores [n, L] and transitions [n, L, L]. transitions[t] lead into
// position t. No transition leads into position 0: transitions[0] is the matrix that positions share, and a position whose
// matrix is another has its own; without `share` every position has its own.
struct PlainEdges {
  States at;
  PositionChain lattice;

  static States states(const View<double, 2>& s, const View<double, 3>& tau) {
    const size_t L = s.shape(1);
    require(s.shape(0) >= 1 && L >= 1 && L <= 65536 * size_t(W) && tau.shape(0) == s.shape(0) && tau.shape(1) == L && tau.shape(2) == L,
            "scores [n, L] and transitions [n, L, L] do not fit together");
    States at;
    at.L = int(L), at.NB = (at.L + W - 1) / W;
    return at;
  }
  PlainEdges(const View<double, 2>& s, const View<double, 3>& tau, bool share) : at(states(s, tau)), lattice(at) {
    const int64_t n = int64_t(s.shape(0)), L = at.L, Lp = at.Lp();
    double* scores = lattice.room_for(n);
    blank_scores(at, scores, n);
    for (int64_t t = 0; t < n; ++t)
      for (int64_t j = 0; j < L; ++j) scores[t * Lp + j] = s.data()[t * L + j];
    for (int64_t t = 1; t < n; ++t)
      if (!share || std::memcmp(tau.data(), tau.data() + t * L * L, size_t(L * L) * sizeof(double))) lattice.own(t);
    lattice.open(padded(tau.data()).data());
    for (int64_t t = 1; t < n; ++t)
      if (lattice.has_own(t)) {
        const std::vector<double> matrix = padded(tau.data() + t * L * L);
        std::copy(matrix.begin(), matrix.end(), lattice.tau(t));
      }
  }
  std::vector<double> padded(const double* tau) const {
    const int64_t L = at.L, Lp = at.Lp();
    std::vector<double> out(size_t(L * Lp), -0.0);
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j) out[size_t(i * Lp + j)] = tau[i * L + j];
    return out;
  }
};

void bind_edges(nb::module_& m) {
  m.def("edge_forward_backward", [](View<double, 2> scores, View<double, 3> trans, double z, bool marginals, bool share) {
    PlainEdges plain(scores, trans, share);
    PositionChain& lattice = plain.lattice;
    const size_t n = scores.shape(0), L = scores.shape(1), Lp = size_t(plain.at.Lp());
    auto node = fresh<double, 2>({marginals ? n : 0, L}), edge = fresh<double, 2>({L, L});
    auto pairs = fresh<double, 3>({marginals ? n : 0, L, L});
    double log_z = 0;
    {
      FlushSubnormals flush;
      log_z = lattice.run(z, marginals);
    }
    for (size_t t = 0; marginals && t < n; ++t) {
      for (size_t j = 0; j < L; ++j) node.data()[t * L + j] = lattice.node[t * Lp + j];
      for (size_t k = 0; t && lattice.has_own(int64_t(t)) && k < L * L; ++k)
        pairs.data()[t * L * L + k] = lattice.pair(int64_t(t))[k / L * Lp + k % L];
    }
    for (size_t k = 0; marginals && k < L * L; ++k) edge.data()[k] = lattice.edge[k / L * Lp + k % L];
    return std::make_tuple(log_z, node, edge, pairs, lattice.fallbacks);
  }, "scores"_a, "trans"_a, "z"_a = 1.0, "marginals"_a = true, "share"_a = true);
  m.def("edge_best_path", [](View<double, 2> scores, View<double, 3> trans) {
    PlainEdges plain(scores, trans, true);
    auto y = fresh<int32_t, 1>({scores.shape(0)});
    const double score = plain.lattice.best_path(y.data());
    return std::make_tuple(score, plain.lattice.path_score(y.data()), y);
  }, "scores"_a, "trans"_a);
}

}  // namespace

NB_MODULE(TAGFIELD_MODULE, m) {
  require_main_interpreter();
  bind_lattice<float>(m);
  bind_lattice<double>(m);
  bind_blocks(m);
  bind_edges(m);
}

}  // namespace tagfield::bind
