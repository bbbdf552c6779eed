// Ctrl-C within a pass or within one long sequence: whoever loops asks now and then whether to stop.
//
//     bind/                  Listening listening(ask): ask() throws if this call is to end
//     recursions             pulse(t) at position t: every 4096th looks, and a short sentence never does
//     loops over sentences   pulse() at every one or every few of them
//
// The thread that made the call asks, ten times a second at most: asking takes Python's lock. Threads that help it see that it
// was told to stop, and throw Stopped; the caller's own exception is the one that leaves (threads.hpp).
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace tagfield {

struct Stopped : std::exception {
  const char* what() const noexcept override { return "the call was interrupted"; }
};

class Listening {
  typedef std::chrono::steady_clock Clock;
  static constexpr std::chrono::milliseconds BETWEEN{100};

  const std::function<void()> ask_;
  const std::thread::id caller_ = std::this_thread::get_id();
  Clock::time_point asked_ = Clock::now();
  std::atomic<bool> stopped_{false};
  Listening* const before_;

 public:
  static Listening*& current() {  // of this thread, or null
    static thread_local Listening* listening = nullptr;
    return listening;
  }

  explicit Listening(std::function<void()> ask) : ask_(std::move(ask)), before_(current()) { current() = this; }
  ~Listening() { current() = before_; }
  Listening(const Listening&) = delete;

  void look() {
    if (stopped_.load(std::memory_order_relaxed)) throw Stopped();
    if (std::this_thread::get_id() != caller_) return;
    const Clock::time_point now = Clock::now();
    if (now - asked_ < BETWEEN) return;
    asked_ = now;
    try {
      ask_();
    } catch (...) {
      stopped_.store(true, std::memory_order_relaxed);
      throw;
    }
  }
};

inline void pulse() {
  if (Listening* const listening = Listening::current()) listening->look();
}

inline void pulse(int64_t t) {
  constexpr int64_t EVERY = 4096;
  if (__builtin_expect(t % EVERY == EVERY - 1, 0)) pulse();
}

}  // namespace tagfield
