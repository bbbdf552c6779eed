// CellTable: a batch of sentences as cell ids, one array per column, and columns that are derived from other columns.
//
//     file or Python objects ─▶ begin, add, end_token, end_sentence ─▶ ids[column][token]
//                                                        update ─▶ derived columns, in the order they were declared
//
// Distinct cells and what was derived from them outlive the batch: the next one finds them again. A cell may be
// nothing, and a cell of a column with many values holds them all, joined by a byte that no UTF-8 text contains.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/errors.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

struct Column {
    static constexpr std::int32_t nothing = -1;
    static constexpr char separator = '\xFF';  // between the values of a cell

    StringTable cells;
    std::vector<std::int32_t> ids;  // [T]  of the batch
    bool many = false;              // whether a cell may have several values
};

// How a column is made from another one.
class Derivation {
  public:
    virtual ~Derivation() = default;

    // Sets made.ids for the batch; tokens [S+1] are the first tokens of the sentences.
    virtual void run(const Column& base, const std::vector<std::int64_t>& tokens, Column& made) = 0;

    // Whether a cell depends only on the base column's cell at the same token.
    virtual bool per_cell() const { return false; }

    // Drops everything that depends on the ids of cells.
    virtual void forget() {}
};

class CellTable {
  public:
    // Columns that are not wanted are counted but not stored.
    explicit CellTable(const std::vector<bool>& wanted) : wanted_(wanted.begin(), wanted.end()) {
        columns_.resize(wanted_.size());
    }

    std::size_t width() const { return wanted_.size(); }
    std::size_t columns() const { return columns_.size(); }  // with the derived ones
    bool wants(std::size_t k) const { return k < wanted_.size() && wanted_[k]; }

    // Adds a derived column; returns its index.
    std::size_t derive(std::size_t base, std::unique_ptr<Derivation> how, bool many) {
        column(base);
        columns_.emplace_back();
        columns_.back().many = many;
        derived_.push_back({base, columns_.size() - 1, std::move(how)});
        return columns_.size() - 1;
    }

    // Starts a new batch.
    void begin() {
        for (Column& column : columns_) column.ids.clear();
        tokens_.assign(1, 0);
        length_ = 0;
    }

    void add(std::size_t k, std::string_view cell) {
        if (wants(k)) columns_[k].ids.push_back(columns_[k].cells.add(cell));
    }
    void end_token() { ++length_; }
    void end_sentence() { tokens_.push_back(length_); }

    void update() {
        for (const Derived& derived : derived_) {
            read_column(derived.base);
            derived.how->run(columns_[derived.base], tokens_, columns_[derived.made]);
        }
    }

    // A column that has an id for every token of the batch.
    const Column& read_column(std::size_t k) {
        if (column(k).ids.size() != static_cast<std::size_t>(tokens_.back()))
            throw InputError("column " + std::to_string(k) + " was not read");
        return columns_[k];
    }

    // Drops all cells, for a table that has grown too large; nothing of a batch may be in use.
    void forget() {
        begin();
        for (Column& column : columns_) column.cells = StringTable();
        for (const Derived& derived : derived_) derived.how->forget();
    }

    // The label id of each token; new labels join the vocabulary in order of first appearance.
    std::vector<std::int32_t> labels(std::size_t k, Vocabulary& names) {
        const Column& from = column(k);
        std::vector<std::int32_t> id, made;
        for (std::size_t cell = 0; cell < from.cells.size(); ++cell)
            id.push_back(names.add(from.cells[static_cast<std::int32_t>(cell)]));
        made.reserve(from.ids.size());
        for (const std::int32_t cell : from.ids) made.push_back(id[static_cast<std::size_t>(cell)]);
        return made;
    }

    Column& column(std::size_t k) {
        if (k >= columns_.size()) throw InputError("there is no column " + std::to_string(k));
        return columns_[k];
    }

    // The column that alone decides the cells of column k: itself, or the one that it is derived from cell by cell.
    std::size_t root(std::size_t k) const {
        for (std::size_t i = derived_.size(); i-- > 0;)  // a column comes after its base
            if (derived_[i].made == k && derived_[i].how->per_cell()) k = derived_[i].base;
        return k;
    }

    const std::vector<std::int64_t>& tokens() const { return tokens_; }  // [S+1]

    // How many strings are kept, where 32 bytes of text count as one more.
    std::size_t size() const {
        std::size_t sum = 0;
        for (const Column& column : columns_) sum += column.cells.size() + column.cells.bytes().size() / 32;
        return sum;
    }

  private:
    struct Derived {
        std::size_t base, made;
        std::unique_ptr<Derivation> how;
    };

    std::vector<char> wanted_;
    std::vector<Column> columns_;
    std::vector<Derived> derived_;
    std::int64_t length_ = 0;
    std::vector<std::int64_t> tokens_{0};
};

}  // namespace tagfield::text
