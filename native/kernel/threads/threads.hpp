// Loops over the whole corpus on several threads, which take sentences in small batches.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace tagfield {

constexpr int MAX_THREADS = 256;

// Runs work(thread index) on this thread and on up to threads − 1 others; returns how many ran. Where the system has no
// more threads to give, those that started do the work: they take sentences until none are left.
template <class Fn> int in_threads(int threads, Fn work) {
  threads = std::min(threads, MAX_THREADS);
  if (threads <= 1) {
    work(0);
    return 1;
  }
  std::vector<std::exception_ptr> failed(size_t(threads), nullptr);
  const auto guarded = [&work, &failed](int i) {
    try {
      work(i);
    } catch (...) {
      failed[size_t(i)] = std::current_exception();
    }
  };
  std::vector<std::thread> pool;
  pool.reserve(size_t(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) pool.emplace_back(guarded, i);
  } catch (const std::exception&) {  // no more threads, or no memory for one
  }
  guarded(0);
  for (auto& t : pool) t.join();
  for (auto& f : failed)
    if (f) std::rethrow_exception(f);
  return 1 + int(pool.size());
}

class Packets {
  std::atomic<int64_t> next_{0};
  int64_t end_;

 public:
  explicit Packets(int64_t end) : end_(end) {}
  template <class Fn> void each(Fn fn) {
    constexpr int64_t SIZE = 16;
    for (int64_t from; (from = next_.fetch_add(SIZE)) < end_;)
      for (int64_t s = from; s < end_ && s < from + SIZE; ++s) fn(s);
  }
};

}  // namespace tagfield
