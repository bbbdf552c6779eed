// Asks for a line of memory that is needed later.
//
// Not __builtin_prefetch: a function that does nothing else has no effect that GCC counts, so it is deleted where it is not
// inlined, and every call of it. That took all prefetches out of stochastic passes without a word. An asm statement stays.
#pragma once

namespace tagfield {

inline void prefetch(const void* p) {
#if defined(__x86_64__)
  asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(p)));
#elif defined(__aarch64__)
  asm volatile("prfm pldl1keep, [%0]" : : "r"(p));
#else
  __builtin_prefetch(p, 0, 3);
#endif
}

}  // namespace tagfield
