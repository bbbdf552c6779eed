// What a pass learns about lattices on its way: how to scale the transitions, and when float is not worth trying.
//
//     pace      what a step of a chain has cost lately: log Z without the scores' maxima, per step
//     skip      runs that go straight to double: 1, 3, 7 … after failures in a row
//
// All lattices of a block see what the blocks before it taught, and a block teaches in the order of its sentences. So it does
// not matter which thread had which.
#pragma once
#include <algorithm>
#include <cmath>

namespace tagfield {

struct ScaledRun {
  bool tried = true, sound = true;  // the scaled lattice in float
  double cost = NAN;                // of a step; NaN for a chain of one
};

struct ScalingHistory {
  bool learning = true;  // not in a stream, where a pass may begin anywhere
  int skip = 0, failures = 0;
  double pace = NAN;

  void learn(const ScaledRun& run) {
    if (!learning) return;
    if (!run.tried) {
      skip = std::max(skip - 1, 0);
    } else if (run.sound) {
      failures = 0;
    } else {
      skip = std::max(skip, (1 << failures) - 1);
      failures = std::min(failures + 1, 5);
    }
    if (!std::isnan(run.cost)) pace = std::isfinite(pace) ? 0.8 * pace + 0.2 * run.cost : run.cost;
  }
};

}  // namespace tagfield
