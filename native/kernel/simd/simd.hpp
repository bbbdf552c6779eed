// Eight lanes at a time: labels lie side by side in blocks of W, and every inner loop runs over blocks.
//
// A block is held in as many of the machine's registers as it takes: one for floats with AVX2, two for doubles with AVX2
// or floats with SSE2 and NEON. Written with the compilers' vector extensions (GCC, Clang). Letting the compiler split
// wider vectors itself was tried: it does comparisons and selections lane by lane, and the loops ran six times slower.
// Sixteen lanes were considered for AVX-512 and rejected: 22 labels would pad to 32 instead of 24, which costs more than
// the wider register gives.
#pragma once
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "prefetch.hpp"

namespace tagfield {

constexpr int W = 8;
#if defined(__AVX2__)
constexpr int REGISTER = 32;  // bytes
#else
constexpr int REGISTER = 16;
#endif

template <class T> struct Machine;
template <> struct Machine<float> {
  typedef float V __attribute__((vector_size(REGISTER)));
  typedef int32_t Int;
  typedef int32_t I __attribute__((vector_size(REGISTER)));
};
template <> struct Machine<double> {
  typedef double V __attribute__((vector_size(REGISTER)));
  typedef int64_t Int;
  typedef int64_t I __attribute__((vector_size(REGISTER)));
};

// A block is one register, or two halves. (An array of registers would be simpler to write, but the compiler keeps
// arrays within arrays in memory, and the accumulators of matrix.hpp must stay in registers.)
#define TAGFIELD_INLINE inline __attribute__((always_inline))
#define TAGFIELD_INLINED __attribute__((always_inline))  // of a lambda
#define TAGFIELD_NOINLINE __attribute__((noinline))

template <class R> struct Pair {
  R lo, hi;
};
template <class R, int N> struct Registers { typedef Pair<typename Registers<R, N / 2>::type> type; };
template <class R> struct Registers<R, 1> { typedef R type; };

#define TAGFIELD_OPERATOR(op)                                                                                  \
  template <class R> TAGFIELD_INLINE Pair<R> operator op(const Pair<R>& a, const Pair<R>& b) {                 \
    return {a.lo op b.lo, a.hi op b.hi};                                                                       \
  }                                                                                                            \
  template <class R, class S> TAGFIELD_INLINE Pair<R> operator op(const Pair<R>& a, S b) {                     \
    return {a.lo op b, a.hi op b};                                                                             \
  }                                                                                                            \
  template <class R> TAGFIELD_INLINE Pair<R>& operator op##=(Pair<R>& a, const Pair<R>& b) {                   \
    a.lo op##= b.lo, a.hi op##= b.hi;                                                                        \
    return a;                                                                                                  \
  }
TAGFIELD_OPERATOR(+)
TAGFIELD_OPERATOR(-)
TAGFIELD_OPERATOR(*)
TAGFIELD_OPERATOR(/)
#undef TAGFIELD_OPERATOR

constexpr int registers_for(int size) { return W * size / REGISTER; }
template <class T> using Vec = typename Registers<typename Machine<T>::V, registers_for(sizeof(T))>::type;
template <class T> using IVec = typename Registers<typename Machine<T>::I, registers_for(sizeof(T))>::type;

// Register by register: copied as one structure, a pair goes through memory in smaller pieces.
template <class T, class R> TAGFIELD_INLINE void read(R& r, const T* p) { std::memcpy(&r, p, sizeof r); }
template <class T, class R> TAGFIELD_INLINE void read(Pair<R>& r, const T* p) {
  read(r.lo, p), read(r.hi, p + sizeof(R) / sizeof(T));
}
template <class T, class R> TAGFIELD_INLINE void write(T* p, const R& r) { std::memcpy(p, &r, sizeof r); }
template <class T, class R> TAGFIELD_INLINE void write(T* p, const Pair<R>& r) {
  write(p, r.lo), write(p + sizeof(R) / sizeof(T), r.hi);
}
template <class T> TAGFIELD_INLINE Vec<T> load(const T* p) {
  Vec<T> v;
  read(v, p);
  return v;
}
template <class T> TAGFIELD_INLINE void store(T* p, const Vec<T>& v) { write(p, v); }

// What has no operator: each is written once for a register, and once for a pair of whatever.
template <class T, class R> TAGFIELD_INLINE void fill(R& r, T x) { r = x - R{}; }
template <class T, class R> TAGFIELD_INLINE void fill(Pair<R>& r, T x) { fill(r.lo, x), fill(r.hi, x); }
template <class T> TAGFIELD_INLINE Vec<T> splat(T x) {
  Vec<T> v;
  fill(v, x);
  return v;
}

template <class R> TAGFIELD_INLINE R larger(R a, R b) { return a > b ? a : b; }
template <class R> TAGFIELD_INLINE Pair<R> larger(const Pair<R>& a, const Pair<R>& b) {
  return {larger(a.lo, b.lo), larger(a.hi, b.hi)};
}
template <class T> TAGFIELD_INLINE Vec<T> vmax(const Vec<T>& a, const Vec<T>& b) { return larger(a, b); }

template <class R> TAGFIELD_INLINE R smaller(R a, R b) { return a < b ? a : b; }
template <class R> TAGFIELD_INLINE Pair<R> smaller(const Pair<R>& a, const Pair<R>& b) {
  return {smaller(a.lo, b.lo), smaller(a.hi, b.hi)};
}
template <class T> TAGFIELD_INLINE Vec<T> vmin(const Vec<T>& a, const Vec<T>& b) { return smaller(a, b); }

template <class M, class R> TAGFIELD_INLINE R choose(M mask, R yes, R no) { return mask ? yes : no; }
template <class M, class R>
TAGFIELD_INLINE Pair<R> choose(const Pair<M>& mask, const Pair<R>& yes, const Pair<R>& no) {
  return {choose(mask.lo, yes.lo, no.lo), choose(mask.hi, yes.hi, no.hi)};
}
template <class T> TAGFIELD_INLINE Vec<T> select(const IVec<T>& mask, const Vec<T>& yes, const Vec<T>& no) {
  return choose(mask, yes, no);
}

template <class R, class M> TAGFIELD_INLINE R masked(R v, M mask) { return (R)((M)v & mask); }
template <class R, class M> TAGFIELD_INLINE Pair<R> masked(const Pair<R>& v, const Pair<M>& mask) {
  return {masked(v.lo, mask.lo), masked(v.hi, mask.hi)};
}
template <class T> TAGFIELD_INLINE Vec<T> keep(const Vec<T>& v, const IVec<T>& lanes) { return masked(v, lanes); }

template <class T> TAGFIELD_INLINE T sum_lanes(const Vec<T>& v) {
  T lanes[W];
  store<T>(lanes, v);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}
template <class T> TAGFIELD_INLINE T max_lanes(const Vec<T>& v) {
  T lanes[W], m;
  store<T>(lanes, v);
  m = lanes[0];
  for (int k = 1; k < W; ++k) m = lanes[k] > m ? lanes[k] : m;
  return m;
}
template <class T> inline T min_lanes(const Vec<T>& v) {  // once a sentence: no need to be quick
  T lanes[W], m;
  store<T>(lanes, v);
  m = lanes[0];
  for (int k = 1; k < W; ++k) m = lanes[k] < m ? lanes[k] : m;
  return m;
}
#if defined(__AVX2__)
template <> TAGFIELD_INLINE float sum_lanes<float>(const Vec<float>& v) {
  const __m256 x = (__m256)v;
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
template <> TAGFIELD_INLINE double sum_lanes<double>(const Vec<double>& v) {
  const __m256d x = _mm256_add_pd((__m256d)v.lo, (__m256d)v.hi);
  const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
}
template <> TAGFIELD_INLINE float max_lanes<float>(const Vec<float>& v) {
  const __m256 x = (__m256)v;
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_movehdup_ps(s)));
}
template <> TAGFIELD_INLINE double max_lanes<double>(const Vec<double>& v) {
  const __m256d x = _mm256_max_pd((__m256d)v.lo, (__m256d)v.hi);
  const __m128d s = _mm_max_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_max_sd(s, _mm_unpackhi_pd(s, s)));
}
#endif

// The lanes that equal x, as bits.
template <class T> TAGFIELD_INLINE uint32_t equal_lanes(const Vec<T>& v, T x) {
  T lanes[W];
  store<T>(lanes, v);
  uint32_t bits = 0;
  for (int k = 0; k < W; ++k) bits |= uint32_t(lanes[k] == x) << k;
  return bits;
}
#if defined(__AVX2__)
template <> TAGFIELD_INLINE uint32_t equal_lanes<float>(const Vec<float>& v, float x) {
  return uint32_t(_mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_set1_ps(x), _CMP_EQ_OQ)));
}
template <> TAGFIELD_INLINE uint32_t equal_lanes<double>(const Vec<double>& v, double x) {
  const __m256d all = _mm256_set1_pd(x);
  return uint32_t(_mm256_movemask_pd(_mm256_cmp_pd((__m256d)v.lo, all, _CMP_EQ_OQ))) |
         uint32_t(_mm256_movemask_pd(_mm256_cmp_pd((__m256d)v.hi, all, _CMP_EQ_OQ))) << 4;
}
#endif

// Whether any lane of a mask is set.
inline bool any(const IVec<float>& m) {
#if defined(__AVX2__)
  return _mm256_movemask_ps((__m256)m) != 0;
#else
  int32_t lanes[W], set = 0;
  std::memcpy(lanes, &m, sizeof lanes);
  for (int32_t lane : lanes) set |= lane;
  return set != 0;
#endif
}

// All bits of lane k where bit k of `mask` is set.
template <class T> inline IVec<T> mask_lanes(uint32_t mask) {
  typename Machine<T>::Int lanes[W];
  for (int k = 0; k < W; ++k) lanes[k] = -typename Machine<T>::Int((mask >> k) & 1);
  IVec<T> v;
  read(v, lanes);
  return v;
}

// exp(x) = 2^n · exp(r),  n = round(x / ln 2),  |r| ≤ ½ ln 2. Below the smallest normal number the result is 0.
TAGFIELD_INLINE Machine<float>::V exp_of(Machine<float>::V x) {
  typedef Machine<float>::V V;
  typedef Machine<float>::I I;
  const V zero{}, low = -87.33654f - zero, high = 88.37626f - zero;
  V c = x < low ? low : x;
  c = c > high ? high : c;
  const V magic = 12582912.f - zero;  // 1.5 · 2^23: adding it rounds to an integer in the low bits
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
  return x < low ? zero : y;
}
TAGFIELD_INLINE Machine<double>::V exp_of(Machine<double>::V x) {
  typedef Machine<double>::V V;
  typedef Machine<double>::I I;
  const V zero{}, low = -708.0 - zero, high = 709.0 - zero;
  V c = x < low ? low : x;
  c = c > high ? high : c;
  const V magic = 6755399441055744.0 - zero;  // 1.5 · 2^52
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
  return x < low ? zero : y;
}
template <class R> TAGFIELD_INLINE Pair<R> exp_of(const Pair<R>& x) { return {exp_of(x.lo), exp_of(x.hi)}; }
template <class R> TAGFIELD_INLINE R vexp(const R& x) { return exp_of(x); }

inline Vec<float> vsqrt(const Vec<float>& x) {
#if defined(__AVX2__)
  return (Vec<float>)_mm256_sqrt_ps((__m256)x);
#else
  float lanes[W];
  std::memcpy(lanes, &x, sizeof lanes);
  for (float& v : lanes) v = __builtin_sqrtf(v);
  return load(lanes);
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

// Within it, subnormals are numbers again.
class KeepSubnormals {
#if defined(__x86_64__)
  unsigned saved_ = _mm_getcsr();

 public:
  KeepSubnormals() { _mm_setcsr(saved_ & ~0x8040u); }
  ~KeepSubnormals() { _mm_setcsr(saved_); }
#else
 public:
  KeepSubnormals() {}
#endif
  KeepSubnormals(const KeepSubnormals&) = delete;
};

}  // namespace tagfield
