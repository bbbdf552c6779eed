// KeyMap: 64-bit keys → ids; open addressing. Key and id share a slot, so a hit reads one cache line.
#pragma once

#include <cstdint>
#include <vector>

#include "prefetch.hpp"
#include "text/hash.hpp"

namespace tagfield::text {

class KeyMap {
  public:
    static constexpr std::int32_t empty = -2;

    KeyMap() : slots_(16) {}

    std::int32_t find(std::uint64_t key) const { return slots_[locate(key)].id; }
    void prefetch(std::uint64_t key) const { tagfield::prefetch(&slots_[mix(key) & (slots_.size() - 1)]); }
    void set(std::uint64_t key, std::int32_t id) {
        Slot* slot = &slots_[locate(key)];
        if (slot->id == empty) {
            if (3 * ++size_ > 2 * slots_.size()) {
                grow();
                slot = &slots_[locate(key)];
            }
        }
        *slot = {key, id};
    }
    std::size_t size() const { return size_; }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t id = empty;
    };

    std::size_t locate(std::uint64_t key) const {
        std::size_t i = mix(key) & (slots_.size() - 1);
        while (slots_[i].id != empty && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
        return i;
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.id != empty) slots_[locate(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

}  // namespace tagfield::text
