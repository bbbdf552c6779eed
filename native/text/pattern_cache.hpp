// PatternCache: one pattern, and the attribute ids of the combinations of cells that it has met.
//
//     few combinations of cells   an array indexed by all of them            (words, tags, pairs and triples of tags)
//     many                        a hash map keyed by their packed bits      (pairs of words)
//
// Both keys are exact: a number with one digit for each cell, whose base is the number of cells of its column. If that does
// not fit into 64 bits, the digits so far are first replaced by a number of their own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "text/cell_table.hpp"
#include "text/errors.hpp"
#include "text/key_map.hpp"

namespace tagfield::text {

struct Pattern {
    std::vector<std::string> pieces;                           // one more than cells
    std::vector<std::pair<std::int32_t, std::int32_t>> cells;  // (offset, column)
    bool until_nul = false;                                    // whether a NUL ends the string, as in C
};

class PatternCache {
  public:
    static constexpr std::int32_t reach = 4096;  // |offset| at most

    Pattern pattern;
    std::int32_t low = 0, high = 0;        // smallest and largest offset, and 0
    bool many = false;                     // whether a cell may have several values; then ids stand for lists
    std::vector<const std::int32_t*> ids;  // of the batch, for each cell: the ids of its whole column

    PatternCache(Pattern made, CellTable& table) : pattern(std::move(made)) {
        if (pattern.pieces.size() != pattern.cells.size() + 1)
            throw InputError("a pattern must have one piece of text more than cells");
        for (const auto& [offset, column] : pattern.cells) {
            if (offset < -reach || offset > reach)
                throw InputError("a template may read at most " + std::to_string(reach) + " positions away");
            many = many || table.column(static_cast<std::size_t>(column)).many;
            low = std::min(low, offset);
            high = std::max(high, offset);
        }
    }

    // Before a batch: points at the columns, and makes room for keys of all their cells. The first batch gets a cache that
    // fits it exactly. A later one that does not fit doubles it, so that batches of one sentence do not make it anew each
    // time.
    void prepare(CellTable& table, std::uint64_t limit) {
        ids.clear();
        std::vector<std::uint64_t>& cells = scratch_;
        cells.clear();
        for (const auto& [offset, column] : pattern.cells) {
            const Column& read = table.read_column(static_cast<std::size_t>(column));
            ids.push_back(read.ids.data());
            cells.push_back(std::max<std::uint64_t>(1, read.cells.size()));
        }
        const bool first = width_.empty() && direct_.empty();
        bool fits = !first;
        for (std::size_t k = 0; k < cells.size() && fits; ++k) fits = cells[k] <= width_[k];
        if (!fits) make_room(cells, first, limit);
    }

    bool in_array() const { return !direct_.empty(); }
    bool in_map() const { return direct_.empty(); }

    // The key with one more cell; start with 0 and cell 0.
    std::uint64_t extend(std::uint64_t key, std::size_t k, std::int32_t id) {
        if (full_[k]) key = number_of(maps_[k], key);
        return key * width_[k] + static_cast<std::uint64_t>(id);
    }

    std::int32_t find(std::uint64_t key) const { return in_array() ? direct_[key] : maps_.back().find(key); }
    std::int32_t find_in_array(std::uint64_t key) const { return direct_[key]; }
    void prefetch(std::uint64_t key) const { maps_.back().prefetch(key); }
    void set(std::uint64_t key, std::int32_t id) {
        if (in_array())
            direct_[key] = id;
        else
            maps_.back().set(key, id);
    }

    void forget() {
        width_.clear();
        full_.clear();
        direct_.clear();
        maps_.clear();
    }

    // How many ids are cached.
    std::size_t size() const {
        std::size_t sum = direct_.size();
        for (const KeyMap& map : maps_) sum += map.size();
        return sum;
    }

  private:
    void make_room(const std::vector<std::uint64_t>& cells, bool first, std::uint64_t limit) {
        const std::size_t n = cells.size();
        width_.resize(n, 0);
        std::uint64_t combinations = 1, range = 1;  // key < range
        full_.assign(n, false);
        for (std::size_t k = 0; k < n; ++k) {
            if (cells[k] > width_[k]) width_[k] = first ? cells[k] : 2 * cells[k];
            combinations = combinations > limit ? combinations : combinations * width_[k];
            full_[k] = range > UINT64_MAX / width_[k];
            range = (full_[k] ? std::uint64_t{1} << 31 : range) * width_[k];
        }
        if (n == 1) {  // the key is the cell's id, so what is cached stays
            direct_.resize(width_[0], KeyMap::empty);
            return;
        }
        direct_.clear();
        maps_.clear();
        if (combinations <= limit)
            direct_.assign(combinations, KeyMap::empty);
        else
            maps_.resize(n + 1);
    }

    static std::uint64_t number_of(KeyMap& prefixes, std::uint64_t key) {
        std::int32_t number = prefixes.find(key);
        if (number == KeyMap::empty) {
            if (prefixes.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                throw InputError("a pattern has more than 2^31 combinations of cells; use fewer cells");
            number = static_cast<std::int32_t>(prefixes.size());
            prefixes.set(key, number);
        }
        return static_cast<std::uint64_t>(number);
    }

    std::vector<std::uint64_t> width_;  // a bound of the ids of each cell's column; empty before the first use
    std::vector<char> full_;            // whether the key must be replaced by a number before cell k
    std::vector<std::int32_t> direct_;  // cache for few combinations; empty if maps_ is used
    std::vector<KeyMap> maps_;          // the last one is the cache; maps_[k] numbers the first k cells
    std::vector<std::uint64_t> scratch_;
};

}  // namespace tagfield::text
