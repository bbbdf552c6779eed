// One pass of stochastic natural gradient descent with the scaled sparse L2 step, on any number of threads.
//
// A pass takes a block of sentences at a time. Their lattices all see the weights at the start of the block; then their steps
// follow in order. With blocks of one sentence this is the method of the paper.
//
//     scores    each owner sums the parts of its rows, for all sentences      group_scores.hpp
//        │ a sentence waits for its parts
//     lattices  each thread takes some of the sentences: u = E − Ẽ, f(u)      sentence_losses.hpp
//        │ all meet
//     steps     each owner changes its own weights, sentence by sentence      owned_step.hpp
//
// No barrier between the steps of a block and the scores of the next: each thread touches only its own rows. Transitions
// belong to several owners, and lattices read all of them; the parts of the first sentence come after the steps before.
//
// Which thread does what changes no bit: scores are sums in a fixed order (groups.hpp), a lattice sees only its scores and
// what earlier blocks taught (scaling_history.hpp), and a weight has one owner. What travels from core to core is scores and directions,
// 250 bytes a token; the rows, 1,800 bytes a token, stay where they are.
//
// With mini-batches the last phase is another one: differences are added up, and a step follows where a mini-batch ends
// (minibatch_step.hpp). Blocks end there too, so that every lattice of a mini-batch sees the same weights.
//
// Directions that no table knows are asked for between the last two phases, on the calling thread: they may be Python.
// A stream has blocks of one sentence, for the result must not depend on how it is cut.
#pragma once
#include <vector>

#include "kernel/pass/step.hpp"

namespace tagfield {

// `c` has its slots in order of their groups. Empty sentences are left out of the order.
void run_pass(const Corpus& c, const Layout& at, Pass& p, const std::vector<int64_t>& order);

void run_curvature_pass(const Corpus& c, const Layout& at, Pass& p, const std::vector<int64_t>& order);  // sgdqn, smd

}  // namespace tagfield
