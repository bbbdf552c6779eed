// DatasetBuilder: sentences of (attribute, value) lists → the arrays of Dataset (src/tagfield/data/dataset.py draws them).
//
// The slots of a sentence are ordered by (kind, rank within the token, position), the occurrences of a slot by position. So:
// visit rank by rank, give each new attribute the next slot, and count; share the slots out to their kinds (places.hpp); then
// place the occurrences by position.
// Without `grouped` the order is (rank, position): for attributes that get other ids later (renumber.hpp).
// Without `gather` every occurrence is a slot of its own, in the order of the input: enough to compute scores, and five
// times as fast.
// A place is a position whose top bit marks the last occurrence of a slot. Edge attributes (`apart`) have `stop` and
// `position` instead, and no groups.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "text/errors.hpp"
#include "text/places.hpp"

namespace tagfield::text {

// One sentence: the attributes of token t are ids[ends[t-1] .. ends[t]].
struct Sentence {
    std::vector<std::int32_t> ids;
    std::vector<float> values;  // empty if every value is 1
    std::vector<std::int64_t> ends;

    void clear() {
        ids.clear();
        values.clear();
        ends.clear();
    }

    // Removes the attributes with a negative id.
    void drop_absent() {
        std::size_t kept = 0;
        std::int64_t n = 0;
        for (std::int64_t& end : ends) {
            for (; n < end; ++n) {
                if (!values.empty()) values[kept] = values[n];
                ids[kept] = ids[n];
                kept += ids[n] >= 0;
            }
            end = static_cast<std::int64_t>(kept);
        }
        ids.resize(kept);
        if (!values.empty()) values.resize(kept);
    }
};

class DatasetBuilder {
  public:
    std::vector<std::int64_t> tokens{0}, slots{0}, occurrences{0};
    std::vector<std::int32_t> attribute, stop, position;  // the last two only where they are `apart`
    Places place;                                         // [N]
    std::vector<float> value;
    bool has_values = false, gather = true, grouped = true, apart = false;

    void reserve(std::size_t sentences, std::size_t occurrence_count) {
        tokens.reserve(sentences + 1);
        slots.reserve(sentences + 1);
        occurrences.reserve(sentences + 1);
        attribute.reserve(occurrence_count);
        if (apart) {
            stop.reserve(occurrence_count);
            position.reserve(occurrence_count);
        } else {
            place.reserve(occurrence_count);
        }
        if (has_values) value.reserve(occurrence_count);
    }

    // Reserves memory for more sentences, as long as those so far.
    void reserve_like(std::size_t sentences) {
        const std::size_t so_far = tokens.size() - 1, each = so_far ? count() / so_far + 1 : 0;
        reserve(sentences, std::min(sentences * (each + each / 4), most_reserved));
    }

    // Occurrences so far.
    std::size_t count() const { return apart ? position.size() : place.size(); }

    void add(const Sentence& sentence) {
        constexpr auto limit = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
        const std::size_t T = sentence.ends.size(), N = sentence.ids.size();
        if (N >= limit / 4 || T >= limit)
            throw InputError("a sequence must have fewer than 2^29 attribute occurrences; split it");
        if (T > Places::most_tokens && !apart) place.widen();
        if (gather) open_slots(sentence, T, N);
        if (apart)
            gather ? place_apart(sentence, T, N) : append_apart(sentence, T, N);
        else if (place.wide)
            gather ? place_occurrences(sentence, T, N, place.large) : append(sentence, T, N, place.large);
        else
            gather ? place_occurrences(sentence, T, N, place.small) : append(sentence, T, N, place.small);
        tokens.push_back(tokens.back() + static_cast<std::int64_t>(T));
        slots.push_back(static_cast<std::int64_t>(attribute.size()));
        occurrences.push_back(static_cast<std::int64_t>(count()));
    }

  private:
    // It is a guess: many short sentences may follow long ones, and room for as many long ones would be terabytes.
    static constexpr std::size_t most_reserved = std::size_t{1} << 26;

    struct Entry {
        std::int32_t id = -1, slot = 0;
    };
    std::vector<Entry> seen_;
    std::vector<std::int32_t> slot_of_, next_;  // [N] slot of each occurrence; [slots] place of its next occurrence
    std::vector<std::int32_t> moved_;           // [slots] their attributes, by kind
    std::vector<std::int32_t> active_;          // tokens that have an attribute of the current rank

    // Plain pointers: the compiler must assume that storing an int32 could change a vector's own fields.
    void open_slots(const Sentence& sentence, std::size_t T, std::size_t N) {
        unsigned bits = 4;
        while ((std::size_t{1} << bits) < 2 * N) ++bits;
        const std::size_t mask = (std::size_t{1} << bits) - 1;
        seen_.assign(mask + 1, Entry{});
        slot_of_.resize(N);
        next_.assign(N, 0);
        active_.clear();
        for (std::size_t t = 0; t < T; ++t)
            if (sentence.ends[t] > (t ? sentence.ends[t - 1] : 0)) active_.push_back(static_cast<std::int32_t>(t));
        const std::size_t base = attribute.size();
        attribute.resize(base + N);
        const std::int64_t* const ends = sentence.ends.data();
        const std::int32_t* const ids = sentence.ids.data();
        Entry* const seen = seen_.data();
        std::int32_t *const slot_of = slot_of_.data(), *const count = next_.data(), *const active = active_.data();
        std::int32_t* const opened = attribute.data() + base;
        std::int32_t slots_here = 0;
        std::size_t remaining = active_.size();
        for (std::int64_t rank = 0; remaining; ++rank) {
            std::size_t kept = 0;
            for (std::size_t j = 0; j < remaining; ++j) {
                const std::int32_t t = active[j];
                const std::int64_t n = (t ? ends[t - 1] : 0) + rank;
                const std::int32_t id = ids[n];
                std::size_t i = (static_cast<std::uint32_t>(id) * 0x9E3779B1u) >> (32 - bits);
                while (seen[i].id != id && seen[i].id >= 0) i = (i + 1) & mask;
                if (seen[i].id < 0) {
                    seen[i] = {id, slots_here};
                    opened[slots_here++] = id;
                }
                slot_of[n] = seen[i].slot;
                ++count[seen[i].slot];
                active[kept] = t;
                kept += n + 1 < ends[t];
            }
            remaining = kept;
        }
        attribute.resize(base + static_cast<std::size_t>(slots_here));
        next_.resize(static_cast<std::size_t>(slots_here));
    }

    template <class Word>
    void append(const Sentence& sentence, std::size_t T, std::size_t N, std::vector<Word>& places) {
        const std::size_t base = places.size();
        attribute.insert(attribute.end(), sentence.ids.begin(), sentence.ids.end());
        places.resize(base + N);
        fill_in_order(sentence, T, places.data() + base, [](std::size_t t) { return static_cast<Word>(t | last_of<Word>); });
        copy_values(sentence, base, N);
    }

    void append_apart(const Sentence& sentence, std::size_t T, std::size_t N) {
        const std::size_t base = position.size();
        attribute.insert(attribute.end(), sentence.ids.begin(), sentence.ids.end());
        stop.resize(base + N);
        for (std::size_t n = 0; n < N; ++n) stop[base + n] = static_cast<std::int32_t>(n + 1);
        position.resize(base + N);
        fill_in_order(sentence, T, position.data() + base, [](std::size_t t) { return static_cast<std::int32_t>(t); });
        copy_values(sentence, base, N);
    }

    template <class Out, class Make>
    static void fill_in_order(const Sentence& sentence, std::size_t T, Out* out, Make make) {
        std::int64_t n = 0;
        for (std::size_t t = 0; t < T; ++t)
            for (const std::int64_t end = sentence.ends[t]; n < end; ++n) *out++ = make(t);
    }

    void copy_values(const Sentence& sentence, std::size_t base, std::size_t N) {
        make_values(sentence, base, N);
        if (!sentence.values.empty())
            std::copy(sentence.values.begin(), sentence.values.end(), value.end() - static_cast<std::ptrdiff_t>(N));
    }

    // Appends N values of 1, once any sentence has had another value.
    void make_values(const Sentence& sentence, std::size_t base, std::size_t N) {
        if (!has_values && !sentence.values.empty()) {
            has_values = true;
            value.assign(base, 1.0f);
        }
        if (has_values) value.resize(base + N, 1.0f);
    }

    // Orders the slots by kind; next_[d] becomes the place of the first occurrence of slot d.
    void group_slots() {
        const std::size_t D = next_.size(), base = attribute.size() - D;
        std::size_t slot_at[slot_kinds + 1] = {}, occurrence_at[slot_kinds + 1] = {};
        for (std::size_t d = 0; d < D; ++d) {
            const int g = grouped ? kind_of(attribute[base + d], next_[d]) : 0;
            ++slot_at[g + 1];
            occurrence_at[g + 1] += static_cast<std::size_t>(next_[d]);
        }
        for (int g = 0; g < slot_kinds; ++g) {
            slot_at[g + 1] += slot_at[g];
            occurrence_at[g + 1] += occurrence_at[g];
        }
        moved_.resize(D);
        for (std::size_t d = 0; d < D; ++d) {
            const int g = grouped ? kind_of(attribute[base + d], next_[d]) : 0;
            moved_[slot_at[g]++] = attribute[base + d];
            const auto start = static_cast<std::int32_t>(occurrence_at[g]);
            occurrence_at[g] += static_cast<std::size_t>(next_[d]);
            next_[d] = start;
        }
        std::copy(moved_.begin(), moved_.end(), attribute.begin() + static_cast<std::ptrdiff_t>(base));
    }

    template <class Word>
    void place_occurrences(const Sentence& sentence, std::size_t T, std::size_t N, std::vector<Word>& places) {
        group_slots();
        const std::size_t base = places.size();
        places.resize(base + N);
        make_values(sentence, base, N);
        Word* const at = places.data() + base;
        fill_slots(sentence, T, base, at);
        for (const std::int32_t end : next_) at[end - 1] = static_cast<Word>(at[end - 1] | last_of<Word>);
    }

    void place_apart(const Sentence& sentence, std::size_t T, std::size_t N) {
        std::int32_t end = 0;
        for (std::int32_t& count : next_) {
            const std::int32_t start = end;
            end += count;
            stop.push_back(end);
            count = start;
        }
        const std::size_t base = position.size();
        position.resize(base + N);
        make_values(sentence, base, N);
        fill_slots(sentence, T, base, position.data() + base);
    }

    template <class Out> void fill_slots(const Sentence& sentence, std::size_t T, std::size_t base, Out* const places) {
        const std::int32_t* const slot_of = slot_of_.data();
        std::int32_t* const next = next_.data();
        const float* const given = sentence.values.empty() ? nullptr : sentence.values.data();
        float* const values = given ? value.data() + base : nullptr;
        std::int64_t n = 0;
        for (std::size_t t = 0; t < T; ++t) {
            for (const std::int64_t stop_at = sentence.ends[t]; n < stop_at; ++n) {
                const std::int32_t at = next[slot_of[n]]++;
                places[at] = static_cast<Out>(t);
                if (given) values[at] = given[n];
            }
        }
    }
};

}  // namespace tagfield::text
