// Scores, best paths and marginals of a whole corpus; with limits, over allowed paths only.
#pragma once
#include <cmath>

#include "kernel/lattice.hpp"
#include "kernel/limits.hpp"
#include "kernel/threads.hpp"

namespace tagfield {

// s_t(y) of every token into out [T, L].
template <Rows R> void scores_all(const Corpus& c, const Field& field, float* out, int threads) {
  const Layout& at = field.at;
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    Scratch<float> scratch;
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      float* scores = scratch.reserve(n * at.Lp());
      sum_scores<R>(c, at, field.state, s, scores);
      for (int64_t t = 0; t < n; ++t)
        for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = scores[t * at.Lp() + j];
    });
  });
}

// The best labels of every sentence into y [T], their score into score [S]; −∞ where no path is allowed.
template <Rows R>
void tag_all(const Corpus& c, const Field& field, const Limits& limits, int32_t* y, double* score, int threads) {
  const Layout& at = field.at;
  Scratch<float> room;
  const float* trans = limits.in_force(at, field.trans, room);
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    Lattice<float> lattice(at);
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      float* scores = lattice.room_for(n);
      sum_scores<R>(c, at, field.state, s, scores, s + 1 < c.S ? s + 1 : -1, s + 2 < c.S ? s + 2 : -1);
      limits.forbid(c, at, s, scores);
      score[s] = limits.seen(lattice.best_path(trans, y + c.tokens[s]));
    });
  });
}

// P(y_t = y | x) into out [T, L] (if wanted), log Z into log_z [S], θ·Φ(x, labels) into score [S]: NaN where a label is
// unknown. With limits all of it is among the allowed paths, and log Z or the score −∞ where there is none.
template <Rows R>
void marginals_all(const Corpus& c, const Field& field, const Limits& limits, float* out, double* log_z, double* score,
                   int threads) {
  const Layout& at = field.at;
  Scratch<float> room;
  const float* trans = limits.in_force(at, field.trans, room);
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    Lattice<float> lattice(at);
    lattice.strict = limits.any();
    lattice.set_transitions(trans, 1.f);
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      const int32_t* y = c.labels + c.tokens[s];
      float* scores = lattice.room_for(n);
      sum_scores<R>(c, at, field.state, s, scores, s + 1 < c.S ? s + 1 : -1, s + 2 < c.S ? s + 2 : -1);
      limits.forbid(c, at, s, scores);
      log_z[s] = limits.seen(lattice.run(1.f, out != nullptr));
      bool known = true;
      for (int64_t t = 0; t < n; ++t) known = known && y[t] >= 0;
      score[s] = known ? limits.seen(path_score(at, scores, trans, y, n)) : double(NAN);
      if (out && log_z[s] != -INFINITY)
        for (int64_t t = 0; t < n; ++t)
          for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = lattice.node[t * at.Lp() + j];
    });
  });
}

}  // namespace tagfield
