// The loss and its gradient (gradient.hpp): the phases, and what each bundle of sentences adds.
//
// The chains of a bundle give their loss, and the difference E − Ẽ of every position.
//
//     scores (packed.hpp) ─▶ chain.hpp ─▶ loss, D [tokens, Lp], transitions, edges
//
// Without limits and with all labels known, the loss of a sentence is log Z − θ·Φ. Otherwise it is log Z − log Z_agreeing, where
// the second sums the paths that agree with the labels (−1: any label), and both sums are over allowed paths only. With class
// weights it is that of token_losses.hpp. All of them are times the sentence's weight.
#include "kernel/gradient/gradient.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include "kernel/chain/chain.hpp"
#include "kernel/threads/phases.hpp"
#include "kernel/threads/threads.hpp"

namespace tagfield {

struct Weighed {  // the weights of an optimiser, where the kernels read them
  const double *x, *full, *trans, *edge;  // [K]; full rows; [L, Lp], with what may not follow; [KE]
};

// What a bundle adds to the loss and to the gradient of transitions and edges; its D goes elsewhere.
struct BundleSum {
  double loss = 0;
  Scratch<double> trans;     // in the form of the chain
  std::vector<double> edge;  // the lists of its sentences (packed_positions.hpp), one after another
};

class BundleGradient final : ChainReader<double> {  // each thread has its own
  const Packed& packed_;
  const PackedEdges& edges_;
  const Limits& limits_;
  const bool partial_;
  const Weighed at_;
  const Corpus& c_;
  const Layout& layout_;
  const ChainForm& form_;
  struct Own final : OwnTransitions {
    const PackedEdges& edges;
    const Weighed& at;
    Own(const PackedEdges& edges_, const Weighed& at_) : edges(edges_), at(at_) {}
    bool in(int64_t s) const override { return edges.in(s); }
    bool fill(int64_t s, PositionChain& into) const override { return edges.fill(s, at.trans, at.edge, into), true; }
  } own_;
  Chain<double> chain_;
  BundleSum* sum_ = nullptr;
  int64_t first_ = 0;
  double log_z_[BLOCK][2];    // of each sentence: over all paths, over those that agree
  size_t list_[BLOCK];        // where its list begins in sum_->edge

 public:
  BundleGradient(const Packed& packed, const PackedEdges& edges, const Limits& limits, bool partial, const Weighed& at,
                 const ChainForm& form)
      : packed_(packed), edges_(edges), limits_(limits), partial_(partial), at_(at), c_(packed.corpus()),
        layout_(packed.rows().layout()), form_(form), own_(edges, at_),
        chain_(form, {true, true, false, limits.any(), c_.class_weight}, &own_) {
    chain_.start(at_.trans, 1.0);
  }

  // Sentences first .. last, at most BLOCK, whose D [tokens, Lp] begins at D.
  void run(int64_t first, int64_t last, double* D, BundleSum& sum);

 private:
  void result(const ChainJob<double>& job, Paths paths, const ChainResult<double>& found) override;
  void end(const ChainJob<double>& job) override;
};

void BundleGradient::run(int64_t first, int64_t last, double* D, BundleSum& sum) {
  sum_ = &sum, first_ = first;
  sum.loss = 0;
  sum.edge.clear();
  zeros(sum.trans, form_.size());
  for (int64_t s = first; s < last; ++s) {
    ChainJob<double> job;
    job.s = s, job.n = c_.length(s), job.y = c_.labels + c_.tokens[s];
    job.agreeing = partial_;
    job.node = D + (c_.tokens[s] - c_.tokens[first]) * layout_.Lp();
    if (job.n == 0) continue;
    job.scores = chain_.room_for(job.n);
    packed_.sum_scores(s, at_.x, at_.full, job.scores);
    limits_.forbid(c_, layout_, s, job.scores);
    list_[s - first] = sum.edge.size();
    if (edges_.in(s)) sum.edge.resize(sum.edge.size() + size_t(edges_.size(s)), 0.0);
    chain_.add(job, *this);
  }
  chain_.flush(*this);
}

void BundleGradient::result(const ChainJob<double>& job, Paths paths, const ChainResult<double>& found) {
  const bool again = paths == Paths::AGREEING;
  const double weight = again ? -c_.weight[job.s] : c_.weight[job.s];
  double* trans = sum_->trans.get();
  log_z_[job.s - first_][again] = found.log_z;
  const double* expected = found.transitions.numbers();
  for (int64_t k = 0; job.n > 1 && k < form_.size(); k += W) store<double>(trans + k, load(trans + k) + load(expected + k) * weight);
  if (found.position) edges_.add_pairs(job.s, *found.position, weight, sum_->edge.data() + list_[job.s - first_]);
  for (int64_t k = 0; again && k < job.n * layout_.Lp(); k += W) store<double>(job.node + k, load(job.node + k) - load(found.node + k));
}

void BundleGradient::end(const ChainJob<double>& job) {
  const int64_t Lp = layout_.Lp();
  const double weight = c_.weight[job.s], all = log_z_[job.s - first_][0], agreeing = log_z_[job.s - first_][1];
  if (c_.class_weight) {
    sum_->loss += weight * all;
  } else if (partial_) {
    sum_->loss += weight * (agreeing > IMPOSSIBLE ? all - agreeing : double(INFINITY));
  } else {
    sum_->loss += weight * (all - chain_.path_score(job, at_.trans));
    for (int64_t t = 0; t < job.n; ++t) {
      job.node[t * Lp + job.y[t]] -= 1;
      if (t) form_.add(sum_->trans.get(), job.y[t - 1], job.y[t], -weight);
    }
    if (edges_.in(job.s)) edges_.add_gold(job.s, job.y, -weight, sum_->edge.data() + list_[job.s - first_]);
  }
  for (int64_t k = 0; k < job.n * Lp; k += W) store<double>(job.node + k, load(job.node + k) * weight);
}

double CorpusGradient::add(PointAndGradient at, const Limits& limits, bool partial, int threads, double loss) {
  const FeatureRows& rows = packed_.rows();
  const int64_t chunks = packed_.chunks(), Lp = rows.layout().Lp();
  const int64_t rich = rows.dense() ? 0 : rows.rich_rows(), room = packed_.most_tokens() * Lp;
  Scratch<double> allowed;
  at.trans = limits.in_force(rows.layout(), at.trans, allowed);
  double* D = D_.reserve(BUFFERS * room);
  double* full = rows.dense() ? nullptr : full_.reserve(rich * Lp);
  double* grad_full = rows.dense() ? at.gradient : grad_full_.reserve(rich * Lp);
  const Weighed weighed{at.x, rows.dense() ? at.x : full, at.trans, at.edge};
  // Transitions of weight −0.0 are no features. What must not follow is exactly impossible in a matrix only.
  const ChainForm form(rows.layout(), at.trans, !limits.follow);

  // Phases: 0 expands; 1 + 2k are the lattices of chunk k, 2 + 2k its gradient; the last one packs.
  const auto tasks_of = [](int64_t n, int64_t each) { return (n + each - 1) / each; };
  std::vector<int64_t> tasks{tasks_of(rich, ROWS)};
  for (int64_t k = 0; k < chunks; ++k) {
    tasks.push_back(tasks_of(packed_.last_sentence(k) - packed_.first_sentence(k), BLOCK));
    tasks.push_back(packed_.tasks(k));
  }
  tasks.push_back(tasks[0]);
  Phases phases(tasks);
  InOrder<BundleSum> sums;
  const auto add_up = [&](int64_t block, const BundleSum& sum) {
    loss += sum.loss;
    form.add_to_matrix(sum.trans.get(), 1.0, at.grad_trans, 0, rows.layout().cells());
    const double* list = sum.edge.data();
    for (int64_t s = block * BLOCK; s < std::min(c_.S, (block + 1) * BLOCK); ++s)
      if (edges_.in(s)) edges_.add_up(s, list, at.grad_edge);
  };
  const auto each_rich = [&](int64_t i, auto fn) { fn(i * ROWS, std::min(rich, (i + 1) * ROWS)); };

  const auto work = [&](BundleGradient& lattices) {
    phases.run(0, [&](int64_t i) {
      each_rich(i, [&](int64_t from, int64_t to) {
        rows.unfold(from, to, at.x, full);
        rows.unfold(from, to, at.gradient, grad_full);
      });
    });
    phases.wait(0);
    // The lattices of a chunk run before the gradient of the one before it: no thread has to wait by then.
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
    std::unique_ptr<BundleGradient> lattices;
    try {
      lattices = std::make_unique<BundleGradient>(packed_, edges_, limits, partial, weighed, form);
    } catch (const std::bad_alloc&) {
      if (id > 0) return;  // the others do the work
      phases.fail();
      throw;
    }
    work(*lattices);
  });
  return loss;
}

}  // namespace tagfield
