// The threads of a stochastic pass and their phases.
#include "kernel/pass/stochastic.hpp"

#include <chrono>
#include <cmath>
#include <memory>

#include "kernel/pass/group_scores.hpp"
#include "kernel/pass/minibatch_step.hpp"
#include "kernel/pass/owned_step.hpp"
#include "kernel/pass/sentence_losses.hpp"
#include "kernel/threads/lockstep.hpp"

namespace tagfield {

template <Preconditioner M>
std::unique_ptr<OwnedStep> make_loops(const Corpus& c, const Layout& at, const Pass& pass, const ChainForm& form, const Share& share);

std::unique_ptr<OwnedStep> make_owned_step(const Corpus& c, const Layout& at, const Pass& pass, const ChainForm& form,
                                           const Share& share) {
  return with_preconditioner(pass.preconditioner, [&](auto m) { return make_loops<m>(c, at, pass, form, share); });
}

namespace {

class StochasticPass {
  struct alignas(64) Worker {
    SentenceLosses chains;
    GroupSums<Rows::FULL> sums;
    TokenSums by_token;
    Bundle bundles[2];
    std::vector<Scratch<float>> parts;  // [K] of the scores
    std::vector<int> whose, by_length;
    std::vector<int64_t> load;
    RowsAhead rows, beside;  // weights of the next bundle; what the steps of this one need beside the weights
    LinesAhead later;        // the sentences of the bundle after that
    LinesAhead results;      // of lattices that others ran
    Progress now;
    ScalingHistory history;
    int64_t gathered;  // sentences of the mini-batch so far; each thread counts for itself
    alignas(64) std::atomic<int64_t> scored{0};  // sentences of the pass whose parts are there

    Worker(const Corpus& c, const Layout& at, const Pass& pass, const ChainForm& form, int K)
        : chains(c, at, pass, form), sums(at), by_token(at), bundles{Bundle(K), Bundle(K)}, parts(size_t(K)),
          rows(at, pass.theta.state), beside(at, pass.remembers() ? pass.squares.state : nullptr, pass.averaging ? pass.rest.state : nullptr), now(pass),
          gathered(pass.gathered ? pass.gathered->sentences : 0) {
      history.learning = !pass.streaming;
    }
  };

  const Corpus& c_;
  const Layout& at_;
  Pass& pass_;
  const std::vector<int64_t>& order_;
  const int K_;
  const ChainForm form_;
  Lockstep lockstep_;
  int owners_ = 1;
  std::vector<Item> items_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<int64_t> starts_;       // where bundles begin, and the end
  std::vector<Leftovers> leftovers_;  // of the owners, in mini-batches

 public:
  StochasticPass(const Corpus& c, const Layout& at, Pass& pass, const std::vector<int64_t>& order)
      : c_(c), at_(at), pass_(pass), order_(order), K_(pass.block),
        form_(at, pass.theta.trans, !pass.observe_edges && !pass.limits.follow && !pass.counted), items_(size_t(pass.block)) {
    const int64_t B = pass.minibatch > 1 ? pass.minibatch : INT64_MAX, end = int64_t(order.size());
    int64_t open = pass.gathered ? pass.gathered->sentences : 0;  // sentences of the mini-batch before this bundle
    for (int64_t first = 0; first < end;) {
      starts_.push_back(first);
      const int64_t size = std::min({int64_t(K_), B - open, end - first});
      first += size, open = (open + size) % B;
    }
    starts_.push_back(end);
  }

  void run(int threads) {
    workers_.resize(size_t(threads)), leftovers_.resize(size_t(threads));
    lockstep_.run(threads, [&](int me) { work(me); });
    for (const auto& worker : workers_)
      if (worker) pass_.fallbacks += worker->chains.fallbacks();
  }

 private:
  // Runs a phase. Who fails goes on to the next meeting all the same.
  template <class Fn> void guarded(Fn phase) {
    try {
      phase();
    } catch (...) {
      lockstep_.fail(std::current_exception());
    }
  }

  void work(int me) {
    FlushSubnormals flush;
    Worker* worker = nullptr;
    int owners = 1;
    while (owners * 2 <= std::min(lockstep_.size(), GROUPS)) owners *= 2;
    if (me == 0) owners_ = owners;
    guarded([&] {
      workers_[size_t(me)] = std::make_unique<Worker>(c_, at_, pass_, form_, K_);
      worker = workers_[size_t(me)].get();
      open(*worker, 0);
    });
    if (!lockstep_.meet()) return;
    const bool owns = me < owners;
    const Share share = Share::of(at_, owns ? me : 0, owners);
    const auto owned = make_owned_step(c_, at_, pass_, form_, share);
    std::unique_ptr<MinibatchStep> gathering;
    if (pass_.gathered) gathering = std::make_unique<MinibatchStep>(c_, at_, pass_, form_, share);
    for (int64_t b = 0; b < bundles(); ++b) {
      const int64_t first = starts_[size_t(b)];
      Bundle& bundle = worker->bundles[b % 2];
      const Bundle& next = worker->bundles[(b + 1) % 2];
      guarded([&] {
        worker->beside.clear();
        list_slots(bundle, 0, bundle.count, share.groups, worker->beside);
        if (lockstep_.size() == 1) {  // a sentence's scores are still in the cache when its lattice runs
          start_lattices(*worker, bundle, me);
          for (int k = 0; k < bundle.count; ++k) sum_part(*worker, bundle, k, share.groups), run_lattice(*worker, bundle, k);
        } else {
          for (int k = 0; k < bundle.count; ++k) {
            if (owns) sum_part(*worker, bundle, k, share.groups);
            worker->scored.store(first + k + 1, std::memory_order_release);
          }
          if (!wait_for_parts(first)) return;
          start_lattices(*worker, bundle, me);
          for (int k = 0; k < bundle.count; ++k)
            if (worker->whose[size_t(k)] == me) {
              if (!wait_for_parts(first + k)) return;
              run_lattice(*worker, bundle, k);
            }
        }
        worker->chains.run_waiting();
        open(*worker, b + 1);
        worker->rows.clear();
        list_slots(next, 0, next.count, share.groups, worker->rows);
      });
      if (me == 0 && pass_.pulse) guarded([&] { pass_.pulse(); });
      if (!lockstep_.meet()) return;
      int applied = 0;  // sentences before the first that failed
      bool left = false;
      for (; applied < bundle.count && std::isfinite(items_[size_t(applied)].loss); ++applied)
        left = left || !items_[size_t(applied)].leftover.where.empty();
      if (left) {
        if (me == 0) guarded([&] { ask_exactly(applied); });
        if (!lockstep_.meet()) return;
      }
      for (int k = 0; k < applied; ++k) {
        const Item& item = items_[size_t(k)];
        for (int i = 0; i < item.ran; ++i) worker->history.learn(item.runs[i]);
      }
      if (gathering) {
        for (int k = 0; k < applied; ++k)
          if (!gather(*worker, *owned, *gathering, bundle, k, me)) return;
      } else if (owns)
        step_bundle(*worker, *owned, bundle, applied, me);
      else
        for (int k = 0; k < applied; ++k)
          if (worker->now.advance(pass_)) worker->now.folded();
      if (me == 0) {
        worker->now.write(pass_);
        for (int k = 0; k < applied; ++k) pass_.loss += bundle.x[size_t(k)].weight * items_[size_t(k)].loss;
        if (applied < bundle.count) pass_.failed = bundle.order[applied];
      }
      if (applied < bundle.count) return;
    }
    if (!gathering) return;
    if (pass_.ends && worker->gathered && !step_gathered(*worker, *owned, *gathering, 1, me)) return;
    if (!lockstep_.meet()) return;
    if (me == 0) worker->now.write(pass_), pass_.gathered->sentences = worker->gathered;
  }

  int64_t bundles() const { return int64_t(starts_.size()) - 1; }

  void open(Worker& worker, int64_t b) {
    const auto start = [&](int64_t i) { return starts_[size_t(std::min(i, bundles()))]; };
    worker.later.clear();
    for (int64_t i = start(b + 1); i < start(b + 2); ++i) Bundle::list(c_, order_[size_t(i)], worker.later);
    worker.bundles[b % 2].open(c_, order_.data() + start(b), int(start(b + 1) - start(b)));
  }

  // Adds a sentence to the mini-batch, and makes its step where it is complete. Whether to go on.
  bool gather(Worker& worker, OwnedStep& owned, MinibatchStep& gathering, const Bundle& bundle, int k, int me) {
    if (me < owners_) guarded([&] { gathering.gather(bundle, k, items_[size_t(k)], worker.rows); });
    if (++worker.gathered < pass_.minibatch) return true;
    return step_gathered(worker, owned, gathering, pass_.minibatch > 1 ? 1 : bundle.x[size_t(k)].weight, me);
  }

  bool step_gathered(Worker& worker, OwnedStep& owned, MinibatchStep& gathering, double weight, int me) {
    const int64_t sentences = worker.gathered;
    const bool owns = me < owners_;
    Leftovers* left = owns ? &leftovers_[size_t(me)] : nullptr;
    if (owns) guarded([&] { gathering.apply(worker.now, sentences, weight, *left); });
    if (pass_.gathered->empirical.state) {
      if (!lockstep_.meet()) return false;
      if (me == 0) guarded([&] { ask_gathered(); });
      if (!lockstep_.meet()) return false;
      if (owns) gathering.apply_exactly(worker.now, sentences, weight, *left);
    }
    if (worker.now.advance(pass_, pass_.share_of(sentences))) {
      if (owns) owned.fold_all(worker.now);
      worker.now.folded();
    }
    if (me == 0) ++pass_.steps;
    worker.gathered = 0;
    return true;
  }

  void ask_gathered() {
    KeepSubnormals keep;
    for (Leftovers& left : leftovers_)
      for (size_t kind = 0; kind < left.size(); ++kind)
        if (!left[kind].where.empty()) pass_.kinds.list[kind].counted->exact(left[kind].E, left[kind].empirical, left[kind].direction);
  }

  // Until everyone is done with the steps before that sentence of the pass, and with its parts. Not if someone failed.
  bool wait_for_parts(int64_t sentence) {
    return lockstep_.wait([&] {
      for (const auto& worker : workers_)
        if (worker && worker->scored.load(std::memory_order_acquire) <= sentence) return false;
      return true;
    });
  }

  // The rows of a bundle are asked for during the steps of the bundle before and during its own scores, half a row for each slot.
  // Those that steps need beside the weights are asked for from the scores of the last sentence on.
  void sum_part(Worker& worker, Bundle& bundle, int k, const Groups& mine) {
    const Sentence& x = bundle.x[size_t(k)];
    if (pass_.observe_states || pass_.observe_edges)
      with_rows(at_, [&](auto rows) { observe<decltype(rows)::value>(c_, x, at_, pass_, bundle.order[k]); });
    const bool last = (pass_.remembers() || pass_.averaging) && k + 1 == bundle.count;
    int turn = 0;
    float* out = worker.parts[size_t(k)].reserve(x.n * at_.Lp());
    if (at_.rows == Rows::SPARSE) {
      const auto build = [&](int i) {
        bundle.rows[size_t(i)].build(bundle.x[size_t(i)], at_, bundle.groups[size_t(i)].data(), mine, pass_.theta.state);
      };
      if (k == 0) build(0);
      if (k + 1 < bundle.count) build(k + 1);
      worker.by_token.sum(bundle.rows[size_t(k)], at_, pass_.theta.state, mine.end - mine.begin, x.n, out, [&]() TAGFIELD_INLINED {
        if (++turn % 4 == 0) worker.later.step();
        if (last) worker.beside.step();
      });
      return;
    }
    worker.sums.sum(x, pass_.theta.state, bundle.groups[size_t(k)].data(), mine, out, [&](int64_t, int64_t) TAGFIELD_INLINED {
      if (++turn % 2) worker.rows.step();
      if (turn % 4 == 0) worker.later.step();
      if (last) worker.beside.step();
    });
  }

  // What the lattices of a bundle share, and whose they are.
  void start_lattices(Worker& worker, const Bundle& bundle, int me) {
    worker.chains.start(worker.now.z, worker.history);
    share_lattices(bundle, lockstep_.size(), worker.whose, worker.by_length, worker.load);
    for (int k = 0, runs = 0; k < bundle.count; ++k) {
      const Sentence& x = bundle.x[size_t(k)];
      if (worker.whose[size_t(k)] == me) items_[size_t(k)].first_run = runs;
      runs += worker.chains.runs_of(bundle.order[k], x);
    }
  }

  // The lattice of a sentence of the bundle: its scores in, and out what `Item` says.
  void run_lattice(Worker& worker, const Bundle& bundle, int k) {
    const Sentence& x = bundle.x[size_t(k)];
    float* scores = worker.parts[size_t(k)].get();
    if (owners_ > 1) {
      const float* parts[GROUPS];
      for (int i = 0; i < owners_; ++i) parts[i] = workers_[size_t(i)]->parts[size_t(k)].get();
      scores = worker.chains.room_for(x.n);
      add_parts(parts, owners_, x.n * at_.Lp(), scores);
    }
    pad_scores(at_, scores, x.n);
    worker.chains.run(bundle.order[k], x, bundle.groups[size_t(k)].data(), scores, items_[size_t(k)]);
  }

  void ask_exactly(int count) {
    KeepSubnormals keep;  // a function of the user's
    for (int k = 0; k < count; ++k) {
      Exactly& left = items_[size_t(k)].leftover;
      if (!left.where.empty()) pass_.counted->exact(left.E, left.empirical, left.direction);
    }
  }

  void step_bundle(Worker& worker, OwnedStep& owned, const Bundle& bundle, int count, int me) {
    worker.results.clear();
    for (int k = 0; k < count; ++k) {
      const Item& item = items_[size_t(k)];
      if (worker.whose[size_t(k)] == me) continue;
      const int64_t size = bundle.x[size_t(k)].n * at_.Lp();
      worker.results.add(item.F, item.F + size);
      if (item.F != item.D) worker.results.add(item.D, item.D + size);
    }
    for (int i = 0; i < 16; ++i) worker.results.step();
    StepAhead ahead{worker.rows, worker.results, worker.beside};
    for (int k = 0; k < count; ++k) owned.step(bundle, k, items_[size_t(k)], worker.now, ahead);
    owned.finish();
  }
};

// How many threads a pass uses: as many as asked for, but one where its blocks, or all of it, take less time than threads
// need to start and to meet. The figures are ns of one core; which number comes out changes no bit.
int threads_for(const Corpus& c, const Layout& at, const Pass& p, const std::vector<int64_t>& order) {
  if (p.streaming || order.empty()) return 1;
  double slots = 0, tokens = 0;
  for (int64_t s : order) slots += double(c.occurrences[s + 1] - c.occurrences[s]), tokens += double(c.length(s));
  const double work = slots * at.NB * 5 + tokens * at.L * at.Lp() * 0.2;
  const double blocks = std::ceil(double(order.size()) / p.block);
  return work < 10 * p.least_work || work / blocks < p.least_work ? 1 : p.threads;
}

}  // namespace

double squared_norm(const float* x, int64_t n) {
  double lanes[W] = {}, rest = 0;
  int64_t k = 0;
  for (; k + W <= n; k += W)
    for (int i = 0; i < W; ++i) lanes[i] += double(x[k + i]) * double(x[k + i]);
  for (; k < n; ++k) rest += double(x[k]) * double(x[k]);
  for (double lane : lanes) rest += lane;
  return rest;
}

void run_pass(const Corpus& c, const Layout& at, Pass& p, const std::vector<int64_t>& order) {
  if (measures_curvature(p.preconditioner)) return run_curvature_pass(c, at, p, order);
  StochasticPass(c, at, p, order).run(threads_for(c, at, p, order));
}

}  // namespace tagfield
