// Padding: the cells beyond the ends of a sentence, for each column.
//
//     … before[1] before[0] | first token … last token | after[0] after[1] …
//
// The last entry of a list stands for every position farther away. A template without padding has no lists: its patterns
// are left out where they reach beyond the sentence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "text/cell_table.hpp"
#include "text/errors.hpp"

namespace tagfield::text {

class Padding {
  public:
    using Texts = std::pair<std::vector<std::string>, std::vector<std::string>>;  // before, after

    // texts: one pair for each column of the table, or none at all
    Padding(std::vector<Texts> texts, CellTable& table) : texts_(std::move(texts)) {
        if (texts_.empty()) return;
        if (texts_.size() != table.columns()) throw InputError("the padding needs one entry for each column");
        for (const Texts& each : texts_)
            if (each.first.empty() || each.second.empty())
                throw InputError("the padding of a column needs at least one cell on each side");
    }

    bool on() const { return !texts_.empty(); }

    // Before a batch: makes the texts cells of the columns in use, once.
    void prepare(const std::vector<std::int32_t>& columns, CellTable& table) {
        if (!ids_.empty()) return;
        ids_.resize(texts_.size());
        for (std::size_t i = 0; i < columns.size() && on(); ++i) {
            const auto column = static_cast<std::size_t>(columns[i]);
            StringTable& cells = table.column(column).cells;
            for (const std::string& text : texts_[column].first) ids_[column].before.push_back(cells.add(text));
            for (const std::string& text : texts_[column].second) ids_[column].after.push_back(cells.add(text));
        }
    }

    // Drops the ids, for a table that has dropped its cells.
    void forget() { ids_.clear(); }

    // The cell `distance` positions before the first token, or behind the last one; distance ≥ 1.
    std::int32_t before(std::int32_t column, std::int64_t distance) const {
        return at(ids_[static_cast<std::size_t>(column)].before, distance);
    }
    std::int32_t after(std::int32_t column, std::int64_t distance) const {
        return at(ids_[static_cast<std::size_t>(column)].after, distance);
    }

  private:
    struct Ids {
        std::vector<std::int32_t> before, after;
    };

    static std::int32_t at(const std::vector<std::int32_t>& ids, std::int64_t distance) {
        return ids[std::min(static_cast<std::size_t>(distance), ids.size()) - 1];
    }

    std::vector<Texts> texts_;  // [columns]
    std::vector<Ids> ids_;
};

}  // namespace tagfield::text
