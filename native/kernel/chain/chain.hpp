// The chain: sums over paths, and the best of them. This is the only place that chooses a form.
//
//     scores, transitions, limits, known labels ─▶ Chain       ─▶ log Z, P(y_t), expected transitions
//                                               ─▶ PathFinder  ─▶ the best path, the n best
//
//     the sentence                                     forward–backward            best path
//     has transitions of its own at some positions     position_chain.hpp          the same
//     has few labels                                   scaled.hpp, alone           best_path.hpp
//     has many                                         scaled.hpp, together        best_path.hpp
//     … of whose pairs few have a weight               listed_chains.hpp           listed_paths.hpp
//     fails a guard                                    in double, then log_domain.hpp
//     weighs its tokens by class                       token_losses.hpp
//
// A job may run when it is added, or wait until others are there (`flush`): results come to a reader. If labels are known and
// others are not, the chain runs twice, over all paths and over those that agree with the known labels:
//
//     −log p(known | x) = log Z − log Z_agreeing        E over all paths, Ẽ over those that agree
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/chain/chain_form.hpp"
#include "kernel/chain/position_chain.hpp"
#include "kernel/chain/scaling_history.hpp"

namespace tagfield {

// The transitions that sentences have of their own.
struct OwnTransitions {
  virtual ~OwnTransitions() = default;
  virtual bool in(int64_t s) const = 0;
  // Those of sentence s, for which `into` has room. Whether all of them are at most LARGEST in size.
  virtual bool fill(int64_t s, PositionChain& into) const = 0;
};

template <class T> struct ChainJob {
  int64_t s = 0, n = 0;                      // sentence, positions
  T* scores = nullptr;                       // [n, Lp], padding −∞; the chain may change them
  const int32_t* y = nullptr;                // [n] labels, −1: unknown
  bool agreeing = false;                     // run again over the paths that agree with y
  bool separately = false;                   // E and Ẽ of the transitions are both asked for, as matrices
  bool factors = false;                      // what expected transitions are made of is enough
  int runs_before = 0;                       // of scaled chains since the last start, for what they teach
  T *node = nullptr, *agreeing_node = nullptr;                  // [n, Lp] where probabilities go, or null: the chain's memory
  Scratch<T> *edge = nullptr, *agreeing_edge = nullptr;         // where expected transitions go, likewise
  void* owner = nullptr;                     // what the reader knows it by
};

enum class Paths { ALL, AGREEING, WEIGHTED };  // WEIGHTED: the loss of class weights in the place of log Z, and its gradient

template <class T> struct ChainResult {
  double log_z = 0;
  bool within = true;                          // no transition of its own is too large
  T* node = nullptr;                           // [n, Lp]
  ExpectedTransitions<T> transitions;
  const T* matrix = nullptr;                   // the same as [L, Lp], where the job asked for both
  const PositionChain* position = nullptr;     // of a sentence with its own transitions
  const ScaledRun* run = nullptr;              // what a run of the scaled chain teaches
};

template <class T> struct ChainReader {
  virtual ~ChainReader() = default;
  virtual void result(const ChainJob<T>& job, Paths paths, const ChainResult<T>& found) = 0;
  virtual void end(const ChainJob<T>& job) = 0;  // after all results of the job, and of those that ran with it
};

struct ChainWishes {
  bool nodes = true, transitions = true;
  bool exact = false;                    // what limits forbid has probability 0 exactly, in every form
  bool limited = false;                  // there are limits
  const double* class_weight = nullptr;  // [L] or null
};

template <class T> class Chain {  // each thread has its own
 public:
  Chain(const ChainForm& form, const ChainWishes& wishes, const OwnTransitions* own);
  ~Chain();

  // Transitions [L, Lp] within limits, which multiply with z as scores do, for what is added from here on.
  void start(const T* trans, T z, const ScalingHistory* history = nullptr);
  T* room_for(int64_t n);  // for the scores of the next job
  void add(const ChainJob<T>& job, ChainReader<T>& reader);
  void flush(ChainReader<T>& reader);

  // In `end`: the score of the path job.y by the transitions `trans`, or by the sentence's own.
  double path_score(const ChainJob<T>& job, const T* trans) const;
  int64_t fallbacks() const;
  // How many runs of the scaled chain sentence s counts for.
  int counted_runs(int64_t s, bool agreeing) const { return wishes_.class_weight || looks(s) ? 0 : agreeing ? 2 : 1; }

 private:
  struct Forms;
  const ChainForm& form_;
  const ChainWishes wishes_;
  const OwnTransitions* own_;
  std::unique_ptr<Forms> forms_;

  bool looks(int64_t s) const { return own_ && own_->in(s); }
  void run_alone(const ChainJob<T>& job, ChainReader<T>& reader);
  void run_weighted(const ChainJob<T>& job, ChainReader<T>& reader);
};

template <class T> struct PathJob {
  int64_t s = 0, n = 0;
  const T* scores = nullptr;  // [n, Lp], padding −∞
  int32_t* y = nullptr;       // [n] where the labels go
};

template <class T> struct PathReader {
  virtual ~PathReader() = default;
  virtual void best(const PathJob<T>& job, double score, bool within) = 0;
};

struct NBest {
  std::vector<int32_t> labels;  // path after path
  std::vector<double> scores;
};

template <class T> class PathFinder {  // each thread has its own
 public:
  PathFinder(const ChainForm& form, const OwnTransitions* own);
  ~PathFinder();

  void start(const T* trans);  // [L, Lp], which are only looked at: again whenever they have changed
  T* room_for(int64_t n);      // for the scores of the next job
  void add(const PathJob<T>& job, PathReader<T>& reader);
  void flush(PathReader<T>& reader);

  double find(const PathJob<T>& job);  // at once; the score. Ties go to the lower label
  // After find: the score of another path of that sentence, by its own transitions or by `trans`.
  double path_score(const PathJob<T>& job, const int32_t* y, const T* trans) const;
  // After find: the `count` best paths, that of `find` first.
  void n_best(const PathJob<T>& job, int64_t count, NBest& into);

 private:
  struct Forms;
  const ChainForm& form_;
  const OwnTransitions* own_;
  std::unique_ptr<Forms> forms_;

  bool looks(int64_t s) const { return own_ && own_->in(s); }
};

}  // namespace tagfield
