// SequenceTagger: Python sequences → labels or probabilities as Python objects, through the kernels' SequenceDoor.
//
//     X ─▶ ObjectReader ─▶ DoorSink ─▶ token_lists
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

#include "sequence_door.hpp"
#include "text/door_sink.hpp"
#include "text/objects.hpp"
#include "text/token_lists.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

namespace nb = nanobind;

inline SequenceDoor& door_in(nb::handle capsule) {
    void* const door = PyCapsule_GetPointer(capsule.ptr(), SequenceDoor::NAME);
    if (!door) throw nb::python_error();
    return *static_cast<SequenceDoor*>(door);
}

// One sequence that was read, for several questions.
class ReadSequence {
  public:
    ReadSequence(Sentence&& sentence, nb::object capsule)
        : sentence(std::move(sentence)), capsule_(std::move(capsule)), door_(door_in(capsule_)) {}

    const Sentence sentence;

    std::size_t size() const { return sentence.ends.size(); }
    std::int32_t label_count() const { return door_.labels; }

    nb::object best(nb::handle labels) const {
        std::vector<std::int32_t> ids(size());
        ask();
        door_.best(ids_of(sentence), ids.data());
        return label_list(ids.data(), labels, static_cast<std::int64_t>(size()));
    }

    nb::object rows() const {
        std::vector<double> node(size() * static_cast<std::size_t>(door_.labels));
        ask();
        if (!door_.marginals(ids_of(sentence), node.data())) throw InputError(DoorSink::too_large);
        return number_lists(node.data(), static_cast<std::int64_t>(size()), door_.labels);
    }

  private:
    void ask() const {
        door_.ask_places(ids_of(sentence));
        door_.ask_rows(ids_of(sentence));
    }

    nb::object capsule_;  // kept alive
    SequenceDoor& door_;
};

class SequenceTagger {
  public:
    // What a call found, besides its results.
    struct Found {
        std::size_t known;
        UnknownAttributes unknown;
    };

    SequenceTagger(nb::object attributes, nb::object capsule)
        : attributes_(std::move(attributes)), capsule_(std::move(capsule)),
          vocabulary_(nb::cast<Vocabulary&>(attributes_)), door_(door_in(capsule_)) {}
    SequenceTagger(const SequenceTagger&) = delete;

    std::int32_t label_count() const { return door_.labels; }
    nb::object door() const { return capsule_; }

    // read(reader) reads the sequences, make(sink) turns what they gave into the result.
    template <class Read, class Make>
    std::pair<nb::object, Found> run(DoorSink::Wanted wanted, Read read, Make make) {
        std::unique_ptr<Workspace> own = std::move(idle_);  // if the call fails, what it leaves half done goes with it
        if (!own || own->attributes != vocabulary_.size()) own = std::make_unique<Workspace>(vocabulary_);
        own->reader.forget_unknown();
        own->reader.sink.open(door_, wanted);
        read(own->reader);
        own->reader.sink.finish();
        nb::object made = make(own->reader.sink);
        std::pair<nb::object, Found> result{std::move(made), {own->reader.sink.known, own->reader.unknown()}};
        own->reader.sink.trim();
        idle_ = std::move(own);
        return result;
    }

  private:
    using Reader = ObjectReader<DoorSink>;

    // The reader remembers the ids of keys, and which ones have none: it serves as long as the vocabulary has its size.
    struct Workspace {
        Vocabulary no_labels;
        std::size_t attributes;
        Reader reader;

        explicit Workspace(Vocabulary& vocabulary)
            : attributes(vocabulary.size()), reader(vocabulary, true, no_labels) {}
    };

    nb::object attributes_, capsule_;  // kept alive
    Vocabulary& vocabulary_;
    SequenceDoor& door_;
    std::unique_ptr<Workspace> idle_;
};

}  // namespace tagfield::text
