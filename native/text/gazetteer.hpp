// Gazetteer: phrases as a trie of words, and the column of their longest matches in each sentence.
//
//     node, word ─▶ node        one KeyMap, keyed by (node << 32 | word)
//
//     New  York  City  is       phrases: New York, New York City
//     B-x  I-x   I-x   nothing
//
// From left to right the longest phrase wins, and the search goes on behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/cell_table.hpp"
#include "text/key_map.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

class Gazetteer {
  public:
    static constexpr std::int32_t root = 0;

    void add(const std::vector<std::string>& words) {
        std::int32_t node = root;
        for (const std::string& word : words) {
            const std::uint64_t key = key_of(node, words_.add(word));
            std::int32_t next = edges_.find(key);
            if (next == KeyMap::empty) {
                next = static_cast<std::int32_t>(ends_.size());
                edges_.set(key, next);
                ends_.push_back(false);
            }
            node = next;
        }
        if (node != root) ends_[static_cast<std::size_t>(node)] = true;
    }

    std::int32_t word(std::string_view text) const { return words_.find(text); }
    std::int32_t step(std::int32_t node, std::int32_t word) const { return edges_.find(key_of(node, word)); }
    bool ends(std::int32_t node) const { return ends_[static_cast<std::size_t>(node)]; }

  private:
    static std::uint64_t key_of(std::int32_t node, std::int32_t word) {
        return static_cast<std::uint64_t>(node) << 32 | static_cast<std::uint32_t>(word);
    }

    StringTable words_;
    KeyMap edges_;
    std::vector<char> ends_{false};  // whether a phrase ends at the node
};

class InGazetteer : public Derivation {
  public:
    InGazetteer(std::shared_ptr<const Gazetteer> phrases, std::string name)
        : phrases_(std::move(phrases)), name_(std::move(name)) {}

    void run(const Column& base, const std::vector<std::int64_t>& tokens, Column& made) override {
        const std::int32_t first = made.cells.add("B-" + name_), inside = made.cells.add("I-" + name_);
        for (std::size_t cell = word_.size(); cell < base.cells.size(); ++cell)
            word_.push_back(phrases_->word(base.cells[static_cast<std::int32_t>(cell)]));
        made.ids.assign(base.ids.size(), Column::nothing);
        for (std::size_t s = 0; s + 1 < tokens.size(); ++s) {
            for (std::int64_t t = tokens[s]; t < tokens[s + 1];) {
                const std::int64_t stop = match(base.ids, t, tokens[s + 1]);
                for (std::int64_t u = t; u < stop; ++u) made.ids[u] = u == t ? first : inside;
                t = stop > t ? stop : t + 1;
            }
        }
    }

    void forget() override { word_.clear(); }

  private:
    // The end of the longest phrase that begins at t; t if none does.
    std::int64_t match(const std::vector<std::int32_t>& ids, std::int64_t t, std::int64_t end) const {
        std::int64_t longest = t;
        std::int32_t node = Gazetteer::root;
        for (std::int64_t u = t; u < end && ids[u] != Column::nothing; ++u) {
            const std::int32_t word = word_[static_cast<std::size_t>(ids[u])];
            if (word == Vocabulary::absent) break;
            node = phrases_->step(node, word);
            if (node == KeyMap::empty) break;
            if (phrases_->ends(node)) longest = u + 1;
        }
        return longest;
    }

    std::shared_ptr<const Gazetteer> phrases_;
    std::string name_;
    std::vector<std::int32_t> word_;  // word of the gazetteer for each cell of the base column, or absent
};

// Whether the cell equals the one `offset` tokens further on: "yes" or nothing.
class SameAs : public Derivation {
  public:
    explicit SameAs(std::int64_t offset) : offset_(offset) {}

    void run(const Column& base, const std::vector<std::int64_t>& tokens, Column& made) override {
        const std::int32_t yes = made.cells.add("yes");
        made.ids.assign(base.ids.size(), Column::nothing);
        for (std::size_t s = 0; s + 1 < tokens.size(); ++s) {
            for (std::int64_t t = tokens[s]; t < tokens[s + 1]; ++t) {
                const std::int64_t other = t + offset_;
                if (other < tokens[s] || other >= tokens[s + 1] || base.ids[t] == Column::nothing) continue;
                if (base.ids[t] == base.ids[other]) made.ids[t] = yes;
            }
        }
    }

  private:
    std::int64_t offset_;
};

}  // namespace tagfield::text
