// Python sequences → a sink: a DatasetBuilder, or a DecodingSink. A sequence is an iterable of tokens; a token is
//
//     an iterable of attribute strings              ["w=the", "pos=DT"]
//     a mapping {str: number | str | nested}        {"w": "the", "length": 3, "gaz": {"city": 0.5}}
//
// with python-crfsuite's names: a string value v of key k is the attribute `k:v`, a nested key `k:key`. Bytes are text
// in UTF-8. Lists, tuples, sets and dicts are read in place. Their strings are only borrowed, so pending strings are
// resolved before any user code can run. Sets are sorted by their bytes: their own order differs from run to run.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cmath>
#include <cstdio>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "prefetch.hpp"
#include "text/ask_ahead.hpp"
#include "text/dataset_builder.hpp"
#include "text/errors.hpp"
#include "text/python_lists.hpp"
#include "text/sentence_builder.hpp"
#include "text/string_cache.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

template <class Sink>
class ObjectReader {
  public:
    // name: of X, for messages; start: the first token that is read, the ones before have no attributes
    ObjectReader(Vocabulary& attributes, bool frozen, Vocabulary& labels, const char* name = "X", Py_ssize_t start = 0,
                 StringSource* source = nullptr)
        : builder_(attributes, frozen, source), labels_(labels), name_(name), start_(start) {}

    Sink sink;
    const UnknownAttributes& unknown() const { return builder_.unknown; }
    void forget_unknown() { builder_.unknown = {}; }

    // Reads sequences without labels.
    void read(nb::handle X) {
        const nb::object sequences = iterate(X, name_, "a list of sequences");
        sequence_ = 0;
        for (nb::object sequence = next(sequences); sequence.is_valid(); sequence = next(sequences), ++sequence_)
            read_sequence(sequence);
    }

    // Reads X[0] alone.
    void read_one(nb::handle sequence) {
        sequence_ = 0;
        read_sequence(sequence);
    }

    // Returns the ids of the labels [T], Vocabulary::absent where a label is not known.
    std::vector<std::int32_t> read(nb::handle X, nb::handle y) {
        for (Pairs pairs(iterate(X, name_, "a list of sequences"), y); pairs.advance();) {
            sequence_ = pairs.index;
            if (sequence_ == sample_size) reserve_from_sample(X);
            const std::size_t length = read_sequence(pairs.sequence);
            if (pairs.labels.is_valid()) labels_.read(pairs.labels, sequence_, length);
        }
        labels_.gold.resize(static_cast<std::size_t>(sink.tokens.back()), Vocabulary::absent);  // if there is no y
        return std::move(labels_.gold);
    }

  private:
    static constexpr int depth_limit = 64;
    static_assert(SentenceBuilder::slack == StringCache::with_colon_size);
    static constexpr Py_ssize_t sample_size = 256;

    // Reserves memory for all sequences, estimated from the first ones: an array that grows step by step is copied
    // about twice. Memory that is reserved but never written to costs nothing.
    void reserve_from_sample(nb::handle X) {
        if (!PyList_CheckExact(X.ptr()) && !PyTuple_CheckExact(X.ptr())) return;
        sink.reserve_like(static_cast<std::size_t>(length_of(X.ptr())));
    }

    std::string token_name() const { return item_name(name_, sequence_) + "[" + std::to_string(token_) + "]"; }

    std::size_t read_sequence(nb::handle sequence) {
        token_ = 0;
        const nb::object list = as_list(sequence, item_name(name_, sequence_), "a sequence of tokens");
        for (; token_ < length_of(list.ptr()); ++token_) {
            const nb::object item = nb::borrow(item_of(list.ptr(), token_));
            if (PyList_CheckExact(item.ptr()) || PyTuple_CheckExact(item.ptr())) ask_ahead(list.ptr(), token_);
            if (token_ >= start_) read_token(item.ptr());
            builder_.end_token();
        }
        builder_.finish(sink);
        return static_cast<std::size_t>(token_);
    }

    void read_token(PyObject* item) {
        if (is_text(item))
            throw InputError(token_name() + " is of type " + type_name(item) +
                             "; a token must be a list of attribute strings or a dict" +
                             (start_ ? "" : ", and X a list of lists of tokens; words need a template: "
                                            "CRF(template=\"ner\"), Model.train_words and Model.tag_words"));
        read_container(item, {}, 0);
    }

    // Reads a container of attributes; `prefix` goes before each name.
    void read_container(PyObject* item, std::string_view prefix, int depth) {
        if (depth > depth_limit) throw InputError(token_name() + " is nested more than 64 levels deep");
        if (PyList_CheckExact(item) || PyTuple_CheckExact(item)) {
            read_list(item, prefix);
        } else if (PyDict_Check(item)) {
            read_dict(item, prefix, depth);
        } else if (PyAnySet_Check(item)) {
            read_set(item, prefix);
        } else {
            read_foreign(item, prefix, depth);
        }
    }

    void add_attribute(PyObject* string, std::string_view prefix) {
        if (!is_name(string))
            throw InputError(token_name() + " holds an attribute of type " + type_name(string) +
                             "; an attribute must be a string");
        std::string_view text = text_of_attribute(string);
        if (!prefix.empty()) text = builder_.join(prefix, "", text);
        builder_.add(text.data(), text.size());
    }

    std::string_view text_of_attribute(PyObject* string) const {
        std::string_view text;
        if (!read_text(string, text)) refuse_text(string, token_name());
        return text;
    }

    void read_list(PyObject* list, std::string_view prefix) {
        const Py_ssize_t n = length_of(list);
        for (Py_ssize_t i = prefix.empty() ? read_ascii(list, n) : 0; i < n; ++i) add_attribute(item_of(list, i), prefix);
    }

    // Reads the first items of a list or tuple, as long as they are what attributes nearly always are: exact str objects
    // whose text is ASCII and follows the header. Returns how many. No call is made for a string, so the loop runs ahead of
    // the memory that it waits for.
    Py_ssize_t read_ascii(PyObject* list, Py_ssize_t n) {
        PyObject** const items = PyList_Check(list) ? reinterpret_cast<PyListObject*>(list)->ob_item
                                                    : reinterpret_cast<PyTupleObject*>(list)->ob_item;
        return static_cast<Py_ssize_t>(builder_.add_several(static_cast<std::size_t>(n), [&](HashedString* into) {
            Py_ssize_t i = 0;
            for (; i < n; ++i) {
                PyObject* const string = items[i];
                if (!PyUnicode_CheckExact(string) || !PyUnicode_IS_COMPACT_ASCII(string)) break;
                // Made in place: a copy would wait for its stores.
                new (into + i) HashedString(reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(string) + 1),
                                            static_cast<std::size_t>(PyUnicode_GET_LENGTH(string)));
            }
            return static_cast<std::size_t>(i);
        }));
    }

    // Up to Python 3.11 a new object, such as an iterator, may start a collection. What that runs could free the strings
    // that are pending, so it has to wait.
    void read_set(PyObject* item, std::string_view prefix) {
        const PausedCollection pause;
        const nb::object plain =
            PyAnySet_CheckExact(item) ? nb::borrow(item) : nb::steal(PyFrozenSet_New(item));
        if (!plain.is_valid()) throw nb::python_error();
        const nb::object iterator = nb::steal(PyObject_GetIter(plain.ptr()));
        if (!iterator.is_valid()) throw nb::python_error();
        const std::size_t from = builder_.pending();
        for (nb::object string = next(iterator); string.is_valid(); string = next(iterator))
            add_attribute(string.ptr(), prefix);
        builder_.sort(from);
        if (!plain.is(item)) builder_.resolve();
    }

    // Entries are taken 16 at a time: the later ones are prefetched while the first are read.
    void read_dict(PyObject* dict, std::string_view prefix, int depth) {
        struct {
            PyObject *key, *value;
            Py_ssize_t after;
        } some[16];
        for (Py_ssize_t at = 0;;) {
            std::size_t n = 0;
            for (PyObject *key, *value; n < std::size(some) && PyDict_Next(dict, &at, &key, &value); ++n) {
                tagfield::prefetch(value);
                some[n] = {key, value, at};
            }
            if (n == 0) return;
            for (std::size_t i = 0; i < n; ++i) {
                if (add_simple_entry(some[i].key, some[i].value, prefix)) continue;
                at = some[i].after;  // user code may now change the dict: fetch the rest again
                read_other_entry(nb::borrow(some[i].key), nb::borrow(some[i].value), prefix, depth);
                break;
            }
        }
    }

    // Adds an entry of a common type, which runs no user code; false for other types.
    bool add_simple_entry(PyObject* key, PyObject* value, std::string_view prefix) {
        if (!is_name(key))
            throw InputError(token_name() + " has a key of type " + type_name(key) + "; an attribute must be a string");
        const bool text = is_name(value);
        if (!text && !PyFloat_CheckExact(value) && !PyBool_Check(value)) return false;
        StringCache::Entry& known = keys_.find(key, [&](PyObject* string) { return text_of_attribute(string); });
        if (text)
            add_text_entry(known, text_of_attribute(value), prefix);
        else
            add_number_entry(known, value, prefix);
        return true;
    }

    // {key: text}
    void add_text_entry(const StringCache::Entry& key, std::string_view text, std::string_view prefix) {
        std::string_view name = key.has_colon ? builder_.join_cached(key.with_colon, key.text.size() + 1, text)
                                             : builder_.join(key.text, ":", text);
        if (!prefix.empty()) name = builder_.join(prefix, "", name);
        builder_.add(name.data(), name.size());
    }

    // {key: float or bool}. The attribute is the key itself, so a cached key also has its id cached.
    void add_number_entry(StringCache::Entry& key, PyObject* value, std::string_view prefix) {
        const float number = value == Py_True ? 1.0f : value == Py_False ? 0.0f : number_of(value, key.text);
        if (!prefix.empty()) {
            const std::string_view name = builder_.join(prefix, "", key.text);
            return builder_.add(name.data(), name.size(), number);
        }
        if (key.id == StringCache::awaiting_id) {
            const std::int32_t found = builder_.find(key.text);
            if (found != Vocabulary::absent || builder_.frozen()) key.id = found;
        }
        if (key.id >= Vocabulary::absent) return builder_.add_known(key.id, number);
        key.id = StringCache::awaiting_id;
        builder_.add(key.text.data(), key.text.size(), number);
    }

    // {key: another type}. Owns key and value, since user code may run and change the dict.
    void read_other_entry(nb::object held_key, nb::object held_value, std::string_view prefix, int depth) {
        PyObject* const value = held_value.ptr();
        std::string_view name = text_of_attribute(held_key.ptr());
        if (PyList_Check(value) || PyTuple_Check(value) || PyDict_Check(value) || PyAnySet_Check(value)) {
            const std::string inner = std::string(prefix) + std::string(name) + ":";
            return read_container(value, inner, depth + 1);
        }
        const bool plain = PyFloat_Check(value) || PyLong_CheckExact(value);
        if (!plain) builder_.resolve();  // __float__ may run any code
        const float number = number_of(value, name);
        if (!plain || !prefix.empty()) name = builder_.join(prefix, "", name);
        builder_.add(name.data(), name.size(), number);
    }

    float number_of(PyObject* value, std::string_view name) const {
        double number = 0;
        if (PyFloat_Check(value)) {
            number = PyFloat_AS_DOUBLE(value);
        } else {
            number = value == Py_None ? (PyErr_SetNone(PyExc_TypeError), -1.0) : PyFloat_AsDouble(value);
            if (number == -1.0 && PyErr_Occurred()) {
                const bool large = PyErr_ExceptionMatches(PyExc_OverflowError);
                if (!large && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
                PyErr_Clear();
                if (!large)
                    throw InputError(token_name() + ": the value of " + quote(name) + " is of type " +
                                     type_name(value) + "; use a number, a bool, a string, or a nested dict, list or set");
                number = HUGE_VAL;
            }
        }
        if (!std::isfinite(static_cast<float>(number))) {
            char found[32];
            std::snprintf(found, sizeof found, "%g", number);
            throw InputError(token_name() + ": the value of " + quote(name) + " must be a finite 32-bit number, got " +
                             found);
        }
        return static_cast<float>(number);
    }

    // Reads a token of another type from a copy of it, a dict or list. Copying runs user code, so nothing may be pending.
    void read_foreign(PyObject* item, std::string_view prefix, int depth) {
        builder_.resolve();
        nb::object plain;
        if (PyObject_HasAttrString(item, "keys")) {
            plain = nb::steal(PyDict_New());
            if (!plain.is_valid() || PyDict_Update(plain.ptr(), item) < 0) throw nb::python_error();
        } else {
            PyObject* iterator = PyObject_GetIter(item);
            if (!iterator) {
                if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
                PyErr_Clear();
                throw InputError(token_name() + " is of type " + type_name(item) +
                                 "; a token must be a list of attribute strings or a dict");
            }
            const nb::object owned = nb::steal(iterator);
            plain = nb::steal(PySequence_List(iterator));
            if (!plain.is_valid()) throw nb::python_error();
        }
        read_container(plain.ptr(), prefix, depth);
        builder_.resolve();
    }

    SentenceBuilder builder_;
    LabelReader labels_;
    StringCache keys_;  // of the dicts
    const char* name_;
    Py_ssize_t start_, sequence_ = 0, token_ = 0;
};

}  // namespace tagfield::text
