// The passes of the metrics beside flat and adaptive, compiled by themselves (stochastic.hpp says why).
#include "kernel/pass/curvature_pass.hpp"
#include "kernel/pass/stochastic.hpp"

namespace tagfield {

void run_other_metric(const Corpus& c, const Layout& at, Pass& p, const std::vector<int64_t>& order) {
  with_rows(at, [&](auto rows) {
    constexpr Rows R = decltype(rows)::value;
    if (measures_curvature(p.metric))
      CurvaturePass<R>(c, at, p, order).run();
    else
      p.response ? choose_average<R, true, Metric::NEWTON>(c, at, p, order)
                 : choose_average<R, false, Metric::NEWTON>(c, at, p, order);
  });
}

}  // namespace tagfield
