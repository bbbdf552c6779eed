// Memory for one sentence, reused for the next.
#pragma once
#include <cstdint>
#include <vector>

namespace tagfield {

// Cache-line aligned scratch that only grows.
template <class T> class Scratch {
  std::vector<char> bytes_;
  T* data_ = nullptr;

 public:
  T* reserve(int64_t n) {
    const size_t need = size_t(n) * sizeof(T) + 64;
    if (bytes_.size() < need) bytes_.resize(need + need / 4);
    data_ = reinterpret_cast<T*>((reinterpret_cast<uintptr_t>(bytes_.data()) + 63) & ~uintptr_t(63));
    return data_;
  }
  T* get() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }
};
template <class T> inline T* zeros(Scratch<T>& scratch, int64_t n) {
  T* data = scratch.reserve(n);
  for (int64_t k = 0; k < n; ++k) data[k] = 0;
  return data;
}

}  // namespace tagfield
