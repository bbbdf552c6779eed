// TemplateEncoder: sentences from files or Python objects → a DatasetBuilder, by one template.
//
//     ColumnReader, WordReader or ArrowWords ─▶ CellTable ─▶ update: derived columns ─▶ TemplateExpander ─▶ DatasetBuilder
//                                                                       └─▶ another one for transitions, if there are any
//
// What it learns about cells and patterns is kept for the next call, up to `capacity` entries; then all is dropped.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/arrow_words.hpp"
#include "text/cell_table.hpp"
#include "text/columns.hpp"
#include "text/dataset_builder.hpp"
#include "text/expand.hpp"
#include "text/words.hpp"

namespace tagfield::text {

// The slots of the attributes of tokens, and those of transitions if a vocabulary was given for them.
struct EncodedTokens {
    DatasetBuilder tokens, transitions;

    EncodedTokens() { transitions.apart = true; }
};

class TemplateEncoder {
  public:
    // expected: what a token must have, for messages
    TemplateEncoder(const std::vector<bool>& wanted, std::size_t capacity, std::string expected)
        : table(wanted), capacity_(capacity), expected_(std::move(expected)) {}

    CellTable table;
    ColumnReader places;  // of the files that were read

    std::size_t derive(std::size_t base, std::unique_ptr<Derivation> how, bool many) {
        const InUse use(*this);
        return table.derive(base, std::move(how), many);
    }

    void set_patterns(std::vector<Pattern> patterns, std::vector<Padding::Texts> padding, bool ends,
                      std::vector<Pattern> transitions) {
        const InUse use(*this);
        if (!transitions.empty()) transitions_.set(table, std::move(transitions), padding, false, 1);
        states_.set(table, std::move(patterns), std::move(padding), ends, 0);
    }

    // Whether patterns of transitions are there.
    bool has_transitions() const { return transitions_.expander != nullptr; }

    // Reads a file. The GIL is released, so `text` must not change.
    void read(std::string_view text, const std::string& file, std::int32_t index, const std::string& first_line) {
        const InUse use(*this);
        nb::gil_scoped_release release;
        places.read(table, text, file, index, first_line);
    }

    // Expands the sentences of files. The GIL is released: other threads may add to the vocabularies meanwhile, but not to
    // the snapshots that are read and, if they are not frozen, grown here.
    // transitions: the vocabulary of their attributes, or None to leave them out
    // grouped: whether slots are ordered by the group of their ids; false for ids that change later
    EncodedTokens expand(nb::handle vocabulary, bool frozen, nb::handle transitions, bool grouped) {
        const InUse use(*this);
        EncodedTokens made;
        made.tokens.grouped = grouped;
        Vocabulary& attributes = states_.switch_to(vocabulary);
        Vocabulary* const edges = switch_transitions_to(transitions);
        table.update();
        Vocabulary snapshot = attributes, edge_snapshot = edges ? *edges : Vocabulary();
        const std::size_t before = attributes.size(), edges_before = edge_snapshot.size();
        {
            nb::gil_scoped_release release;
            run(snapshot, edges ? &edge_snapshot : nullptr, frozen, made);
        }
        if (frozen) return made;
        if (attributes.size() != before || (edges && edges->size() != edges_before)) {
            states_.forget();
            transitions_.forget();
            throw InputError("another thread added to the vocabulary while a file was read; learn from one file at a time");
        }
        attributes = snapshot;
        if (edges) *edges = edge_snapshot;
        return made;
    }

    // Encodes sentences of words; returns the arrays and the ids of the labels [T].
    std::pair<EncodedTokens, std::vector<std::int32_t>> encode_words(nb::handle X, nb::handle y, nb::handle vocabulary,
                                                                     bool frozen, Vocabulary& labels, bool gather,
                                                                     nb::handle transitions, bool grouped) {
        const InUse use(*this);
        trim();
        table.begin();
        EncodedTokens made;
        made.tokens.gather = made.transitions.gather = gather;
        made.tokens.grouped = grouped;
        Vocabulary& attributes = states_.switch_to(vocabulary);
        Vocabulary* const edges = switch_transitions_to(transitions);
        std::vector<std::int32_t> gold = WordReader(table, labels, expected_).read(X, y, [&](Py_ssize_t sentences) {
            table.update();
            run(attributes, edges, frozen, made);
            table.begin();
            if (sentences == WordReader::chunk && PyList_CheckExact(X.ptr()))
                made.tokens.reserve_like(static_cast<std::size_t>(PyList_GET_SIZE(X.ptr())));
        });
        return {std::move(made), std::move(gold)};
    }

    // Sentences of words, with the attributes of a frozen vocabulary, into a sink; without those of transitions.
    template <class Sink>
    void read_words(nb::handle X, nb::handle vocabulary, Sink& sink) {
        const InUse use(*this);
        trim();
        table.begin();
        Vocabulary& attributes = states_.switch_to(vocabulary);
        Vocabulary no_labels;
        WordReader(table, no_labels, expected_).read(X, nb::none(), [&](Py_ssize_t) {
            table.update();
            states_.expander->run(attributes, true, sink);
            table.begin();
        });
    }

    // Encodes sentences of words from Arrow's buffers, without labels, and with vocabularies that do not grow. The GIL is
    // released: other threads may add to the vocabularies meanwhile, but not to the snapshots that are read here.
    EncodedTokens encode_arrow(const ArrowWords& words, nb::handle vocabulary, bool gather, nb::handle transitions) {
        const InUse use(*this);
        trim();
        table.begin();
        EncodedTokens made;
        made.tokens.gather = made.transitions.gather = gather;
        Vocabulary attributes = states_.switch_to(vocabulary);
        Vocabulary* const edges = switch_transitions_to(transitions);
        Vocabulary edge_attributes = edges ? *edges : Vocabulary();
        bool first = true;
        nb::gil_scoped_release release;
        words.read(table, expected_, [&] {
            table.update();
            run(attributes, edges ? &edge_attributes : nullptr, true, made);
            table.begin();
            if (std::exchange(first, false)) made.tokens.reserve_like(words.size());
        });
        return made;
    }

    // The same into a sink, without the attributes of transitions. The sink and what is behind it must be this call's alone.
    template <class Sink>
    void read_arrow(const ArrowWords& words, nb::handle vocabulary, Sink& sink) {
        const InUse use(*this);
        trim();
        table.begin();
        Vocabulary attributes = states_.switch_to(vocabulary);
        nb::gil_scoped_release release;
        words.read(table, expected_, [&] {
            table.update();
            states_.expander->run(attributes, true, sink);
            table.begin();
        });
        sink.finish();
    }

    // Between batches: drops what was learned, if it is too much.
    void trim() {
        if (size() <= capacity_) return;
        table.forget();
        states_.forget();
        transitions_.forget();
    }

    std::size_t size() const { return table.size() + states_.size() + transitions_.size(); }

  private:
    // One call at a time: user code that a call runs, or another thread while a call has released the GIL, must not come
    // back here. WordTable hands every call an encoder of its own.
    struct InUse {
        TemplateEncoder& encoder;
        explicit InUse(TemplateEncoder& encoder) : encoder(encoder) {
            if (encoder.busy_) throw InputError("this encoder is in use; make one for each thread");
            encoder.busy_ = true;
        }
        ~InUse() { encoder.busy_ = false; }
        InUse(const InUse&) = delete;
    };

    // An expander, and the vocabulary of its ids, which is kept alive so that no other one can take its address.
    struct Expansion {
        std::unique_ptr<TemplateExpander> expander;
        nb::object vocabulary;

        void set(CellTable& table, std::vector<Pattern> patterns, std::vector<Padding::Texts> padding, bool ends,
                 std::int64_t start) {
            expander = std::make_unique<TemplateExpander>(table, std::move(patterns), Padding(std::move(padding), table),
                                                          ends, start);
        }

        // The vocabulary for the ids of this call.
        Vocabulary& switch_to(nb::handle given) {
            if (!expander) throw InputError("an encoder needs patterns before it can expand a batch");
            if (!given.is(vocabulary)) {
                expander->forget();
                vocabulary = nb::borrow(given);
            }
            return *nb::inst_ptr<Vocabulary>(vocabulary);
        }

        void forget() {
            if (expander) expander->forget();
        }
        std::size_t size() const { return expander ? expander->size() : 0; }
    };

    Vocabulary* switch_transitions_to(nb::handle vocabulary) {
        return has_transitions() && !vocabulary.is_none() ? &transitions_.switch_to(vocabulary) : nullptr;
    }

    void run(Vocabulary& attributes, Vocabulary* edges, bool frozen, EncodedTokens& made) {
        states_.expander->run(attributes, frozen, made.tokens);
        if (edges) transitions_.expander->run(*edges, frozen, made.transitions);
    }

    Expansion states_, transitions_;
    std::size_t capacity_;
    std::string expected_;
    bool busy_ = false;
};

}  // namespace tagfield::text
