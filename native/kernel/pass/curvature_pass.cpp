// The passes that measure curvature, sgdqn and smd.
#include "kernel/pass/curvature_pass.hpp"

#include "kernel/pass/stochastic.hpp"

namespace tagfield {

void run_curvature_pass(const Corpus& c, const Layout& at, Pass& p, const std::vector<int64_t>& order) {
  with_rows(at, [&](auto rows) { CurvaturePass<decltype(rows)::value>(c, at, p, order).run(); });
}

}  // namespace tagfield
