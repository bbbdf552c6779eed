// ArrowWords: sentences of words in Arrow's buffers into a CellTable, without a Python object for any word.
//
//     rows     0     2    3             [S+1]  where the tokens of each row begin
//     words    0   3   6      10        [T+1]  where the bytes of each word begin
//     bytes    T h e d o g b a r k             UTF-8
//
// A column has these three buffers; a template that reads several columns gets as many of them. They come from files and
// from other programs, and their owner may still write to them. So offsets and words are copied when they are read, and what
// is checked and used is the copy. Offsets of a mapped file may be unaligned. Includes no Python, for libFuzzer.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/cell_table.hpp"
#include "text/errors.hpp"
#include "text/utf8.hpp"

namespace tagfield::text {

// Arrow's offsets: int32 for lists and strings, int64 for large ones.
struct Offsets {
    const char* data = nullptr;
    std::size_t count = 0;
    bool wide = false;

    // i < count
    std::int64_t operator[](std::size_t i) const { return wide ? load<std::int64_t>(i) : load<std::int32_t>(i); }

  private:
    template <class T>
    std::int64_t load(std::size_t i) const {
        T value;
        std::memcpy(&value, data + i * sizeof value, sizeof value);
        return value;
    }
};

struct ArrowColumn {
    std::string name;
    Offsets rows, words;
    std::string_view bytes;
};

class ArrowWords {
  public:
    static constexpr std::size_t chunk = 64;  // sentences whose cells the processor's cache can hold

    // first: the number of the first row, for messages
    ArrowWords(std::vector<ArrowColumn> columns, std::int64_t first) : columns_(std::move(columns)), first_(first) {
        if (columns_.empty()) throw InputError("words need a column");
        for (const ArrowColumn& column : columns_) {
            if (column.rows.count != columns_[0].rows.count || !column.rows.count)
                throw InputError("the columns must have one offset more than rows, and all the same number of rows");
            if (!column.words.count) throw InputError("column " + quote(column.name) + " has no offsets of its words");
        }
    }

    std::size_t size() const { return columns_[0].rows.count - 1; }
    std::size_t width() const { return columns_.size(); }

    // Calls flush() after every `chunk` rows and at the end; it must empty the table. Returns the number of tokens.
    template <class Flush>
    std::size_t read(CellTable& table, const std::string& expected, Flush flush) const {
        if (width() != table.width())
            throw InputError("found " + std::to_string(width()) + (width() == 1 ? " column" : " columns") + " of words, but " +
                             expected + "; name a column of the table for each of them");
        std::size_t tokens = 0;
        std::string word;
        for (std::size_t s = 0; s < size(); ++s) {
            tokens += read_row(table, s, word);
            if ((s + 1) % chunk == 0) flush();
        }
        flush();
        return tokens;
    }

  private:
    struct Range {
        std::int64_t begin, end;
    };

    std::string where(const ArrowColumn& column, std::size_t s) const {
        return "column " + quote(column.name) + ", row " + std::to_string(first_ + static_cast<std::int64_t>(s));
    }
    std::string where(const ArrowColumn& column, std::size_t s, std::int64_t t) const {
        return where(column, s) + ", token " + std::to_string(t);
    }

    // Offsets i and i + 1, if they lie within `size`.
    static bool range_of(const Offsets& offsets, std::size_t i, std::size_t size, Range& found) {
        found = {offsets[i], offsets[i + 1]};
        return found.begin >= 0 && found.begin <= found.end && static_cast<std::uint64_t>(found.end) <= size;
    }

    Range row_of(const ArrowColumn& column, std::size_t s) const {
        Range row;
        if (!range_of(column.rows, s, column.words.count - 1, row))
            throw InputError(where(column, s) + ": the offsets go from " + std::to_string(row.begin) + " to " +
                             std::to_string(row.end) + ", but there are " + std::to_string(column.words.count - 1) +
                             " words; the Arrow data is damaged");
        return row;
    }

    std::size_t read_row(CellTable& table, std::size_t s, std::string& word) const {
        const Range first = row_of(columns_[0], s);
        const std::int64_t length = first.end - first.begin;
        for (std::size_t k = 0; k < width(); ++k) {
            const ArrowColumn& column = columns_[k];
            const Range row = k ? row_of(column, s) : first;
            if (row.end - row.begin != length)
                throw InputError("row " + std::to_string(first_ + static_cast<std::int64_t>(s)) + ": column " +
                                 quote(columns_[0].name) + " has " + std::to_string(length) + " tokens, but column " +
                                 quote(column.name) + " has " + std::to_string(row.end - row.begin));
            for (std::int64_t t = 0; t < length; ++t) {
                read_word(column, s, t, static_cast<std::size_t>(row.begin + t), word);
                table.add(k, word);
            }
        }
        for (std::int64_t t = 0; t < length; ++t) table.end_token();
        table.end_sentence();
        return static_cast<std::size_t>(length);
    }

    void read_word(const ArrowColumn& column, std::size_t s, std::int64_t t, std::size_t at, std::string& word) const {
        Range range;
        if (!range_of(column.words, at, column.bytes.size(), range))
            throw InputError(where(column, s, t) + ": the offsets go from " + std::to_string(range.begin) + " to " +
                             std::to_string(range.end) + ", but there are " + std::to_string(column.bytes.size()) +
                             " bytes of text; the Arrow data is damaged");
        const std::size_t size = static_cast<std::size_t>(range.end - range.begin);
        if (!size) throw InputError(where(column, s, t) + ": the string is empty; leave the token out, or write '_'");
        word.assign(column.bytes.data() + range.begin, size);
        if (utf8_flaw(word) != size) throw InputError(where(column, s, t) + ": the string is not valid UTF-8");
    }

    std::vector<ArrowColumn> columns_;
    std::int64_t first_;
};

}  // namespace tagfield::text
