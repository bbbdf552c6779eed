// How Chain (chain.hpp) runs a job in the form that suits it.
#include "kernel/chain/chain.hpp"

#include <algorithm>

#include "kernel/chain/chains_together.hpp"
#include "kernel/chain/scaled.hpp"
#include "kernel/chain/token_losses.hpp"

namespace tagfield {

template <class T> struct Chain<T>::Forms {
  struct Waiting {
    ChainJob<T> job;
    Paths paths;
    T *scores, *node;
  };
  struct Room {  // of a job that waits
    Scratch<T> scores, node, agreeing_scores, agreeing_node;
  };

  const T* trans = nullptr;
  T z = 1;
  int skip = 0;
  ScaledChain<T> alone;
  bool alone_ready = false, together_ready = false, weighted_ready = false;
  std::unique_ptr<ChainsTogether<T>> together;
  std::unique_ptr<PositionChain> position;
  std::unique_ptr<TokenLosses> weighted;
  std::vector<Waiting> waiting, again;  // over all paths, over those that agree
  std::vector<std::unique_ptr<Room>> rooms;
  Scratch<T> node, edge, matrix, agreeing_edge;

  explicit Forms(const States& at) : alone(at) {}

  Room& room() {
    while (rooms.size() <= waiting.size()) rooms.push_back(std::make_unique<Room>());
    return *rooms[waiting.size()];
  }
};

template <class T>
Chain<T>::Chain(const ChainForm& form, const ChainWishes& wishes, const OwnTransitions* own)
    : form_(form), wishes_(wishes), own_(own), forms_(std::make_unique<Forms>(form.states())) {
  Forms& f = *forms_;
  f.alone.strict = wishes.exact && wishes.limited, f.alone.pairs = wishes.transitions;
  if (wishes.class_weight) {
    f.weighted = std::make_unique<TokenLosses>(form.states());
  } else if (form.together()) {
    f.together = std::make_unique<ChainsTogether<T>>(form.states(), form.pairs());
    f.together->strict = wishes.limited;
  }
}
template <class T> Chain<T>::~Chain() = default;

template <class T> void Chain<T>::start(const T* trans, T z, const ScalingHistory* history) {
  Forms& f = *forms_;
  f.trans = trans, f.z = z;
  f.alone_ready = f.together_ready = f.weighted_ready = false;
  f.waiting.clear(), f.again.clear();
  if (history) f.alone.pace = history->pace, f.skip = history->skip;
}

template <class T> T* Chain<T>::room_for(int64_t n) {
  Forms& f = *forms_;
  return f.together ? f.room().scores.reserve(n * form_.states().Lp()) : f.alone.room_for(n);
}

template <class T> int64_t Chain<T>::fallbacks() const {
  const Forms& f = *forms_;
  return f.alone.fallbacks + (f.position ? f.position->fallbacks : 0) + (f.together ? f.together->fallbacks : 0);
}

template <class T> void Chain<T>::add(const ChainJob<T>& job, ChainReader<T>& reader) {
  Forms& f = *forms_;
  if (f.weighted) return run_weighted(job, reader);
  if (!f.together || looks(job.s) || (job.agreeing && job.separately)) return run_alone(job, reader);
  typename Forms::Room& room = f.room();
  const int64_t size = job.n * form_.states().Lp();
  T* node = job.node || !wishes_.nodes ? job.node : room.node.reserve(size);
  if (job.agreeing) {
    T* scores = room.agreeing_scores.reserve(size);
    std::copy_n(job.scores, size, scores);
    keep_known(form_.states(), job.y, job.n, scores);
    f.again.push_back({job, Paths::AGREEING, scores, job.agreeing_node ? job.agreeing_node : room.agreeing_node.reserve(size)});
  }
  f.waiting.push_back({job, Paths::ALL, job.scores, node});
}

template <class T> void Chain<T>::run_alone(const ChainJob<T>& job, ChainReader<T>& reader) {
  Forms& f = *forms_;
  const States& at = form_.states();
  const int64_t size = job.n * at.Lp();
  const bool looks = this->looks(job.s);
  ChainResult<T> found;
  f.alone.room_for(job.n);
  T* memory = f.alone.node;
  if (looks) {
    if (!f.position) f.position = std::make_unique<PositionChain>(at);
    double* scores = f.position->room_for(job.n);
    found.within = own_->fill(job.s, *f.position);
    for (int64_t k = 0; k < size; ++k) scores[k] = double(job.scores[k]);
    found.position = f.position.get();
  } else if (!f.alone_ready) {
    f.alone.set_transitions(f.trans, f.z), f.alone_ready = true;
  }
  for (const Paths paths : {Paths::ALL, Paths::AGREEING}) {
    const bool again = paths == Paths::AGREEING;
    if (again && !job.agreeing) break;
    T* node = again ? job.agreeing_node : job.node;
    found.node = node ? node : again ? f.node.reserve(size) : memory;
    Scratch<T>*room = again ? job.agreeing_edge : job.edge, &own = again ? f.agreeing_edge : f.edge;
    T* edge = wishes_.transitions ? (room ? room : &own)->reserve(form_.size()) : nullptr;
    T* matrix = wishes_.transitions && form_.pairs() ? f.matrix.reserve(at.cells()) : edge;
    if (looks) {
      PositionChain& chain = *f.position;
      if (again) keep_known(at, job.y, job.n, chain.scores);
      found.log_z = chain.run(double(f.z), wishes_.nodes, wishes_.transitions);
      for (int64_t k = 0; wishes_.nodes && k < size; ++k) found.node[k] = T(chain.node[k]);
      for (int64_t k = 0; wishes_.transitions && k < at.cells(); ++k) matrix[k] = T(chain.edge[k]);
    } else {
      if (again) keep_known(at, job.y, job.n, job.scores);
      f.alone.scores = job.scores, f.alone.node = found.node;
      if (matrix) f.alone.edge = matrix;
      f.alone.tries = job.runs_before + int(again) >= f.skip;
      found.log_z = f.alone.run(f.z, wishes_.nodes);
      found.run = &f.alone.last;
    }
    if (matrix != edge && job.n > 1) form_.pairs()->gather(matrix, edge);
    found.transitions = {form_, edge}, found.matrix = matrix;
    reader.result(job, paths, found);
  }
  reader.end(job);
}

template <class T> void Chain<T>::run_weighted(const ChainJob<T>& job, ChainReader<T>& reader) {
  Forms& f = *forms_;
  const States& at = form_.states();
  if (!f.weighted_ready) f.weighted->set_transitions(f.trans, double(f.z), wishes_.limited), f.weighted_ready = true;
  ChainResult<T> found;
  found.log_z = f.weighted->run(wishes_.class_weight, job.scores, double(f.z), job.y, job.n);
  found.node = job.node ? job.node : f.node.reserve(job.n * at.Lp());
  for (int64_t k = 0; k < job.n * at.Lp(); ++k) found.node[k] = T(f.weighted->node[size_t(k)]);
  T* matrix = f.matrix.reserve(at.cells());
  for (int64_t k = 0; k < at.cells(); ++k) matrix[k] = T(f.weighted->edge[size_t(k)]);
  T* edge = (job.edge ? job.edge : &f.edge)->reserve(form_.size());
  form_.pairs() ? form_.pairs()->gather(matrix, edge) : void(std::copy_n(matrix, at.cells(), edge));
  found.transitions = {form_, edge}, found.matrix = matrix;
  reader.result(job, Paths::WEIGHTED, found);
  reader.end(job);
}

// Those over all paths first, in the order in which they were added unless there are more than run together.
template <class T> void Chain<T>::flush(ChainReader<T>& reader) {
  Forms& f = *forms_;
  if (f.waiting.empty()) return;
  typedef typename Forms::Waiting Waiting;
  const size_t jobs = f.waiting.size();
  f.waiting.insert(f.waiting.end(), f.again.begin(), f.again.end());
  f.again.clear();
  std::vector<const Waiting*> order;
  for (const Waiting& one : f.waiting) order.push_back(&one);
  if (jobs > size_t(W))
    std::stable_sort(order.begin(), order.end(), [](const Waiting* a, const Waiting* b) { return a->job.n > b->job.n; });
  if (!f.together_ready) f.together->set_transitions(f.trans, f.z), f.together_ready = true;
  const bool once = order.size() <= size_t(W);  // then what lies in the chain's memory stays until the next flush
  for (size_t first = 0; first < order.size(); first += W) {
    const int count = int(std::min<size_t>(W, order.size() - first));
    LaneChain<T> lanes[W];
    for (int k = 0; k < count; ++k) {
      const Waiting& one = *order[first + size_t(k)];
      lanes[k] = {one.scores, one.job.n, one.node, 0, false};
    }
    f.together->run(lanes, count, f.z, wishes_.nodes);
    for (int k = 0; k < count; ++k) {
      const Waiting& one = *order[first + size_t(k)];
      const bool again = one.paths == Paths::AGREEING;
      const int64_t n = one.job.n;
      ChainResult<T> found;
      found.log_z = lanes[k].log_z, found.node = one.node;
      if (wishes_.transitions) {
        const PairFactors<T> factors = once && one.job.factors ? f.together->factors(k, n) : PairFactors<T>{};
        T* edge = once && !factors.p ? f.together->edges_in_place(k, n) : nullptr;
        if (!factors.p && !edge) {
          Scratch<T>*room = again ? one.job.agreeing_edge : one.job.edge, &own = again ? f.agreeing_edge : f.edge;
          edge = (room ? room : &own)->reserve(form_.size());
          f.together->edges(k, n, edge);
        }
        found.transitions = edge ? ExpectedTransitions<T>(form_, edge) : ExpectedTransitions<T>(form_, factors);
      }
      reader.result(one.job, one.paths, found);
    }
  }
  for (size_t k = 0; k < jobs; ++k) reader.end(f.waiting[k].job);
  f.waiting.clear();
}

template <class T> double Chain<T>::path_score(const ChainJob<T>& job, const T* trans) const {
  if (looks(job.s)) return forms_->position->path_score(job.y);
  return tagfield::path_score(form_.states(), job.scores, trans, job.y, job.n);
}

template class Chain<float>;
template class Chain<double>;

}  // namespace tagfield
