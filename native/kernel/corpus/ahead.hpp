// Asks for rows of weights before they are needed, one at a time, while others are worked on.
//
// A row comes from memory in some 100 ns, and a core waits for about 20 lines at once. So requests are spread over work that
// takes as long.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/corpus/weights.hpp"

namespace tagfield {

// Lines of memory, one after another.
class LinesAhead {
  struct Range {
    const char *from, *to;
  };
  std::vector<Range> ranges_;
  size_t at_ = 0;
  const char *next_ = nullptr, *end_ = nullptr;

 public:
  void clear() { ranges_.clear(), at_ = 0, next_ = end_ = nullptr; }
  template <class T> void add(const T* from, const T* to) {
    if (from < to) ranges_.push_back({reinterpret_cast<const char*>(from), reinterpret_cast<const char*>(to)});
  }
  TAGFIELD_INLINE void step() {
    if (next_ >= end_) {
      if (at_ == ranges_.size()) return;
      next_ = ranges_[at_].from, end_ = ranges_[at_++].to;
    }
    prefetch(next_), next_ += 64;
  }
};

class RowsAhead {
  struct Range {
    const int32_t *from, *to;  // attributes
  };
  static constexpr int64_t MOST = 256;  // bytes of a row that are asked for; a longer one is read in order anyway

  const int64_t NB_, *first_;
  const uint16_t* column_;
  const float *array_, *second_;  // arrays with a number for each state weight; the second may be null
  std::vector<Range> ranges_;
  size_t at_ = 0;
  const int32_t *next_ = nullptr, *end_ = nullptr;

  TAGFIELD_INLINE void ask(int64_t a) const {
    const int64_t k = first_ ? first_[a] : a * NB_, blocks = first_ ? first_[a + 1] - k : NB_;
    if (first_) prefetch(column_ + k);
    ask_in(array_, k, blocks);
    if (second_) ask_in(second_, k, blocks);
  }
  static TAGFIELD_INLINE void ask_in(const float* array, int64_t k, int64_t blocks) {
    const char* p = reinterpret_cast<const char*>(array + k * W);
    const char* end = p + std::min(blocks * W * int64_t(sizeof(float)), MOST);
    for (p -= reinterpret_cast<uintptr_t>(p) % 64; p < end; p += 64) prefetch(p);
  }

 public:
  RowsAhead(const Layout& at, const float* array, const float* second = nullptr)
      : NB_(at.NB), first_(at.rows == Rows::SPARSE ? at.first : nullptr), column_(at.column),
        array_(array ? array : second), second_(array ? second : nullptr) {}

  void clear() { ranges_.clear(), at_ = 0, next_ = end_ = nullptr; }
  void add(const int32_t* from, const int32_t* to) {
    if (array_ && from != to) ranges_.push_back({from, to});
  }
  TAGFIELD_INLINE void step() {
    if (next_ == end_) {
      if (at_ == ranges_.size()) return;
      next_ = ranges_[at_].from, end_ = ranges_[at_++].to;
    }
    ask(*next_++);
  }
};

}  // namespace tagfield
