// TemplateEncoder: sentences from files or Python objects → a DatasetBuilder, by one template.
//
//     ColumnReader or WordReader ─▶ CellTable ─▶ update: derived columns ─▶ TemplateExpander ─▶ DatasetBuilder
//
// What it learns about cells and patterns is kept for the next call, up to `capacity` entries; then all is dropped.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/cell_table.hpp"
#include "text/columns.hpp"
#include "text/dataset_builder.hpp"
#include "text/expand.hpp"
#include "text/words.hpp"

namespace tagfield::text {

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

    void set_patterns(std::vector<Pattern> patterns, bool padding, bool edges) {
        const InUse use(*this);
        expander_ = std::make_unique<TemplateExpander>(table, std::move(patterns), padding, edges);
    }

    // Reads a file. The GIL is released, so `text` must not change.
    void read(std::string_view text, const std::string& file, std::int32_t index, const std::string& first_line) {
        const InUse use(*this);
        nb::gil_scoped_release release;
        places.read(table, text, file, index, first_line);
    }

    // Expands the sentences of files. The GIL is released: other threads may add to the vocabulary meanwhile, but not to
    // the snapshot that is read and, if it is not frozen, grown here.
    DatasetBuilder expand(nb::handle vocabulary, bool frozen) {
        const InUse use(*this);
        DatasetBuilder dataset;
        Vocabulary& attributes = switch_to(vocabulary);
        table.update();
        Vocabulary snapshot = attributes;
        const std::size_t before = attributes.size();
        {
            nb::gil_scoped_release release;
            expander_->run(snapshot, frozen, dataset);
        }
        if (frozen) return dataset;
        if (attributes.size() != before) {
            expander_->forget();
            throw InputError("another thread added to the vocabulary while a file was read; learn from one file at a time");
        }
        attributes = snapshot;
        return dataset;
    }

    // Encodes sentences of words; returns the arrays and the ids of the labels [T].
    std::pair<DatasetBuilder, std::vector<std::int32_t>> encode_words(nb::handle X, nb::handle y, nb::handle vocabulary,
                                                                      bool frozen, Vocabulary& labels, bool gather) {
        const InUse use(*this);
        trim();
        table.begin();
        DatasetBuilder dataset;
        dataset.gather = gather;
        Vocabulary& attributes = switch_to(vocabulary);
        std::vector<std::int32_t> gold = WordReader(table, labels, expected_).read(X, y, [&](Py_ssize_t sentences) {
            table.update();
            expander_->run(attributes, frozen, dataset);
            table.begin();
            if (sentences == WordReader::chunk && PyList_CheckExact(X.ptr()))
                dataset.reserve_like(static_cast<std::size_t>(PyList_GET_SIZE(X.ptr())));
        });
        return {std::move(dataset), std::move(gold)};
    }

    // Between batches: drops what was learned, if it is too much.
    void trim() {
        if (table.size() + (expander_ ? expander_->size() : 0) <= capacity_) return;
        table.forget();
        if (expander_) expander_->forget();
    }

    std::size_t size() const { return table.size() + (expander_ ? expander_->size() : 0); }

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

    // The vocabulary for the ids of this call. It is kept alive, so that no other one can take its address.
    Vocabulary& switch_to(nb::handle vocabulary) {
        if (!expander_) throw InputError("an encoder needs patterns before it can expand a batch");
        if (!vocabulary.is(vocabulary_)) {
            expander_->forget();
            vocabulary_ = nb::borrow(vocabulary);
        }
        return *nb::inst_ptr<Vocabulary>(vocabulary_);
    }

    std::unique_ptr<TemplateExpander> expander_;
    nb::object vocabulary_;
    std::size_t capacity_;
    std::string expected_;
    bool busy_ = false;
};

}  // namespace tagfield::text
