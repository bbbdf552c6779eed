// Work in phases, on as many threads as there are, with the same outcome for any number of them.
//
// A phase is a number of tasks that do not touch each other's results. Every thread goes through the phases in the same order,
// takes tasks of a phase until none are left, and goes on to the next one; it waits only where a phase needs the results of an
// earlier one. A thread that the system starts late finds the tasks done and moves on, so nothing depends on how many run.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "kernel/threads/pulse.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tagfield {

class Phases {
  struct Phase {
    std::atomic<int64_t> next{0}, done{0};
    int64_t tasks = 0;
  };
  std::vector<Phase> phases_;
  std::atomic<bool> failed_{false};

 public:
  explicit Phases(const std::vector<int64_t>& tasks) : phases_(tasks.size()) {
    for (size_t p = 0; p < tasks.size(); ++p) phases_[p].tasks = tasks[p];
  }

  void fail() { failed_ = true; }  // waiting threads return

  // work(i) for every task i of phase p that no thread has taken. Ctrl-C ends it between two of them.
  template <class Fn> void run(int64_t p, Fn work) {
    Phase& phase = phases_[size_t(p)];
    for (int64_t i; (i = phase.next.fetch_add(1)) < phase.tasks;) {
      try {
        pulse();
        work(i);
      } catch (...) {
        fail();
        throw;
      }
      phase.done.fetch_add(1);
    }
  }

  // Until phase p is done; one below 0 counts as done. Tasks take microseconds, so it spins before it gives way.
  void wait(int64_t p) const {
    if (p < 0) return;
    const Phase& phase = phases_[size_t(p)];
    for (int spins = 0; phase.done.load() < phase.tasks; ++spins) {
      if (failed_) throw std::bad_alloc();  // what another thread threw: tasks ask for memory and do nothing else that throws
      if (spins >= 2000) {
        pulse(spins);
        std::this_thread::yield();
      }
#if defined(__x86_64__)
      else
        _mm_pause();
#endif
    }
  }
};

// Results that are added up in the order of their numbers, 0, 1, 2 …, whichever comes first. A result that comes early is kept
// until its turn; there are never many more of those than threads.
template <class Result> class InOrder {
  std::mutex lock_;
  int64_t next_ = 0;
  std::map<int64_t, std::unique_ptr<Result>> early_;
  std::vector<std::unique_ptr<Result>> spare_;

 public:
  std::unique_ptr<Result> blank() {  // a result to write to; its memory may have been another's
    const std::lock_guard<std::mutex> guard(lock_);
    if (spare_.empty()) return std::make_unique<Result>();
    std::unique_ptr<Result> found = std::move(spare_.back());
    spare_.pop_back();
    return found;
  }
  template <class Fn> void add(int64_t number, std::unique_ptr<Result> result, Fn use) {  // use(number, result), in order
    const std::lock_guard<std::mutex> guard(lock_);
    early_.emplace(number, std::move(result));
    for (auto first = early_.begin(); first != early_.end() && first->first == next_; first = early_.begin(), ++next_) {
      use(next_, *first->second);
      spare_.push_back(std::move(first->second));
      early_.erase(first);
    }
  }
};

}  // namespace tagfield
