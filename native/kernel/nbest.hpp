// The n best paths of a chain, exactly: Viterbi forward, then A* backward (Soong and Huang 1991).
//
//     v_t(j) = s_t(j) + max_i v_{t−1}(i) + τ_t(i,j)          the best way from the start to label j at t
//     a partial path covers t .. n−1; its best completion scores  v_t(y_t) + rest,  rest = what t+1 .. n−1 add
//
// v is exact, so partial paths leave the queue in the order of their best completions, and complete paths in the order of
// their scores. Among equal scores the longer path leaves first, so at most n·(paths) partial paths are expanded.
//
// The first path is that of `tag`, which adds up in the precision of the weights: where rounding alone separates two paths,
// both agree on which is the best. Its score is the highest that was found.
#pragma once
#include <cstdint>
#include <queue>
#include <vector>

#include "kernel/edge_sentence.hpp"
#include "kernel/limits.hpp"
#include "kernel/threads.hpp"

namespace tagfield {

class BestPaths {
  struct Part {
    int64_t t;
    int32_t label;
    int64_t after;  // the part that it lengthens, −1 at the end
    double rest;
  };
  struct Entry {
    double score;
    int64_t t, part;
    bool operator<(const Entry& o) const {  // the queue's top is the largest
      if (score != o.score) return score < o.score;
      return t != o.t ? t > o.t : part > o.part;
    }
  };
  std::vector<double> v_;
  std::vector<Part> parts_;
  std::vector<int32_t> path_;

 public:
  // scores s [n, L], transitions tau(t, i, j) into t; appends up to `count` paths of n labels, `best_labels` first, and scores.
  template <class Tau>
  void find(int L, int64_t n, const double* s, Tau tau, int64_t count, const std::vector<int32_t>& best_labels,
            std::vector<int32_t>& labels, std::vector<double>& found) {
    v_.assign(s, s + n * L);
    parts_.clear();
    for (int64_t t = 1; t < n; ++t)
      for (int j = 0; j < L; ++j) {
        double best = v_[(t - 1) * L] + tau(t, 0, j);
        for (int i = 1; i < L; ++i) best = std::max(best, v_[(t - 1) * L + i] + tau(t, i, j));
        v_[t * L + j] += best;
      }
    std::priority_queue<Entry> queue;
    auto open = [&](int64_t t, int32_t label, int64_t after, double rest) {
      const double score = v_[t * L + label] + rest;
      if (!(score > IMPOSSIBLE)) return;
      parts_.push_back({t, label, after, rest});
      queue.push({score, t, int64_t(parts_.size()) - 1});
    };
    bool begun = false;
    auto add = [&](const std::vector<int32_t>& path, double score) {
      labels.insert(labels.end(), path.begin(), path.end());
      found.push_back(score);
      --count;
    };
    for (int j = 0; j < L; ++j) open(n - 1, j, -1, 0.0);
    while (!queue.empty() && count > 0) {
      const Entry top = queue.top();
      queue.pop();
      const Part part = parts_[size_t(top.part)];
      if (part.t == 0) {
        path_.clear();
        for (int64_t p = top.part; p >= 0; p = parts_[size_t(p)].after) path_.push_back(parts_[size_t(p)].label);
        if (!begun) add(best_labels, top.score), begun = true;
        if (count > 0 && path_ != best_labels) add(path_, top.score);
        continue;
      }
      const double rest = part.rest + s[part.t * L + part.label];
      for (int i = 0; i < L; ++i) open(part.t - 1, i, top.part, rest + tau(part.t, i, part.label));
    }
  }
};

struct Listed {
  std::vector<int32_t> labels;  // path after path
  std::vector<double> scores;
};

template <Rows R, class T>
void nbest_all(const Corpus& c, const FieldOf<T>& field, const Limits& limits, int64_t count, Listed* out, int threads) {
  const Layout& at = field.at;
  const int L = at.L, Lp = at.Lp();
  Scratch<T> room;
  const T* trans = limits.in_force(at, field.trans, room);
  std::vector<double> tau(size_t(L) * L);
  for (int i = 0; i < L; ++i)
    for (int j = 0; j < L; ++j) tau[size_t(i) * L + j] = trans[int64_t(i) * Lp + j];
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;  // as in `tag`
    BestPath<T> path(at);
    Scratch<T> scratch;
    path.open(trans);
    EdgeSentence<T> edges(at);
    SentenceReader reader;
    std::vector<double> s_;
    std::vector<int32_t> best;
    BestPaths paths;
    auto list = [&](int64_t s, const auto* scores, auto into) {
      const int64_t n = c.length(s);
      s_.resize(size_t(n) * L);
      for (int64_t t = 0; t < n; ++t)
        for (int j = 0; j < L; ++j) s_[size_t(t * L + j)] = scores[t * Lp + j];
      paths.find(L, n, s_.data(), into, count, best, out[s].labels, out[s].scores);
    };
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      best.resize(size_t(n));
      if (c.edges.in(s)) {
        edges.template load<R>(c, field, trans, limits, s);
        EdgeLattice& own = edges.lattice;
        own.best_path(best.data());
        return list(s, own.scores, [&](int64_t t, int i, int j) { return own.tau(t)[int64_t(i) * Lp + j]; });
      }
      T* scores = scratch.reserve(n * Lp);
      sum_scores<R>(reader.open(c, s), at, field.state, scores);
      limits.forbid(c, at, s, scores);
      path.find(scores, n, best.data());
      list(s, scores, [from = tau.data(), L](int64_t, int i, int j) { return from[int64_t(i) * L + j]; });
    });
  });
}

}  // namespace tagfield
