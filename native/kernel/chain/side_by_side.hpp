// Sentences side by side: lane k of every vector belongs to sentence k of a block of W.
//
//     rows [W][Lp], one for each sentence  ⇄  columns [Lp][W], one for each label
//
// Whatever is computed lane by lane gives a sentence the same bits whichever sentences are beside it. Doubles come in parts of
// eight lanes, with AVX-512, or of four; a part whose sentences have ended is left out.
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernel/simd/simd.hpp"

namespace tagfield {

template <int LANES> struct DoublesOf {
  typedef typename Registers<Machine<double>::V, LANES * int(sizeof(double)) / REGISTER>::type type;
};
#if defined(__AVX512F__)
constexpr int MOST_LANES = 8;  // lanes of a part
template <> struct DoublesOf<8> { typedef double type __attribute__((vector_size(64))); };
#else
constexpr int MOST_LANES = 4;
#endif
template <int LANES> using Doubles = typename DoublesOf<LANES>::type;

// Doubles from numbers of type T, and back.
template <class R> TAGFIELD_INLINE void widen(R& r, const double* p) { read(r, p); }
template <class R> TAGFIELD_INLINE void widen(R& r, const float* p) {
  typedef float F __attribute__((vector_size(sizeof(R) / 2)));
  F f;
  std::memcpy(&f, p, sizeof f);
  r = __builtin_convertvector(f, R);
}
template <class R> TAGFIELD_INLINE void widen(Pair<R>& r, const double* p) { read(r, p); }
template <class R> TAGFIELD_INLINE void widen(Pair<R>& r, const float* p) {
  widen(r.lo, p), widen(r.hi, p + sizeof(R) / sizeof(double));
}
template <class R> TAGFIELD_INLINE void narrow(double* p, const R& r) { write(p, r); }
template <class R> TAGFIELD_INLINE void narrow(float* p, const R& r) {
  typedef float F __attribute__((vector_size(sizeof(R) / 2)));
  const F f = __builtin_convertvector(r, F);
  std::memcpy(p, &f, sizeof f);
}
template <class R> TAGFIELD_INLINE void narrow(double* p, const Pair<R>& r) { write(p, r); }
template <class R> TAGFIELD_INLINE void narrow(float* p, const Pair<R>& r) {
  narrow(p, r.lo), narrow(p + sizeof(R) / sizeof(double), r.hi);
}

// GCC converts two at a time.
#if defined(__AVX512F__)
TAGFIELD_INLINE void widen(Doubles<8>& r, const float* p) {
  r = (Doubles<8>)_mm512_maskz_cvtps_pd(__mmask8(-1), _mm256_loadu_ps(p));
}
TAGFIELD_INLINE void narrow(float* p, const Doubles<8>& r) {
  _mm256_storeu_ps(p, _mm512_maskz_cvtpd_ps(__mmask8(-1), (__m512d)r));
}
#endif
#if defined(__AVX2__)
TAGFIELD_INLINE void widen(Doubles<4>& r, const float* p) { r = (Doubles<4>)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
TAGFIELD_INLINE void narrow(float* p, const Doubles<4>& r) { _mm_storeu_ps(p, _mm256_cvtpd_ps((__m256d)r)); }
#endif

// out[j][k] = in[k][j] of a square of W by W; the rows of `in` are `step` apart, and so are those of `out` by `out_step`.
template <class T> TAGFIELD_INLINE void transpose(const T* in, int64_t step, T* out, int64_t out_step) {
  for (int k = 0; k < W; ++k)
    for (int j = 0; j < W; ++j) out[j * out_step + k] = in[k * step + j];
}
#if defined(__AVX2__)
template <> TAGFIELD_INLINE void transpose<float>(const float* in, int64_t step, float* out, int64_t out_step) {
  __m256 r[W], s[W];
  for (int k = 0; k < W; ++k) r[k] = _mm256_loadu_ps(in + k * step);
  for (int k = 0; k < W; k += 2) s[k] = _mm256_unpacklo_ps(r[k], r[k + 1]), s[k + 1] = _mm256_unpackhi_ps(r[k], r[k + 1]);
  for (int k = 0; k < W; k += 4)
    for (int j = 0; j < 2; ++j) {
      r[k + 2 * j] = _mm256_shuffle_ps(s[k + j], s[k + j + 2], 0x44);
      r[k + 2 * j + 1] = _mm256_shuffle_ps(s[k + j], s[k + j + 2], 0xEE);
    }
  for (int j = 0; j < 4; ++j) {
    _mm256_storeu_ps(out + j * out_step, _mm256_permute2f128_ps(r[j], r[j + 4], 0x20));
    _mm256_storeu_ps(out + (j + 4) * out_step, _mm256_permute2f128_ps(r[j], r[j + 4], 0x31));
  }
}
#endif

// What the lattices of blocks work on: up to W sentences at a time.
// One sentence of a block.
template <class T> struct LaneChain {
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

  static ByLength one(int64_t n) {
    ByLength lanes;
    lanes.order[0] = 0, lanes.count = 1, lanes.longest = n;
    return lanes;
  }
  template <class T> ByLength(const LaneChain<T>* chains, int n) : count(n) {
    for (int k = 0; k < n; ++k) order[k] = k;
    std::stable_sort(order, order + n, [&](int a, int b) { return chains[a].n > chains[b].n; });
    longest = n ? chains[order[0]].n : 0;
  }
  // How many chains reach position t, of those that are left.
  template <class T> int active(const LaneChain<T>* chains, int64_t t) const {
    int k = 0;
    while (k < count && chains[order[k]].n > t) ++k;
    return k;
  }

 private:
  ByLength() = default;
};

}  // namespace tagfield
