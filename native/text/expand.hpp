// Templates over a CellTable → attribute ids, sentence by sentence.
//
// A pattern is  piece₀ cell₁ piece₁ cell₂ piece₂ …  where a cell is the column's text at position t + offset. A cell that
// is nothing leaves the pattern out; cells of many values give an attribute for every combination. The same cells come
// again and again, so the strings of a pattern are built only for the first occurrence of its cells; later its ids come
// from its PatternCache.
//
// Patterns of one cell at the same row that come from the same column (w, w.lower, w.suffix3, …) form a group: for each
// cell of that column, a row of their ids, which is filled once all are known. Most lookups end there.
//
// A sentence takes three rounds: read rows and arrays, and prefetch the slots of the maps, which are larger than the
// processor's caches; read those ids and build the strings that are new; look those up together. Each pattern has its
// place at each token, so the order in which patterns are read does not show. The caches outlive the batch; they are made
// anew when a column has outgrown its keys, and for another vocabulary.
//
// Patterns of transitions take the same path, from the second token on: there is no transition into the first one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "text/cell_table.hpp"
#include "text/dataset_builder.hpp"
#include "text/new_strings.hpp"
#include "text/padding.hpp"
#include "text/pattern_cache.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

class TemplateExpander {
  public:
    // start: the first token that gets attributes; ends: __BOS__ on the first token, __EOS__ on the last
    TemplateExpander(CellTable& table, std::vector<Pattern> patterns, Padding padding, bool ends, std::int64_t start = 0)
        : table_(table), padding_(std::move(padding)), ends_(ends), start_(start), stride_(patterns.size() + 2 * ends) {
        for (Pattern& pattern : patterns) patterns_.emplace_back(std::move(pattern), table);
        make_groups();
    }
    TemplateExpander(const TemplateExpander&) = delete;

    // A frozen vocabulary does not grow: attributes that it lacks are left out.
    template <class Sink>
    void run(Vocabulary& attributes, bool frozen, Sink& dataset) {
        prepare(attributes, frozen);
        const auto& tokens = table_.tokens();
        if (dataset.tokens.size() == 1)
            dataset.reserve(tokens.size() - 1, static_cast<std::size_t>(tokens.back()) * (patterns_.size() + ends_));
        Sentence sentence;
        for (std::size_t s = 0; s + 1 < tokens.size(); ++s) {
            first_ = tokens[s];
            T_ = tokens[s + 1] - tokens[s];
            read_cached();
            read_maps();
            add_new(attributes, frozen);
            copy_found(sentence);
            dataset.add(sentence);
        }
        known_attributes_ = attributes.size();
    }

    // Drops every cached id.
    void forget() {
        for (PatternCache& cached : patterns_) cached.forget();
        for (Group& group : groups_) group.rows.clear();
        bos_.forget();
        eos_.forget();
        padding_.forget();
        lists_.clear();
        list_ids_.clear();
        absences_ = false;
    }

    // How many ids are cached.
    std::size_t size() const {
        std::size_t sum = lists_.size() + list_ids_.size();
        for (const PatternCache& cached : patterns_) sum += cached.size();
        for (const Group& group : groups_) sum += group.rows.size();
        return sum;
    }

  private:
    static constexpr std::int32_t first_list = KeyMap::empty - 1;  // stands for lists_[0], the next lower for lists_[1]

    // Patterns of one cell that the cell of `root` at one row decides.
    struct Group {
        std::size_t root;
        std::int32_t offset;
        std::vector<std::size_t> patterns;
        std::vector<std::int32_t> rows;  // [cells of root, patterns]; a row that is not filled begins with `empty`
    };
    struct Lookup {
        PatternCache* cached;
        std::uint64_t key;
        std::int64_t t;
        std::size_t place;  // in ids_
    };

    void make_groups() {
        std::map<std::pair<std::size_t, std::int32_t>, std::size_t> number;
        for (std::size_t p = 0; p < patterns_.size(); ++p) {
            const auto& cells = patterns_[p].pattern.cells;
            for (const auto& cell : cells) columns_.push_back(cell.second);
            if (cells.size() != 1) {
                rest_.push_back(p);
                continue;
            }
            const std::size_t root = table_.root(static_cast<std::size_t>(cells[0].second));
            const auto [at, fresh] = number.try_emplace({root, cells[0].first}, groups_.size());
            if (fresh) groups_.push_back({root, cells[0].first, {}, {}});
            groups_[at->second].patterns.push_back(p);
        }
        std::sort(columns_.begin(), columns_.end());
        columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    }

    // Before a batch: every column has its ids, and every cache has room for them.
    void prepare(const Vocabulary& attributes, bool frozen) {
        if (absences_ && (!frozen || attributes.size() != known_attributes_)) forget();
        padding_.prepare(columns_, table_);
        const auto T = static_cast<std::uint64_t>(table_.tokens().back());
        const std::uint64_t limit = std::max<std::uint64_t>(1 << 12, 2 * T);
        for (PatternCache& cached : patterns_) cached.prepare(table_, limit);
        bos_.prepare(table_, limit);
        eos_.prepare(table_, limit);
        for (Group& group : groups_) {
            const std::size_t needed = table_.read_column(group.root).cells.size() * group.patterns.size();
            if (group.rows.size() < needed) group.rows.resize(needed + needed / 2, KeyMap::empty);
        }
    }

    // The id of cell k of a pattern at position t.
    std::int32_t id_at(const PatternCache& cached, std::size_t k, std::int64_t t) const {
        const auto& [offset, column] = cached.pattern.cells[k];
        const std::int64_t at = t + offset;
        if (at < 0) return padding_.before(column, -at);
        if (at >= T_) return padding_.after(column, at - T_ + 1);
        return cached.ids[k][first_ + at];
    }

    // Round 1: the ids in rows and arrays. `pending_` holds the lookups that are not answered yet, by place.
    void read_cached() {
        pending_.clear();
        missed_.clear();
        ids_.assign(static_cast<std::size_t>(T_) * stride_, Vocabulary::absent);  // where a pattern is left out
        for (std::int64_t t = start_; t < T_; ++t)
            for (const std::size_t p : rest_) read_pattern(p, t, pending_);
        for (Group& group : groups_) read_group(group);
        if (ends_ && T_) {
            read_end(bos_, 0, stride_ - 2);
            read_end(eos_, T_ - 1, static_cast<std::size_t>(T_) * stride_ - 1);
        }
        if (missed_.empty()) return;
        const auto earlier = [](const Lookup& a, const Lookup& b) { return a.place < b.place; };
        std::sort(missed_.begin(), missed_.end(), earlier);
        merged_.resize(pending_.size() + missed_.size());
        std::merge(pending_.begin(), pending_.end(), missed_.begin(), missed_.end(), merged_.begin(), earlier);
        pending_.swap(merged_);
    }

    void read_pattern(std::size_t p, std::int64_t t, std::vector<Lookup>& unanswered) {
        PatternCache& cached = patterns_[p];
        if (!padding_.on() && (t + cached.low < 0 || t + cached.high >= T_)) return;
        std::uint64_t key = 0;
        for (std::size_t k = 0; k < cached.ids.size(); ++k) {
            const std::int32_t id = id_at(cached, k, t);
            if (id == Column::nothing) return;
            key = cached.extend(key, k, id);
        }
        const std::size_t place = static_cast<std::size_t>(t) * stride_ + p;
        if (cached.in_map()) {
            cached.prefetch(key);
            unanswered.push_back({&cached, key, t, place});
            return;
        }
        ids_[place] = cached.find_in_array(key);
        if (ids_[place] == KeyMap::empty) unanswered.push_back({&cached, key, t, place});
    }

    void read_end(PatternCache& end, std::int64_t t, std::size_t place) {
        ids_[place] = end.find_in_array(0);
        if (ids_[place] == KeyMap::empty) missed_.push_back({&end, 0, t, place});
    }

    void read_group(Group& group) {
        const std::size_t width = group.patterns.size();
        const std::int32_t* const cells = table_.column(group.root).ids.data() + first_;
        for (std::int64_t t = start_; t < T_; ++t) {
            const std::int64_t at = t + group.offset;
            if (at < 0 || at >= T_) {
                if (padding_.on())
                    for (const std::size_t p : group.patterns) read_pattern(p, t, missed_);
                continue;
            }
            if (cells[at] == Column::nothing) continue;
            const std::int32_t* row = group.rows.data() + static_cast<std::size_t>(cells[at]) * width;
            if (row[0] == KeyMap::empty && !fill_row(group, cells[at], t)) continue;
            std::int32_t* const out = ids_.data() + static_cast<std::size_t>(t) * stride_;
            for (std::size_t j = 0; j < width; ++j) out[group.patterns[j]] = row[j];
        }
    }

    // Reads the patterns of a group one by one; if all ids are known, they become the row of the cell.
    bool fill_row(Group& group, std::int32_t cell, std::int64_t t) {
        const std::size_t before = missed_.size();
        for (const std::size_t p : group.patterns) read_pattern(p, t, missed_);
        if (missed_.size() > before) return false;
        std::int32_t* row = group.rows.data() + static_cast<std::size_t>(cell) * group.patterns.size();
        for (const std::size_t p : group.patterns) *row++ = ids_[static_cast<std::size_t>(t) * stride_ + p];
        return true;
    }

    // Round 2: the ids in maps, and the strings of those that are not cached, which `pending_` keeps.
    void read_maps() {
        new_.clear();
        std::size_t kept = 0;
        for (const Lookup& lookup : pending_) {
            const PatternCache& cached = *lookup.cached;
            if (cached.in_map()) {
                ids_[lookup.place] = cached.find(lookup.key);
                if (ids_[lookup.place] != KeyMap::empty) continue;
            }
            cells_.clear();
            for (std::size_t k = 0; k < cached.ids.size(); ++k) {
                const auto column = static_cast<std::size_t>(cached.pattern.cells[k].second);
                cells_.push_back(table_.column(column).cells[id_at(cached, k, lookup.t)]);
            }
            new_.add(cached.pattern, cells_, cached.many);
            pending_[kept++] = lookup;
        }
        pending_.resize(kept);
    }

    // Round 3: new strings get their ids in order of appearance, and go into the cache.
    void add_new(Vocabulary& attributes, bool frozen) {
        new_.resolve(attributes, frozen);
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const Lookup& lookup = pending_[i];
            const std::int32_t id = lookup.cached->many ? make_list(i) : *new_.begin(i);
            absences_ = absences_ || id == Vocabulary::absent;
            ids_[lookup.place] = id;
            lookup.cached->set(lookup.key, id);
        }
    }

    // A list of the ids of new lookup i that are there; what stands for it in the caches is below `empty`.
    std::int32_t make_list(std::size_t i) {
        if (lists_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) - 4)
            throw InputError("the patterns have more than 2^31 combinations of cells with several values");
        const std::size_t start = list_ids_.size();
        for (const std::int32_t* id = new_.begin(i); id != new_.end(i); ++id) {
            if (*id == Vocabulary::absent)
                absences_ = true;
            else
                list_ids_.push_back(*id);
        }
        lists_.push_back({start, list_ids_.size()});
        return first_list - static_cast<std::int32_t>(lists_.size() - 1);
    }

    // The ids of the sentence: without those that are absent, and with the ids of lists.
    void copy_found(Sentence& sentence) {
        sentence.clear();
        sentence.ids.resize(ids_.size());
        std::int32_t* out = sentence.ids.data();
        std::size_t i = 0;
        for (std::int64_t t = 0; t < T_; ++t) {
            for (const std::size_t stop = i + stride_; i < stop; ++i) {
                if (ids_[i] > first_list) {
                    *out = ids_[i];
                    out += ids_[i] >= 0;
                    continue;
                }
                const auto& [from, to] = lists_[static_cast<std::size_t>(first_list - ids_[i])];
                const auto used = static_cast<std::size_t>(out - sentence.ids.data());
                sentence.ids.resize(used + (to - from) + (ids_.size() - i));
                out = std::copy(list_ids_.begin() + static_cast<std::ptrdiff_t>(from),
                                list_ids_.begin() + static_cast<std::ptrdiff_t>(to), sentence.ids.data() + used);
            }
            sentence.ends.push_back(out - sentence.ids.data());
        }
        sentence.ids.resize(static_cast<std::size_t>(out - sentence.ids.data()));
    }

    CellTable& table_;
    Padding padding_;
    bool ends_;
    std::int64_t start_;
    std::size_t stride_;  // places for each token: one for each pattern, and two for the ends
    std::vector<PatternCache> patterns_;
    PatternCache bos_{Pattern{{"__BOS__"}, {}}, table_}, eos_{Pattern{{"__EOS__"}, {}}, table_};
    std::vector<Group> groups_;
    std::vector<std::size_t> rest_;                           // patterns that are in no group
    std::vector<std::int32_t> columns_;                       // that a pattern reads
    std::vector<std::pair<std::size_t, std::size_t>> lists_;  // number → its ids in list_ids_
    std::vector<std::int32_t> list_ids_;
    bool absences_ = false;             // whether a string was cached that the vocabulary lacks
    std::size_t known_attributes_ = 0;  // size of the vocabulary after the last batch

    std::int64_t first_ = 0, T_ = 0;                 // of the sentence: its first token, and its length
    std::vector<std::int32_t> ids_;                  // [T, stride]
    std::vector<Lookup> pending_, missed_, merged_;  // the last two for read_cached
    std::vector<std::string_view> cells_;            // of one pattern at one token
    NewStrings new_;
};

}  // namespace tagfield::text
