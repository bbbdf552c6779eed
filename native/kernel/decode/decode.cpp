// The loops of decode.hpp over the sentences of a corpus.
#include "kernel/decode/decode.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/chain/position_weights.hpp"
#include "kernel/threads/threads.hpp"

namespace tagfield {

namespace {

// The first sentence whose scores are beyond LARGEST; probabilities and constraints would be wrong for it. The transitions
// count as those of every sentence.
class TooLarge {
  std::atomic<int64_t> first_{INT64_MAX};

 public:
  void note(int64_t s) {
    for (int64_t seen = first_; s < seen && !first_.compare_exchange_weak(seen, s);) {
    }
  }
  void check() const {
    if (first_ != INT64_MAX) throw std::overflow_error(std::to_string(first_.load()));
  }
};

// A sentence in double: its scores, within limits, and its transitions. Whether all of them are at most LARGEST in size.
template <class T>
bool open_fine(FineChain<T>& fine, const Corpus& c, const Layout& at, const Sentence& x, const Limits& limits,
               const EdgeTransitions<T>& own, const T* trans, int64_t s) {
  fine.open(x);
  bool within = fine.within_largest();
  limits.forbid(c, at, s, fine.chain.scores);
  if (own.in(s))
    within &= own.fill(s, fine.chain);
  else
    fine.chain.open(trans);
  return within;
}

// The sentences of a corpus for several threads, in groups that run together: those of like length then.
class Sentences {
  const Corpus& c_;
  const int together_;
  std::vector<int64_t> order_;
  Packets packets_;

 public:
  Sentences(const Corpus& c, int together) : c_(c), together_(together), order_(size_t(c.S)), packets_((c.S + together - 1) / together) {
    std::iota(order_.begin(), order_.end(), int64_t(0));
    if (together > 1)
      std::stable_sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return c.length(a) > c.length(b); });
  }

  // On one thread: each(s, the next one, the one after that) for every sentence with tokens, and flush() after a group.
  template <class Each, class Flush> void take(Each each, Flush flush) {
    const auto at = [&](int64_t i) { return i < c_.S ? order_[size_t(i)] : int64_t(-1); };
    packets_.each([&](int64_t group) {
      for (int64_t i = group * together_; i < std::min(c_.S, (group + 1) * together_); ++i)
        if (c_.length(at(i))) each(at(i), at(i + 1), at(i + 2));
      flush();
    });
  }
};

template <class T> struct PathScores final : PathReader<T> {
  const Limits& limits;
  double* score;
  TooLarge& too_large;

  PathScores(const Limits& limits_, double* score_, TooLarge& too_large_) : limits(limits_), score(score_), too_large(too_large_) {}
  void best(const PathJob<T>& job, double found, bool within) override {
    if (!within && limits.any()) too_large.note(job.s);
    score[job.s] = limits.seen(found);
  }
};

template <class T> struct Marginals final : ChainReader<T> {
  const Corpus& c;
  const States& at;
  const Limits& limits;
  const Chain<T>& chain;
  const T* trans;
  T* out;
  double *log_z, *score;
  TooLarge& too_large;

  Marginals(const Corpus& c_, const States& at_, const Limits& limits_, const Chain<T>& chain_, const T* trans_, T* out_, double* log_z_, double* score_,
            TooLarge& too_large_)
      : c(c_), at(at_), limits(limits_), chain(chain_), trans(trans_), out(out_), log_z(log_z_), score(score_), too_large(too_large_) {}

  void result(const ChainJob<T>& job, Paths, const ChainResult<T>& found) override {
    if (!found.within) too_large.note(job.s);
    log_z[job.s] = limits.seen(found.log_z);
    if (!out || log_z[job.s] == -INFINITY) return;
    for (int64_t t = 0; t < job.n; ++t)
      for (int j = 0; j < at.L; ++j) out[(c.tokens[job.s] + t) * at.L + j] = found.node[t * at.Lp() + j];
  }
  void end(const ChainJob<T>& job) override {
    score[job.s] = all_known(job.y, job.n) ? limits.seen(chain.path_score(job, trans)) : double(NAN);
  }
};

}  // namespace

template <class T> void scores_all(const Corpus& c, const SizedField<T>& field, double* out, int threads) {
  const Layout& at = field.at;
  Sentences sentences(c, 1);
  in_threads(threads, [&](int) {
    Scratch<T> scratch;
    SentenceReader reader;
    FineChain<T> fine(field);
    sentences.take(
        [&](int64_t s, int64_t next, int64_t later) {
          const int64_t n = c.length(s);
          T* scores = scratch.reserve(n * at.Lp());
          const Sentence x = reader.open(c, s);
          sum_scores<T>(c, x, field, next, later, scores);
          const auto copy = [&](const auto* from) {
            for (int64_t t = 0; t < n; ++t)
              for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = double(from[t * at.Lp() + j]);
          };
          if (!fine.needed(x, scores)) return copy(scores);
          fine.open(x);
          copy(fine.chain.scores);
        },
        [] {});
  });
}

template <class T>
void tag_all(const Corpus& c, const SizedField<T>& field, const Limits& limits, int32_t* y, double* score, int threads) {
  const Layout& at = field.at;
  Scratch<T> room;
  const T* trans = limits.in_force(at, field.trans, room);
  TooLarge too_large;
  if (limits.any() && c.S && !within_largest(at, field.trans, at.L)) too_large.note(0);
  const ChainForm form(at, trans);
  const EdgeTransitions<T> own(c, at, trans, field.edge, &limits);
  Sentences sentences(c, form.paths_together());
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    PathFinder<T> finder(form, &own);
    finder.start(trans);
    PathScores<T> scored(limits, score, too_large);
    SentenceReader reader;
    FineChain<T> fine(field);
    sentences.take(
        [&](int64_t s, int64_t next, int64_t later) {
          const int64_t n = c.length(s);
          T* scores = finder.room_for(n);
          const Sentence x = reader.open(c, s);
          sum_scores<T>(c, x, field, next, later, scores);
          if (fine.needed(x, scores)) {
            const bool within = open_fine(fine, c, at, x, limits, own, trans, s);
            return scored.best({s, n, scores, nullptr}, fine.chain.best_path(y + c.tokens[s]), within);
          }
          if (limits.any() && !within_largest(at, scores, n)) too_large.note(s);
          limits.forbid(c, at, s, scores);
          finder.add({s, n, scores, y + c.tokens[s]}, scored);
        },
        [&] { finder.flush(scored); });
  });
  too_large.check();
}

template <class T>
void marginals_all(const Corpus& c, const SizedField<T>& field, const Limits& limits, const int32_t* y, T* out, double* log_z,
                   double* score, int threads) {
  const Layout& at = field.at;
  Scratch<T> room;
  const T* trans = limits.in_force(at, field.trans, room);
  TooLarge too_large;
  if (c.S && !within_largest(at, field.trans, at.L)) too_large.note(0);
  const ChainForm form(at, trans, !limits.follow);
  const EdgeTransitions<T> own(c, at, trans, field.edge, &limits);
  const ChainWishes wishes{out != nullptr, false, true, limits.any(), nullptr};
  Sentences sentences(c, form.chains_together());
  in_threads(threads, [&](int) {
    FlushSubnormals flush;
    Chain<T> chain(form, wishes, &own);
    chain.start(trans, T(1));
    Marginals<T> read(c, at, limits, chain, trans, out, log_z, score, too_large);
    SentenceReader reader;
    FineChain<T> fine(field);
    sentences.take(
        [&](int64_t s, int64_t next, int64_t later) {
          ChainJob<T> job;
          job.s = s, job.n = c.length(s), job.y = y + c.tokens[s];
          job.scores = chain.room_for(job.n);
          const Sentence x = reader.open(c, s);
          sum_scores<T>(c, x, field, next, later, job.scores);
          if (fine.needed(x, job.scores)) {
            PositionChain& own_chain = fine.chain;
            if (!open_fine(fine, c, at, x, limits, own, trans, s)) return too_large.note(s);
            log_z[s] = limits.seen(own_chain.run(1, out != nullptr, false));
            score[s] = all_known(job.y, job.n) ? limits.seen(own_chain.path_score(job.y)) : double(NAN);
            for (int64_t t = 0; out && log_z[s] != -INFINITY && t < job.n; ++t)
              for (int j = 0; j < at.L; ++j) out[(c.tokens[s] + t) * at.L + j] = T(own_chain.node[t * at.Lp() + j]);
            return;
          }
          if (!within_largest(at, job.scores, job.n)) too_large.note(s);
          limits.forbid(c, at, s, job.scores);
          chain.add(job, read);
        },
        [&] { chain.flush(read); });
  });
  too_large.check();
}

template <class T>
void nbest_all(const Corpus& c, const SizedField<T>& field, const Limits& limits, int64_t count, NBest* out, int threads) {
  const Layout& at = field.at;
  Scratch<T> room;
  const T* trans = limits.in_force(at, field.trans, room);
  const ChainForm form(at, trans);
  const EdgeTransitions<T> own(c, at, trans, field.edge, &limits);
  Sentences sentences(c, 1);
  in_threads(threads, [&](int) {
    FlushSubnormals flush;  // as in `tag_all`
    PathFinder<T> finder(form, &own);
    finder.start(trans);
    SentenceReader reader;
    FineChain<T> fine(field);
    std::vector<int32_t> best;
    sentences.take(
        [&](int64_t s, int64_t next, int64_t later) {
          const int64_t n = c.length(s);
          best.resize(size_t(n));
          T* scores = finder.room_for(n);
          const Sentence x = reader.open(c, s);
          sum_scores<T>(c, x, field, next, later, scores);
          if (fine.needed(x, scores)) {
            open_fine(fine, c, at, x, limits, own, trans, s);
            fine.chain.best_path(best.data());
            return fine.n_best(best, count, out[s]);
          }
          limits.forbid(c, at, s, scores);
          const PathJob<T> job{s, n, scores, best.data()};
          finder.find(job);
          finder.n_best(job, count, out[s]);
        },
        [] {});
  });
}

#define TAGFIELD_DECODE(T)                                                                                             \
  template void scores_all<T>(const Corpus&, const SizedField<T>&, double*, int);                                              \
  template void tag_all<T>(const Corpus&, const SizedField<T>&, const Limits&, int32_t*, double*, int);                   \
  template void marginals_all<T>(const Corpus&, const SizedField<T>&, const Limits&, const int32_t*, T*, double*, double*, int);          \
  template void nbest_all<T>(const Corpus&, const SizedField<T>&, const Limits&, int64_t, NBest*, int)
TAGFIELD_DECODE(float);
TAGFIELD_DECODE(double);

}  // namespace tagfield
