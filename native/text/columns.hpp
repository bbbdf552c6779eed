// ColumnReader: CoNLL columns into a CellTable, and where each sentence stands in its file.
//
//     bytes ─▶ lines ─▶ cells ─▶ CellTable
//
// Runs of spaces and tabs separate cells; a blank line ends a sentence.
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
    throw InputError(at_line(file, line) + "the bytes are not valid UTF-8; name the encoding, "
                     "such as --encoding latin-1, or convert the file to UTF-8");
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

class ColumnReader {
  public:
    // first_line: where the number of columns was counted, for messages
    void read(CellTable& table, std::string_view text, const std::string& file, std::int32_t file_index,
              const std::string& first_line) {
        require_utf8(text, file);
        const char* begin = text.data();
        bool open = false;
        for (std::int64_t number = 1; !text.empty(); ++number) {
            const char* start = text.data();
            std::string_view rest = take_line(text);
            std::string_view cell = take_cell(rest);
            if (cell.empty()) {
                if (open) table.end_sentence();
                open = false;
                continue;
            }
            if (!open) {
                this->file.push_back(file_index);
                line.push_back(number);
                this->begin.push_back(start - begin);
                end.push_back(0);
                open = true;
            }
            std::size_t k = 0;
            for (; !cell.empty(); cell = take_cell(rest), ++k) table.add(k, cell);
            if (k != table.width()) {
                const std::string found = std::to_string(k) + (k == 1 ? " column" : " columns");
                throw InputError(at_line(file, number) + "found " + found + ", but " + first_line + " has " +
                                 std::to_string(table.width()) +
                                 "; give every line the same number of columns, with a blank line between sentences");
            }
            table.end_token();
            end.back() = text.data() - begin;
        }
        if (open) table.end_sentence();
    }

    std::vector<std::int32_t> file;              // [S]  which file
    std::vector<std::int64_t> line, begin, end;  // [S]  first line, from 1; first byte; end of the last line
};

}  // namespace tagfield::text
