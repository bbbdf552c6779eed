// WordReader: sentences of words, as Python objects, into a CellTable.
//
//     ["The", "dog"]                       a token is a str: one column
//     [("The", "DT"), ("dog", "NN")]       or a tuple or list of str: one for each column
//
// User code runs only when X, y or a sentence is iterated or released. Then the table holds whole tokens, and no
// borrowed string is in use.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "text/cell_table.hpp"
#include "text/errors.hpp"
#include "text/python_lists.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

class WordReader {
  public:
    static constexpr Py_ssize_t chunk = 64;  // sentences whose cells the processor's cache can hold

    // expected: what a token must have, for messages, such as "template chunking reads 2 columns (w, pos)"
    WordReader(CellTable& table, Vocabulary& labels, const std::string& expected)
        : table_(table), labels_(labels), expected_(expected) {}

    // Calls flush(sentences so far) after every `chunk` sentences and at the end; it must empty the table. Returns the ids
    // of the labels [T].
    template <class Flush>
    std::vector<std::int32_t> read(nb::handle X, nb::handle y, Flush flush) {
        if (is_text(X.ptr()))
            throw InputError("X is a list of sentences; got a string; did you mean [text.split()]?");
        std::size_t tokens = 0;
        Pairs pairs(iterate(X, "X", "a list of sentences"), y);
        while (pairs.advance()) {
            sentence_ = pairs.index;
            const std::size_t length = read_sentence(pairs.sequence);
            tokens += length;
            if (pairs.labels.is_valid()) labels_.read(pairs.labels, sentence_, length);
            if ((sentence_ + 1) % chunk == 0) flush(sentence_ + 1);
        }
        flush(pairs.index);
        labels_.gold.resize(tokens, Vocabulary::absent);  // if there is no y
        return std::move(labels_.gold);
    }

  private:
    std::string where() const {
        return "sentence " + std::to_string(sentence_ + 1) + ", token " + std::to_string(token_ + 1) + " (X[" +
               std::to_string(sentence_) + "][" + std::to_string(token_) + "]): ";
    }

    std::size_t read_sentence(nb::handle sentence) {
        const std::string name = "sentence " + std::to_string(sentence_ + 1) + " (X[" + std::to_string(sentence_) + "])";
        if (is_text(sentence.ptr()))
            throw InputError(name + " is a string; a sentence is a list of words; did you mean X = [text.split()]?");
        const nb::object list = as_list(sentence, name, "a list of words");
        const Py_ssize_t length = length_of(list.ptr());
        for (token_ = 0; token_ < length; ++token_) {
            read_token(item_of(list.ptr(), token_));
            table_.end_token();
        }
        table_.end_sentence();
        return static_cast<std::size_t>(length);
    }

    void read_token(PyObject* token) {
        const auto width = static_cast<Py_ssize_t>(table_.width());
        if (PyUnicode_Check(token)) {
            if (width != 1)
                throw InputError(where() + "found 1 string, but " + expected_ + "; write each token as a tuple of " +
                                 std::to_string(width) + " strings");
            return read_cell(0, token);
        }
        if (!PyTuple_Check(token) && !PyList_Check(token))
            throw InputError(where() + "a token is a string or a tuple of strings, but this one is of type " +
                             type_name(token) +
                             (PyDict_Check(token) ? "; pass words, or leave the template out (encode_sequences takes dicts)" : ""));
        const Py_ssize_t found = length_of(token);
        if (found != width)
            throw InputError(where() + "found " + std::to_string(found) + (found == 1 ? " column" : " columns") +
                             ", but " + expected_ + "; choose another template, or name the columns");
        for (Py_ssize_t k = 0; k < width; ++k) read_cell(static_cast<std::size_t>(k), item_of(token, k));
    }

    void read_cell(std::size_t k, PyObject* cell) {
        if (!PyUnicode_Check(cell))
            throw InputError(where() + "a cell must be a string, but this one is of type " + type_name(cell));
        std::string_view text;
        if (!read_text(cell, text))
            throw InputError(where() + "the string cannot be written in UTF-8, because it holds a lone surrogate");
        if (text.empty()) throw InputError(where() + "the string is empty; leave the token out, or write '_'");
        table_.add(k, text);
    }

    CellTable& table_;
    LabelReader labels_;
    const std::string& expected_;
    Py_ssize_t sentence_ = 0, token_ = 0;
};

}  // namespace tagfield::text
