// Arrays over the tokens → Python objects, one list for each sequence. In Python these loops would take several times
// longer than the lattice does.
//
//     ids [T]               ─▶ [[label, …], …]
//     probabilities [T, L]  ─▶ [[Probabilities, …], …]
//
// `labels` is a tuple of L hashable objects, all different; tokens [S+1] are ascending and end at T.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstdint>

#include "text/probabilities.hpp"

namespace tagfield::text {

namespace nb = nanobind;

// No garbage collection meanwhile: so many new objects would call for several, and none of them is garbage.
struct NoCollection {
    const int was = PyGC_Disable();
    ~NoCollection() {
        if (was) PyGC_Enable();
    }
};

// make(t) is the new object of token t.
template <class Make>
nb::object rows_of(const std::int64_t* tokens, std::int64_t S, Make make) {
    NoCollection pause;
    nb::object sequences = checked(PyList_New(S));
    for (std::int64_t s = 0; s < S; ++s) {
        const std::int64_t n = tokens[s + 1] - tokens[s];
        nb::object rows = checked(PyList_New(n));
        for (std::int64_t t = 0; t < n; ++t) PyList_SET_ITEM(rows.ptr(), t, make(tokens[s] + t).release().ptr());
        PyList_SET_ITEM(sequences.ptr(), s, rows.release().ptr());
    }
    return sequences;
}

inline nb::object rows_of_labels(const std::int32_t* ids, nb::handle labels, const std::int64_t* tokens, std::int64_t S) {
    return rows_of(tokens, S, [&](std::int64_t t) { return nb::borrow(PyTuple_GET_ITEM(labels.ptr(), ids[t])); });
}

// node [T, L] is kept alive by the rows.
inline nb::object rows_of_probabilities(const Node& node, nb::object labels, const std::int64_t* tokens, std::int64_t S,
                                        PyTypeObject* type) {
    const float* data = node.data();
    const Py_ssize_t L = PyTuple_GET_SIZE(labels.ptr());
    nb::object where = checked(PyDict_New()), pattern = checked(PyDict_New());
    for (Py_ssize_t j = 0; j < L; ++j) {
        const nb::object column = checked(PyLong_FromSsize_t(j));
        if (PyDict_SetItem(where.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), column.ptr()) < 0 ||
            PyDict_SetItem(pattern.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), Py_None) < 0)
            throw nb::python_error();
    }
    if (PyDict_Size(where.ptr()) != L) throw nb::value_error("two labels are equal");
    struct Hold {  // so that there is one row more than there are, until all are made
        Shared* shared;
        ~Hold() { release(shared); }
    } hold{new Shared{node, std::move(labels), std::move(where), std::move(pattern), 1}};
    return rows_of(tokens, S, [&](std::int64_t t) {
        Row* row = PyObject_GC_New(Row, type);
        if (!row) throw nb::python_error();
        row->shared = hold.shared, row->line = data + t * L, row->own = nullptr;
        ++hold.shared->rows;
        return nb::steal(reinterpret_cast<PyObject*>(row));
    });
}

}  // namespace tagfield::text
