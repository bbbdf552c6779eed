// Probabilities [T, L] → for each sequence a list of {label: probability}, one for each token, as Python objects.
// In Python the dicts would take several times longer than the lattice does.
#pragma once
#include <Python.h>
#include <nanobind/nanobind.h>

#include <cstdint>

namespace tagfield {

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

// `labels` has L hashable objects, all different; tokens [S+1] are ascending and end at T.
inline nb::object rows_of_dicts(const float* node, int L, nb::handle labels, const int64_t* tokens, int64_t S) {
  NoCollection pause;
  nb::object pattern = checked(PyDict_New());  // every row is a copy of it, so that no row's table grows step by step
  for (int j = 0; j < L; ++j)
    if (PyDict_SetItem(pattern.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), Py_None) < 0) throw nb::python_error();
  nb::object sequences = checked(PyList_New(S));
  for (int64_t s = 0; s < S; ++s) {
    const int64_t n = tokens[s + 1] - tokens[s];
    nb::object rows = checked(PyList_New(n));
    for (int64_t t = 0; t < n; ++t) {
      nb::object row = checked(PyDict_Copy(pattern.ptr()));
      const float* p = node + (tokens[s] + t) * L;
      for (int j = 0; j < L; ++j) {
        const nb::object value = checked(PyFloat_FromDouble(double(p[j])));
        if (PyDict_SetItem(row.ptr(), PyTuple_GET_ITEM(labels.ptr(), j), value.ptr()) < 0) throw nb::python_error();
      }
      PyList_SET_ITEM(rows.ptr(), t, row.release().ptr());
    }
    PyList_SET_ITEM(sequences.ptr(), s, rows.release().ptr());
  }
  return sequences;
}

}  // namespace tagfield
