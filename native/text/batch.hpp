// Batch: the strings of one sentence, looked up together.
//
// The strings belong to the reader, so `settle` must be called before any of them may go away. Looking up a whole
// sentence at once is what hides the cache misses of a large vocabulary.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "text/identity.hpp"
#include "text/pack.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

class Batch {
  public:
    // Attributes that are not in a frozen vocabulary are left out.
    Batch(Vocabulary& attributes, bool frozen) : attributes_(attributes), frozen_(frozen) {}
    Batch(const Batch&) = delete;

    void add(const char* data, std::size_t size, float value = 1.0f) {
        weigh(value);
        keys_.emplace_back(data, size);
    }

    // An attribute whose id is known: Vocabulary::absent too, where the vocabulary is frozen.
    void add_known(std::int32_t id, float value) {
        weigh(value);
        known_.emplace_back(pending(), id);
    }

    // The id of an attribute, if there is one yet. What is pending is not: ids go by the order of appearance.
    std::int32_t find(std::string_view text) const { return attributes_.find(text); }
    bool frozen() const { return frozen_; }

    void end_token() { sentence_.ends.push_back(static_cast<std::int64_t>(settled() + pending())); }

    // first + middle + last, kept until the next settle.
    std::string_view join(std::string_view first, std::string_view middle, std::string_view last) {
        char* start = room(first.size() + middle.size() + last.size());
        char* at = copy_bytes(start, first.data(), first.size());
        at = copy_bytes(at, middle.data(), middle.size());
        at = copy_bytes(at, last.data(), last.size());
        return {start, static_cast<std::size_t>(at - start)};
    }

    // The first n bytes of a head of `slack` bytes, then `last`.
    std::string_view join_head(const char* head, std::size_t n, std::string_view last) {
        char* start = room(n + last.size());
        std::memcpy(start, head, slack);
        copy_bytes(start + n, last.data(), last.size());
        return {start, n + last.size()};
    }

    // n bytes, kept until the next settle, and `slack` more that nobody uses.
    char* room(std::size_t n) {
        if (used_ + n > block_size || blocks_.empty()) {
            blocks_.emplace_back(new char[std::max(n, block_size) + slack]);
            used_ = 0;
        }
        char* at = blocks_.back().get() + used_;
        used_ = std::min(used_ + n, block_size);
        return at;
    }

    std::size_t pending() const { return keys_.size() + known_.size(); }

    // Puts the strings from pending number `from` on into the order of their bytes; no known ids are among them.
    void sort(std::size_t from) {
        const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(from - known_.size());
        std::sort(first, keys_.end(), [](const Key& a, const Key& b) {
            return std::string_view(a.data, a.size) < std::string_view(b.data, b.size);
        });
    }

    void settle() {
        const std::size_t base = settled(), n = keys_.size();
        sentence_.ids.resize(base + pending());
        std::int32_t* const ids = sentence_.ids.data() + base;
        if (frozen_)
            attributes_.find_all(keys_.data(), n, ids);
        else
            attributes_.add_all(keys_.data(), n, ids);
        spread(ids, n);
        keys_.clear();
        known_.clear();
        if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
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
    static constexpr std::size_t block_size = 1 << 14, slack = IdentityMemory::head_size;

    struct Known {
        std::size_t at;  // how many were pending before it
        std::int32_t id;

        Known(std::size_t at, std::int32_t id) : at(at), id(id) {}  // in place: a copy would wait for its own stores
    };

    void weigh(float value) {
        if (value != 1.0f && sentence_.values.empty()) sentence_.values.assign(settled() + pending(), 1.0f);
        if (!sentence_.values.empty() || value != 1.0f) sentence_.values.push_back(value);
    }

    // Puts the known ids between the n that were looked up, from the back.
    void spread(std::int32_t* ids, std::size_t n) const {
        std::size_t to = n + known_.size();
        for (auto known = known_.rbegin(); known != known_.rend(); ++known) {
            while (to > known->at + 1) ids[--to] = ids[--n];
            ids[--to] = known->id;
        }
    }

    std::size_t settled() const { return sentence_.ids.size(); }

    Vocabulary& attributes_;
    bool frozen_;
    Sentence sentence_;
    std::vector<Key> keys_;
    std::vector<Known> known_;
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;
};

}  // namespace tagfield::text
