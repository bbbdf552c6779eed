// Templates over a CellTable → attribute ids, sentence by sentence.
//
// A pattern is  piece₀ cell₁ piece₁ cell₂ piece₂ …  where a cell is the column's text at position t + offset. A cell that
// is nothing leaves the pattern out; cells of many values give an attribute for every combination. The same cells come
// again and again, so the strings of a pattern are built only for the first occurrence of its cells; later its ids come
// from a cache keyed by the cells' ids:
//
//     few combinations of cells   an array indexed by all of them            (words, tags, pairs and triples of tags)
//     many                        a hash map keyed by their packed bits      (pairs of words)
//
// Patterns of one cell at the same row that come from the same column (w, w.lower, w.suffix3, …) form a group: for each
// cell of that column, a row of their ids, which is filled once all are known. Most lookups end there.
//
// Both keys are exact. If the bits do not fit into 64, the cells so far are first replaced by a number of their own.
// A sentence takes three rounds: read rows and arrays, and prefetch the slots of the maps, which are larger than the
// processor's caches; read those ids and build the strings that are new; look those up together. Each pattern has its
// place at each token, so the order in which patterns are read does not show. The caches outlive the batch; they are made
// anew when a column has outgrown its keys, and for another vocabulary.
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
#include "text/hash.hpp"
#include "text/key_map.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

struct Pattern {
    std::vector<std::string> pieces;                           // one more than cells
    std::vector<std::pair<std::int32_t, std::int32_t>> cells;  // (offset, column)
};

class TemplateExpander {
  public:
    static constexpr std::int32_t reach = 4096;             // |offset| at most
    static constexpr std::size_t most_combinations = 4096;  // of many values, in one pattern at one token

    TemplateExpander(CellTable& table, std::vector<Pattern> patterns, bool padding, bool edges)
        : table_(table), padding_(padding), edges_(edges) {
        for (Pattern& pattern : patterns) patterns_.emplace_back(std::move(pattern));
        for (CachedPattern& cached : patterns_) check(cached);
        make_groups();
    }
    TemplateExpander(const TemplateExpander&) = delete;

    // A frozen vocabulary does not grow: attributes that it lacks are left out.
    void run(Vocabulary& attributes, bool frozen, DatasetBuilder& dataset) {
        prepare(attributes);
        const auto& tokens = table_.tokens();
        if (dataset.tokens.size() == 1)
            dataset.reserve(tokens.size() - 1, static_cast<std::size_t>(tokens.back()) * (patterns_.size() + edges_));
        Sentence sentence;
        for (std::size_t s = 0; s + 1 < tokens.size(); ++s) {
            sentence.clear();
            clear_round();
            const std::int64_t T = tokens[s + 1] - tokens[s];
            read_cached(tokens[s], T);
            read_maps(tokens[s], T);
            add_new(attributes, frozen);
            copy_found(T, sentence);
            dataset.add(sentence);
        }
        known_attributes_ = attributes.size();
    }

    // Drops every cached id.
    void forget() {
        for (CachedPattern& cached : patterns_) {
            cached.width.clear();
            cached.direct.clear();
            cached.maps.clear();
        }
        for (Group& group : groups_) group.rows.clear();
        bos_ = constant("__BOS__");
        eos_ = constant("__EOS__");
        before_.clear();
        after_.clear();
        lists_.clear();
        list_ids_.clear();
        absences_ = false;
    }

    // How many ids are cached.
    std::size_t size() const {
        std::size_t sum = lists_.size() + list_ids_.size();
        for (const CachedPattern& cached : patterns_) {
            sum += cached.direct.size();
            for (const KeyMap& map : cached.maps) sum += map.size();
        }
        for (const Group& group : groups_) sum += group.rows.size();
        return sum;
    }

  private:
    static constexpr std::int32_t first_list = KeyMap::empty - 1;  // stands for lists_[0], the next lower for lists_[1]

    struct CachedPattern {
        explicit CachedPattern(Pattern made) : pattern(std::move(made)) {}

        Pattern pattern;
        std::int32_t low = 0, high = 0;        // smallest and largest offset, and 0
        bool many = false;                     // whether its cached ids stand for lists
        std::vector<const std::int32_t*> ids;  // ids of the whole column, for each cell
        std::vector<std::uint64_t> width;      // a bound of the ids of each cell's column; empty before the first use
        std::vector<char> full;                // whether the key must be replaced by a number before cell k
        std::vector<std::int32_t> direct;      // cache for few combinations; empty if `maps` is used
        std::vector<KeyMap> maps;              // the last one is the cache; maps[k] numbers the first k
                                               // cells if cell k no longer fits into 64 bits
    };

    // Patterns of one cell that the cell of `root` at one row decides.
    struct Group {
        std::size_t root;
        std::int32_t offset;
        std::vector<std::size_t> patterns;
        std::vector<std::int32_t> rows;  // [cells of root, patterns]; a row that is not filled begins with `empty`
    };
    struct Lookup {
        CachedPattern* cached;
        std::uint64_t key;
        std::int64_t t;
        std::size_t place;  // in ids_
    };
    struct New {
        std::size_t lookup, string;  // a lookup that is not in the cache, and the first of its strings
    };

    static CachedPattern constant(const char* text) {
        CachedPattern made(Pattern{{text}, {}});
        made.direct.assign(1, KeyMap::empty);
        return made;
    }

    Column& column_of(const CachedPattern& cached, std::size_t k) {
        return table_.column(static_cast<std::size_t>(cached.pattern.cells[k].second));
    }

    void check(CachedPattern& cached) {
        if (cached.pattern.pieces.size() != cached.pattern.cells.size() + 1)
            throw InputError("a pattern must have one piece of text more than cells");
        for (const auto& [offset, column] : cached.pattern.cells) {
            if (offset < -reach || offset > reach)
                throw InputError("a template may read at most " + std::to_string(reach) + " positions away");
            cached.many = cached.many || table_.column(static_cast<std::size_t>(column)).many;
            cached.low = std::min(cached.low, offset);
            cached.high = std::max(cached.high, offset);
        }
    }

    void make_groups() {
        std::map<std::pair<std::size_t, std::int32_t>, std::size_t> number;
        for (std::size_t p = 0; p < patterns_.size(); ++p) {
            const auto& cells = patterns_[p].pattern.cells;
            if (cells.size() != 1) {
                rest_.push_back(p);
                continue;
            }
            const std::size_t root = table_.root(static_cast<std::size_t>(cells[0].second));
            const auto [at, fresh] = number.try_emplace({root, cells[0].first}, groups_.size());
            if (fresh) groups_.push_back({root, cells[0].first, {}, {}});
            groups_[at->second].patterns.push_back(p);
        }
    }

    // Before a batch: every column has its ids, and every cache has room for them.
    void prepare(const Vocabulary& attributes) {
        if (absences_ && attributes.size() != known_attributes_) forget();
        if (padding_) make_padding();
        const auto T = static_cast<std::size_t>(table_.tokens().back());
        for (CachedPattern& cached : patterns_) {
            cached.ids.clear();
            for (const auto& [offset, column] : cached.pattern.cells)
                cached.ids.push_back(table_.read_column(static_cast<std::size_t>(column)).ids.data());
            make_room(cached, std::max<std::uint64_t>(1 << 12, 2 * T));
        }
        for (Group& group : groups_) {
            const std::size_t needed = table_.column(group.root).cells.size() * group.patterns.size();
            if (group.rows.size() < needed) group.rows.resize(needed + needed / 2, KeyMap::empty);
        }
    }

    // Padding becomes cells: `_B-2` is two positions before the sentence, `_B+1` is the first one after it.
    void make_padding() {
        for (const CachedPattern& cached : patterns_) {
            for (const auto& [offset, column] : cached.pattern.cells) {
                auto& before = before_[column];
                auto& after = after_[column];
                Vocabulary& cells = table_.column(static_cast<std::size_t>(column)).cells;
                for (std::int32_t k = static_cast<std::int32_t>(before.size()) + 1; k <= -offset; ++k)
                    before.push_back(cells.add("_B-" + std::to_string(k)));
                for (std::int32_t k = static_cast<std::int32_t>(after.size()) + 1; k <= offset; ++k)
                    after.push_back(cells.add("_B+" + std::to_string(k)));
            }
        }
    }

    // The first batch gets caches that fit it exactly. A later one that does not fit doubles them, so that batches of
    // one sentence do not make them anew each time.
    void make_room(CachedPattern& cached, std::uint64_t limit) {
        const std::size_t n = cached.pattern.cells.size();
        const bool first = cached.width.empty() && cached.direct.empty();
        bool fits = !first;
        for (std::size_t k = 0; k < n && fits; ++k) fits = column_of(cached, k).cells.size() <= cached.width[k];
        if (fits) return;
        std::vector<std::uint64_t> width;
        std::uint64_t combinations = 1;
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint64_t cells = std::max<std::uint64_t>(1, column_of(cached, k).cells.size());
            width.push_back(first ? cells : std::max(cached.width[k], cells > cached.width[k] ? 2 * cells : 0));
            combinations = combinations > limit ? combinations : combinations * width.back();
        }
        cached.width = std::move(width);
        if (n == 1) {  // the key is the cell's id, so what is cached stays
            cached.direct.resize(cached.width[0], KeyMap::empty);
            return;
        }
        cached.direct.clear();
        cached.maps.clear();
        if (combinations <= limit)
            cached.direct.assign(combinations, KeyMap::empty);
        else
            cached.maps.resize(n + 1);
        cached.full.assign(n, false);
        std::uint64_t range = 1;  // key < range
        for (std::size_t k = 0; k < n; ++k) {
            cached.full[k] = range > UINT64_MAX / cached.width[k];
            range = (cached.full[k] ? std::uint64_t{1} << 31 : range) * cached.width[k];
        }
    }

    // The id of cell k at position t of a sentence of T tokens, of which `first` is the first.
    std::int32_t id_at(const CachedPattern& cached, std::size_t k, std::int64_t first, std::int64_t t,
                       std::int64_t T) const {
        const std::int64_t at = t + cached.pattern.cells[k].first;
        if (at < 0) return before_.at(cached.pattern.cells[k].second)[static_cast<std::size_t>(-at - 1)];
        if (at >= T) return after_.at(cached.pattern.cells[k].second)[static_cast<std::size_t>(at - T)];
        return cached.ids[k][first + at];
    }

    // Round 1: the ids in rows and arrays. `pending_` holds the lookups that are not answered yet, by place.
    void read_cached(std::int64_t first, std::int64_t T) {
        stride_ = patterns_.size() + 2 * edges_;
        ids_.assign(static_cast<std::size_t>(T) * stride_, Vocabulary::absent);  // where a pattern is left out
        for (std::int64_t t = 0; t < T; ++t)
            for (const std::size_t p : rest_) read_pattern(p, first, t, T, pending_);
        for (Group& group : groups_) read_group(group, first, T);
        if (edges_ && T) {
            read_edge(bos_, 0, stride_ - 2);
            read_edge(eos_, T - 1, static_cast<std::size_t>(T) * stride_ - 1);
        }
        if (missed_.empty()) return;
        const auto earlier = [](const Lookup& a, const Lookup& b) { return a.place < b.place; };
        std::sort(missed_.begin(), missed_.end(), earlier);
        merged_.resize(pending_.size() + missed_.size());
        std::merge(pending_.begin(), pending_.end(), missed_.begin(), missed_.end(), merged_.begin(), earlier);
        pending_.swap(merged_);
    }

    void read_pattern(std::size_t p, std::int64_t first, std::int64_t t, std::int64_t T, std::vector<Lookup>& unanswered) {
        CachedPattern& cached = patterns_[p];
        std::uint64_t key = 0;
        if (!find_key(cached, first, t, T, key)) return;
        const std::size_t place = static_cast<std::size_t>(t) * stride_ + p;
        ids_[place] = cached.direct.empty() ? KeyMap::empty : cached.direct[key];
        if (ids_[place] == KeyMap::empty) unanswered.push_back({&cached, key, t, place});
    }

    void read_edge(CachedPattern& edge, std::int64_t t, std::size_t place) {
        ids_[place] = edge.direct[0];
        if (ids_[place] == KeyMap::empty) missed_.push_back({&edge, 0, t, place});
    }

    void read_group(Group& group, std::int64_t first, std::int64_t T) {
        const std::size_t width = group.patterns.size();
        const std::int32_t* const cells = table_.column(group.root).ids.data() + first;
        for (std::int64_t t = 0; t < T; ++t) {
            const std::int64_t at = t + group.offset;
            if (at < 0 || at >= T) {
                if (padding_)
                    for (const std::size_t p : group.patterns) read_pattern(p, first, t, T, missed_);
                continue;
            }
            if (cells[at] == Column::nothing) continue;
            const std::int32_t* row = group.rows.data() + static_cast<std::size_t>(cells[at]) * width;
            if (row[0] == KeyMap::empty && !fill_row(group, cells[at], first, t, T)) continue;
            std::int32_t* const out = ids_.data() + static_cast<std::size_t>(t) * stride_;
            for (std::size_t j = 0; j < width; ++j) out[group.patterns[j]] = row[j];
        }
    }

    // Reads the patterns of a group one by one; if all ids are known, they become the row of the cell.
    bool fill_row(Group& group, std::int32_t cell, std::int64_t first, std::int64_t t, std::int64_t T) {
        const std::size_t before = missed_.size();
        for (const std::size_t p : group.patterns) read_pattern(p, first, t, T, missed_);
        if (missed_.size() > before) return false;
        std::int32_t* row = group.rows.data() + static_cast<std::size_t>(cell) * group.patterns.size();
        for (const std::size_t p : group.patterns) *row++ = ids_[static_cast<std::size_t>(t) * stride_ + p];
        return true;
    }

    // The key of a pattern's cells at position t; false if the pattern is left out there.
    bool find_key(CachedPattern& cached, std::int64_t first, std::int64_t t, std::int64_t T, std::uint64_t& key) {
        if (!padding_ && (t + cached.low < 0 || t + cached.high >= T)) return false;
        const std::size_t n = cached.ids.size();
        if (!cached.direct.empty()) {
            for (std::size_t k = 0; k < n; ++k) {
                const std::int32_t id = id_at(cached, k, first, t, T);
                if (id == Column::nothing) return false;
                key = key * cached.width[k] + static_cast<std::uint64_t>(id);
            }
            return true;
        }
        for (std::size_t k = 0; k < n; ++k) {
            const std::int32_t id = id_at(cached, k, first, t, T);
            if (id == Column::nothing) return false;
            if (cached.full[k]) key = number_of(cached.maps[k], key);
            key = key * cached.width[k] + static_cast<std::uint64_t>(id);
        }
        cached.maps.back().prefetch(key);
        return true;
    }

    // Round 2: the ids in maps, and the strings of those that are not cached.
    void read_maps(std::int64_t first, std::int64_t T) {
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const auto& [cached, key, t, place] = pending_[i];
            if (cached->direct.empty()) {
                ids_[place] = cached->maps.back().find(key);
                if (ids_[place] != KeyMap::empty) continue;
            }
            cells_.clear();
            for (std::size_t k = 0; k < cached->ids.size(); ++k)
                cells_.push_back(column_of(*cached, k).cells[id_at(*cached, k, first, t, T)]);
            new_.push_back({i, starts_.size()});
            if (cached->many)
                build_combinations(*cached);
            else
                build_string(cached->pattern);
        }
    }

    // Writes the pattern with the texts in `cells_`.
    void build_string(const Pattern& pattern) {
        starts_.push_back(text_.size());
        text_ += pattern.pieces[0];
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            text_ += cells_[k];
            text_ += pattern.pieces[k + 1];
        }
    }

    // The same for every combination of the values of cells; the values of the last cell change fastest.
    void build_combinations(const CachedPattern& cached) {
        std::vector<std::vector<std::string_view>> values;
        std::size_t combinations = 1;
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            values.emplace_back();
            std::string_view rest = cells_[k];
            for (std::size_t end = 0; end != rest.npos && column_of(cached, k).many; rest.remove_prefix(end + 1)) {
                end = rest.find(Column::separator);
                if (end == rest.npos) break;
                values.back().push_back(rest.substr(0, end));
            }
            values.back().push_back(rest);
            combinations *= values.back().size();
            if (combinations > most_combinations)
                throw InputError("a pattern gives more than " + std::to_string(most_combinations) +
                                 " attributes for one token; combine fewer functions that have several values");
        }
        for (std::size_t number = 0; number < combinations; ++number) {
            std::size_t rest = number;
            for (std::size_t k = cells_.size(); k-- > 0; rest /= values[k].size())
                cells_[k] = values[k][rest % values[k].size()];
            build_string(cached.pattern);
        }
    }

    // Round 3: new strings get their ids in order of appearance, and go into the cache.
    void add_new(Vocabulary& attributes, bool frozen) {
        starts_.push_back(text_.size());
        for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
            strings_.emplace_back(text_.data() + starts_[i], starts_[i + 1] - starts_[i]);
        found_.resize(strings_.size());
        if (frozen)
            attributes.find_all(strings_.data(), strings_.size(), found_.data());
        else
            attributes.add_all(strings_.data(), strings_.size(), found_.data());
        new_.push_back({0, strings_.size()});
        for (std::size_t i = 0; i + 1 < new_.size(); ++i) {
            const auto& [cached, key, t, place] = pending_[new_[i].lookup];
            const std::size_t from = new_[i].string, to = new_[i + 1].string;
            const std::int32_t id = cached->many ? make_list(from, to) : found_[from];
            absences_ = absences_ || id == Vocabulary::absent;
            ids_[place] = id;
            if (cached->direct.empty())
                cached->maps.back().set(key, id);
            else
                cached->direct[key] = id;
        }
    }

    // What one sentence looks up; an error may have left some of it.
    void clear_round() {
        pending_.clear();
        missed_.clear();
        new_.clear();
        starts_.clear();
        text_.clear();
        strings_.clear();
    }

    // A list of the ids of found_[from .. to] that are there; what stands for it in the caches is below `empty`.
    std::int32_t make_list(std::size_t from, std::size_t to) {
        if (lists_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) - 4)
            throw InputError("the patterns have more than 2^31 combinations of cells with several values");
        const std::size_t start = list_ids_.size();
        for (std::size_t i = from; i < to; ++i) {
            if (found_[i] == Vocabulary::absent)
                absences_ = true;
            else
                list_ids_.push_back(found_[i]);
        }
        lists_.push_back({start, list_ids_.size()});
        return first_list - static_cast<std::int32_t>(lists_.size() - 1);
    }

    // The ids of the sentence: without those that are absent, and with the ids of lists.
    void copy_found(std::int64_t T, Sentence& sentence) {
        sentence.ids.resize(ids_.size());
        std::int32_t* out = sentence.ids.data();
        std::size_t i = 0;
        for (std::int64_t t = 0; t < T; ++t) {
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

    CellTable& table_;
    bool padding_, edges_;
    std::vector<CachedPattern> patterns_;
    CachedPattern bos_ = constant("__BOS__"), eos_ = constant("__EOS__");
    std::map<std::int32_t, std::vector<std::int32_t>> before_, after_;  // column → ids of its padding
    std::vector<std::pair<std::size_t, std::size_t>> lists_;            // number → its ids in list_ids_
    std::vector<std::int32_t> list_ids_;
    bool absences_ = false;             // whether a string was cached that the vocabulary lacks
    std::size_t known_attributes_ = 0;  // size of the vocabulary after the last batch

    std::vector<Group> groups_;
    std::vector<std::size_t> rest_;  // patterns that are in no group
    std::size_t stride_ = 0;         // places for each token: one for each pattern, and two for the edges
    std::vector<Lookup> pending_, missed_, merged_;  // of one sentence; the last two for read_cached
    std::vector<New> new_;
    std::vector<std::size_t> starts_;  // where strings begin in text_
    std::string text_;
    std::vector<std::string_view> cells_;  // of one pattern at one token
    std::vector<HashedString> strings_;
    std::vector<std::int32_t> found_, ids_;  // of new strings; of all lookups of a sentence, in order
};

}  // namespace tagfield::text
