// The lattice with some labels and transitions forbidden: decoding, marginals and messages.
//
// A forbidden label has the score of a padding lane, PAD, and a forbidden transition too (tagfield/decode.py writes it
// there): their exp is 0, so the lattice needs no second code path. A sum of scores below IMPOSSIBLE contains one: no
// path is allowed.
#pragma once
#include <cmath>
#include <vector>

#include "kernel/batch.hpp"

namespace tagfield {

constexpr double IMPOSSIBLE = -1e29;

// allowed [n, L] bytes, or null where everything is
template <class T> void forbid(const Layout& at, T* scores, const uint8_t* allowed, int64_t n) {
  if (!allowed) return;
  for (int64_t t = 0; t < n; ++t)
    for (int j = 0; j < at.L; ++j)
      if (!allowed[t * at.L + j]) scores[t * at.Lp() + j] = PAD<T>;
}

inline const uint8_t* of_sentence(const Corpus& c, const Layout& at, const uint8_t* allowed, int64_t s) {
  return allowed ? allowed + c.tokens[s] * at.L : nullptr;
}

// s_t(y) of every token into out [T, L].
template <Rows R> void scores_all(const Corpus& c, const Layout& at, const float* state, float* out, int threads) {
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    Scratch<float> scratch;
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      if (n == 0) return;
      float* scores = scratch.reserve(n * at.Lp());
      sum_scores<R>(c, at, state, s, scores);
      for (int64_t t = 0; t < n; ++t)
        for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = scores[t * at.Lp() + j];
    });
  });
}

// The best allowed labels into y [T], their scores into score [S]; below IMPOSSIBLE where no path is allowed.
template <Rows R>
void decode_all(const Corpus& c, const Layout& at, const float* state, const float* trans, const uint8_t* allowed, int32_t* y,
                double* score, int threads) {
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    Lattice<float> lattice(at);
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      score[s] = 0;
      if (n == 0) return;
      float* scores = lattice.room_for(n);
      sum_scores<R>(c, at, state, s, scores, s + 1 < c.S ? s + 1 : -1, s + 2 < c.S ? s + 2 : -1);
      forbid(at, scores, of_sentence(c, at, allowed, s), n);
      score[s] = lattice.best_path(trans, y + c.tokens[s]);
    });
  });
}

// P(y_t = y | x, allowed) into out [T, L] (if wanted), log Z of the allowed paths into log_z [S].
template <Rows R>
void constrained_marginals(const Corpus& c, const Layout& at, const float* state, const float* trans, const uint8_t* allowed,
                           float* out, double* log_z, int threads) {
  Packets packets(c.S);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    Lattice<float> lattice(at);
    lattice.strict = true;
    lattice.set_transitions(trans, 1.f);
    packets.each([&](int64_t s) {
      const int64_t n = c.length(s);
      log_z[s] = 0;
      if (n == 0) return;
      float* scores = lattice.room_for(n);
      sum_scores<R>(c, at, state, s, scores, s + 1 < c.S ? s + 1 : -1, s + 2 < c.S ? s + 2 : -1);
      forbid(at, scores, of_sentence(c, at, allowed, s), n);
      log_z[s] = lattice.run(1.f, out != nullptr);
      if (out && log_z[s] > IMPOSSIBLE)
        for (int64_t t = 0; t < n; ++t)
          for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = lattice.node[t * at.Lp() + j];
    });
  });
}

// log α and log β [T, L] of one chain in the log domain, and log Z: what every question about parts of a path needs.
//     α_t(j) = s_t(j) + log Σ_i exp(α_{t−1}(i) + τ(i,j))      β_t(i) = log Σ_j exp(τ(i,j) + s_{t+1}(j) + β_{t+1}(j))
inline double log_messages(int L, int64_t n, const double* s, const double* tau, double* alpha, double* beta) {
  for (int j = 0; j < L; ++j) alpha[j] = s[j], beta[(n - 1) * L + j] = 0;
  for (int64_t t = 1; t < n; ++t)
    for (int j = 0; j < L; ++j)
      alpha[t * L + j] = s[t * L + j] + log_sum(L, [&](int i) { return alpha[(t - 1) * L + i] + tau[i * L + j]; });
  for (int64_t t = n - 2; t >= 0; --t)
    for (int i = 0; i < L; ++i)
      beta[t * L + i] = log_sum(L, [&](int j) { return tau[i * L + j] + s[(t + 1) * L + j] + beta[(t + 1) * L + j]; });
  return log_sum(L, [&](int j) { return alpha[(n - 1) * L + j]; });
}

}  // namespace tagfield
