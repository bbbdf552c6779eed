// Slots with other attribute ids: for vocabularies that are joined, and for attributes that are left out.
//
//     (slots, occurrences, attribute, place, value), ids [A] ─▶ the same without slots of id −1, ordered by kind (places.hpp)
//
// Within a kind the slots keep their order. The arrays may come from a file, so every bound is checked on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "text/errors.hpp"
#include "text/places.hpp"

namespace tagfield::text {

template <class Word> struct SlotArrays {  // S sentences, D slots, N occurrences
    std::size_t S = 0, D = 0, N = 0;
    const std::int64_t *slots = nullptr, *occurrences = nullptr;  // [S+1]
    const std::int32_t* attribute = nullptr;                      // [D]
    const Word* place = nullptr;                                  // [N]
    const float* value = nullptr;                                 // [N] or null
};

template <class Word> struct RenumberedSlots {
    std::vector<std::int64_t> slots{0}, occurrences{0};
    std::vector<std::int32_t> attribute;
    std::vector<Word> place;
    std::vector<float> value;
};

template <class Word>
RenumberedSlots<Word> renumber(const SlotArrays<Word>& from, const std::int32_t* ids, std::size_t A) {
    struct Slot {
        std::int32_t id;
        int kind;
        std::int64_t begin, end;
    };
    const auto wrong = [](std::size_t s) { throw InputError("a slot is out of bounds in sequence " + std::to_string(s)); };
    RenumberedSlots<Word> to;
    to.slots.reserve(from.S + 1);
    to.occurrences.reserve(from.S + 1);
    to.attribute.reserve(from.D);
    to.place.reserve(from.N);
    if (from.value) to.value.reserve(from.N);
    std::vector<Slot> found;
    for (std::size_t s = 0; s < from.S; ++s) {
        const std::int64_t first = from.slots[s], last = from.slots[s + 1];
        std::int64_t n = from.occurrences[s];
        const std::int64_t end = from.occurrences[s + 1];
        if (first < 0 || last < first || last > static_cast<std::int64_t>(from.D) || n < 0 || end < n ||
            end > static_cast<std::int64_t>(from.N))
            wrong(s);
        found.clear();
        for (std::int64_t d = first; d < last; ++d) {
            const std::int64_t begin = n;
            while (n < end && !(from.place[n] & last_of<Word>)) ++n;
            const std::int32_t old = from.attribute[d];
            if (n == end || old < 0 || static_cast<std::size_t>(old) >= A) wrong(s);
            ++n;
            if (ids[old] >= 0) found.push_back({ids[old], kind_of(ids[old], n - begin), begin, n});
        }
        if (n != end) wrong(s);
        for (int kind = 0; kind < slot_kinds; ++kind)
            for (const Slot& slot : found) {
                if (slot.kind != kind) continue;
                to.attribute.push_back(slot.id);
                to.place.insert(to.place.end(), from.place + slot.begin, from.place + slot.end);
                if (from.value) to.value.insert(to.value.end(), from.value + slot.begin, from.value + slot.end);
            }
        to.slots.push_back(static_cast<std::int64_t>(to.attribute.size()));
        to.occurrences.push_back(static_cast<std::int64_t>(to.place.size()));
    }
    return to;
}

}  // namespace tagfield::text
