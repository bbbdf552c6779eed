// How PathFinder (chain.hpp) finds the best paths of a job in the form that suits it.
#include <algorithm>
#include <functional>

#include "kernel/chain/best_path.hpp"
#include "kernel/chain/chain.hpp"
#include "kernel/chain/listed_paths.hpp"
#include "kernel/chain/n_best.hpp"

namespace tagfield {

template <class T> struct PathFinder<T>::Forms {
  const T* trans = nullptr;
  BestPath<T> alone;
  std::unique_ptr<ListedPaths<T>> listed;
  std::unique_ptr<PositionChain> position;
  bool within = true;  // of the last sentence with its own transitions
  std::vector<PathJob<T>> waiting;
  std::vector<std::unique_ptr<Scratch<T>>> rooms;
  // for the n best
  std::vector<double> tau, scores;  // [L, L], [n, L]
  NBestSearch search;
  std::vector<int32_t> best;

  explicit Forms(const States& at) : alone(at) {}
};

template <class T>
PathFinder<T>::PathFinder(const ChainForm& form, const OwnTransitions* own)
    : form_(form), own_(own), forms_(std::make_unique<Forms>(form.states())) {
  if (form.pairs()) forms_->listed = std::make_unique<ListedPaths<T>>(*form.pairs());
}
template <class T> PathFinder<T>::~PathFinder() = default;

template <class T> void PathFinder<T>::start(const T* trans) {
  Forms& f = *forms_;
  f.trans = trans, f.tau.clear();
  f.listed ? f.listed->set_transitions(trans) : f.alone.open(trans);
}

template <class T> T* PathFinder<T>::room_for(int64_t n) {
  Forms& f = *forms_;
  while (f.rooms.size() <= f.waiting.size()) f.rooms.push_back(std::make_unique<Scratch<T>>());
  return f.rooms[f.waiting.size()]->reserve(n * form_.states().Lp());
}

template <class T> double PathFinder<T>::find(const PathJob<T>& job) {
  Forms& f = *forms_;
  if (looks(job.s)) {
    if (!f.position) f.position = std::make_unique<PositionChain>(form_.states());
    double* scores = f.position->room_for(job.n);
    f.within = own_->fill(job.s, *f.position);
    for (int64_t k = 0; k < job.n * form_.states().Lp(); ++k) scores[k] = double(job.scores[k]);
    return f.position->best_path(job.y);
  }
  if (!f.listed) return f.alone.find(job.scores, job.n, job.y);
  LaneChain<T> lane{job.scores, job.n, nullptr, 0, false};
  int32_t* y = job.y;
  f.listed->run(&lane, 1, &y);
  return lane.log_z;
}

template <class T> void PathFinder<T>::add(const PathJob<T>& job, PathReader<T>& reader) {
  Forms& f = *forms_;
  if (f.listed && !looks(job.s)) return f.waiting.push_back(job);
  f.within = true;
  const double score = find(job);
  reader.best(job, score, f.within);
}

template <class T> void PathFinder<T>::flush(PathReader<T>& reader) {
  Forms& f = *forms_;
  for (size_t first = 0; first < f.waiting.size(); first += W) {
    const int count = int(std::min<size_t>(W, f.waiting.size() - first));
    LaneChain<T> lanes[W];
    int32_t* y[W] = {};
    for (int k = 0; k < count; ++k) {
      const PathJob<T>& job = f.waiting[first + size_t(k)];
      lanes[k] = {job.scores, job.n, nullptr, 0, false}, y[k] = job.y;
    }
    f.listed->run(lanes, count, y);
    for (int k = 0; k < count; ++k) reader.best(f.waiting[first + size_t(k)], lanes[k].log_z, true);
  }
  f.waiting.clear();
}

template <class T> double PathFinder<T>::path_score(const PathJob<T>& job, const int32_t* y, const T* trans) const {
  if (looks(job.s)) return forms_->position->path_score(y);
  return tagfield::path_score(form_.states(), job.scores, trans, y, job.n);
}

template <class T> void PathFinder<T>::n_best(const PathJob<T>& job, int64_t count, NBest& into) {
  Forms& f = *forms_;
  const int L = form_.states().L, Lp = form_.states().Lp();
  f.scores.resize(size_t(job.n) * size_t(L));
  for (int64_t t = 0; t < job.n; ++t)
    for (int j = 0; j < L; ++j) f.scores[size_t(t * L + j)] = job.scores[t * Lp + j];
  f.best.assign(job.y, job.y + job.n);
  if (looks(job.s)) {
    const PositionChain& own = *f.position;
    const auto tau = [&](int64_t t, int i, int j) { return own.tau(t)[int64_t(i) * Lp + j]; };
    return f.search.find(L, job.n, f.scores.data(), tau, count, f.best, into.labels, into.scores);
  }
  if (f.tau.empty()) {
    f.tau.resize(size_t(L) * size_t(L));
    for (int i = 0; i < L; ++i)
      for (int j = 0; j < L; ++j) f.tau[size_t(i) * size_t(L) + size_t(j)] = f.trans[int64_t(i) * Lp + j];
  }
  const auto tau = [from = f.tau.data(), L](int64_t, int i, int j) { return from[int64_t(i) * L + j]; };
  if (!form_.pairs()) return f.search.find(L, job.n, f.scores.data(), tau, count, f.best, into.labels, into.scores);
  ListedStep step(*form_.pairs(), f.tau.data());
  f.search.find(L, job.n, f.scores.data(), tau, std::ref(step), count, f.best, into.labels, into.scores);
}

template class PathFinder<float>;
template class PathFinder<double>;

}  // namespace tagfield
