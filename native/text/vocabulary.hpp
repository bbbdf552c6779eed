// Vocabulary: a StringTable that its copies share until one of them grows.
//
//     Vocabulary ─┐                                     Vocabulary ─▶ StringTable, grown
//                 ├─▶ StringTable        add ─▶
//     snapshot ───┘                                     snapshot ───▶ StringTable, as it was
//
// Everything here happens under the interpreter's lock, but for reading a snapshot: whoever takes one may let go of the
// lock and read on, while others add to the vocabulary. A lock of its own would cost every look-up; this costs a copy
// where someone reads and someone adds at the same time. A snapshot is dropped under the lock as well, so an owner that
// finds itself alone knows that all reading has ended.
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
    explicit Vocabulary(StringTable&& table) : table_(std::make_shared<StringTable>(std::move(table))) {}
    Vocabulary(const Vocabulary&) = default;  // and no moves: they would leave a vocabulary without a table
    Vocabulary& operator=(const Vocabulary&) = default;

    std::size_t size() const { return table_->size(); }
    const std::string& bytes() const { return table_->bytes(); }
    const std::vector<std::int64_t>& offsets() const { return table_->offsets(); }
    std::string_view operator[](std::int32_t id) const { return (*table_)[id]; }

    std::int32_t find(std::string_view text) const { return table_->find(text); }
    void find_all(const HashedString* keys, std::size_t n, std::int32_t* ids) const { table_->find_all(keys, n, ids); }

    std::int32_t add(std::string_view text) { return own().add(text); }
    void add_all(const HashedString* keys, std::size_t n, std::int32_t* ids) { own().add_all(keys, n, ids); }

  private:
    StringTable& own() {
        if (table_.use_count() > 1) table_ = std::make_shared<StringTable>(*table_);
        return *table_;
    }

    std::shared_ptr<StringTable> table_;
};

}  // namespace tagfield::text
