// The loss of a corpus and its gradient in float64, for L-BFGS, added to what is there.
//
//     expand rich rows ─▶ chunk after chunk: lattices, block by block ─▶ D ─▶ gradient, row by row ─▶ pack rich rows
//
// The number of threads never changes a bit. A block of sentences is one task, a set of rows is another; tasks of one phase
// write to different places, and what blocks have to add to the same numbers (loss, transitions, edges) is added in their order.
// So the corpus in parts, added one after another, gives the same bits as a whole, if parts consist of whole blocks.
//
// Each thread used to have its own gradient, which took the memory of all weights for each and made two threads as slow as one
// where there are millions of weights.
#pragma once
#include "kernel/gradient/bundle_gradient.hpp"
#include "kernel/threads/phases.hpp"
#include "kernel/threads/threads.hpp"

namespace tagfield {

struct PointAndGradient {  // where a point of the optimiser and its gradient lie
  const double *x, *trans, *edge;                      // [K], [L, Lp], [KE]
  double *gradient, *grad_trans, *grad_edge;
};

class CorpusGradient {
  static constexpr int64_t ROWS = 512, BUFFERS = 3;  // rich rows of a task; chunks whose D is kept

  const Packed& packed_;
  const PackedEdges& edges_;
  const Corpus& c_;
  Scratch<double> full_, grad_full_, D_;

 public:
  CorpusGradient(const Packed& packed, const PackedEdges& edges) : packed_(packed), edges_(edges), c_(packed.corpus()) {}

  // Adds Σ_s weight_s · loss_s and its gradient (gradient_block.hpp); partial: some labels are unknown, or limits apply. NaN
  // where it is not finite.
  double add(PointAndGradient at, const Limits& limits, bool partial, int threads, double loss) {
    const FeatureRows& rows = packed_.rows();
    const int64_t chunks = packed_.chunks(), Lp = rows.layout().Lp(), cells = int64_t(rows.layout().L) * Lp;
    const int64_t rich = rows.dense() ? 0 : rows.rich_rows(), room = packed_.most_tokens() * Lp;
    Scratch<double> allowed;
    at.trans = limits.in_force(rows.layout(), at.trans, allowed);
    double* D = D_.reserve(BUFFERS * room);
    double* full = rows.dense() ? nullptr : full_.reserve(rich * Lp);
    double* grad_full = rows.dense() ? at.gradient : grad_full_.reserve(rich * Lp);
    const Weighed weighed{at.x, rows.dense() ? at.x : full, at.trans, at.edge};
    // Transitions of weight −0.0 are no features. What must not follow is exactly impossible in a matrix only.
    const auto pairs = limits.follow ? nullptr : SeenPairs::where_they_pay(rows.layout(), at.trans);

    // Phases: 0 expands; 1 + 2k are the lattices of chunk k, 2 + 2k its gradient; the last one packs.
    const auto tasks_of = [](int64_t n, int64_t each) { return (n + each - 1) / each; };
    std::vector<int64_t> tasks{tasks_of(rich, ROWS)};
    for (int64_t k = 0; k < chunks; ++k) {
      tasks.push_back(tasks_of(packed_.last_sentence(k) - packed_.first_sentence(k), BLOCK));
      tasks.push_back(packed_.tasks(k));
    }
    tasks.push_back(tasks[0]);
    Phases phases(tasks);
    InOrder<BlockSum> sums;
    const auto add_up = [&](int64_t block, const BlockSum& sum) {
      loss += sum.loss;
      for (int64_t p = 0; pairs && p < pairs->size(); ++p) at.grad_trans[pairs->place[size_t(p)]] += sum.trans[p];
      for (int64_t c = 0; !pairs && c < cells; c += W) store<double>(at.grad_trans + c, load(at.grad_trans + c) + load(&sum.trans[c]));
      const double* list = sum.edge.data();
      for (int64_t s = block * BLOCK; s < std::min(c_.S, (block + 1) * BLOCK); ++s)
        if (edges_.in(s)) edges_.add_up(s, list, at.grad_edge);
    };
    const auto each_rich = [&](int64_t i, auto fn) { fn(i * ROWS, std::min(rich, (i + 1) * ROWS)); };

    const auto work = [&](BlockLattices& lattices) {
      phases.run(0, [&](int64_t i) {
        each_rich(i, [&](int64_t from, int64_t to) {
          rows.unfold(from, to, at.x, full);
          rows.unfold(from, to, at.gradient, grad_full);
        });
      });
      phases.wait(0);
      // The lattices of a chunk run before the gradient of the one before it: by then nobody has to be waited for.
      for (int64_t k = 0; k <= chunks; ++k) {
        if (k < chunks) {
          phases.wait(k >= BUFFERS ? 2 + 2 * (k - BUFFERS) : -1);
          phases.run(1 + 2 * k, [&](int64_t i) {
            const int64_t first = packed_.first_sentence(k), s = first + i * BLOCK;
            auto sum = sums.blank();
            lattices.run(s, std::min(s + BLOCK, packed_.last_sentence(k)),
                         D + (k % BUFFERS) * room + (c_.tokens[s] - c_.tokens[first]) * Lp, *sum);
            sums.add(s / BLOCK, std::move(sum), add_up);
          });
        }
        if (k == 0) continue;
        phases.wait(1 + 2 * (k - 1));
        phases.wait(k >= 2 ? 2 + 2 * (k - 2) : -1);
        phases.run(2 + 2 * (k - 1), [&](int64_t i) {
          packed_.add_task(k - 1, i, D + ((k - 1) % BUFFERS) * room, at.gradient, grad_full);
        });
      }
      phases.wait(2 * chunks);
      phases.run(1 + 2 * chunks, [&](int64_t i) {
        each_rich(i, [&](int64_t from, int64_t to) { rows.fold(from, to, grad_full, at.gradient); });
      });
    };
    in_threads(int(std::min<int64_t>(threads, tasks_of(c_.S, BLOCK))), [&](int id) {
      FlushSubnormals flush;
      std::unique_ptr<BlockLattices> lattices;
      try {
        lattices = std::make_unique<BlockLattices>(packed_, edges_, limits, partial, weighed, pairs.get());
      } catch (const std::bad_alloc&) {
        if (id > 0) return;  // the others do the work
        phases.fail();
        throw;
      }
      work(*lattices);
    });
    return loss;
  }
};

}  // namespace tagfield
