// Which builds of the kernels this processor runs: base, and on x86-64 avx2 and avx512, each with the ones before it.
//
//     CPUID ─▶ what the processor has          XCR0 ─▶ which registers the system saves between threads
//
// The compilers' __builtin_cpu_supports says the same, but its table is in a library that clang-cl does not link.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tagfield {

#if defined(__x86_64__)
struct Registers4 {
  uint32_t a = 0, b = 0, c = 0, d = 0;
};

inline Registers4 cpuid(uint32_t leaf, uint32_t part = 0) {
  Registers4 r;
  __asm__ volatile("cpuid" : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d) : "a"(leaf), "c"(part));
  return r;
}

inline uint32_t saved_registers() {  // only after CPUID has said that the system saves them (OSXSAVE)
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

inline bool all_of(uint32_t bits, std::initializer_list<int> numbers) {
  for (const int n : numbers)
    if (!(bits >> n & 1)) return false;
  return true;
}
#endif

inline std::vector<std::string> supported_levels() {
  std::vector<std::string> levels{"base"};
#if defined(__x86_64__)
  if (cpuid(0).a < 7) return levels;
  const Registers4 old = cpuid(1), extended = cpuid(7);
  if (!all_of(old.c, {12, 27, 28})) return levels;  // FMA, OSXSAVE, AVX
  const uint32_t saved = saved_registers();
  if (!all_of(saved, {1, 2}) || !all_of(extended.b, {5, 8})) return levels;  // XMM, YMM; AVX2, BMI2
  levels.push_back("avx2");
#if defined(__APPLE__)
  const bool wide = true;  // macOS saves them from their first use on, and XCR0 says so only then
#else
  const bool wide = all_of(saved, {5, 6, 7});  // masks, and both parts of ZMM
#endif
  if (wide && all_of(extended.b, {16, 17, 30, 31})) levels.push_back("avx512");  // F, DQ, BW, VL
#endif
  return levels;
}

}  // namespace tagfield
