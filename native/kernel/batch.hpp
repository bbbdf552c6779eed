// Whole-corpus loops on all cores: threads take sentences in small packets. Here, decoding and marginals.
#pragma once
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "kernel/lattice.hpp"

namespace tagfield {

template <class Fn> void in_threads(int threads, Fn work) {  // work(thread index)
  if (threads <= 1) {
    work(0);
    return;
  }
  std::vector<std::exception_ptr> failed(threads);
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i)
    pool.emplace_back([&work, &failed, i] {
      try {
        work(i);
      } catch (...) {
        failed[i] = std::current_exception();
      }
    });
  for (auto& t : pool) t.join();
  for (auto& f : failed)
    if (f) std::rethrow_exception(f);
}

class Packets {
  std::atomic<int64_t> next_{0};
  int64_t end_;

 public:
  explicit Packets(int64_t end) : end_(end) {}
  template <class Fn> void each(Fn fn) {
    constexpr int64_t SIZE = 16;
    for (int64_t from; (from = next_.fetch_add(SIZE)) < end_;)
      for (int64_t s = from; s < end_ && s < from + SIZE; ++s) fn(s);
  }
};

// The best labels of every sentence into y [T].
template <Rows R>
void tag_all(const Corpus& c, const Layout& at, const float* state, const float* trans, int32_t* y, int threads) {
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    Lattice<float> lattice(at);
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      sum_scores<R>(c, at, state, s, lattice.room_for(n), s + 1 < c.S ? s + 1 : -1, s + 2 < c.S ? s + 2 : -1);
      lattice.best_path(trans, y + c.tokens[s]);
    });
  });
}

// P(y_t = y | x) into out [T, L] (if wanted), log Z into log_z [S], θ·Φ(x, labels) into score [S] (NaN where a label
// is unknown).
template <Rows R>
void marginals_all(const Corpus& c, const Layout& at, const float* state, const float* trans, float* out, double* log_z,
                   double* score, int threads) {
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    Lattice<float> lattice(at);
    lattice.set_transitions(trans, 1.f);
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      log_z[s] = score[s] = 0;
      if (n == 0) return;
      const int32_t* y = c.labels + c.tokens[s];
      float* scores = lattice.room_for(n);
      sum_scores<R>(c, at, state, s, scores, s + 1 < c.S ? s + 1 : -1, s + 2 < c.S ? s + 2 : -1);
      log_z[s] = lattice.run(1.f, out != nullptr);
      bool known = true;
      for (int64_t t = 0; t < n; ++t) known = known && y[t] >= 0;
      score[s] = known ? path_score(at, scores, trans, y, n) : double(NAN);
      if (out)
        for (int64_t t = 0; t < n; ++t)
          for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = lattice.node[t * at.Lp() + j];
    });
  });
}

}  // namespace tagfield
