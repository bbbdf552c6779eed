// The vectors of L-BFGS. They are as long as the model is large, so what counts is how often they pass through memory.
//
//     pair       s = x' − x, y = ∇' − ∇, in place, and every product of s, y and ◇' with the remembered pairs      one pass
//     direction  d = Σ of all vectors times coefficients, which two_loops finds from those products alone          one pass
//     along      x' = x + α·d, and with c1 its projection to the orthant                                           one pass
//
// The two loops themselves read and write q at each of their 2m steps: 4 (2m + 1) vectors in all, where these passes read 2m + 4
// and 2m + 2. (Chen, Wang and Zhou, "Large-scale L-BFGS using MapReduce", NIPS 2014, do it to save messages.)
//
// ◇ is the pseudo-gradient ∇ + c1·sign(x); at x_i = 0 the one-sided slope that descends, or 0. It is never stored. Without c1 it
// is ∇. Sums are over pieces of fixed length, which are added in order: the number of threads never changes a bit.
#pragma once
#include <cstdint>
#include <vector>

namespace tagfield {

struct CurvaturePair {
  const double *s, *y;
};

double inner(const double* a, const double* b, int64_t n, int threads);

// gradient = by·x; returns x·x
double scaled(const double* x, double by, double* gradient, int64_t n, int threads);

// What a point has: x·x, ◇·◇, how many x_i are not 0, then ◇·s and ◇·y of each pair.
std::vector<double> point_products(const double* x, const double* g, double c1, const std::vector<CurvaturePair>& pairs, int64_t n,
                                   int threads);

// The step from (x, g) to (x', g'): x becomes s, g becomes y. Returns the products of the new point as above, the new pair being
// the last one, then s·y and y·y, then s·y_j, y·s_j, y·y_j of each earlier pair.
std::vector<double> make_pair(double* x, const double* x_new, double* g, const double* g_new, double c1,
                              const std::vector<CurvaturePair>& pairs, int64_t n, int threads);

// d = of_slope·◇ + Σ_j of_s[j]·s_j + of_y[j]·y_j, and with c1 0 wherever that does not descend along ◇. Returns d·◇ and d·d.
std::vector<double> direction(const double* x, const double* g, double c1, const std::vector<CurvaturePair>& pairs, double of_slope,
                              const double* of_s, const double* of_y, double* d, int64_t n, int threads);

// out = x + step·d, with c1 within the orthant. Returns ‖out‖₁ and ◇·(out − x) then, and zeros without c1.
std::vector<double> along(const double* x, const double* g, const double* d, double step, double c1, double* out, int64_t n,
                          int threads);

}  // namespace tagfield
