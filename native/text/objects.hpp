// Python sequences → Packer. A sequence is an iterable of tokens; a token is
//
//     an iterable of attribute strings              ["w=the", "pos=DT"]
//     a mapping {str: number | str | nested}        {"w": "the", "length": 3, "gaz": {"city": 0.5}}
//
// with python-crfsuite's names: a string value v of key k is the attribute `k:v`, a nested key `k:key`. Lists, tuples,
// sets and dicts are walked in place; their strings are only borrowed, so everything pending is settled before any
// code of the user's may run. Sets are taken in the order of their bytes: their own order differs from run to run.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "text/batch.hpp"
#include "text/errors.hpp"
#include "text/identity.hpp"
#include "text/pack.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

namespace nb = nanobind;

class ObjectReader {
  public:
    ObjectReader(Vocabulary& attributes, bool frozen, Vocabulary& labels)
        : batch_(attributes, frozen), labels_(labels) {}

    Packer packer;
    std::vector<std::int32_t> gold;  // [T]  Vocabulary::absent where the label is not known

    void read(nb::handle X, nb::handle y) {
        nb::object sequences = iterate(X, "X", "a list of sequences"), answers;
        if (!y.is_none()) answers = iterate(y, "y", "a list of label sequences");
        for (;; ++sequence_) {
            nb::object sequence = next(sequences), answer;
            if (answers.is_valid()) {
                answer = next(answers);
                if (sequence.is_valid() != answer.is_valid())
                    throw InputError(std::string("X and y differ in length: ") + (answer.is_valid() ? "X" : "y") +
                                     " ends after " + std::to_string(sequence_) + " sequences");
            }
            if (!sequence.is_valid()) break;
            if (sequence_ == glance) foresee(X);
            const std::size_t length = tokens(sequence);
            if (answer.is_valid()) read_labels(answer, length);
        }
        gold.resize(static_cast<std::size_t>(packer.tokens.back()), Vocabulary::absent);  // without y
    }

  private:
    static constexpr int depth_limit = 64;
    static constexpr Py_ssize_t glance = 256;

    // Room for what is to come, if the first sequences are like the rest: arrays that grow step by step are copied, and
    // their pages are asked for, about twice. Room that is never written to takes no memory.
    void foresee(nb::handle X) {
        if (!PyList_CheckExact(X.ptr()) && !PyTuple_CheckExact(X.ptr())) return;
        const auto all = static_cast<std::size_t>(length_of(X.ptr()));
        packer.reserve(all, all / glance * (packer.position.size() + packer.position.size() / 4));
    }

    static std::string type_name(PyObject* object) { return Py_TYPE(object)->tp_name; }
    static bool is_text(PyObject* object) {
        return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
    }
    std::string here() const { return "X[" + std::to_string(sequence_) + "][" + std::to_string(token_) + "]"; }

    static nb::object iterate(nb::handle object, const std::string& what, const char* expected) {
        const bool loose = is_text(object.ptr()) || PyDict_Check(object.ptr());
        PyObject* iterator = loose ? nullptr : PyObject_GetIter(object.ptr());
        if (!iterator) {
            if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
            PyErr_Clear();
            throw InputError(what + " is of type " + type_name(object.ptr()) + ", where " + expected + " is expected");
        }
        return nb::steal(iterator);
    }

    static nb::object next(nb::handle iterator) {
        PyObject* item = PyIter_Next(iterator.ptr());
        if (!item && PyErr_Occurred()) throw nb::python_error();
        return nb::steal(item);
    }

    // The items as an exact list or tuple, which can be walked without running anybody's code.
    nb::object as_list(nb::handle object, const char* name, const char* expected) const {
        if (PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr())) return nb::borrow(object);
        const nb::object iterator =
            iterate(object, std::string(name) + "[" + std::to_string(sequence_) + "]", expected);
        PyObject* list = PySequence_List(iterator.ptr());
        if (!list) throw nb::python_error();
        return nb::steal(list);
    }
    static Py_ssize_t length_of(PyObject* list) {
        return PyList_CheckExact(list) ? PyList_GET_SIZE(list) : PyTuple_GET_SIZE(list);
    }
    static PyObject* item_of(PyObject* list, Py_ssize_t i) {
        return PyList_CheckExact(list) ? PyList_GET_ITEM(list, i) : PyTuple_GET_ITEM(list, i);
    }

    std::string_view text_of(PyObject* string, const std::string& where) const {
        Py_ssize_t size = 0;
        const char* data = PyUnicode_AsUTF8AndSize(string, &size);
        if (!data) {
            PyErr_Clear();
            throw InputError(where + " holds a string that UTF-8 cannot write (a lone surrogate)");
        }
        return {data, static_cast<std::size_t>(size)};
    }

    std::size_t tokens(nb::handle sequence) {
        token_ = 0;
        const nb::object list = as_list(sequence, "X", "a sequence of tokens");
        for (; token_ < length_of(list.ptr()); ++token_) {
            const nb::object item = nb::borrow(item_of(list.ptr(), token_));
            token(item.ptr());
            batch_.end_token();
        }
        batch_.finish(packer);
        return static_cast<std::size_t>(token_);
    }

    void token(PyObject* item) {
        if (is_text(item))
            throw InputError(here() + " is of type " + type_name(item) +
                             "; a token is a list of attribute strings or a dict, and X is a list of sequences of tokens");
        walk(item, {}, 0);
    }

    // A container of attributes, whose names all begin with `prefix`.
    void walk(PyObject* item, std::string_view prefix, int depth) {
        if (depth > depth_limit) throw InputError(here() + " is nested more than 64 deep");
        if (PyList_CheckExact(item) || PyTuple_CheckExact(item)) {
            strings(item, prefix);
        } else if (PyDict_Check(item)) {
            mapping(item, prefix, depth);
        } else if (PyAnySet_Check(item)) {
            set(item, prefix);
        } else {
            foreign(item, prefix, depth);
        }
    }

    void attribute(PyObject* string, std::string_view prefix) {
        if (!PyUnicode_Check(string))
            throw InputError(here() + " holds an attribute of type " + type_name(string) + "; attributes are strings");
        std::string_view text = text_of_attribute(string);
        if (!prefix.empty()) text = batch_.join(prefix, "", text);
        batch_.add(text.data(), text.size());
    }

    std::string_view text_of_attribute(PyObject* string) const {
        if (PyUnicode_IS_COMPACT_ASCII(string))  // nearly always: the text stands right behind the object's head
            return {static_cast<const char*>(PyUnicode_DATA(string)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(string))};
        Py_ssize_t size = 0;
        const char* data = PyUnicode_AsUTF8AndSize(string, &size);
        return data ? std::string_view(data, static_cast<std::size_t>(size)) : text_of(string, here());
    }

    void strings(PyObject* list, std::string_view prefix) {
        const Py_ssize_t n = length_of(list);
        constexpr Py_ssize_t ahead = 8;
        for (Py_ssize_t i = 0; i < n; ++i) {
            if (i + ahead < n) __builtin_prefetch(item_of(list, i + ahead));
            attribute(item_of(list, i), prefix);
        }
    }

    void set(PyObject* item, std::string_view prefix) {
        const nb::object plain =
            PyAnySet_CheckExact(item) ? nb::borrow(item) : nb::steal(PyFrozenSet_New(item));
        if (!plain.is_valid()) throw nb::python_error();
        const nb::object iterator = nb::steal(PyObject_GetIter(plain.ptr()));
        const std::size_t from = batch_.pending();
        for (nb::object string = next(iterator); string.is_valid(); string = next(iterator))
            attribute(string.ptr(), prefix);
        batch_.sort(from);
        if (!plain.is(item)) batch_.settle();
    }

    // Entries are taken some at a time, so that their values are on the way from memory while the first are read.
    void mapping(PyObject* dict, std::string_view prefix, int depth) {
        struct {
            PyObject *key, *value;
            Py_ssize_t after;
        } some[16];
        for (Py_ssize_t at = 0;;) {
            std::size_t n = 0;
            for (PyObject *key, *value; n < std::size(some) && PyDict_Next(dict, &at, &key, &value); ++n) {
                __builtin_prefetch(value);
                some[n] = {key, value, at};
            }
            if (n == 0) return;
            for (std::size_t i = 0; i < n; ++i) {
                if (entry(some[i].key, some[i].value, prefix)) continue;
                at = some[i].after;  // the user's code may run now and change the dict: what follows is taken anew
                other(nb::borrow(some[i].key), nb::borrow(some[i].value), prefix, depth);
                break;
            }
        }
    }

    // The common kinds of entry, which run nobody's code; false for another kind.
    bool entry(PyObject* key, PyObject* value, std::string_view prefix) {
        if (!PyUnicode_Check(key))
            throw InputError(here() + " has a key of type " + type_name(key) + "; attributes are strings");
        const bool text = PyUnicode_Check(value);
        if (!text && !PyFloat_CheckExact(value) && !PyBool_Check(value)) return false;
        IdentityMemory::Entry& known = keys_.of(key, [&](PyObject* string) { return text_of_attribute(string); });
        if (text)
            pair(known, text_of_attribute(value), prefix);
        else
            numbered(known, value, prefix);
        return true;
    }

    // {key: text}
    void pair(const IdentityMemory::Entry& key, std::string_view text, std::string_view prefix) {
        std::string_view name = key.has_head ? batch_.join_head(key.head, key.text.size() + 1, text)
                                             : batch_.join(key.text, ":", text);
        if (!prefix.empty()) name = batch_.join(prefix, "", name);
        batch_.add(name.data(), name.size());
    }

    // {key: a float or a bool}: the name is the key's own, so a key that comes again need not be looked up again.
    void numbered(IdentityMemory::Entry& key, PyObject* value, std::string_view prefix) {
        const float number = value == Py_True ? 1.0f : value == Py_False ? 0.0f : number_of(value, key.text);
        if (!prefix.empty()) {
            const std::string_view name = batch_.join(prefix, "", key.text);
            return batch_.add(name.data(), name.size(), number);
        }
        if (key.id == IdentityMemory::seen) {
            const std::int32_t found = batch_.find(key.text);
            if (found != Vocabulary::absent || batch_.frozen()) key.id = found;
        }
        if (key.id >= Vocabulary::absent) return batch_.add_known(key.id, number);
        key.id = IdentityMemory::seen;
        batch_.add(key.text.data(), key.text.size(), number);
    }

    // {key: anything else}; key and value are held, since the user's code may run and change the dict.
    void other(nb::object held_key, nb::object held_value, std::string_view prefix, int depth) {
        PyObject* const value = held_value.ptr();
        std::string_view name = text_of_attribute(held_key.ptr());
        if (PyList_Check(value) || PyTuple_Check(value) || PyDict_Check(value) || PyAnySet_Check(value)) {
            const std::string inner = std::string(prefix) + std::string(name) + ":";
            return walk(value, inner, depth + 1);
        }
        const bool ours = PyFloat_Check(value) || PyLong_CheckExact(value);
        if (!ours) batch_.settle();  // __float__ may run any code
        const float number = number_of(value, name);
        if (!ours || !prefix.empty()) name = batch_.join(prefix, "", name);
        batch_.add(name.data(), name.size(), number);
    }

    float number_of(PyObject* value, std::string_view name) const {
        double number = 0;
        if (PyFloat_Check(value)) {
            number = PyFloat_AS_DOUBLE(value);
        } else {
            number = value == Py_None || PyBytes_Check(value) ? (PyErr_SetNone(PyExc_TypeError), -1.0)
                                                              : PyFloat_AsDouble(value);
            if (number == -1.0 && PyErr_Occurred()) {
                const bool large = PyErr_ExceptionMatches(PyExc_OverflowError);
                if (!large && !PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
                PyErr_Clear();
                if (!large)
                    throw InputError(here() + ": the value of " + quote(name) + " is of type " + type_name(value) +
                                     "; use a number, a bool, a string, or a nested dict, list or set");
                number = HUGE_VAL;
            }
        }
        if (!std::isfinite(static_cast<float>(number)))
            throw InputError(here() + ": the value of " + quote(name) + " is not a finite 32-bit number");
        return static_cast<float>(number);
    }

    // Anything else: copied into a dict or list of ours first. That runs the user's code, so nothing may be pending.
    void foreign(PyObject* item, std::string_view prefix, int depth) {
        batch_.settle();
        nb::object plain;
        if (PyObject_HasAttrString(item, "keys")) {
            plain = nb::steal(PyDict_New());
            if (!plain.is_valid() || PyDict_Update(plain.ptr(), item) < 0) throw nb::python_error();
        } else {
            PyObject* iterator = PyObject_GetIter(item);
            if (!iterator) {
                if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
                PyErr_Clear();
                throw InputError(here() + " is of type " + type_name(item) +
                                 "; a token is a list of attribute strings or a dict");
            }
            const nb::object owned = nb::steal(iterator);
            plain = nb::steal(PySequence_List(iterator));
            if (!plain.is_valid()) throw nb::python_error();
        }
        walk(plain.ptr(), prefix, depth);
        batch_.settle();
    }

    void read_labels(nb::handle answer, std::size_t length) {
        const std::string where = "y[" + std::to_string(sequence_) + "]";
        const nb::object list = as_list(answer, "y", "a sequence of labels");
        const auto found = static_cast<std::size_t>(length_of(list.ptr()));
        if (found != length)
            throw InputError("X[" + std::to_string(sequence_) + "] has " + std::to_string(length) + " tokens, but " +
                             where + " has " + std::to_string(found) + " labels");
        for (std::size_t t = 0; t < length; ++t) {
            PyObject* label = item_of(list.ptr(), static_cast<Py_ssize_t>(t));
            if (label == Py_None) {
                gold.push_back(Vocabulary::absent);
                continue;
            }
            if (!PyUnicode_Check(label))
                throw InputError(where + "[" + std::to_string(t) + "] is of type " + type_name(label) +
                                 "; a label must be a string, or None where it is not known");
            IdentityMemory::Entry& known = names_.of(label, [&](PyObject* string) { return text_of(string, where); });
            if (known.id < 0) known.id = labels_.add(known.text);
            gold.push_back(known.id);
        }
    }

    Batch batch_;
    Vocabulary& labels_;
    IdentityMemory keys_, names_;  // of dicts; of labels
    Py_ssize_t sequence_ = 0, token_ = 0;
};

}  // namespace tagfield::text
