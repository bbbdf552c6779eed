// What the fuzz targets share: the bytes of an input, taken piece by piece, and a check that ends the run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace tagfield::fuzz {

inline void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
}

class Input {
  public:
    Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

    std::string_view rest() const { return rest_; }

    // The next byte, or 0 at the end.
    std::uint8_t byte() {
        if (rest_.empty()) return 0;
        const auto found = static_cast<std::uint8_t>(rest_[0]);
        rest_.remove_prefix(1);
        return found;
    }

    // The next n numbers; zeros beyond the end.
    template <class T>
    std::vector<T> numbers(std::size_t n) {
        std::vector<T> made(n);
        const std::size_t there = std::min(n * sizeof(T), rest_.size());
        if (there) std::memcpy(made.data(), rest_.data(), there);
        rest_.remove_prefix(there);
        return made;
    }

  private:
    std::string_view rest_;
};

}  // namespace tagfield::fuzz
