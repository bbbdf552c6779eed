// NewStrings: the attribute strings of lookups that no cache answered, and their ids, looked up together.
//
//     begin, add, add, begin, add ─▶ one text ─▶ resolve: vocabulary ─▶ ids(lookup)
//
// A lookup has one string, or, if its cells have several values, one for each combination of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/cell_table.hpp"
#include "text/errors.hpp"
#include "text/pattern_cache.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

class NewStrings {
  public:
    // Of many values, in one pattern at one token. Those beyond are left out: one long word, such as a picture in base64,
    // must not stop a text from being tagged.
    static constexpr std::size_t most_combinations = 4096;

    void clear() {
        first_.clear();
        starts_.clear();
        text_.clear();
        strings_.clear();
    }

    std::size_t size() const { return first_.size(); }

    // The strings of a lookup; `cells` are the texts of the pattern's cells, with separators between several values.
    void add(const Pattern& pattern, std::vector<std::string_view>& cells, bool many) {
        first_.push_back(starts_.size());
        if (many)
            build_combinations(pattern, cells);
        else
            build(pattern, cells);
    }

    void resolve(Vocabulary& attributes, bool frozen) {
        starts_.push_back(text_.size());
        for (std::size_t i = 0; i + 1 < starts_.size(); ++i)
            strings_.emplace_back(text_.data() + starts_[i], starts_[i + 1] - starts_[i]);
        first_.push_back(strings_.size());
        found_.resize(strings_.size());
        if (frozen)
            attributes.find_all(strings_.data(), strings_.size(), found_.data());
        else
            attributes.add_all(strings_.data(), strings_.size(), found_.data());
    }

    // After `resolve`: the ids of lookup i, or Vocabulary::absent.
    const std::int32_t* begin(std::size_t i) const { return found_.data() + first_[i]; }
    const std::int32_t* end(std::size_t i) const { return found_.data() + first_[i + 1]; }

  private:
    void build(const Pattern& pattern, const std::vector<std::string_view>& cells) {
        starts_.push_back(text_.size());
        text_ += pattern.pieces[0];
        for (std::size_t k = 0; k < cells.size(); ++k) {
            text_ += cells[k];
            text_ += pattern.pieces[k + 1];
        }
        if (pattern.until_nul) text_.resize(std::min(text_.find('\0', starts_.back()), text_.size()));
    }

    // The values of the last cell change fastest.
    void build_combinations(const Pattern& pattern, std::vector<std::string_view>& cells) {
        std::vector<std::vector<std::string_view>> values(cells.size());
        std::size_t combinations = 1;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            std::string_view rest = cells[k];
            for (std::size_t end = rest.find(Column::separator); end != rest.npos; end = rest.find(Column::separator)) {
                values[k].push_back(rest.substr(0, end));
                rest.remove_prefix(end + 1);
            }
            values[k].push_back(rest);
            combinations = std::min(combinations * values[k].size(), most_combinations);
        }
        for (std::size_t number = 0; number < combinations; ++number) {
            std::size_t rest = number;
            for (std::size_t k = cells.size(); k-- > 0; rest /= values[k].size())
                cells[k] = values[k][rest % values[k].size()];
            build(pattern, cells);
        }
    }

    std::vector<std::size_t> first_;   // first string of each lookup
    std::vector<std::size_t> starts_;  // where each string begins in text_
    std::string text_;
    std::vector<HashedString> strings_;
    std::vector<std::int32_t> found_;
};

}  // namespace tagfield::text
