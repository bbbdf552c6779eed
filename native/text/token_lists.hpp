// Arrays over all tokens → Python objects, one list for each sequence. In Python these loops would take several times
// as long as the lattice.
//
//     ids [T]               ─▶ [[label, …], …]
//     marginals [T, L]      ─▶ [[Probabilities, …], …]
//
// `labels` is a tuple of L different hashable objects; tokens [S+1] ascend from 0 to T.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "text/probabilities.hpp"
#include "text/python_lists.hpp"

namespace tagfield::text {

namespace nb = nanobind;

// make(t) returns the object for token t.
template <class Make>
nb::object token_lists(const std::vector<std::int64_t>& tokens, Make make) {
    PausedCollection pause;  // so many new objects would start several collections, and none of them is garbage
    const std::size_t S = tokens.size() - 1;
    nb::object sequences = checked(PyList_New(static_cast<Py_ssize_t>(S)));
    for (std::size_t s = 0; s < S; ++s) {
        const std::int64_t n = tokens[s + 1] - tokens[s];
        nb::object list = checked(PyList_New(n));
        for (std::int64_t t = 0; t < n; ++t) PyList_SET_ITEM(list.ptr(), t, make(tokens[s] + t).release().ptr());
        PyList_SET_ITEM(sequences.ptr(), static_cast<Py_ssize_t>(s), list.release().ptr());
    }
    return sequences;
}

inline nb::object label_lists(const std::int32_t* ids, nb::handle labels, const std::vector<std::int64_t>& tokens) {
    const Py_ssize_t L = PyTuple_GET_SIZE(labels.ptr());
    return token_lists(tokens, [&](std::int64_t t) {
        const std::int32_t id = ids[t];  // read once: the array may change
        if (id < 0 || id >= L) throw nb::value_error("every id must have a label");
        return nb::borrow(PyTuple_GET_ITEM(labels.ptr(), id));
    });
}

// The Probabilities keep node [T, L] alive.
inline nb::object probability_lists(const Marginals& node, nb::object labels, const std::vector<std::int64_t>& tokens,
                                    PyTypeObject* type) {
    const float* data = node.data();
    const Py_ssize_t L = PyTuple_GET_SIZE(labels.ptr());
    nb::object column = checked(PyDict_New()), empty = checked(PyDict_New());
    for (Py_ssize_t j = 0; j < L; ++j) {
        const nb::object index = checked(PyLong_FromSsize_t(j));
        if (PyDict_SetItem(column.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), index.ptr()) < 0 ||
            PyDict_SetItem(empty.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), Py_None) < 0)
            throw nb::python_error();
    }
    if (PyDict_Size(column.ptr()) != L) throw nb::value_error("labels must be different, but two are equal");
    struct Hold {  // one user more, until all objects are made
        SharedMarginals* shared;
        ~Hold() { release(shared); }
    } hold{new SharedMarginals{node, std::move(labels), std::move(column), std::move(empty), 1}};
    return token_lists(tokens, [&](std::int64_t t) {
        ProbabilitiesObject* made = PyObject_GC_New(ProbabilitiesObject, type);
        if (!made) throw nb::python_error();
        made->shared = hold.shared, made->values = data + t * L, made->dict = nullptr;
        ++hold.shared->users;
        return nb::steal(reinterpret_cast<PyObject*>(made));
    });
}

}  // namespace tagfield::text
