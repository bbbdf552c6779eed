// Reading Python's containers: iterators, lists and tuples, and the labels of y.
//
// An exact list or tuple is read in place. Anything else is copied into a list first, so user code runs at a known
// point and never while borrowed strings are in use.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/errors.hpp"
#include "text/string_cache.hpp"
#include "text/utf8.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

namespace nb = nanobind;

// Puts off garbage collection, and with it the user code that it may run.
struct PausedCollection {
    const int was = PyGC_Disable();
    ~PausedCollection() {
        if (was) PyGC_Enable();
    }
};

inline std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

inline bool is_text(PyObject* object) {
    return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
}

inline nb::object iterate(nb::handle object, const std::string& what, const char* expected) {
    const bool unsuitable = is_text(object.ptr()) || PyDict_Check(object.ptr());
    PyObject* iterator = unsuitable ? nullptr : PyObject_GetIter(object.ptr());
    if (!iterator) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
        PyErr_Clear();
        throw InputError(what + " is of type " + type_name(object.ptr()) + "; expected " + expected);
    }
    return nb::steal(iterator);
}

// The next item, or an invalid object at the end.
inline nb::object next(nb::handle iterator) {
    PyObject* item = PyIter_Next(iterator.ptr());
    if (!item && PyErr_Occurred()) throw nb::python_error();
    return nb::steal(item);
}

// The items as an exact list or tuple, which can be read without running user code.
inline nb::object as_list(nb::handle object, const std::string& what, const char* expected) {
    if (PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr())) return nb::borrow(object);
    const nb::object iterator = iterate(object, what, expected);
    PyObject* list = PySequence_List(iterator.ptr());
    if (!list) throw nb::python_error();
    return nb::steal(list);
}

// Of a list or tuple, also of a subclass: these read the memory of the object itself.
inline Py_ssize_t length_of(PyObject* list) { return PyList_Check(list) ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list); }
inline PyObject* item_of(PyObject* list, Py_ssize_t i) {
    return PyList_Check(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i);
}

inline std::string item_name(const char* list, Py_ssize_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

// What can name an attribute: text, or bytes that are text in UTF-8.
inline bool is_name(PyObject* object) { return PyUnicode_Check(object) || PyBytes_Check(object); }

// The text of a str or bytes; false if it is not UTF-8.
inline bool read_text(PyObject* string, std::string_view& text) {
    if (PyBytes_Check(string)) {
        text = {PyBytes_AS_STRING(string), static_cast<std::size_t>(PyBytes_GET_SIZE(string))};
        return utf8_flaw(text) == text.size();
    }
    if (PyUnicode_IS_COMPACT_ASCII(string)) {  // nearly always: the text follows the object's header
        text = {static_cast<const char*>(PyUnicode_DATA(string)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(string))};
        return true;
    }
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(string, &size);
    if (!data) PyErr_Clear();
    text = {data, static_cast<std::size_t>(size)};
    return data != nullptr;
}

[[noreturn]] inline void refuse_text(PyObject* string, const std::string& where) {
    throw InputError(where + (PyBytes_Check(string) ? " holds bytes that are not UTF-8; decode them first"
                                                    : " holds a string that cannot be written in UTF-8 (a lone surrogate)"));
}

inline std::string_view text_of(PyObject* string, const std::string& where) {
    std::string_view text;
    if (!read_text(string, text)) refuse_text(string, where);
    return text;
}

// The two iterators of X and y side by side.
class Pairs {
  public:
    Pairs(nb::object sequences, nb::handle y) : sequences_(std::move(sequences)) {
        if (!y.is_none()) labels_ = iterate(y, "y", "a list of label sequences");
    }

    nb::object sequence, labels;  // the current ones; labels are invalid if there is no y
    Py_ssize_t index = -1;

    bool advance() {
        sequence = next(sequences_);
        ++index;
        if (labels_.is_valid()) {
            labels = next(labels_);
            if (sequence.is_valid() != labels.is_valid())
                throw InputError(std::string("X and y must have the same length, but ") +
                                 (labels.is_valid() ? "X" : "y") + " ends after " + std::to_string(index) +
                                 " sequences");
        }
        return sequence.is_valid();
    }

  private:
    nb::object sequences_, labels_;
};

// The labels of sequences as ids.
class LabelReader {
  public:
    explicit LabelReader(Vocabulary& labels) : labels_(labels) {}

    std::vector<std::int32_t> gold;  // [T]  Vocabulary::absent where the label is not known

    void read(nb::handle labels, Py_ssize_t sequence, std::size_t length) {
        const std::string where = item_name("y", sequence);
        const nb::object list = as_list(labels, where, "a sequence of labels");
        const auto found = static_cast<std::size_t>(length_of(list.ptr()));
        if (found != length)
            throw InputError(item_name("X", sequence) + " has " + std::to_string(length) + " tokens, but " + where +
                             " has " + std::to_string(found) + " labels");
        for (std::size_t t = 0; t < length; ++t) {
            PyObject* label = item_of(list.ptr(), static_cast<Py_ssize_t>(t));
            if (label == Py_None) {
                gold.push_back(Vocabulary::absent);
                continue;
            }
            if (!PyUnicode_Check(label))
                throw InputError(where + "[" + std::to_string(t) + "] is of type " + type_name(label) +
                                 "; a label must be a string, or None where it is not known");
            StringCache::Entry& known = names_.find(label, [&](PyObject* string) { return text_of(string, where); });
            if (known.id < 0) known.id = labels_.add(known.text);
            gold.push_back(known.id);
        }
    }

  private:
    Vocabulary& labels_;
    StringCache names_;
};

}  // namespace tagfield::text
