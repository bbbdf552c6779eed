// The passes of vectors.hpp.
#include "kernel/gradient/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernel/simd/simd.hpp"
#include "kernel/threads/phases.hpp"
#include "kernel/threads/threads.hpp"

namespace tagfield {

// Σ over pieces of n entries of piece(from, to, sums), which adds to `sums` numbers that are 0.
constexpr int64_t PIECE = 32768;
template <class Fn> std::vector<double> sum_pieces(int64_t n, size_t sums, int threads, Fn piece) {
  const int64_t pieces = (n + PIECE - 1) / PIECE;
  std::vector<double> parts(size_t(pieces) * sums, 0.0), total(sums, 0.0);
  Phases phases({pieces});
  in_threads(int(std::min<int64_t>(threads, pieces)), [&](int) {
    phases.run(0, [&](int64_t i) { piece(i * PIECE, std::min(n, (i + 1) * PIECE), parts.data() + size_t(i) * sums); });
  });
  for (size_t i = 0; i < parts.size(); ++i) total[i % sums] += parts[i];
  return total;
}

// Calls fn(from, count) for short runs: all vectors advance together, line by line. Longer runs, one vector after another, were
// tried first: the machine's prefetching begins anew with each, and reads 20 instead of 33 GB a second.
constexpr int64_t STRETCH = 32;
template <class Fn> inline void each_run(int64_t from, int64_t to, Fn fn) {
  for (; from < to; from += STRETCH) fn(from, std::min(STRETCH, to - from));
}

// Writes a run past the caches: it is not read again before they have forgotten it, and a line that is written whole need not be
// fetched. Only in the order of the program after `written`.
inline void stream(double* to, const double* from, int64_t n) {
  int64_t k = 0;
#if defined(__x86_64__)
  if (reinterpret_cast<uintptr_t>(to) % 16 == 0)
    for (; k + 2 <= n; k += 2) _mm_stream_pd(to + k, _mm_loadu_pd(from + k));
#endif
  for (; k < n; ++k) std::memcpy(to + k, from + k, sizeof *to);  // an array may begin anywhere, and then no double may be stored
}
inline void written() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// A product on its way: blocks of lanes, and what is left of a run that is no whole number of blocks.
struct Product {
  Vec<double> lanes{};
  double rest = 0;

  TAGFIELD_INLINE void add(const double* a, const double* b, int64_t n) {
    Vec<double> sum = lanes;
    int64_t k = 0;
    for (; k + W <= n; k += W) sum += load(a + k) * load(b + k);
    for (; k < n; ++k) rest += a[k] * b[k];
    lanes = sum;
  }
  double total() const { return sum_lanes<double>(lanes) + rest; }
};
inline void put(const std::vector<Product>& products, double* sums) {
  for (size_t i = 0; i < products.size(); ++i) sums[i] = products[i].total();
}

// ◇; its zero is +0, since −0 would be another orthant. For numbers, and for registers of them.
typedef Machine<double>::V Few;
constexpr int64_t FEW = REGISTER / int64_t(sizeof(double));
inline double slope_at(double x, double g, double c1) {
  if (x != 0) return g + (x > 0 ? c1 : -c1);
  return g > c1 ? g - c1 : g < -c1 ? g + c1 : g == g ? 0.0 : g;
}
TAGFIELD_INLINE Few slope_at(Few x, Few g, double c1) {
  const Few zero{}, up = g + c1, down = g - c1;
  const Few at_zero = down > zero ? down : up < zero ? up : g == g ? zero : g;
  return x > zero ? up : x < zero ? down : at_zero;
}
inline const double* slopes(const double* x, const double* g, double c1, int64_t n, double* room) {
  if (c1 == 0) return g;
  int64_t k = 0;
  for (; k + FEW <= n; k += FEW) {
    Few a, b;
    read(a, x + k), read(b, g + k);
    write(room + k, slope_at(a, b, c1));
  }
  for (; k < n; ++k) room[k] = slope_at(x[k], g[k], c1);
  return room;
}

double inner(const double* a, const double* b, int64_t n, int threads) {
  return sum_pieces(n, 1, threads, [=](int64_t from, int64_t to, double* sum) {
    Product even, odd;
    for (int64_t k = from; k < to; k += 2 * W) {  // two sums: one would wait for itself
      even.add(a + k, b + k, std::min<int64_t>(W, to - k));
      if (k + W < to) odd.add(a + k + W, b + k + W, std::min<int64_t>(W, to - k - W));
    }
    *sum = even.total() + odd.total();
  })[0];
}

double scaled(const double* x, double by, double* gradient, int64_t n, int threads) {
  return sum_pieces(n, 1, threads, [=](int64_t begin, int64_t end, double* sum) {
    Product square;
    double to[STRETCH];
    each_run(begin, end, [&](int64_t from, int64_t count) {
      for (int64_t k = 0; k < count; ++k) to[k] = by * x[from + k];
      square.add(x + from, x + from, count);
      stream(gradient + from, to, count);
    });
    written();
    *sum = square.total();
  })[0];
}

inline int64_t count_active(const double* x, int64_t n) {
  int64_t active = 0;
  for (int64_t k = 0; k < n; ++k) active += x[k] != 0;
  return active;
}

std::vector<double> point_products(const double* x, const double* g, double c1, const std::vector<CurvaturePair>& pairs,
                                          int64_t n, int threads) {
  const size_t m = pairs.size();
  return sum_pieces(n, 3 + 2 * m, threads, [&](int64_t begin, int64_t end, double* sums) {
    std::vector<Product> products(3 + 2 * m);
    int64_t active = 0;
    double room[STRETCH];
    each_run(begin, end, [&](int64_t from, int64_t count) {
      const double* v = slopes(x + from, g + from, c1, count, room);
      products[0].add(x + from, x + from, count), products[1].add(v, v, count);
      active += count_active(x + from, count);
      for (size_t j = 0; j < m; ++j) {
        products[3 + 2 * j].add(v, pairs[j].s + from, count);
        products[4 + 2 * j].add(v, pairs[j].y + from, count);
      }
    });
    put(products, sums);
    sums[2] = double(active);
  });
}

// ◇·s_j, ◇·y_j, s·y_j, y·s_j and y·y_j, to[0 .. 5], in the order of Product::add.
inline void five_products(const double* s, const double* y, const double* v, const double* sj, const double* yj, int64_t n,
                          Product* to) {
  Vec<double> vs = to[0].lanes, vy = to[1].lanes, sy = to[2].lanes, ys = to[3].lanes, yy = to[4].lanes;
  int64_t k = 0;
  for (; k + W <= n; k += W) {
    const Vec<double> a = load(sj + k), b = load(yj + k), y1 = load(y + k), v1 = load(v + k);
    vs += v1 * a, vy += v1 * b, sy += load(s + k) * b, ys += y1 * a, yy += y1 * b;
  }
  to[0].lanes = vs, to[1].lanes = vy, to[2].lanes = sy, to[3].lanes = ys, to[4].lanes = yy;
  if (k == n) return;
  const double *left[5] = {v + k, v + k, s + k, y + k, y + k}, *right[5] = {sj + k, yj + k, yj + k, sj + k, yj + k};
  for (int i = 0; i < 5; ++i) to[i].add(left[i], right[i], n - k);
}

std::vector<double> make_pair(double* x, const double* x_new, double* g, const double* g_new, double c1,
                                     const std::vector<CurvaturePair>& pairs, int64_t n, int threads) {
  const size_t m = pairs.size();
  return sum_pieces(n, 7 + 5 * m, threads, [&](int64_t begin, int64_t end, double* sums) {
    Product own[6];
    std::vector<Product> of_pair(5 * m);
    int64_t active = 0;
    double room[STRETCH];
    each_run(begin, end, [&](int64_t from, int64_t count) {
      double *s = x + from, *y = g + from;
      const double *x1 = x_new + from, *g1 = g_new + from;
      for (int64_t k = 0; k < count; ++k) s[k] = x1[k] - s[k];
      for (int64_t k = 0; k < count; ++k) y[k] = g1[k] - y[k];
      const double* v = slopes(x1, g1, c1, count, room);
      own[0].add(x1, x1, count), own[1].add(v, v, count), active += count_active(x1, count);
      own[2].add(v, s, count), own[3].add(v, y, count), own[4].add(s, y, count), own[5].add(y, y, count);
      for (size_t j = 0; j < m; ++j) five_products(s, y, v, pairs[j].s + from, pairs[j].y + from, count, &of_pair[5 * j]);
    });
    sums[0] = own[0].total(), sums[1] = own[1].total(), sums[2] = double(active);
    for (int i = 0; i < 4; ++i) sums[3 + 2 * m + size_t(i)] = own[2 + i].total();
    for (size_t i = 0; i < 5 * m; ++i) {
      const size_t j = i / 5, which = i % 5;
      sums[which < 2 ? 3 + 2 * j + which : 7 + 2 * m + 3 * j + which - 2] = of_pair[i].total();
    }
  });
}

std::vector<double> direction(const double* x, const double* g, double c1, const std::vector<CurvaturePair>& pairs,
                                     double of_slope, const double* of_s, const double* of_y, double* d, int64_t n, int threads) {
  return sum_pieces(n, 2, threads, [&](int64_t begin, int64_t end, double* sums) {
    Product along, square;
    double room[STRETCH], to[STRETCH];
    each_run(begin, end, [&](int64_t from, int64_t count) {
      const double* v = slopes(x + from, g + from, c1, count, room);
      int64_t k = 0;
      for (; k + W <= count; k += W) {
        Vec<double> sum = load(v + k) * of_slope;
        for (size_t j = 0; j < pairs.size(); ++j)
          sum += load(pairs[j].s + from + k) * of_s[j] + load(pairs[j].y + from + k) * of_y[j];
        store<double>(to + k, sum);
      }
      for (; k < count; ++k) {
        to[k] = v[k] * of_slope;
        for (size_t j = 0; j < pairs.size(); ++j) to[k] += pairs[j].s[from + k] * of_s[j] + pairs[j].y[from + k] * of_y[j];
      }
      if (c1 != 0)
        for (k = 0; k < count; ++k) to[k] = to[k] * v[k] >= 0 ? 0 : to[k];
      along.add(to, v, count), square.add(to, to, count);
      stream(d + from, to, count);
    });
    written();
    sums[0] = along.total(), sums[1] = square.total();
  });
}

// Where x + step·d lies in the orthant of x, or of −◇ where x is 0; 0 where it left it. NaN stays.
inline double in_orthant(double x, double v, double there) {
  const double side = x != 0 ? x : -v;
  return (side > 0 && !(there <= 0)) || (side < 0 && !(there >= 0)) ? there : 0.0;
}
TAGFIELD_INLINE Few in_orthant(Few x, Few v, Few there) {
  const Few zero{}, side = x != zero ? x : -v;
  const Few up = there <= zero ? zero : there, down = there >= zero ? zero : there;
  return side > zero ? up : side < zero ? down : zero;
}

std::vector<double> along(const double* x, const double* g, const double* d, double step, double c1, double* out, int64_t n,
                                 int threads) {
  return sum_pieces(n, 2, threads, [=](int64_t begin, int64_t end, double* sums) {
    Product size, fall;
    double room[STRETCH], to[STRETCH], moved[STRETCH], sign[STRETCH];
    each_run(begin, end, [&](int64_t from, int64_t count) {
      const double *x0 = x + from, *d0 = d + from;
      for (int64_t k = 0; k < count; ++k) to[k] = x0[k] + step * d0[k];
      if (c1 != 0) {
        const double* v = slopes(x0, g + from, c1, count, room);
        int64_t k = 0;
        for (; k + FEW <= count; k += FEW) {
          Few a, b, there;
          read(a, x0 + k), read(b, v + k), read(there, to + k);
          write(to + k, in_orthant(a, b, there));
        }
        for (; k < count; ++k) to[k] = in_orthant(x0[k], v[k], to[k]);
        for (k = 0; k < count; ++k) moved[k] = to[k] - x0[k], sign[k] = to[k] < 0 ? -1 : 1;
        size.add(to, sign, count), fall.add(v, moved, count);
      }
      stream(out + from, to, count);
    });
    written();
    sums[0] = size.total(), sums[1] = fall.total();
  });
}

}  // namespace tagfield
