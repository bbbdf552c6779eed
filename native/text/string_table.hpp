// StringTable: strings ⇄ ids 0, 1, 2, … in order of first appearance.
//
//     slot {bits, id} ─▶ offsets[id] .. offsets[id+1] ─▶ bytes
//
// Open addressing with linear probing. A slot holds 32 hash bits besides the id. The low bits give the slot's home, so
// a table grows without reading a string; the others reject nearly every other string without reading its bytes. Many
// strings are looked up in blocks, with each memory access prefetched one step ahead. Threads may call find at the same
// time, as long as none calls add.
//
// The first strings have a table of their own, `near_`. They are the frequent ones: of the attributes of a text, four in five
// are among the first 16,384 that training met. Their slots stay in the processor's cache, where those of one large table
// lie each in a cache line with seven slots of rare strings (frequent_strings.hpp).
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "prefetch.hpp"
#include "text/errors.hpp"
#include "text/frequent_strings.hpp"
#include "text/hash.hpp"
#include "text/utf8.hpp"

namespace tagfield::text {

struct HashedString {
    const char* data;
    std::size_t size;
    std::uint64_t hash;

    HashedString() {}  // of no string yet
    __attribute__((always_inline)) HashedString(const char* data, std::size_t size) : data(data), size(size), hash(hash_bytes(data, size)) {}
    explicit HashedString(std::string_view text) : HashedString(text.data(), text.size()) {}
};

class StringTable {
  public:
    static constexpr std::int32_t absent = -1;

    StringTable() : offsets_{0} {}

    // Copies checked arrays. bytes[offsets[i] .. offsets[i+1]] is string i.
    template <class OffsetAt>
    static StringTable from_arrays(std::string_view bytes, std::size_t n_offsets, OffsetAt offset_at) {
        if (n_offsets == 0 || offset_at(0) != 0) throw InputError("vocabulary offsets must start with 0");
        if (n_offsets - 1 >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            throw InputError("a vocabulary must have fewer than 2^31 - 1 strings");
        std::int64_t before = 0;
        for (std::size_t i = 1; i < n_offsets; ++i) {
            const std::int64_t next = offset_at(i);
            if (next < before || static_cast<std::uint64_t>(next) > bytes.size())
                throw InputError("vocabulary offset " + std::to_string(i) + " is " + std::to_string(next) +
                                 "; it must lie between the previous one and the " + std::to_string(bytes.size()) +
                                 " bytes of text");
            before = next;
        }
        if (static_cast<std::uint64_t>(before) != bytes.size())
            throw InputError("vocabulary text has " + std::to_string(bytes.size()) + " bytes, but its offsets end at " +
                             std::to_string(before));
        StringTable made;
        made.reserve(n_offsets - 1, bytes.size());
        for (std::size_t i = 0; i + 1 < n_offsets; ++i) {
            const std::string_view text = bytes.substr(offset_at(i), offset_at(i + 1) - offset_at(i));
            if (utf8_flaw(text) != text.size())
                throw InputError("vocabulary string " + std::to_string(i) + " is not valid UTF-8");
            if (static_cast<std::size_t>(made.add(text)) != i)
                throw InputError("vocabulary string " + std::to_string(i) + " occurs twice");
        }
        return made;
    }

    std::size_t size() const { return offsets_.size() - 1; }
    const std::string& bytes() const { return bytes_; }
    const std::vector<std::int64_t>& offsets() const { return offsets_; }

    std::string_view operator[](std::int32_t id) const {
        return {bytes_.data() + offsets_[id], static_cast<std::size_t>(offsets_[id + 1] - offsets_[id])};
    }

    void reserve(std::size_t strings, std::size_t bytes) {
        bytes_.reserve(bytes);
        offsets_.reserve(strings + 1);
        far_.reserve(strings);
    }

    std::int32_t find(const HashedString& key) const {
        const std::int32_t id = near_.likely(bits_of(key.hash));
        return id != absent && equals(id, key) ? id : far_[place(key)].id;
    }
    std::int32_t find(std::string_view text) const { return find(HashedString(text)); }

    std::int32_t add(const HashedString& key) {
        const std::int32_t near = near_.likely(bits_of(key.hash));
        if (near != absent && equals(near, key)) return near;
        const std::size_t in_far = place(key);
        if (far_[in_far].id != absent) return far_[in_far].id;
        if (size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) - 1)
            throw InputError("a vocabulary must have fewer than 2^31 - 1 strings");
        const auto id = static_cast<std::int32_t>(size());
        bytes_.append(key.data, key.size);
        offsets_.push_back(static_cast<std::int64_t>(bytes_.size()));
        if (near != absent || !near_.keep(bits_of(key.hash), id)) far_.fill(in_far, {bits_of(key.hash), id});
        return id;
    }
    std::int32_t add(std::string_view text) { return add(HashedString(text)); }

    void find_all(const HashedString* keys, std::size_t n, std::int32_t* ids) const {
        for (std::size_t i = 0; i < n; i += block) find_block(keys + i, n - i < block ? n - i : block, ids + i);
    }

    void add_all(const HashedString* keys, std::size_t n, std::int32_t* ids) {
        for (std::size_t start = 0; start < n; start += block) {
            const std::size_t stop = n - start < block ? n : start + block;
            for (std::size_t i = start; i < stop; ++i) far_.prefetch(bits_of(keys[i].hash));
            for (std::size_t i = start; i < stop; ++i) ids[i] = add(keys[i]);
        }
    }

  private:
    struct Slot {
        std::uint32_t bits = 0;
        std::int32_t id = absent;
    };

    class Slots {
      public:
        const Slot& operator[](std::size_t i) const { return slots_[i]; }
        std::size_t home(std::uint32_t bits) const { return bits & (slots_.size() - 1); }
        std::size_t after(std::size_t i) const { return (i + 1) & (slots_.size() - 1); }
        void prefetch(std::uint32_t bits) const { tagfield::prefetch(&slots_[home(bits)]); }

        // The slot with these bits, which is most likely the string's, or the empty one where the search ends.
        Slot likely(std::uint32_t bits) const {
            std::size_t i = home(bits);
            while (slots_[i].id != absent && slots_[i].bits != bits) i = after(i);
            return slots_[i];
        }
        void fill(std::size_t i, Slot slot) {
            slots_[i] = slot;
            if (2 * ++used_ > slots_.size()) grow(2 * slots_.size());
        }
        void reserve(std::size_t strings) {
            std::size_t capacity = slots_.size();
            while (capacity < 2 * strings) capacity *= 2;
            if (capacity > slots_.size()) grow(capacity);
        }

      private:
        void grow(std::size_t capacity) {
            std::vector<Slot> old(capacity);
            old.swap(slots_);
            for (const Slot slot : old) {
                if (slot.id == absent) continue;
                std::size_t i = home(slot.bits);
                while (slots_[i].id != absent) i = after(i);
                slots_[i] = slot;
            }
        }

        std::vector<Slot> slots_ = std::vector<Slot>(16);
        std::size_t used_ = 0;
    };
    static constexpr std::size_t block = 512;

    bool equals(std::int32_t id, const HashedString& key) const {
        const std::int64_t start = offsets_[id];
        return static_cast<std::size_t>(offsets_[id + 1] - start) == key.size &&
               same_bytes(bytes_.data() + start, key.data, key.size);
    }
    static std::uint32_t bits_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

    // The far slot of a string, or the empty one where it would be.
    std::size_t place(const HashedString& key) const {
        const std::uint32_t bits = bits_of(key.hash);
        std::size_t i = far_.home(bits);
        while (far_[i].id != absent && !(far_[i].bits == bits && equals(far_[i].id, key))) i = far_.after(i);
        return i;
    }

    // Short loops (near slot, far slot, offset, bytes, comparison), so that the memory accesses of a block overlap.
    void find_block(const HashedString* keys, std::size_t n, std::int32_t* ids) const {
        std::uint16_t rare[block];
        std::size_t rares = 0;
        for (std::size_t i = 0; i < n; ++i) {
            ids[i] = near_.likely(bits_of(keys[i].hash));
            rare[rares] = static_cast<std::uint16_t>(i);
            rares += ids[i] == absent;
        }
        for (std::size_t k = 0; k < rares; ++k) far_.prefetch(bits_of(keys[rare[k]].hash));
        for (std::size_t k = 0; k < rares; ++k) {
            const std::size_t i = rare[k];
            ids[i] = far_.likely(bits_of(keys[i].hash)).id;
            if (ids[i] != absent) tagfield::prefetch(&offsets_[ids[i]]);
        }
        for (std::size_t k = 0; k < rares; ++k)
            if (ids[rare[k]] != absent) tagfield::prefetch(bytes_.data() + offsets_[ids[rare[k]]]);
        for (std::size_t i = 0; i < n; ++i)
            if (ids[i] != absent && !equals(ids[i], keys[i])) ids[i] = find(keys[i]);
    }

    FrequentStrings near_;
    Slots far_;  // of all others
    std::string bytes_;
    std::vector<std::int64_t> offsets_;
};

}  // namespace tagfield::text
