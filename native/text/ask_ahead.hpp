// Asks for the memory of the tokens that come next, while the one before them is read.
//
//     token t ─▶ read        t + 1 ─▶ its strings        t + 2 ─▶ the array of their addresses        t + 3 ─▶ the list itself
//
// The objects of a corpus are larger than the processor's cache, and each step needs what the step before it found. All of this
// is only a hint: whatever user code does to a list meanwhile, nothing that is read depends on it. Dicts are not asked for:
// their keys lie in the order in which they were made, and asking made a call slower by a tenth.
#pragma once

#include <Python.h>

#include "prefetch.hpp"
#include "text/python_lists.hpp"

namespace tagfield::text {

constexpr Py_ssize_t line_size = 64;

inline void ask_array(PyObject* token) {
    constexpr Py_ssize_t most = 4 * line_size;
    if (!PyList_CheckExact(token)) return;
    const char* const first = reinterpret_cast<const char*>(reinterpret_cast<PyListObject*>(token)->ob_item);
    const Py_ssize_t bytes = PyList_GET_SIZE(token) * static_cast<Py_ssize_t>(sizeof(PyObject*));
    for (Py_ssize_t i = 0; i < bytes && i < most; i += line_size) prefetch(first + i);
}

// A string of up to 80 bytes lies in two lines.
inline void ask_strings(PyObject* token) {
    if (!PyList_CheckExact(token) && !PyTuple_CheckExact(token)) return;
    for (Py_ssize_t i = 0, n = length_of(token); i < n; ++i) {
        const char* const string = reinterpret_cast<const char*>(item_of(token, i));
        prefetch(string);
        prefetch(string + line_size);
    }
}

// Call it before token t of a list or tuple of tokens is read.
inline void ask_ahead(PyObject* tokens, Py_ssize_t t) {
    const Py_ssize_t n = length_of(tokens);
    if (t == 0) {
        for (Py_ssize_t i = 1; i < n && i < 3; ++i) prefetch(item_of(tokens, i));
        if (n > 1) ask_array(item_of(tokens, 1));
    }
    if (t + 3 < n) prefetch(item_of(tokens, t + 3));
    if (t + 2 < n) ask_array(item_of(tokens, t + 2));
    if (t + 1 < n) ask_strings(item_of(tokens, t + 1));
}

}  // namespace tagfield::text
