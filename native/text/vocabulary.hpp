// Vocabulary: a StringTable that its copies share until one of them grows; or 2^B rows that strings are hashed to.
//
//     Vocabulary ─┐                                     Vocabulary ─▶ StringTable, grown
//                 ├─▶ StringTable        add ─▶
//     snapshot ───┘                                     snapshot ───▶ StringTable, as it was
//
// Everything here happens under the interpreter's lock, but for reading a snapshot: its reader may release the
// lock and read on, while others add to the vocabulary. A lock of its own would cost every look-up; this costs a copy
// where someone reads and someone adds at the same time. A snapshot is dropped under the lock as well, so an owner that
// finds itself alone knows that all reading has ended.
//
// With hash bits B the id of a string is the upper B bits of its hash: nothing is stored, nothing grows, every string has
// an id, and some share one. Models keep B, so the hash function (hash.hpp) is part of their format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/string_table.hpp"

namespace tagfield::text {

class Vocabulary {
  public:
    static constexpr std::int32_t absent = StringTable::absent;

    Vocabulary() : table_(std::make_shared<StringTable>()) {}
    explicit Vocabulary(int hash_bits) : Vocabulary() { bits_ = hash_bits; }  // 1 to 30
    explicit Vocabulary(StringTable&& table) : table_(std::make_shared<StringTable>(std::move(table))) {}
    Vocabulary(const Vocabulary&) = default;  // and no moves: they would leave a vocabulary without a table
    Vocabulary& operator=(const Vocabulary&) = default;

    int hash_bits() const { return bits_; }  // 0: strings are stored
    std::size_t size() const { return bits_ ? std::size_t{1} << bits_ : table_->size(); }
    const std::string& bytes() const { return table_->bytes(); }
    const std::vector<std::int64_t>& offsets() const { return table_->offsets(); }

    // A hashed id has no string, so its number stands for it. The view holds until the next call on this thread.
    std::string_view operator[](std::int32_t id) const {
        if (!bits_) return (*table_)[id];
        thread_local std::string name;
        name = "#" + std::to_string(id);
        return name;
    }

    std::int32_t find(const HashedString& key) const { return bits_ ? hashed(key) : table_->find(key); }
    std::int32_t find(std::string_view text) const { return find(HashedString(text)); }
    void find_all(const HashedString* keys, std::size_t n, std::int32_t* ids) const {
        if (bits_)
            hash_all(keys, n, ids);
        else
            table_->find_all(keys, n, ids);
    }

    std::int32_t add(std::string_view text) { return bits_ ? hashed(HashedString(text)) : own().add(text); }
    void add_all(const HashedString* keys, std::size_t n, std::int32_t* ids) {
        if (bits_)
            hash_all(keys, n, ids);
        else
            own().add_all(keys, n, ids);
    }

  private:
    StringTable& own() {
        if (table_.use_count() > 1) table_ = std::make_shared<StringTable>(*table_);
        return *table_;
    }

    std::int32_t hashed(const HashedString& key) const { return static_cast<std::int32_t>(key.hash >> (64 - bits_)); }
    void hash_all(const HashedString* keys, std::size_t n, std::int32_t* ids) const {
        for (std::size_t i = 0; i < n; ++i) ids[i] = hashed(keys[i]);
    }

    std::shared_ptr<StringTable> table_;
    int bits_ = 0;
};

}  // namespace tagfield::text
