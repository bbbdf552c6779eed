// DecodingSink: the sentences of a reader go through the kernels' SequenceDecoder as they come, instead of into arrays.
//
//     add: sentence s ─▶ ask where its rows are        s − 1 ─▶ ask for its rows        s − 2 ─▶ best path or marginals
//
// A model is larger than the processor's cache. So a sentence waits for two others: by the time that its scores are summed,
// its weights have come.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sequence_decoder.hpp"
#include "text/dataset_builder.hpp"
#include "text/errors.hpp"

namespace tagfield::text {

namespace nb = nanobind;

// Raises what an interrupted call left; whether the scores were small enough.
inline bool finished(Decoded decoded) {
    if (decoded == Decoded::INTERRUPTED) {
        const nb::gil_scoped_acquire acquire;
        throw nb::python_error();
    }
    return decoded == Decoded::DONE;
}

inline AttributeIds ids_of(const Sentence& sentence) {
    return {sentence.ids.data(), sentence.values.empty() ? nullptr : sentence.values.data(), sentence.ends.data(),
            static_cast<std::int64_t>(sentence.ends.size())};
}

class DecodingSink {
  public:
    enum class Wanted { ids, labels, probabilities };
    static constexpr const char* too_large =
        "a score is beyond ±1e9, where probabilities and constraints are no longer exact; scale down the values of the "
        "attributes";

    std::vector<std::int64_t> tokens{0};
    std::vector<std::int32_t> labels;   // [T]
    std::vector<double> probabilities;  // [T, L]
    std::size_t known = 0;              // attributes that went through

    void open(SequenceDecoder& decoder, Wanted wanted) {
        decoder_ = &decoder;
        wanted_ = wanted;
        tokens.assign(1, 0);
        labels.clear();
        probabilities.clear();
        known = 0;
        taken_ = done_ = 0;
    }

    void reserve(std::size_t, std::size_t) {}
    void reserve_like(std::size_t) {}

    // The ids of the only sequence, if those are wanted.
    Sentence& only() { return waiting_[0]; }

    // Takes a sentence over; what it leaves in its place is to be cleared.
    void add(Sentence& sentence) {
        constexpr auto limit = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
        if (sentence.ids.size() >= limit / 4 || sentence.ends.size() >= limit)
            throw InputError("a sequence must have fewer than 2^29 attribute occurrences; split it");
        for (const std::int32_t id : sentence.ids) largest_ = largest_ < id ? id : largest_;
        if (largest_ >= decoder_->attributes)
            throw InputError("the data does not fit the model: its vocabulary has grown since its weights were made; "
                             "make the model anew");
        known += sentence.ids.size();
        tokens.push_back(tokens.back() + static_cast<std::int64_t>(sentence.ends.size()));
        std::swap(waiting_[taken_ % depth], sentence);
        if (wanted_ == Wanted::ids) return;
        decoder_->ask_places(view(taken_));
        if (taken_ > done_) decoder_->ask_rows(view(taken_ - 1));
        if (++taken_ - done_ == depth) pass(done_++);
    }

    // Call it after the last sentence.
    void finish() {
        if (taken_ > done_) decoder_->ask_rows(view(taken_ - 1));
        while (done_ < taken_) pass(done_++);
    }

    // Gives back the memory of a call with many sequences.
    void trim() {
        if (labels.capacity() > most_kept) labels = {};
        if (probabilities.capacity() > most_kept) probabilities = {};
        if (tokens.capacity() > most_kept) tokens = {};
    }

  private:
    static constexpr std::size_t depth = 3, most_kept = 1 << 16;

    AttributeIds view(std::size_t s) const { return ids_of(waiting_[s % depth]); }

    void pass(std::size_t s) {
        const AttributeIds x = view(s);
        const auto n = static_cast<std::size_t>(x.n);
        if (wanted_ == Wanted::labels) {
            labels.resize(labels.size() + n);
            finished(decoder_->best(x, labels.data() + (labels.size() - n)));
            return;
        }
        const std::size_t size = n * static_cast<std::size_t>(decoder_->labels);
        probabilities.resize(probabilities.size() + size);
        if (!finished(decoder_->marginals(x, probabilities.data() + (probabilities.size() - size))))
            throw InputError("sequence " + std::to_string(s) + ": " + too_large);
    }

    SequenceDecoder* decoder_ = nullptr;
    Wanted wanted_ = Wanted::labels;
    std::array<Sentence, depth> waiting_;
    std::size_t taken_ = 0, done_ = 0;  // sentences that came, and that went through
    std::int64_t largest_ = -1;         // id
};

}  // namespace tagfield::text
