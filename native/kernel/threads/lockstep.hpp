// Threads that go through one pass together. They stay awake, and meet at a barrier between its phases: a phase takes some
// ten microseconds, and waking a thread up takes as long.
//
// A waiting thread spins for a while, and then gives its core away again and again: where there are fewer cores than threads, or
// other programs want them, the thread that the others wait for gets to run.
//
// An exception must not leave the others waiting. It is noted (`fail`), the thread goes on to the barrier, and there everyone
// learns of it at the same meeting.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernel/threads/threads.hpp"

namespace tagfield {

inline void pause_spinning() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class Lockstep {
  static constexpr int SPINS = 2000;

  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<uint32_t> meeting_{0};  // twice the number of meetings, and 1 more after a failure
  alignas(64) std::atomic<bool> failing_{false};
  std::atomic<int> size_{0};  // 0: not complete yet
  std::mutex noting_;
  std::exception_ptr failure_;

 public:
  int size() const { return size_.load(std::memory_order_relaxed); }

  void fail(std::exception_ptr failure) {
    const std::lock_guard<std::mutex> lock(noting_);
    if (!failure_ || is_stopped(failure_)) failure_ = failure;
    failing_.store(true, std::memory_order_relaxed);
  }

  // Waits for all others; whether no one has failed. Everyone gets the same answer: the last to come gives it.
  bool meet() {
    const uint32_t now = meeting_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) {
      arrived_.store(0, std::memory_order_relaxed);
      const bool failing = failing_.load(std::memory_order_relaxed);
      meeting_.store((now + 2) | uint32_t(failing), std::memory_order_release);
      return !failing;
    }
    uint32_t then = now;
    for (int spins = 0; (then = meeting_.load(std::memory_order_acquire)) == now; ++spins)
      spins < SPINS ? pause_spinning() : give_way(spins);
    return !(then & 1);
  }

  // Waits until ready() holds, which another member makes true; whether no one has failed.
  template <class Ready> bool wait(Ready ready) {
    for (int spins = 0; !ready(); ++spins) {
      if (failing_.load(std::memory_order_relaxed)) return false;
      spins < SPINS ? pause_spinning() : give_way(spins);
    }
    return !failing_.load(std::memory_order_relaxed);
  }

  // Runs work(member) on this thread, member 0, and on up to threads − 1 others. Where the system has no more threads to
  // give, the team is smaller: work asks size(). Throws what the first to fail threw.
  template <class Fn> void run(int threads, Fn work) {
    std::vector<std::thread> others;
    const auto join = [this, &work, listening = Listening::current()](int member) {
      Listening::current() = listening;
      while (!size()) std::this_thread::yield();
      work(member);
    };
    try {
      others.reserve(size_t(std::min(threads, MAX_THREADS) - 1));
      for (int i = 1; i < std::min(threads, MAX_THREADS); ++i) others.emplace_back(join, i);
    } catch (const std::exception&) {  // no more threads, or no memory for one
    }
    size_.store(1 + int(others.size()), std::memory_order_release);
    work(0);
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  static bool is_stopped(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const Stopped&) {
      return true;
    } catch (...) {
      return false;
    }
  }
  // The member that made the call listens for Ctrl-C while it waits.
  void give_way(int spins) {
    try {
      pulse(spins);
    } catch (...) {
      fail(std::current_exception());
    }
    std::this_thread::yield();
  }
};

}  // namespace tagfield
