// Byte strings: a 64-bit hash, comparison and copying. The hash multiplies two words to 128 bits and folds the halves.
//
// Attribute strings are 5 to 30 bytes long, so the number of dependent steps decides: whole 16-byte blocks first, then
// the last 1 to 16 bytes as two loads that may overlap. No file stores a hash, so its value may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tagfield::text {

inline std::uint64_t load64(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

inline std::uint64_t load32(const char* p) {
    std::uint32_t word;
    std::memcpy(&word, p, 4);
    return word;
}

inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

__attribute__((always_inline)) inline std::uint64_t hash_bytes(const char* p, std::size_t n) {
    constexpr std::uint64_t A = 0x9E3779B97F4A7C15u, B = 0xD6E8FEB86659FD93u, C = 0xA3B195354A39B70Du;
    std::uint64_t h = A ^ (n * B);
    for (; n > 16; p += 16, n -= 16) h = fold(load64(p) ^ B, load64(p + 8) ^ h);
    std::uint64_t a = 0, b = 0;
    if (n >= 8) {
        a = load64(p);
        b = load64(p + n - 8);
    } else if (n >= 4) {
        a = load32(p);
        b = load32(p + n - 4);
    } else if (n > 0) {
        a = static_cast<unsigned char>(p[0]) | static_cast<std::uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8 |
            static_cast<std::uint64_t>(static_cast<unsigned char>(p[n - 1])) << 16;
    }
    return fold(fold(a ^ C, b ^ h) ^ A, h ^ B);
}

// Whether n bytes are equal. Strings that are compared are nearly always equal, so an early exit gains nothing.
inline bool same_bytes(const char* a, const char* b, std::size_t n) {
    if (n < 8) {
        if (n >= 4) return ((load32(a) ^ load32(b)) | (load32(a + n - 4) ^ load32(b + n - 4))) == 0;
        for (std::size_t i = 0; i < n; ++i)
            if (a[i] != b[i]) return false;
        return true;
    }
    std::uint64_t difference = load64(a + n - 8) ^ load64(b + n - 8);
    for (std::size_t i = 0; i + 8 <= n; i += 8) difference |= load64(a + i) ^ load64(b + i);
    return difference == 0;
}

// Copies n bytes and returns the end of the copy. For short strings a call of memcpy costs more than the copy.
inline char* copy_bytes(char* to, const char* from, std::size_t n) {
    if (n >= 16) {
        for (std::size_t i = 0; i + 16 <= n; i += 16) std::memcpy(to + i, from + i, 16);
        std::memcpy(to + n - 16, from + n - 16, 16);
    } else if (n >= 8) {
        std::memcpy(to, from, 8);
        std::memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        std::memcpy(to, from, 4);
        std::memcpy(to + n - 4, from + n - 4, 4);
    } else {
        for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
    }
    return to + n;
}

// A bijection of 64-bit words that spreads every bit over the whole word.
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 31)) * 0x9FB21C651E98DF25u;
    x = (x ^ (x >> 29)) * 0xD6E8FEB86659FD93u;
    return x ^ (x >> 32);
}

}  // namespace tagfield::text
