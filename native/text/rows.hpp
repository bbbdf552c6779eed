// Arrays over the tokens → Python objects, one list for each sequence. In Python these loops would take several times
// longer than the lattice does.
//
//     ids [T]               ─▶ [[label, …], …]
//     probabilities [T, L]  ─▶ [[{label: probability, …}, …], …]
//
// `labels` is a tuple of L hashable objects, all different; tokens [S+1] are ascending and end at T.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstdint>

namespace tagfield::text {

namespace nb = nanobind;

inline nb::object checked(PyObject* made) {
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

// No garbage collection meanwhile: so many new dicts would call for several, and none of them is garbage.
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

// The dict {label: None, …}, as the __dict__ of a fresh object where that can be: copies of such a dict share one table
// of keys (PEP 412), so a row is an array of values and no table of its own. Labels that are no strings, or too many of
// them, make it an ordinary dict: the same to everybody, only larger and slower.
inline nb::object pattern_of(nb::handle labels, Py_ssize_t L) {
    const nb::object type = checked(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(){}", "Row"));
    const nb::object owner = checked(PyObject_CallNoArgs(type.ptr()));
    nb::object pattern = checked(PyObject_GenericGetDict(owner.ptr(), nullptr));
    for (Py_ssize_t j = 0; j < L; ++j)
        if (PyDict_SetItem(pattern.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), Py_None) < 0) throw nb::python_error();
    return pattern;
}

inline nb::object rows_of_dicts(const float* node, nb::handle labels, const std::int64_t* tokens, std::int64_t S) {
    const Py_ssize_t L = PyTuple_GET_SIZE(labels.ptr());
    const nb::object pattern = pattern_of(labels, L);
    return rows_of(tokens, S, [&](std::int64_t t) {
        nb::object row = checked(PyDict_Copy(pattern.ptr()));
        const float* p = node + t * L;
        for (Py_ssize_t j = 0; j < L; ++j) {
            const nb::object value = checked(PyFloat_FromDouble(double(p[j])));
            if (PyDict_SetItem(row.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), value.ptr()) < 0) throw nb::python_error();
        }
        return row;
    });
}

}  // namespace tagfield::text
