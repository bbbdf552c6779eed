// Templates over a ColumnTable → attribute ids, sentence by sentence.
//
// A pattern is  piece₀ cell₁ piece₁ cell₂ piece₂ …  where a cell is the column's text at position t + offset. The same
// cells come again and again, so the string of a pattern is built only for the first occurrence of its cells; later its
// id comes from a cache keyed by the cells' ids:
//
//     few combinations of cells   an array indexed by all of them            (words, tags, pairs and triples of tags)
//     many                        a hash map keyed by their packed bits      (pairs of words)
//
// Both keys are exact. If the bits do not fit into 64, the cells so far are first replaced by a number of their own.
// These caches are larger than the processor's, so a sentence takes three rounds: compute all keys and prefetch their
// slots; read the ids and build the strings that are new; look those up together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "text/columns.hpp"
#include "text/dataset_builder.hpp"
#include "text/hash.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

struct Pattern {
    std::vector<std::string> pieces;                     // one more than cells
    std::vector<std::pair<std::int32_t, std::int32_t>> cells;  // (offset, column)
};

// 64-bit keys → ids; open addressing. Key and id share a slot, so a hit reads one cache line.
class KeyMap {
  public:
    static constexpr std::int32_t empty = -2;

    KeyMap() : slots_(16) {}

    std::int32_t find(std::uint64_t key) const { return slots_[locate(key)].id; }
    void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[mix(key) & (slots_.size() - 1)]); }
    void set(std::uint64_t key, std::int32_t id) {
        Slot* slot = &slots_[locate(key)];
        if (slot->id == empty) {
            if (3 * ++size_ > 2 * slots_.size()) {
                grow();
                slot = &slots_[locate(key)];
            }
        }
        *slot = {key, id};
    }
    std::size_t size() const { return size_; }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t id = empty;
    };

    std::size_t locate(std::uint64_t key) const {
        std::size_t i = mix(key) & (slots_.size() - 1);
        while (slots_[i].id != empty && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
        return i;
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.id != empty) slots_[locate(slot.key)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
};

class TemplateExpander {
  public:
    static constexpr std::int32_t reach = 4096;  // |offset| at most

    TemplateExpander(ColumnTable& table, std::vector<Pattern> patterns, bool padding, bool edges)
        : table_(table), padding_(padding), edges_(edges) {
        for (Pattern& pattern : patterns) patterns_.push_back(CachedPattern{std::move(pattern), 0, 0, {}, {}, {}, {}});
        for (CachedPattern& cached : patterns_) check(cached);
        if (padding_) make_padding();
        const auto limit = static_cast<std::uint64_t>(std::max<std::int64_t>(1 << 12, 2 * table.tokens().back()));
        for (CachedPattern& cached : patterns_) choose_cache(cached, limit);
    }

    // A frozen vocabulary does not grow: attributes that it lacks are left out.
    void run(Vocabulary& attributes, bool frozen, DatasetBuilder& dataset) {
        const auto& tokens = table_.tokens();
        dataset.reserve(tokens.size() - 1, static_cast<std::size_t>(tokens.back()) * (patterns_.size() + edges_));
        Sentence sentence;
        for (std::size_t s = 0; s + 1 < tokens.size(); ++s) {
            sentence.clear();
            lookups_.clear();
            const std::int64_t T = tokens[s + 1] - tokens[s];
            for (std::int64_t t = 0; t < T; ++t) {
                for (CachedPattern& cached : patterns_) compute_key(cached, tokens[s], t, T);
                if (edges_ && t == 0) lookups_.push_back({&bos_, 0, t});
                if (edges_ && t == T - 1) lookups_.push_back({&eos_, 0, t});
                sentence.ends.push_back(static_cast<std::int64_t>(lookups_.size()));
            }
            fetch_ids(tokens[s], T, sentence);
            add_new(attributes, frozen, sentence);
            if (frozen) sentence.drop_absent();
            dataset.add(sentence);
        }
    }

  private:
    struct CachedPattern {
        Pattern pattern;
        std::int32_t low, high;                     // smallest and largest offset
        std::vector<const std::int32_t*> ids;       // ids of the whole column, for each cell
        std::vector<std::uint64_t> width;           // how many different cells the column has
        std::vector<std::int32_t> direct;           // cache for few combinations; empty if `maps` is used
        std::vector<KeyMap> maps;                   // the last one is the cache; maps[k] numbers the first k
                                                    // cells if cell k no longer fits into 64 bits
    };

    static CachedPattern constant(const char* text) {
        return CachedPattern{Pattern{{text}, {}}, 0, 0, {}, {}, {KeyMap::empty}, {}};
    }

    void check(CachedPattern& cached) {
        if (cached.pattern.pieces.size() != cached.pattern.cells.size() + 1)
            throw InputError("a pattern must have one piece of text more than cells");
        for (const auto& [offset, column] : cached.pattern.cells) {
            if (offset < -reach || offset > reach)
                throw InputError("a template may read at most " + std::to_string(reach) + " positions away");
            const auto& ids = table_.column(static_cast<std::size_t>(column)).ids;
            if (ids.size() != static_cast<std::size_t>(table_.tokens().back()))
                throw InputError("column " + std::to_string(column) + " was not read");
            cached.low = std::min(cached.low, offset);
            cached.high = std::max(cached.high, offset);
            cached.ids.push_back(ids.data());
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

    void choose_cache(CachedPattern& cached, std::uint64_t limit) {
        std::uint64_t combinations = 1;
        for (const auto& [offset, column] : cached.pattern.cells) {
            const std::size_t different = table_.column(static_cast<std::size_t>(column)).cells.size();
            cached.width.push_back(std::max<std::uint64_t>(1, different));
            combinations = combinations > limit ? combinations : combinations * cached.width.back();
        }
        if (combinations <= limit)
            cached.direct.assign(combinations, KeyMap::empty);
        else
            cached.maps.resize(cached.width.size() + 1);
    }

    // The id of cell k at position t of a sentence of T tokens, of which `first` is the first.
    std::int32_t id_at(const CachedPattern& cached, std::size_t k, std::int64_t first, std::int64_t t,
                       std::int64_t T) const {
        const std::int64_t at = t + cached.pattern.cells[k].first;
        if (at < 0) return before_.at(cached.pattern.cells[k].second)[static_cast<std::size_t>(-at - 1)];
        if (at >= T) return after_.at(cached.pattern.cells[k].second)[static_cast<std::size_t>(at - T)];
        return cached.ids[k][first + at];
    }

    // Round 1: the key of a pattern's cells at position t.
    void compute_key(CachedPattern& cached, std::int64_t first, std::int64_t t, std::int64_t T) {
        if (!padding_ && (t + cached.low < 0 || t + cached.high >= T)) return;
        const std::size_t n = cached.ids.size();
        std::uint64_t key = 0;
        if (!cached.direct.empty()) {
            for (std::size_t k = 0; k < n; ++k)
                key = key * cached.width[k] + static_cast<std::uint64_t>(id_at(cached, k, first, t, T));
            __builtin_prefetch(&cached.direct[key]);
        } else {
            std::uint64_t range = 1;  // key < range
            for (std::size_t k = 0; k < n; ++k) {
                if (range > UINT64_MAX / cached.width[k]) {
                    key = number_of(cached.maps[k], key);
                    range = std::uint64_t{1} << 31;
                }
                key = key * cached.width[k] + static_cast<std::uint64_t>(id_at(cached, k, first, t, T));
                range *= cached.width[k];
            }
            cached.maps.back().prefetch(key);
        }
        lookups_.push_back({&cached, key, t});
    }

    // Round 2: the ids in the cache, and the strings of those that are not.
    void fetch_ids(std::int64_t first, std::int64_t T, Sentence& sentence) {
        for (std::size_t i = 0; i < lookups_.size(); ++i) {
            const auto& [cached, key, t] = lookups_[i];
            const std::int32_t id = cached->direct.empty() ? cached->maps.back().find(key) : cached->direct[key];
            sentence.ids.push_back(id);
            if (id != KeyMap::empty) continue;
            new_.push_back(i);
            starts_.push_back(text_.size());
            text_ += cached->pattern.pieces[0];
            for (std::size_t k = 0; k < cached->ids.size(); ++k) {
                const auto column = static_cast<std::size_t>(cached->pattern.cells[k].second);
                text_ += table_.column(column).cells[id_at(*cached, k, first, t, T)];
                text_ += cached->pattern.pieces[k + 1];
            }
        }
    }

    // Round 3: new strings get their ids in order of appearance, and go into the cache.
    void add_new(Vocabulary& attributes, bool frozen, Sentence& sentence) {
        starts_.push_back(text_.size());
        for (std::size_t i = 0; i < new_.size(); ++i)
            strings_.emplace_back(text_.data() + starts_[i], starts_[i + 1] - starts_[i]);
        found_.resize(strings_.size());
        if (frozen)
            attributes.find_all(strings_.data(), strings_.size(), found_.data());
        else
            attributes.add_all(strings_.data(), strings_.size(), found_.data());
        for (std::size_t i = 0; i < new_.size(); ++i) {
            const auto& [cached, key, t] = lookups_[new_[i]];
            sentence.ids[new_[i]] = found_[i];
            if (cached->direct.empty())
                cached->maps.back().set(key, found_[i]);
            else
                cached->direct[key] = found_[i];
        }
        new_.clear();
        starts_.clear();
        text_.clear();
        strings_.clear();
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

    ColumnTable& table_;
    bool padding_, edges_;
    std::vector<CachedPattern> patterns_;
    CachedPattern bos_ = constant("__BOS__"), eos_ = constant("__EOS__");
    std::map<std::int32_t, std::vector<std::int32_t>> before_, after_;  // column → ids of its padding

    struct Lookup {
        CachedPattern* cached;
        std::uint64_t key;
        std::int64_t t;
    };
    std::vector<Lookup> lookups_;      // of one sentence, in order
    std::vector<std::size_t> new_;     // indices of the lookups that are not in the cache
    std::vector<std::size_t> starts_;  // where their strings begin in text_
    std::string text_;
    std::vector<HashedString> strings_;
    std::vector<std::int32_t> found_;
};

}  // namespace tagfield::text
