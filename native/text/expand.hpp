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

    std::int32_t& at(std::uint64_t key) {
        if (2 * (size_ + 1) > slots_.size()) grow();
        Slot& slot = slots_[locate(key)];
        if (slot.id == empty && slot.key != key) slot.key = key;
        return slot.id;
    }
    void filled() { ++size_; }
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
        attributes_ = &attributes;
        frozen_ = frozen;
        const auto& tokens = table_.tokens();
        packer.reserve(tokens.size() - 1, static_cast<std::size_t>(tokens.back()) * (plans_.size() + edges_));
        Sentence sentence;
        for (std::size_t s = 0; s + 1 < tokens.size(); ++s) {
            sentence.clear();
            const std::int64_t T = tokens[s + 1] - tokens[s];
            for (std::int64_t t = 0; t < T; ++t) {
                for (Plan& plan : plans_) visit(plan, tokens[s], t, T, sentence);
                if (edges_ && t == 0) emit(bos_, "__BOS__", sentence);
                if (edges_ && t == T - 1) emit(eos_, "__EOS__", sentence);
                sentence.ends.push_back(static_cast<std::int64_t>(sentence.ids.size()));
            }
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

    std::int32_t cell(const Plan& plan, std::size_t k, std::int64_t first, std::int64_t t, std::int64_t T) const {
        const std::int64_t at = t + plan.pattern.cells[k].first;
        if (at < 0) return before_.at(plan.pattern.cells[k].second)[static_cast<std::size_t>(-at - 1)];
        if (at >= T) return after_.at(plan.pattern.cells[k].second)[static_cast<std::size_t>(at - T)];
        return plan.ids[k][first + at];
    }

    void visit(Plan& plan, std::int64_t first, std::int64_t t, std::int64_t T, Sentence& sentence) {
        const bool inside = t + plan.low >= 0 && t + plan.high < T;
        if (!inside && !padding_) return;
        const std::size_t n = plan.ids.size();
        const auto id_at = [&](std::size_t k) {
            return inside ? plan.ids[k][first + t + plan.pattern.cells[k].first] : cell(plan, k, first, t, T);
        };
        std::int32_t* memory;
        if (!plan.direct.empty()) {
            std::uint64_t index = 0;
            for (std::size_t k = 0; k < n; ++k) index = index * plan.width[k] + static_cast<std::uint64_t>(id_at(k));
            memory = &plan.direct[index];
        } else {
            std::uint64_t key = 0, range = 1;  // key < range
            for (std::size_t k = 0; k < n; ++k) {
                if (range > UINT64_MAX / plan.width[k]) {
                    key = number_of(plan.maps[k], key);
                    range = std::uint64_t{1} << 31;
                }
                key = key * plan.width[k] + static_cast<std::uint64_t>(id_at(k));
                range *= plan.width[k];
            }
            memory = &plan.maps.back().at(key);
        }
        if (*memory == KeyMap::empty) {
            text_ = plan.pattern.pieces[0];
            for (std::size_t k = 0; k < n; ++k) {
                const auto column = static_cast<std::size_t>(plan.pattern.cells[k].second);
                text_ += table_.column(column).cells[id_at(k)];
                text_ += plan.pattern.pieces[k + 1];
            }
            *memory = resolve(text_);
            if (plan.direct.empty()) plan.maps.back().filled();
        }
        if (*memory >= 0) sentence.ids.push_back(*memory);
    }

    static std::uint64_t number_of(KeyMap& prefixes, std::uint64_t key) {
        std::int32_t& number = prefixes.at(key);
        if (number == KeyMap::empty) {
            if (prefixes.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                throw InputError("a template has more than 2^31 different beginnings");
            number = static_cast<std::int32_t>(prefixes.size());
            prefixes.filled();
        }
        return static_cast<std::uint64_t>(number);
    }

    std::int32_t resolve(std::string_view text) { return frozen_ ? attributes_->find(text) : attributes_->add(text); }

    void emit(std::int32_t& memory, std::string_view text, Sentence& sentence) {
        if (memory == KeyMap::empty) memory = resolve(text);
        if (memory >= 0) sentence.ids.push_back(memory);
    }

    ColumnTable& table_;
    bool padding_, edges_, frozen_ = false;
    std::vector<Plan> plans_;
    std::map<std::int32_t, std::vector<std::int32_t>> before_, after_;  // column → ids of its padding
    Vocabulary* attributes_ = nullptr;
    std::int32_t bos_ = KeyMap::empty, eos_ = KeyMap::empty;
    std::string text_;
};

}  // namespace tagfield::text
