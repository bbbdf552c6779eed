// ColumnTable: CoNLL columns as ids, one array per column.
//
//     bytes ─▶ lines ─▶ cells ─▶ vocabulary of the column ─▶ ids[column][token]
//
// Runs of spaces and tabs separate cells; a blank line ends a sentence. A column that is not wanted is counted but not
// interned.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/errors.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Takes the next line off `rest`, without its LF or CRLF.
inline std::string_view take_line(std::string_view& rest) {
    const void* feed = std::memchr(rest.data(), '\n', rest.size());
    const std::size_t n = feed ? static_cast<const char*>(feed) - rest.data() : rest.size();
    std::string_view line = rest.substr(0, n);
    rest.remove_prefix(feed ? n + 1 : n);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

// Takes the next cell off `rest`; empty at the end of the line.
inline std::string_view take_cell(std::string_view& rest) {
    std::size_t start = 0, n = rest.size();
    while (start < n && is_blank(rest[start])) ++start;
    std::size_t end = start;
    while (end < n && !is_blank(rest[end])) ++end;
    const std::string_view cell = rest.substr(start, end - start);
    rest.remove_prefix(end);
    return cell;
}

inline void require_utf8(std::string_view text, const std::string& file) {
    const std::size_t flaw = utf8_flaw(text);
    if (flaw == text.size()) return;
    long long line = 1;
    for (std::size_t i = 0; i < flaw; ++i) line += text[i] == '\n';
    throw InputError(at_line(file, line) + "the bytes are not valid UTF-8; convert the file to UTF-8 first");
}

// (line number, number of cells) of the first line that has cells; (0, 0) if no line has.
inline std::pair<long long, std::size_t> first_line(std::string_view text) {
    for (long long line = 1; !text.empty(); ++line) {
        std::string_view rest = take_line(text);
        std::size_t cells = 0;
        while (!take_cell(rest).empty()) ++cells;
        if (cells) return {line, cells};
    }
    return {0, 0};
}

class ColumnTable {
  public:
    struct Column {
        Vocabulary cells;
        std::vector<std::int32_t> ids;  // [T]
    };

    ColumnTable(const std::vector<bool>& wanted, std::string first_line) : first_line_(std::move(first_line)) {
        for (const bool want : wanted) wanted_.push_back(want);
        columns_.resize(wanted_.size());
    }

    void read(std::string_view text, const std::string& file, std::int32_t file_index) {
        require_utf8(text, file);
        const char* begin = text.data();
        bool open = false;
        for (std::int64_t number = 1; !text.empty(); ++number) {
            const char* start = text.data();
            std::string_view rest = take_line(text);
            std::string_view cell = take_cell(rest);
            if (cell.empty()) {
                if (open) end_sentence();
                open = false;
                continue;
            }
            if (!open) {
                file_.push_back(file_index);
                line_.push_back(number);
                begin_.push_back(start - begin);
                end_.push_back(0);
                open = true;
            }
            std::size_t k = 0;
            for (; !cell.empty(); cell = take_cell(rest), ++k)
                if (k < wanted_.size() && wanted_[k]) columns_[k].ids.push_back(columns_[k].cells.add(cell));
            if (k != wanted_.size()) {
                const std::string found = std::to_string(k) + (k == 1 ? " column" : " columns");
                throw InputError(at_line(file, number) + "found " + found + ", but " + first_line_ + " has " +
                                 std::to_string(wanted_.size()) +
                                 "; give every line the same number of columns, with a blank line between sentences");
            }
            ++length_;
            end_.back() = text.data() - begin;
        }
        if (open) end_sentence();
    }

    // Adds a column with strings[i] wherever the base column has cell i; returns its index.
    std::size_t derive(std::size_t base, const std::vector<std::string_view>& strings) {
        const Column& from = column(base);
        if (strings.size() != from.cells.size())
            throw InputError("a derived column needs one string for each different cell");
        Column made;
        std::vector<std::int32_t> id;
        for (const std::string_view text : strings) id.push_back(made.cells.add(text));
        made.ids.reserve(from.ids.size());
        for (const std::int32_t cell : from.ids) made.ids.push_back(id[cell]);
        columns_.push_back(std::move(made));
        return columns_.size() - 1;
    }

    // The label id of each token; new labels join the vocabulary in order of first appearance.
    std::vector<std::int32_t> labels(std::size_t k, Vocabulary& names) {
        const Column& from = column(k);
        std::vector<std::int32_t> id, made;
        for (std::size_t cell = 0; cell < from.cells.size(); ++cell)
            id.push_back(names.add(from.cells[static_cast<std::int32_t>(cell)]));
        made.reserve(from.ids.size());
        for (const std::int32_t cell : from.ids) made.push_back(id[cell]);
        return made;
    }

    Column& column(std::size_t k) {
        if (k >= columns_.size()) throw InputError("there is no column " + std::to_string(k));
        return columns_[k];
    }

    const std::vector<std::int64_t>& tokens() const { return tokens_; }  // [S+1]
    const std::vector<std::int32_t>& file() const { return file_; }      // [S]  which file
    const std::vector<std::int64_t>& line() const { return line_; }      // [S]  first line, from 1
    const std::vector<std::int64_t>& begin() const { return begin_; }      // [S]  first byte
    const std::vector<std::int64_t>& end() const { return end_; }          // [S]  end of the last line

  private:
    void end_sentence() { tokens_.push_back(length_); }

    std::string first_line_;
    std::vector<char> wanted_;
    std::vector<Column> columns_;
    std::int64_t length_ = 0;
    std::vector<std::int64_t> tokens_{0}, line_, begin_, end_;
    std::vector<std::int32_t> file_;
};

}  // namespace tagfield::text
