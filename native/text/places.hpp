// Places: where attributes occur, as positions whose top bit marks the last occurrence of a slot; and the groups of rows.
//
//     16 bits a place; 32 from the moment on when a sentence has more tokens than 15 bits count
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagfield::text {

// Rows of weights belong to fixed groups, in runs of 4: the kernels add scores up group by group, on any thread. Slots
// are in order of their groups, and in a group those that occur once come first: a loop that meets both in turn mispredicts.
constexpr int row_groups = 8, slot_kinds = 2 * row_groups;
inline int group_of(std::int32_t attribute) { return static_cast<int>(static_cast<std::uint32_t>(attribute) / 4 % row_groups); }
inline int kind_of(std::int32_t attribute, std::int64_t occurrences) { return 2 * group_of(attribute) + (occurrences > 1); }

template <class Word> constexpr Word last_of = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));  // the top bit

struct Places {
    static constexpr std::size_t most_tokens = 32767;  // in 16 bits

    std::vector<std::uint16_t> small;
    std::vector<std::uint32_t> large;
    bool wide = false;

    std::size_t size() const { return wide ? large.size() : small.size(); }
    void reserve(std::size_t n) { wide ? large.reserve(n) : small.reserve(n); }

    void widen() {
        if (wide) return;
        wide = true;
        large.reserve(small.capacity());
        for (const std::uint16_t place : small)
            large.push_back((place & 0x7FFFu) | (place & last_of<std::uint16_t> ? last_of<std::uint32_t> : 0u));
        small = {};
    }
};

}  // namespace tagfield::text
