// Batch: the strings of one sentence, looked up together.
//
// The strings belong to the reader, so `settle` must be called before any of them may go away. Looking up a whole
// sentence at once is what hides the cache misses of a large vocabulary.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "text/pack.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

class Batch {
  public:
    // Attributes that are not in a frozen vocabulary are left out.
    Batch(Vocabulary& attributes, bool frozen) : attributes_(attributes), frozen_(frozen) {}
    Batch(const Batch&) = delete;

    void add(const char* data, std::size_t size, float value = 1.0f) {
        keys_.emplace_back(data, size);
        if (value != 1.0f && sentence_.values.empty()) sentence_.values.assign(settled() + keys_.size() - 1, 1.0f);
        if (!sentence_.values.empty() || value != 1.0f) sentence_.values.push_back(value);
    }

    void end_token() { sentence_.ends.push_back(static_cast<std::int64_t>(settled() + keys_.size())); }

    // first + middle + last, kept until the next settle.
    std::string_view join(std::string_view first, std::string_view middle, std::string_view last) {
        const std::size_t n = first.size() + middle.size() + last.size();
        char* start = room(n);
        char* at = std::copy(first.begin(), first.end(), start);
        at = std::copy(middle.begin(), middle.end(), at);
        std::copy(last.begin(), last.end(), at);
        return {start, n};
    }

    // n bytes, kept until the next settle.
    char* room(std::size_t n) {
        if (used_ + n > block_size || blocks_.empty()) {
            blocks_.emplace_back(new char[std::max(n, block_size) + 1]);
            used_ = 0;
        }
        char* at = blocks_.back().get() + used_;
        used_ = std::min(used_ + n, block_size);
        return at;
    }

    std::size_t pending() const { return keys_.size(); }

    // Puts the strings from pending number `from` on into the order of their bytes.
    void sort(std::size_t from) {
        std::sort(keys_.begin() + static_cast<std::ptrdiff_t>(from), keys_.end(), [](const Key& a, const Key& b) {
            return std::string_view(a.data, a.size) < std::string_view(b.data, b.size);
        });
    }

    void settle() {
        const std::size_t base = settled();
        sentence_.ids.resize(base + keys_.size());
        if (frozen_)
            attributes_.find_all(keys_.data(), keys_.size(), sentence_.ids.data() + base);
        else
            attributes_.add_all(keys_.data(), keys_.size(), sentence_.ids.data() + base);
        keys_.clear();
        blocks_.clear();
        used_ = 0;
    }

    // Settles, leaves out what is not in the vocabulary, hands the sentence over and starts the next.
    void finish(Packer& packer) {
        settle();
        if (frozen_) sentence_.drop_absent();
        packer.add(sentence_);
        sentence_.clear();
    }

  private:
    static constexpr std::size_t block_size = 1 << 14;

    std::size_t settled() const { return sentence_.ids.size(); }

    Vocabulary& attributes_;
    bool frozen_;
    Sentence sentence_;
    std::vector<Key> keys_;
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;
};

}  // namespace tagfield::text
