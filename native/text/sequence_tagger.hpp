// SequenceTagger: Python sequences → labels or probabilities as Python objects, through the kernels' SequenceDecoder.
//
//     X ─▶ ObjectReader ─▶ DecodingSink ─▶ token_lists
//
// What a call needs is kept for the next one: a service tags one sequence a call, and making it anew would take longer than
// the work. A call takes it out and puts it back, so a call that user code makes while X is read, or one of another thread
// meanwhile, has its own.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <memory>
#include <utility>
#include <vector>

#include "sequence_decoder.hpp"
#include "text/decoding_sink.hpp"
#include "text/objects.hpp"
#include "text/token_lists.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

namespace nb = nanobind;

inline SequenceDecoder& decoder_in(nb::handle capsule) {
    void* const decoder = PyCapsule_GetPointer(capsule.ptr(), SequenceDecoder::NAME);
    if (!decoder) throw nb::python_error();
    return *static_cast<SequenceDecoder*>(decoder);
}

// One sequence that was read, for several questions.
class ReadSequence {
  public:
    ReadSequence(Sentence&& sentence, nb::object capsule)
        : sentence(std::move(sentence)), capsule_(std::move(capsule)), decoder_(decoder_in(capsule_)) {}

    const Sentence sentence;

    std::size_t size() const { return sentence.ends.size(); }
    std::int32_t label_count() const { return decoder_.labels; }

    nb::object best(nb::handle labels) const {
        std::vector<std::int32_t> ids(size());
        ask();
        finished(decoder_.best(ids_of(sentence), ids.data()));
        return label_list(ids.data(), labels, static_cast<std::int64_t>(size()));
    }

    nb::object rows() const {
        std::vector<double> node(size() * static_cast<std::size_t>(decoder_.labels));
        ask();
        if (!finished(decoder_.marginals(ids_of(sentence), node.data()))) throw InputError(DecodingSink::too_large);
        return number_lists(node.data(), static_cast<std::int64_t>(size()), decoder_.labels);
    }

  private:
    void ask() const {
        decoder_.ask_places(ids_of(sentence));
        decoder_.ask_rows(ids_of(sentence));
    }

    nb::object capsule_;  // kept alive
    SequenceDecoder& decoder_;
};

class SequenceTagger {
  public:
    // What a call found, besides its results.
    struct Found {
        std::size_t known;
        UnknownAttributes unknown;
    };

    // source: has more attributes than the vocabulary, which then grows only by them
    SequenceTagger(nb::object attributes, nb::object capsule, std::unique_ptr<StringSource> source = nullptr)
        : attributes_(std::move(attributes)), capsule_(std::move(capsule)), source_(std::move(source)),
          vocabulary_(nb::cast<Vocabulary&>(attributes_)), decoder_(decoder_in(capsule_)) {}
    SequenceTagger(const SequenceTagger&) = delete;

    std::int32_t label_count() const { return decoder_.labels; }
    nb::object decoder() const { return capsule_; }

    // read(reader) reads the sequences, make(sink) turns what they gave into the result.
    template <class Read, class Make>
    std::pair<nb::object, Found> run(DecodingSink::Wanted wanted, Read read, Make make) {
        std::unique_ptr<Workspace> own = std::move(idle_);  // if the call fails, what it leaves half done goes with it
        if (!own || (!source_ && own->attributes != vocabulary_.size()))
            own = std::make_unique<Workspace>(vocabulary_, source_.get());
        own->reader.forget_unknown();
        own->reader.sink.open(decoder_, wanted);
        read(own->reader);
        own->reader.sink.finish();
        nb::object made = make(own->reader.sink);
        std::pair<nb::object, Found> result{std::move(made), {own->reader.sink.known, own->reader.unknown()}};
        own->reader.sink.trim();
        idle_ = std::move(own);
        return result;
    }

  private:
    using Reader = ObjectReader<DecodingSink>;

    // The reader remembers the ids of keys, and which ones have none: it serves as long as the vocabulary has its size, or gets
    // its strings from a source, which has all of them.
    struct Workspace {
        Vocabulary no_labels;
        std::size_t attributes;
        Reader reader;

        Workspace(Vocabulary& vocabulary, StringSource* source)
            : attributes(vocabulary.size()), reader(vocabulary, true, no_labels, "X", 0, source) {}
    };

    nb::object attributes_, capsule_;  // kept alive
    std::unique_ptr<StringSource> source_;
    Vocabulary& vocabulary_;
    SequenceDecoder& decoder_;
    std::unique_ptr<Workspace> idle_;
};

}  // namespace tagfield::text
