// Templates over a ColumnTable → attribute ids, sentence by sentence.
//
// A pattern is  piece₀ cell₁ piece₁ cell₂ piece₂ …  where cell is the column's text at position t + offset. Texts repeat
// endlessly, so a string is built only for the first (pattern, cells) of its kind; afterwards its id comes from a
// memory keyed by the cells' ids:
//
//     few combinations of cells   an array indexed by all of them            (words, tags, pairs and triples of tags)
//     many                        a hash map keyed by their packed bits      (pairs of words)
//
// Both keys are exact. Where the bits do not fit into 64, the cells so far are first replaced by a number of their own.
// Memories and vocabulary are larger than the cache, so a sentence takes three rounds: compute every key and prefetch
// its place; read the ids and build the strings that are new; look those up together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "text/columns.hpp"
#include "text/hash.hpp"
#include "text/pack.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

struct Pattern {
    std::vector<std::string> pieces;                     // one more than cells
    std::vector<std::pair<std::int32_t, std::int32_t>> cells;  // (offset, column)
};

// 64-bit keys → ids; open addressing. Key and id stand in one slot, so a hit is one cache line.
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

class Expander {
  public:
    static constexpr std::int32_t reach = 4096;  // |offset| at most

    Expander(ColumnTable& table, std::vector<Pattern> patterns, bool padding, bool edges)
        : table_(table), padding_(padding), edges_(edges) {
        for (Pattern& pattern : patterns) plans_.push_back(Plan{std::move(pattern), 0, 0, {}, {}, {}, {}});
        for (Plan& plan : plans_) check(plan);
        if (padding_) make_padding();
        const auto room = static_cast<std::uint64_t>(std::max<std::int64_t>(1 << 12, 2 * table.tokens().back()));
        for (Plan& plan : plans_) choose_memory(plan, room);
    }

    // Attributes that are not in a frozen vocabulary are left out.
    void run(Vocabulary& attributes, bool frozen, Packer& packer) {
        const auto& tokens = table_.tokens();
        packer.reserve(tokens.size() - 1, static_cast<std::size_t>(tokens.back()) * (plans_.size() + edges_));
        Sentence sentence;
        for (std::size_t s = 0; s + 1 < tokens.size(); ++s) {
            sentence.clear();
            asks_.clear();
            const std::int64_t T = tokens[s + 1] - tokens[s];
            for (std::int64_t t = 0; t < T; ++t) {
                for (Plan& plan : plans_) ask(plan, tokens[s], t, T);
                if (edges_ && t == 0) asks_.push_back({&bos_, 0, t});
                if (edges_ && t == T - 1) asks_.push_back({&eos_, 0, t});
                sentence.ends.push_back(static_cast<std::int64_t>(asks_.size()));
            }
            answer(tokens[s], T, sentence);
            learn(attributes, frozen, sentence);
            if (frozen) sentence.drop_absent();
            packer.add(sentence);
        }
    }

  private:
    struct Plan {
        Pattern pattern;
        std::int32_t low, high;                     // smallest and largest offset
        std::vector<const std::int32_t*> ids;       // ids of the whole column, for each cell
        std::vector<std::uint64_t> width;           // how many different cells the column has
        std::vector<std::int32_t> direct;           // memory of few combinations; empty where it is a map
        std::vector<KeyMap> maps;                   // the last one is the memory; maps[k] numbers the first k
                                                    // cells where cell k no longer fits into 64 bits
    };

    static Plan constant(const char* text) { return Plan{Pattern{{text}, {}}, 0, 0, {}, {}, {KeyMap::empty}, {}}; }

    void check(Plan& plan) {
        if (plan.pattern.pieces.size() != plan.pattern.cells.size() + 1)
            throw InputError("a pattern needs one piece of text more than cells");
        for (const auto& [offset, column] : plan.pattern.cells) {
            if (offset < -reach || offset > reach)
                throw InputError("a template reaches at most " + std::to_string(reach) + " positions away");
            const auto& ids = table_.column(static_cast<std::size_t>(column)).ids;
            if (ids.size() != static_cast<std::size_t>(table_.tokens().back()))
                throw InputError("column " + std::to_string(column) + " was not read");
            plan.low = std::min(plan.low, offset);
            plan.high = std::max(plan.high, offset);
            plan.ids.push_back(ids.data());
        }
    }

    // Padding is text like any other: `_B-2` stands two positions before the sentence, `_B+1` one behind it.
    void make_padding() {
        for (const Plan& plan : plans_) {
            for (const auto& [offset, column] : plan.pattern.cells) {
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

    void choose_memory(Plan& plan, std::uint64_t room) {
        std::uint64_t combinations = 1;
        for (const auto& [offset, column] : plan.pattern.cells) {
            plan.width.push_back(std::max<std::uint64_t>(1, table_.column(static_cast<std::size_t>(column)).cells.size()));
            combinations = combinations > room ? combinations : combinations * plan.width.back();
        }
        if (combinations <= room)
            plan.direct.assign(combinations, KeyMap::empty);
        else
            plan.maps.resize(plan.width.size() + 1);
    }

    std::int32_t id_at(const Plan& plan, std::size_t k, std::int64_t first, std::int64_t t, std::int64_t T) const {
        const std::int64_t at = t + plan.pattern.cells[k].first;
        if (at < 0) return before_.at(plan.pattern.cells[k].second)[static_cast<std::size_t>(-at - 1)];
        if (at >= T) return after_.at(plan.pattern.cells[k].second)[static_cast<std::size_t>(at - T)];
        return plan.ids[k][first + at];
    }

    // Round 1: the key of a pattern's cells at position t.
    void ask(Plan& plan, std::int64_t first, std::int64_t t, std::int64_t T) {
        if (!padding_ && (t + plan.low < 0 || t + plan.high >= T)) return;
        const std::size_t n = plan.ids.size();
        std::uint64_t key = 0;
        if (!plan.direct.empty()) {
            for (std::size_t k = 0; k < n; ++k)
                key = key * plan.width[k] + static_cast<std::uint64_t>(id_at(plan, k, first, t, T));
            __builtin_prefetch(&plan.direct[key]);
        } else {
            std::uint64_t range = 1;  // key < range
            for (std::size_t k = 0; k < n; ++k) {
                if (range > UINT64_MAX / plan.width[k]) {
                    key = number_of(plan.maps[k], key);
                    range = std::uint64_t{1} << 31;
                }
                key = key * plan.width[k] + static_cast<std::uint64_t>(id_at(plan, k, first, t, T));
                range *= plan.width[k];
            }
            plan.maps.back().prefetch(key);
        }
        asks_.push_back({&plan, key, t});
    }

    // Round 2: the ids that are remembered, and the strings of those that are not.
    void answer(std::int64_t first, std::int64_t T, Sentence& sentence) {
        for (std::size_t i = 0; i < asks_.size(); ++i) {
            const auto& [plan, key, t] = asks_[i];
            const std::int32_t id = plan->direct.empty() ? plan->maps.back().find(key) : plan->direct[key];
            sentence.ids.push_back(id);
            if (id != KeyMap::empty) continue;
            news_.push_back(i);
            starts_.push_back(text_.size());
            text_ += plan->pattern.pieces[0];
            for (std::size_t k = 0; k < plan->ids.size(); ++k) {
                const auto column = static_cast<std::size_t>(plan->pattern.cells[k].second);
                text_ += table_.column(column).cells[id_at(*plan, k, first, t, T)];
                text_ += plan->pattern.pieces[k + 1];
            }
        }
    }

    // Round 3: new strings get their ids, in the order of their appearance, and are remembered.
    void learn(Vocabulary& attributes, bool frozen, Sentence& sentence) {
        starts_.push_back(text_.size());
        for (std::size_t i = 0; i < news_.size(); ++i)
            keys_.emplace_back(text_.data() + starts_[i], starts_[i + 1] - starts_[i]);
        found_.resize(keys_.size());
        if (frozen)
            attributes.find_all(keys_.data(), keys_.size(), found_.data());
        else
            attributes.add_all(keys_.data(), keys_.size(), found_.data());
        for (std::size_t i = 0; i < news_.size(); ++i) {
            const auto& [plan, key, t] = asks_[news_[i]];
            sentence.ids[news_[i]] = found_[i];
            if (plan->direct.empty())
                plan->maps.back().set(key, found_[i]);
            else
                plan->direct[key] = found_[i];
        }
        news_.clear();
        starts_.clear();
        text_.clear();
        keys_.clear();
    }

    static std::uint64_t number_of(KeyMap& prefixes, std::uint64_t key) {
        std::int32_t number = prefixes.find(key);
        if (number == KeyMap::empty) {
            if (prefixes.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                throw InputError("a template has more than 2^31 different beginnings");
            number = static_cast<std::int32_t>(prefixes.size());
            prefixes.set(key, number);
        }
        return static_cast<std::uint64_t>(number);
    }

    ColumnTable& table_;
    bool padding_, edges_;
    std::vector<Plan> plans_;
    Plan bos_ = constant("__BOS__"), eos_ = constant("__EOS__");
    std::map<std::int32_t, std::vector<std::int32_t>> before_, after_;  // column → ids of its padding

    struct Ask {
        Plan* plan;
        std::uint64_t key;
        std::int64_t t;
    };
    std::vector<Ask> asks_;              // of one sentence, in order
    std::vector<std::size_t> news_;      // those whose strings are new
    std::vector<std::size_t> starts_;    // where their strings begin in text_
    std::string text_;
    std::vector<Key> keys_;
    std::vector<std::int32_t> found_;
};

}  // namespace tagfield::text
