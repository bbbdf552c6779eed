// TemplateEncoder: sentences from files or Python objects → a DatasetBuilder, by one template.
//
//     ColumnReader or WordReader ─▶ CellTable ─▶ update: derived columns ─▶ TemplateExpander ─▶ DatasetBuilder
//
// What it learns about cells and patterns is kept for the next call, up to `capacity` entries; then all is dropped.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
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
    TemplateEncoder(const std::vector<bool>& wanted, std::size_t capacity) : table(wanted), capacity_(capacity) {}

    CellTable table;
    ColumnReader places;  // of the files that were read

    void set_patterns(std::vector<Pattern> patterns, bool padding, bool edges) {
        expander_ = std::make_unique<TemplateExpander>(table, std::move(patterns), padding, edges);
    }

    // Expands the batch. The vocabulary is kept alive, so that no other one can take its address. Without `shared`, no
    // other thread can reach the vocabulary, and the GIL is released.
    DatasetBuilder expand(nb::handle vocabulary, bool frozen, bool gather, bool shared) {
        if (!expander_) throw InputError("an encoder needs patterns before it can expand a batch");
        if (!vocabulary.is(vocabulary_)) {
            expander_->forget();
            vocabulary_ = nb::borrow(vocabulary);
        }
        Vocabulary& attributes = *nb::inst_ptr<Vocabulary>(vocabulary_);
        table.update();
        DatasetBuilder dataset;
        dataset.gather = gather;
        std::optional<nb::gil_scoped_release> release;
        if (!shared) release.emplace();
        expander_->run(attributes, frozen, dataset);
        return dataset;
    }

    // Between batches: drops what was learned, if it is too much.
    void trim() {
        if (table.size() + (expander_ ? expander_->size() : 0) <= capacity_) return;
        table.forget();
        if (expander_) expander_->forget();
    }

    std::size_t size() const { return table.size() + (expander_ ? expander_->size() : 0); }

  private:
    std::unique_ptr<TemplateExpander> expander_;
    nb::object vocabulary_;
    std::size_t capacity_;
};

}  // namespace tagfield::text
