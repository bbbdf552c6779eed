// Loops over the whole corpus on several threads, which take sentences in small batches.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "kernel/threads/pulse.hpp"

namespace tagfield {

constexpr int MAX_THREADS = 256;

// Runs work(thread index) on this thread and on up to threads − 1 others; returns how many ran. Where the system has no
// more threads to give, those that started do the work: they take sentences until none are left. This thread listens for Ctrl-C
// while it waits for the others.
template <class Fn> int in_threads(int threads, Fn work) {
  threads = std::min(threads, MAX_THREADS);
  if (threads <= 1) {
    work(0);
    return 1;
  }
  std::vector<std::exception_ptr> failed(size_t(threads), nullptr);
  Listening* const listening = Listening::current();
  std::mutex counting;
  std::condition_variable all_done;
  int done = 0;
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
    for (int i = 1; i < threads; ++i)
      pool.emplace_back([&, i] {
        Listening::current() = listening;
        guarded(i);
        const std::lock_guard<std::mutex> lock(counting);
        ++done;
        all_done.notify_one();
      });
  } catch (const std::exception&) {  // no more threads, or no memory for one
  }
  guarded(0);
  const auto others_done = [&] { return done == int(pool.size()); };
  for (std::unique_lock<std::mutex> lock(counting); listening && !failed[0] && !others_done();) {
    if (all_done.wait_for(lock, std::chrono::milliseconds(50), others_done)) break;
    lock.unlock();
    try {
      listening->look();
    } catch (...) {
      failed[0] = std::current_exception();
    }
    lock.lock();
  }
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
    for (int64_t from; (from = next_.fetch_add(SIZE)) < end_;) {
      pulse();
      for (int64_t s = from; s < end_ && s < from + SIZE; ++s) fn(s);
    }
  }
};

}  // namespace tagfield
