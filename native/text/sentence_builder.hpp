// SentenceBuilder: collects the attribute strings of one sentence and looks them up together.
//
//     add, end_token, add, … ─▶ pending strings ─▶ resolve: vocabulary ─▶ Sentence of ids ─▶ finish: a sink
//
// The reader owns the strings, so it must call `resolve` before any of them can be freed. Looking up a whole sentence
// at once hides the cache misses of a large vocabulary.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/dataset_builder.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

// What a frozen vocabulary lacked: the number of occurrences, and the first few strings, for a warning.
struct UnknownAttributes {
    static constexpr std::size_t shown = 3;
    std::size_t count = 0;
    std::vector<std::string> some;
};

// Strings that a frozen vocabulary gets when they are first asked for.
struct StringSource {
    bool complete = false;  // the vocabulary has all of them

    virtual ~StringSource() = default;
    // The id of a string that the vocabulary may have by now, or Vocabulary::absent. Runs no Python code.
    virtual std::int32_t find(const HashedString& key) = 0;
};

class SentenceBuilder {
  public:
    static constexpr std::size_t slack = 32;  // bytes that join_cached copies

    UnknownAttributes unknown;

    // A frozen vocabulary grows only by what its source has: attributes that it lacks are left out.
    SentenceBuilder(Vocabulary& attributes, bool frozen, StringSource* source = nullptr)
        : attributes_(attributes), frozen_(frozen), source_(source) {}
    SentenceBuilder(const SentenceBuilder&) = delete;

    void add(const char* data, std::size_t size, float value = 1.0f) {
        push_value(value);
        strings_.emplace_back(data, size);
    }

    // Room for n more strings, to be filled in place: calls fill(first), which returns how many it filled. All have the value 1.
    template <class Fill>
    std::size_t add_several(std::size_t n, Fill fill) {
        const std::size_t before = strings_.size();
        strings_.resize(before + n);
        const std::size_t filled = fill(strings_.data() + before);
        strings_.resize(before + filled);
        if (!sentence_.values.empty()) sentence_.values.resize(sentence_.values.size() + filled, 1.0f);
        return filled;
    }

    // Adds an attribute whose id is known; with a frozen vocabulary it may be Vocabulary::absent.
    void add_known(std::int32_t id, float value) {
        push_value(value);
        known_.emplace_back(pending(), id);
    }

    // The id of an attribute, or Vocabulary::absent; a pending string has no id before `resolve`.
    std::int32_t find(std::string_view text) const {
        return source_ ? source_->find(HashedString(text)) : attributes_.find(text);
    }
    bool frozen() const { return frozen_; }

    void end_token() { sentence_.ends.push_back(static_cast<std::int64_t>(resolved() + pending())); }

    // first + middle + last; valid until the next `resolve`.
    std::string_view join(std::string_view first, std::string_view middle, std::string_view last) {
        char* start = allocate(first.size() + middle.size() + last.size());
        char* at = copy_bytes(start, first.data(), first.size());
        at = copy_bytes(at, middle.data(), middle.size());
        at = copy_bytes(at, last.data(), last.size());
        return {start, static_cast<std::size_t>(at - start)};
    }

    // The first n bytes of StringCache::Entry::with_colon, then `last`. Copies all `slack` bytes: one fixed size is faster than n.
    std::string_view join_cached(const char* with_colon, std::size_t n, std::string_view last) {
        char* start = allocate(n + last.size());
        std::memcpy(start, with_colon, slack);
        copy_bytes(start + n, last.data(), last.size());
        return {start, n + last.size()};
    }

    // n bytes, valid until the next `resolve`; `slack` bytes behind them may be overwritten.
    char* allocate(std::size_t n) {
        if (used_ + n > block_size || blocks_.empty()) {
            blocks_.emplace_back(new char[std::max(n, block_size) + slack]);
            used_ = 0;
        }
        char* at = blocks_.back().get() + used_;
        used_ = std::min(used_ + n, block_size);
        return at;
    }

    std::size_t pending() const { return strings_.size() + known_.size(); }

    // Sorts the pending strings after the first `from` by their bytes; no known ids may be among them.
    void sort(std::size_t from) {
        const auto first = strings_.begin() + static_cast<std::ptrdiff_t>(from - known_.size());
        std::sort(first, strings_.end(), [](const HashedString& a, const HashedString& b) {
            return std::string_view(a.data, a.size) < std::string_view(b.data, b.size);
        });
    }

    // Looks up the ids of all pending strings; afterwards the strings may be freed.
    void resolve() {
        const std::size_t base = resolved(), n = strings_.size();
        sentence_.ids.resize(base + pending());
        std::int32_t* const ids = sentence_.ids.data() + base;
        if (frozen_) {
            attributes_.find_all(strings_.data(), n, ids);
            if (source_ && !source_->complete) find_late(ids, n);
            if (unknown.some.size() < UnknownAttributes::shown) keep_unknown(ids, n);
        } else {
            attributes_.add_all(strings_.data(), n, ids);
        }
        insert_known(ids, n);
        strings_.clear();
        known_.clear();
        if (blocks_.size() > 1) blocks_.erase(blocks_.begin(), blocks_.end() - 1);
        used_ = 0;
    }

    // Ends the sentence: its ids go to the sink, a DatasetBuilder or a DecodingSink, without those that a frozen vocabulary lacks.
    template <class Sink>
    void finish(Sink& sink) {
        resolve();
        if (frozen_) {
            const std::size_t all = resolved();
            sentence_.drop_absent();
            unknown.count += all - resolved();
        }
        sink.add(sentence_);
        sentence_.clear();
    }

  private:
    static constexpr std::size_t block_size = 1 << 14;

    struct Known {
        std::size_t at;  // how many were pending before it
        std::int32_t id;

        Known(std::size_t at, std::int32_t id) : at(at), id(id) {}  // made in place: a copy would wait for its stores
    };

    void push_value(float value) {
        if (value != 1.0f && sentence_.values.empty()) sentence_.values.assign(resolved() + pending(), 1.0f);
        if (!sentence_.values.empty() || value != 1.0f) sentence_.values.push_back(value);
    }

    void find_late(std::int32_t* ids, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            if (ids[i] < 0) ids[i] = source_->find(strings_[i]);
    }

    void keep_unknown(const std::int32_t* ids, std::size_t n) {
        for (std::size_t i = 0; i < n && unknown.some.size() < UnknownAttributes::shown; ++i)
            if (ids[i] < 0) unknown.some.emplace_back(strings_[i].data, strings_[i].size);
    }

    // Inserts the known ids between the n that were looked up, back to front.
    void insert_known(std::int32_t* ids, std::size_t n) const {
        std::size_t to = n + known_.size();
        for (auto known = known_.rbegin(); known != known_.rend(); ++known) {
            while (to > known->at + 1) ids[--to] = ids[--n];
            ids[--to] = known->id;
        }
    }

    std::size_t resolved() const { return sentence_.ids.size(); }

    Vocabulary& attributes_;
    bool frozen_;
    StringSource* source_;
    Sentence sentence_;
    std::vector<HashedString> strings_;
    std::vector<Known> known_;
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = 0;
};

}  // namespace tagfield::text
