// StringTable: strings ⇄ ids 0, 1, 2, … in order of first appearance.
//
//     table slot {bits, id} ─▶ offsets[id] .. offsets[id+1] ─▶ bytes
//
// Open addressing with linear probing. A slot holds 32 hash bits besides the id. The low bits give the slot's home, so
// the table grows without reading a string; the others reject nearly every other string without reading its bytes. Many
// strings are looked up in blocks, with each memory access prefetched one step ahead. Threads may call find at the same
// time, as long as none calls add.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "text/errors.hpp"
#include "text/hash.hpp"
#include "text/utf8.hpp"

namespace tagfield::text {

struct HashedString {
    const char* data;
    std::size_t size;
    std::uint64_t hash;

    HashedString(const char* data, std::size_t size) : data(data), size(size), hash(hash_bytes(data, size)) {}
    explicit HashedString(std::string_view text) : HashedString(text.data(), text.size()) {}
};

class StringTable {
  public:
    static constexpr std::int32_t absent = -1;

    StringTable() : table_(16), offsets_{0} {}

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
        std::size_t capacity = table_.size();
        while (capacity < 2 * strings) capacity *= 2;
        if (capacity > table_.size()) grow(capacity);
    }

    std::int32_t find(const HashedString& key) const {
        const std::uint32_t bits = bits_of(key.hash);
        for (std::size_t i = bits & mask();; i = (i + 1) & mask()) {
            const Slot slot = table_[i];
            if (slot.id == absent) return absent;
            if (slot.bits == bits && equals(slot.id, key)) return slot.id;
        }
    }
    std::int32_t find(std::string_view text) const { return find(HashedString(text)); }

    std::int32_t add(const HashedString& key) {
        const std::uint32_t bits = bits_of(key.hash);
        std::size_t i = bits & mask();
        for (;; i = (i + 1) & mask()) {
            const Slot slot = table_[i];
            if (slot.id == absent) break;
            if (slot.bits == bits && equals(slot.id, key)) return slot.id;
        }
        if (size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) - 1)
            throw InputError("a vocabulary must have fewer than 2^31 - 1 strings");
        const auto id = static_cast<std::int32_t>(size());
        bytes_.append(key.data, key.size);
        offsets_.push_back(static_cast<std::int64_t>(bytes_.size()));
        table_[i] = {bits, id};
        if (2 * size() > table_.size()) grow(2 * table_.size());
        return id;
    }
    std::int32_t add(std::string_view text) { return add(HashedString(text)); }

    void find_all(const HashedString* keys, std::size_t n, std::int32_t* ids) const {
        for (std::size_t i = 0; i < n; i += block) find_block(keys + i, n - i < block ? n - i : block, ids + i);
    }

    void add_all(const HashedString* keys, std::size_t n, std::int32_t* ids) {
        for (std::size_t start = 0; start < n; start += block) {
            const std::size_t stop = n - start < block ? n : start + block;
            for (std::size_t i = start; i < stop; ++i) __builtin_prefetch(&table_[bits_of(keys[i].hash) & mask()]);
            for (std::size_t i = start; i < stop; ++i) ids[i] = add(keys[i]);
        }
    }

  private:
    struct Slot {
        std::uint32_t bits = 0;
        std::int32_t id = absent;
    };
    static constexpr std::size_t block = 64;

    bool equals(std::int32_t id, const HashedString& key) const {
        const std::int64_t start = offsets_[id];
        return static_cast<std::size_t>(offsets_[id + 1] - start) == key.size &&
               same_bytes(bytes_.data() + start, key.data, key.size);
    }
    std::size_t mask() const { return table_.size() - 1; }
    static std::uint32_t bits_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

    // Four short loops (slot, offset, bytes, comparison), so that the memory accesses of a block overlap.
    void find_block(const HashedString* keys, std::size_t n, std::int32_t* ids) const {
        for (std::size_t i = 0; i < n; ++i) __builtin_prefetch(&table_[bits_of(keys[i].hash) & mask()]);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t bits = bits_of(keys[i].hash);
            std::size_t at = bits & mask();
            while (table_[at].id != absent && table_[at].bits != bits) at = (at + 1) & mask();
            ids[i] = table_[at].id;
            if (ids[i] != absent) __builtin_prefetch(&offsets_[ids[i]]);
        }
        for (std::size_t i = 0; i < n; ++i)
            if (ids[i] != absent) __builtin_prefetch(bytes_.data() + offsets_[ids[i]]);
        for (std::size_t i = 0; i < n; ++i)
            if (ids[i] != absent && !equals(ids[i], keys[i]))
                ids[i] = find(keys[i]);
    }

    void grow(std::size_t capacity) {
        std::vector<Slot> old(capacity);
        old.swap(table_);
        for (const Slot slot : old) {
            if (slot.id == absent) continue;
            std::size_t i = slot.bits & mask();
            while (table_[i].id != absent) i = (i + 1) & mask();
            table_[i] = slot;
        }
    }

    std::vector<Slot> table_;
    std::string bytes_;
    std::vector<std::int64_t> offsets_;
};

}  // namespace tagfield::text
