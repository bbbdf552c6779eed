// One sequence at a time, from attribute ids: the kernels' side of SequenceDecoder. What decode.hpp does for a corpus, with the
// same bits, but without one: nothing is packed, checked again or allocated for a call.
//
//     ids ─▶ places of rows ─▶ scores, in registers ─▶ best path · marginals
//
// Up to 32 labels the scores of a token stay in registers while its rows are added. The sparse rows of a model are found
// through `places_`: one load tells where a row lies and which blocks it has, where the layout's own arrays take two. A block
// that a row lacks is read as −0.0, which changes no sum: a loop over the blocks of a row would mispredict every other one.
#include "kernel/decode/decode.hpp"

#include <cstring>
#include <vector>

#include "kernel/chain/chain.hpp"
#include "kernel/corpus/scores.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield {

namespace {

template <class T> class Sequence final : public SequenceDecoder, ChainReader<T> {
  struct Place {
    uint32_t first;  // block
    uint32_t blocks; // bit b: the row has block b
  };

 public:
  Sequence(const SizedField<T>& field, void (*ask)()) : field_(field), at_(field.at), fine_(field), ask_(ask) {
    attributes = at_.A, labels = at_.L;
    for (int j = 0; j < W; ++j) none_[j] = T(-0.0);
    if (at_.rows != Rows::SPARSE || at_.NB > 4 || at_.B > int64_t(UINT32_MAX)) return;
    places_.resize(size_t(at_.A));
    for (int64_t a = 0; a < at_.A; ++a) {
      places_[size_t(a)] = {uint32_t(at_.first[a]), 0};
      for (int64_t k = at_.first[a]; k < at_.first[a + 1]; ++k) places_[size_t(a)].blocks |= 1u << at_.column[k];
    }
  }

  void ask_places(const AttributeIds& x) override {
    const int64_t N = x.n ? x.ends[x.n - 1] : 0;
    if (!places_.empty())
      for (int64_t i = 0; i < N; ++i) prefetch(&places_[size_t(x.ids[i])]);
    else if (at_.rows == Rows::SPARSE)
      for (int64_t i = 0; i < N; ++i) prefetch(at_.first + x.ids[i]);
  }

  void ask_rows(const AttributeIds& x) override {
    const int64_t N = x.n ? x.ends[x.n - 1] : 0;
    if (!places_.empty()) return ask_sparse(x.ids, N);
    for (int64_t i = 0; i < N; ++i) {
      const int64_t a = x.ids[i];
      int64_t k = a * at_.NB, count = at_.NB;
      if (at_.rows == Rows::SPARSE) k = at_.first[a], count = at_.first[a + 1] - k;
      const char* row = reinterpret_cast<const char*>(field_.state + k * W);
      const int64_t bytes = count * W * int64_t(sizeof(T));
      for (int64_t o = 0; o < bytes && o < 256; o += 64) prefetch(row + o);
    }
  }

  Decoded best(const AttributeIds& x, int32_t* y) override {
    if (x.n >= LONG) return apart([&](Sequence& own) { return own.find(x, y); });
    return find(x, y);
  }

  Decoded marginals(const AttributeIds& x, double* node) override {
    if (x.n >= LONG) return apart([&](Sequence& own) { return own.sum_paths(x, node); });
    return sum_paths(x, node);
  }

 private:
  const SizedField<T> field_;
  const Layout at_;
  FineChain<T> fine_;
  void (*const ask_)();
  std::unique_ptr<ChainForm> form_;
  std::unique_ptr<PathFinder<T>> finder_;
  std::unique_ptr<Chain<T>> chain_;
  double* node_ = nullptr;     // where probabilities go
  std::vector<Place> places_;  // [A]; empty where rows are FULL, or have more than 4 blocks
  T none_[W];                  // a block of weights that are no features
  std::vector<T> trans_;       // [L, Lp] what was opened last
  bool transitions_fit_ = false;

  // With memory of its own: a handler of a signal, or a thread that runs meanwhile, may use this decoder.
  template <class Fn> Decoded apart(Fn fn) const {
    Sequence own(field_, ask_);
    const Listening listening(ask_);
    try {
      return fn(own);
    } catch (const Stopped&) {
      return Decoded::INTERRUPTED;
    }
  }

  Decoded find(const AttributeIds& x, int32_t* y) {
    if (x.n == 0) return Decoded::DONE;
    const FlushSubnormals flush;
    open_transitions();
    const T* scores = sum(x, finder_->room_for(x.n));
    if (too_coarse(x, scores))
      fine_.chain.best_path(y);
    else
      finder_->find({0, x.n, scores, y});
    return Decoded::DONE;
  }

  Decoded sum_paths(const AttributeIds& x, double* node) {
    if (x.n == 0) return Decoded::DONE;
    const FlushSubnormals flush;
    open_transitions();
    ChainJob<T> job;
    job.n = x.n, job.scores = sum(x, chain_->room_for(x.n));
    if (!transitions_fit_) return Decoded::TOO_LARGE;
    node_ = node;
    if (too_coarse(x, job.scores)) {
      if (!fine_.within_largest()) return Decoded::TOO_LARGE;
      fine_.chain.run(1, true, false);
      copy(x.n, fine_.chain.node);
      return Decoded::DONE;
    }
    if (!within_largest(at_, job.scores, x.n)) return Decoded::TOO_LARGE;
    chain_->add(job, *this);
    chain_->flush(*this);
    return Decoded::DONE;
  }

  template <class P> void copy(int64_t n, const P* node) {
    for (int64_t t = 0; t < n; ++t)
      for (int j = 0; j < at_.L; ++j) node_[t * at_.L + j] = double(T(node[t * at_.Lp() + j]));
  }
  void result(const ChainJob<T>& job, Paths, const ChainResult<T>& found) override { copy(job.n, found.node); }
  void end(const ChainJob<T>&) override {}

  // The first line of every row and the one in which it ends, which are mostly the same: asking twice costs less than a branch.
  void ask_sparse(const int32_t* ids, int64_t N) const {
    constexpr int64_t LINE = 64, BLOCK = W * int64_t(sizeof(T));
    for (int64_t i = 0; i < N; ++i) {
      const Place place = places_[size_t(ids[i])];
      const char* row = reinterpret_cast<const char*>(field_.state + int64_t(place.first) * W);
      const int64_t bytes = __builtin_popcount(place.blocks) * BLOCK;
      prefetch(row);
      for (int64_t o = LINE; o < at_.NB * BLOCK - BLOCK; o += LINE) prefetch(row + (o < bytes ? o : 0));
      prefetch(row + (bytes ? bytes - 1 : 0));
    }
  }

  // The transitions. What is derived of them is kept for the next call, as long as they are the same: the model's weights may
  // change between two calls.
  void open_transitions() {
    const size_t size = size_t(at_.cells());
    if (trans_.size() == size && !std::memcmp(trans_.data(), field_.trans, size * sizeof(T))) return;
    trans_.assign(field_.trans, field_.trans + size);
    transitions_fit_ = within_largest(at_, trans_.data(), at_.L);
    form_ = std::make_unique<ChainForm>(at_, trans_.data());
    finder_ = std::make_unique<PathFinder<T>>(*form_, nullptr);
    finder_->start(trans_.data());
    ChainWishes wishes;
    wishes.transitions = false;
    chain_ = std::make_unique<Chain<T>>(*form_, wishes, nullptr);
    chain_->start(trans_.data(), T(1));
  }

  // Whether the scores are too large for T; they are then in fine_, in double, with the transitions.
  bool too_coarse(const AttributeIds& x, const T* scores) {
    if (!fine_.needed(scores, x.n, x.values, x.ends[x.n - 1])) return false;
    fine_.open(x.n);
    for (int64_t t = 0, i = 0; t < x.n; ++t)
      for (; i < x.ends[t]; ++i) fine_.add(x.ids[i], t, x.values ? double(x.values[i]) : 1);
    fine_.chain.open(trans_.data());
    return true;
  }

  T* sum(const AttributeIds& x, T* scores) {
    switch (at_.NB) {
      case 1: sum_blocks<1>(x, scores); break;
      case 2: sum_blocks<2>(x, scores); break;
      case 3: sum_blocks<3>(x, scores); break;
      case 4: sum_blocks<4>(x, scores); break;
      default: sum_rows(x, scores);
    }
    return scores;
  }

  // bit ? a : b, which the compiler must not make a branch of.
  static const T* either(uint32_t bit, const T* a, const T* b) {
    const auto i = reinterpret_cast<uintptr_t>(a), j = reinterpret_cast<uintptr_t>(b);
    return reinterpret_cast<const T*>(j ^ ((i ^ j) & (uintptr_t(0) - bit)));
  }

  template <int NB> void sum_blocks(const AttributeIds& x, T* scores) {
    const T *state = field_.state, *none = none_;
    const Place* places = places_.data();
    const bool sparse = !places_.empty();
    if (at_.rows == Rows::SPARSE && !sparse) return sum_rows(x, scores);
    const Vec<T> last = select<T>(mask_lanes<T>(at_.lanes(NB - 1)), Vec<T>{}, splat<T>(PAD<T>));
    int64_t i = 0;
    for (int64_t t = 0; t < x.n; ++t) {
      Vec<T> s[NB] = {};
      s[NB - 1] = last;
      auto add = [&](const T* const* block) {
        if (x.values) {
          const T v = T(x.values[i]);
#pragma GCC unroll 4
          for (int b = 0; b < NB; ++b) s[b] = s[b] + load(block[b]) * v;
        } else {
#pragma GCC unroll 4
          for (int b = 0; b < NB; ++b) s[b] = s[b] + load(block[b]);
        }
      };
      if (sparse)
        for (; i < x.ends[t]; ++i) {
          const Place place = places[x.ids[i]];
          const T *row = state + int64_t(place.first) * W, *block[NB];
          uint32_t has = place.blocks;
#pragma GCC unroll 4
          for (int b = 0; b < NB; ++b, has >>= 1) {
            block[b] = either(has & 1, row, none);
            row += int64_t(has & 1) * W;
          }
          add(block);
        }
      else
        for (; i < x.ends[t]; ++i) {
          const T *row = state + int64_t(x.ids[i]) * (NB * W), *block[NB];
#pragma GCC unroll 4
          for (int b = 0; b < NB; ++b) block[b] = row + b * W;
          add(block);
        }
#pragma GCC unroll 4
      for (int b = 0; b < NB; ++b) store<T>(scores + (t * NB + b) * W, s[b]);
    }
  }

  // Many labels, or more blocks than a place can count.
  void sum_rows(const AttributeIds& x, T* scores) {
    blank_scores(at_, scores, x.n);
    const bool sparse = at_.rows == Rows::SPARSE;
    int64_t i = 0;
    for (int64_t t = 0; t < x.n; ++t)
      for (; i < x.ends[t]; ++i) {
        const int64_t a = x.ids[i], from = sparse ? at_.first[a] : a * at_.NB, to = sparse ? at_.first[a + 1] : from + at_.NB;
        for (int64_t k = from; k < to; ++k) {
          T* p = scores + (t * at_.NB + (sparse ? int64_t(at_.column[k]) : k - from)) * W;
          const Vec<T> row = load(field_.state + k * W);
          store<T>(p, load(p) + (x.values ? row * T(x.values[i]) : row));
        }
      }
  }
};

}  // namespace

std::unique_ptr<SequenceDecoder> make_sequence(const SizedField<float>& field, void (*ask)()) {
  return std::make_unique<Sequence<float>>(field, ask);
}
std::unique_ptr<SequenceDecoder> make_sequence(const SizedField<double>& field, void (*ask)()) {
  return std::make_unique<Sequence<double>>(field, ask);
}

}  // namespace tagfield
