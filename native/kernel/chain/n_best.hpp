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
//
// With many labels, v comes from the listed pairs (listed_paths.hpp) where they are few, and a partial path is lengthened by no more
// labels than paths are wanted: each of those that are better leads to a better path.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "kernel/chain/listed_paths.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield {

class NBestSearch {
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
  std::vector<std::pair<double, int>> ahead_;  // labels before the one at hand, with the scores of their best completions

 public:
  // scores s [n, L], transitions tau(t, i, j) into t; appends up to `count` paths of n labels, `best_labels` first, and scores.
  template <class Tau>
  void find(int L, int64_t n, const double* s, Tau tau, int64_t count, const std::vector<int32_t>& best_labels,
            std::vector<int32_t>& labels, std::vector<double>& found) {
    const auto step = [&](int64_t t, const double* before, double* now) {
      for (int j = 0; j < L; ++j) {
        double best = before[0] + tau(t, 0, j);
        for (int i = 1; i < L; ++i) best = std::max(best, before[i] + tau(t, i, j));
        now[j] += best;
      }
    };
    find(L, n, s, tau, step, count, best_labels, labels, found);
  }

  // The same, where step(t, v_{t−1}, v_t) adds the best way into each label.
  template <class Tau, class Step>
  void find(int L, int64_t n, const double* s, Tau tau, Step step, int64_t count, const std::vector<int32_t>& best_labels,
            std::vector<int32_t>& labels, std::vector<double>& found) {
    const auto better = [](const std::pair<double, int>& a, const std::pair<double, int>& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    };
    v_.assign(s, s + n * L);
    parts_.clear();
    ahead_.resize(size_t(L));
    for (int64_t t = 1; t < n; ++t) pulse(t), step(t, &v_[(t - 1) * L], &v_[t * L]);
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
      pulse(int64_t(parts_.size()));
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
      const auto lengthen = [&](int i) { open(part.t - 1, i, top.part, rest + tau(part.t, i, part.label)); };
      const int64_t wanted = count + 1;  // the path of `tag` may turn up again
      if (L <= ListedPairs::FEW || L <= wanted) {
        for (int i = 0; i < L; ++i) lengthen(i);
        continue;
      }
      const double* v = &v_[(part.t - 1) * L];
      for (int i = 0; i < L; ++i) ahead_[size_t(i)] = {v[i] + (rest + tau(part.t, i, part.label)), i};
      std::nth_element(ahead_.begin(), ahead_.begin() + (wanted - 1), ahead_.end(), better);
      std::sort(ahead_.begin(), ahead_.begin() + wanted, better);
      for (int64_t k = 0; k < wanted; ++k) lengthen(ahead_[size_t(k)].second);
    }
  }
};

// v_t += the best way into each label, from listed pairs and the transitions tau [L, L].
class ListedStep {
  const ListedPairs& pairs_;
  const double* tau_;
  Unlisted<double> unlisted_;

 public:
  ListedStep(const ListedPairs& pairs, const double* tau) : pairs_(pairs), tau_(tau), unlisted_(pairs) {}

  void operator()(int64_t, const double* before, double* now) {
    unlisted_.open(before);
    for (int j = 0; j < pairs_.L; ++j) {
      double best = -std::numeric_limits<double>::infinity();
      for (int32_t q = pairs_.into_first[size_t(j)]; q < pairs_.into_first[size_t(j) + 1]; ++q) {
        const int64_t i = pairs_.source[size_t(q)];
        best = std::max(best, before[i] + tau_[i * pairs_.L + j]);
      }
      now[j] += unlisted_.best(j, best);
    }
  }
};

}  // namespace tagfield
