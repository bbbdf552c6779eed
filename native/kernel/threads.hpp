// Loops over the whole corpus on several threads, which take sentences in small batches.
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace tagfield {

template <class Fn> void in_threads(int threads, Fn work) {  // work(thread index)
  if (threads <= 1) {
    work(0);
    return;
  }
  std::vector<std::exception_ptr> failed(threads);
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i)
    pool.emplace_back([&work, &failed, i] {
      try {
        work(i);
      } catch (...) {
        failed[i] = std::current_exception();
      }
    });
  for (auto& t : pool) t.join();
  for (auto& f : failed)
    if (f) std::rethrow_exception(f);
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
