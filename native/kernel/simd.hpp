// Eight lanes at a time: labels lie side by side in blocks of W, and every inner loop runs over blocks.
//
// Written with the compilers' vector extensions (GCC, Clang), so one source serves SSE2, AVX2, AVX-512 and NEON.
// A block of eight floats is one AVX2 register; a block of eight doubles is two. Sixteen lanes were considered for
// AVX-512 and rejected: 22 labels would pad to 32 instead of 24, which costs more than the wider register gives.
#pragma once
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tagfield {

constexpr int W = 8;

template <class T> struct Lanes;
template <> struct Lanes<float> {
  typedef float V __attribute__((vector_size(32)));
  typedef int32_t I __attribute__((vector_size(32)));
};
template <> struct Lanes<double> {
  typedef double V __attribute__((vector_size(64)));
  typedef int64_t I __attribute__((vector_size(64)));
};
template <class T> using Vec = typename Lanes<T>::V;
template <class T> using IVec = typename Lanes<T>::I;

template <class T> inline Vec<T> load(const T* p) {
  Vec<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T> inline void store(T* p, Vec<T> v) { std::memcpy(p, &v, sizeof v); }
template <class T> inline Vec<T> splat(T x) { return x - Vec<T>{}; }
template <class T> inline Vec<T> vmax(Vec<T> a, Vec<T> b) { return a > b ? a : b; }

template <class T> inline T sum_lanes(Vec<T> v) {
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}
template <class T> inline T max_lanes(Vec<T> v) {
  T m = v[0];
  for (int k = 1; k < W; ++k) m = v[k] > m ? v[k] : m;
  return m;
}
#if defined(__AVX2__)
template <> inline float sum_lanes<float>(Vec<float> v) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
template <> inline float max_lanes<float>(Vec<float> v) {
  __m128 s = _mm_max_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}
#endif

// All lanes set where bit k of `mask` is set: the lanes of a block that hold a feature.
template <class T> inline IVec<T> mask_lanes(uint32_t mask) {
  const IVec<T> bit = {1, 2, 4, 8, 16, 32, 64, 128};
  const IVec<T> m = (IVec<T>{} + int(mask)) & bit;
  return m == bit;
}
template <class T> inline Vec<T> keep(Vec<T> v, IVec<T> lanes) { return (Vec<T>)((IVec<T>)v & lanes); }

// exp(x) = 2^n · exp(r),  n = round(x / ln 2),  |r| ≤ ½ ln 2. Below the smallest normal number the result is 0.
inline Vec<float> vexp(Vec<float> x) {
  typedef Vec<float> V;
  typedef IVec<float> I;
  const V low = splat<float>(-87.33654f), high = splat<float>(88.37626f);
  const V c = x > high ? high : (x < low ? low : x);
  const V magic = splat<float>(12582912.f);  // 1.5 · 2^23: adding it rounds to an integer in the low bits
  const V k = c * 1.44269504f + magic;
  const V n = k - magic;
  V r = c - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  V p = r * 1.9875691500e-4f + 1.3981999507e-3f;  // minimax coefficients, as in Cephes' expf
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.f;
  const I two_n = ((I)k << 23) + (127 << 23);
  const V y = p * (V)two_n;
  return x < low ? V{} : y;
}

inline Vec<double> vexp(Vec<double> x) {
  typedef Vec<double> V;
  typedef IVec<double> I;
  const V low = splat<double>(-708.0), high = splat<double>(709.0);
  const V c = x > high ? high : (x < low ? low : x);
  const V magic = splat<double>(6755399441055744.0);  // 1.5 · 2^52
  const V k = c * 1.4426950408889634 + magic;
  const V n = k - magic;
  V r = c - n * 6.93145751953125e-1;
  r = r - n * 1.42860682030941723212e-6;
  V p = r * (1.0 / 479001600) + 1.0 / 39916800;  // the series to r^12: the rest is below 2e-16 for |r| ≤ 0.347
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const I two_n = ((I)k << 52) + (int64_t(1023) << 52);
  const V y = p * (V)two_n;
  return x < low ? V{} : y;
}

inline Vec<float> vsqrt(Vec<float> x) {
#if defined(__AVX2__)
  return (Vec<float>)_mm256_sqrt_ps((__m256)x);
#else
  for (int k = 0; k < W; ++k) x[k] = __builtin_sqrtf(x[k]);
  return x;
#endif
}

// Subnormal results are flushed to zero while a kernel runs: the guards of the lattice count them as lost anyway,
// and on some processors each one costs a hundred cycles. The caller's setting comes back at the end of the scope.
class FlushSubnormals {
#if defined(__x86_64__)
  unsigned saved_ = _mm_getcsr();

 public:
  FlushSubnormals() { _mm_setcsr(saved_ | 0x8040); }
  ~FlushSubnormals() { _mm_setcsr(saved_); }
#else
 public:
  FlushSubnormals() {}
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
};

inline void prefetch(const void* p) { __builtin_prefetch(p, 0, 3); }

}  // namespace tagfield
