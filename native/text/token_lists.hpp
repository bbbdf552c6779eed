// Arrays over all tokens → Python objects, one list for each sequence. In Python these loops would take several times
// as long as the lattice.
//
//     ids [T]               ─▶ [[label, …], …]
//     marginals [T, L]      ─▶ [[{label: probability, …}, …], …] or [[probability, …], …]
//
// `labels` is a tuple of L different hashable objects; tokens [S+1] ascend from 0 to T.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "text/python_lists.hpp"

namespace tagfield::text {

namespace nb = nanobind;

inline nb::object checked(PyObject* made) {
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

// Ctrl-C among very many tokens.
inline void pulse(std::int64_t t) {
    if (t % 16384 == 16383 && PyErr_CheckSignals() != 0) throw nb::python_error();
}

// make(t) returns the object for token t.
template <class Make>
nb::object token_lists(const std::vector<std::int64_t>& tokens, Make make) {
    PausedCollection pause;  // so many new objects would start several collections, and none of them is garbage
    const std::size_t S = tokens.size() - 1;
    nb::object sequences = checked(PyList_New(static_cast<Py_ssize_t>(S)));
    for (std::size_t s = 0; s < S; ++s) {
        const std::int64_t n = tokens[s + 1] - tokens[s];
        nb::object list = checked(PyList_New(n));
        for (std::int64_t t = 0; t < n; ++t) {
            pulse(t);
            PyList_SET_ITEM(list.ptr(), t, make(tokens[s] + t).release().ptr());
        }
        PyList_SET_ITEM(sequences.ptr(), static_cast<Py_ssize_t>(s), list.release().ptr());
    }
    return sequences;
}

inline nb::object label_of(std::int32_t id, nb::handle labels) {
    if (id < 0 || id >= PyTuple_GET_SIZE(labels.ptr())) throw nb::value_error("every id must have a label");
    return nb::borrow(PyTuple_GET_ITEM(labels.ptr(), id));
}

inline nb::object label_lists(const std::int32_t* ids, nb::handle labels, const std::vector<std::int64_t>& tokens) {
    return token_lists(tokens, [&](std::int64_t t) {
        const std::int32_t id = ids[t];  // read once: the array may change
        return label_of(id, labels);
    });
}

// The labels of one sequence of n tokens.
inline nb::object label_list(const std::int32_t* ids, nb::handle labels, std::int64_t n) {
    nb::object list = checked(PyList_New(n));
    for (std::int64_t t = 0; t < n; ++t) PyList_SET_ITEM(list.ptr(), t, label_of(ids[t], labels).release().ptr());
    return list;
}

// [T, L] numbers as T lists.
inline nb::object number_lists(const double* numbers, std::int64_t T, std::int64_t L) {
    nb::object rows = checked(PyList_New(T));
    for (std::int64_t t = 0; t < T; ++t) {
        pulse(t);
        nb::object row = checked(PyList_New(L));
        for (std::int64_t j = 0; j < L; ++j)
            PyList_SET_ITEM(row.ptr(), j, checked(PyFloat_FromDouble(numbers[t * L + j])).release().ptr());
        PyList_SET_ITEM(rows.ptr(), t, row.release().ptr());
    }
    return rows;
}

// A dict for each token. All are copies of one dict, so no table is built or grown twice; a label is only looked up in
// it to replace its value. Views of the array that make a dict when they are asked for one were three times as fast, but
// json, pandas and others read the memory of a dict directly and found such views empty.
template <class Real>
nb::object probability_lists(const Real* node, nb::handle labels, const std::vector<std::int64_t>& tokens) {
    const Py_ssize_t L = PyTuple_GET_SIZE(labels.ptr());
    const nb::object first = checked(PyDict_New());
    for (Py_ssize_t j = 0; j < L; ++j)
        if (PyDict_SetItem(first.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), Py_None) < 0) throw nb::python_error();
    if (PyDict_Size(first.ptr()) != L) throw nb::value_error("labels must be different, but two are equal");
    return token_lists(tokens, [&](std::int64_t t) {
        const Real* values = node + t * L;
        nb::object made = checked(PyDict_Copy(first.ptr()));
        for (Py_ssize_t j = 0; j < L; ++j) {
            const nb::object value = checked(PyFloat_FromDouble(double(values[j])));
            if (PyDict_SetItem(made.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), value.ptr()) < 0) throw nb::python_error();
        }
        return made;
    });
}

}  // namespace tagfield::text
