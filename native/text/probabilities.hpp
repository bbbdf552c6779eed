// Probabilities: what a token's labels have, read like the dict {label: probability, …}, made of nothing but a pointer.
//
//     row ─▶ its line of the array [T, L] of all tokens
//         ─▶ Shared: that array, the labels, where each label is       one for all rows of a call
//         ─▶ a dict of its own, from the first question that needs one (items, values, ==, a change)
//
// A call that answers for 47 thousand tokens and 22 labels would otherwise make a million floats, and take most of its
// time for that; nearly everybody then asks each token for one label. Whatever a dict can do and is not written here is
// asked of the row's own dict.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

namespace tagfield::text {

namespace nb = nanobind;

inline nb::object checked(PyObject* made) {
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

using Node = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct Shared {
    Node node;                 // [T, L]
    nb::object labels, where;  // tuple; {label: column}
    nb::object pattern;        // {label: None}, to be copied
    std::int64_t rows = 0;     // that are alive; counted under the interpreter's lock
};

inline void release(Shared* shared) {
    if (--shared->rows == 0) delete shared;
}

struct Row {
    PyObject ob_base;
    Shared* shared;
    const float* line;
    PyObject* own;  // dict or null
};

inline Row* row_of(PyObject* self) { return reinterpret_cast<Row*>(self); }

inline PyObject* fresh_dict(const Row* row) {  // new; null with an exception set
    PyObject* labels = row->shared->labels.ptr();
    PyObject* made = PyDict_Copy(row->shared->pattern.ptr());
    for (Py_ssize_t j = 0; made && j < PyTuple_GET_SIZE(labels); ++j) {
        PyObject* value = PyFloat_FromDouble(double(row->line[j]));
        if (!value || PyDict_SetItem(made, PyTuple_GET_ITEM(labels, j), value) < 0) Py_CLEAR(made);
        Py_XDECREF(value);
    }
    return made;
}

inline PyObject* own_dict(PyObject* self) {  // borrowed; null with an exception set
    Row* row = row_of(self);
    if (row->own) return row->own;
    PyObject* made = fresh_dict(row);
    if (row->own) {  // a label's __hash__ or __eq__ may have asked this very row
        Py_XDECREF(made);
        return row->own;
    }
    if (made) PyObject_GC_Track(self);  // before, a row refers to nothing that could refer to it
    return row->own = made;
}

// The value of a label, new; null without an exception where there is no such label.
inline PyObject* value_of(PyObject* self, PyObject* label) {
    Row* row = row_of(self);
    PyObject* const own = row->own;  // asked once: the look-up may run a label's __eq__, which may make the row a dict
    PyObject* found = PyDict_GetItemWithError(own ? own : row->shared->where.ptr(), label);
    if (!found) return nullptr;
    return own ? Py_NewRef(found) : PyFloat_FromDouble(double(row->line[PyLong_AsSsize_t(found)]));
}

inline int row_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(row_of(self)->own);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

inline int row_clear(PyObject* self) {
    Py_CLEAR(row_of(self)->own);
    return 0;
}

inline void row_end(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    Shared* shared = row_of(self)->shared;
    PyObject_GC_UnTrack(self);
    Py_CLEAR(row_of(self)->own);
    PyObject_GC_Del(self);
    Py_DECREF(type);
    release(shared);
}

inline Py_ssize_t row_length(PyObject* self) {
    return row_of(self)->own ? PyDict_Size(row_of(self)->own) : PyTuple_GET_SIZE(row_of(self)->shared->labels.ptr());
}

inline PyObject* row_item(PyObject* self, PyObject* label) {
    PyObject* value = value_of(self, label);
    if (value || PyErr_Occurred()) return value;
    PyObject* arguments = PyTuple_Pack(1, label);  // as dict does it: a label may be a tuple
    if (arguments) PyErr_SetObject(PyExc_KeyError, arguments);
    Py_XDECREF(arguments);
    return nullptr;
}

inline int row_set_item(PyObject* self, PyObject* label, PyObject* value) {
    PyObject* own = own_dict(self);
    if (!own) return -1;
    return value ? PyDict_SetItem(own, label, value) : PyDict_DelItem(own, label);
}

inline int row_contains(PyObject* self, PyObject* label) {
    return PyDict_Contains(row_of(self)->own ? row_of(self)->own : row_of(self)->shared->where.ptr(), label);
}

inline PyObject* row_iter(PyObject* self) {
    return PyObject_GetIter(row_of(self)->own ? row_of(self)->own : row_of(self)->shared->labels.ptr());
}

inline PyObject* row_repr(PyObject* self) {
    PyObject* own = own_dict(self);
    return own ? PyObject_Repr(own) : nullptr;
}

inline PyObject* as_dict(PyObject* self) {  // new
    return row_of(self)->own ? PyDict_Copy(row_of(self)->own) : fresh_dict(row_of(self));
}

inline PyObject* row_get(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    if (count < 1 || count > 2) return PyErr_Format(PyExc_TypeError, "get takes a label and a default");
    PyObject* value = value_of(self, arguments[0]);
    if (value || PyErr_Occurred()) return value;
    return Py_NewRef(count == 2 ? arguments[1] : Py_None);
}

inline PyObject* row_copy(PyObject* self, PyObject*) { return as_dict(self); }

inline PyObject* row_reversed(PyObject* self, PyObject*) {
    PyObject* own = own_dict(self);
    return own ? PyObject_CallMethod(own, "__reversed__", nullptr) : nullptr;
}

inline PyObject* row_reduce(PyObject* self, PyObject*) {
    PyObject* copy = as_dict(self);
    return copy ? Py_BuildValue("(O(N))", reinterpret_cast<PyObject*>(&PyDict_Type), copy) : nullptr;
}

// Everything else: items, keys, values, pop, update, setdefault, …
inline PyObject* row_attribute(PyObject* self, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    PyObject* own = own_dict(self);
    return own ? PyObject_GetAttr(own, name) : nullptr;
}

inline bool is_row(PyObject* object) { return Py_TYPE(object)->tp_dealloc == row_end; }
inline PyObject* plain(PyObject* object) { return is_row(object) ? own_dict(object) : object; }

inline PyObject* row_compare(PyObject* self, PyObject* other, int how) {
    PyObject *one = own_dict(self), *two = plain(other);
    return one && two ? PyObject_RichCompare(one, two, how) : nullptr;
}

inline PyObject* row_or(PyObject* one, PyObject* two) {
    one = plain(one), two = plain(two);
    return one && two ? PyNumber_Or(one, two) : nullptr;
}

inline PyObject* row_update(PyObject* self, PyObject* other) {  // |=
    PyObject *own = own_dict(self), *two = plain(other);
    PyObject* done = own && two ? PyNumber_InPlaceOr(own, two) : nullptr;
    if (!done) return nullptr;
    Py_DECREF(done);
    return Py_NewRef(self);
}

inline PyObject* make_probabilities_type() {
    static PyMethodDef methods[] = {
        {"get", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(row_get)), METH_FASTCALL,
         "get(label, default=None): the probability of a label, or the default where there is no such label."},
        {"copy", row_copy, METH_NOARGS, "A dict of the same labels and probabilities."},
        {"__reversed__", row_reversed, METH_NOARGS, "The labels, the last one first."},
        {"__reduce__", row_reduce, METH_NOARGS, "A pickled row comes back as a dict."},
        {nullptr, nullptr, 0, nullptr}};
    static PyType_Slot slots[] = {
        {Py_tp_doc, const_cast<char*>("The probabilities of one token's labels, which read like {label: probability}.\n\n"
                                      "row[label] and row.get(label) cost least; row.copy() is a dict.")},
        {Py_tp_dealloc, reinterpret_cast<void*>(row_end)},
        {Py_tp_traverse, reinterpret_cast<void*>(row_traverse)},
        {Py_tp_clear, reinterpret_cast<void*>(row_clear)},
        {Py_tp_repr, reinterpret_cast<void*>(row_repr)},
        {Py_tp_iter, reinterpret_cast<void*>(row_iter)},
        {Py_tp_getattro, reinterpret_cast<void*>(row_attribute)},
        {Py_tp_richcompare, reinterpret_cast<void*>(row_compare)},
        {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
        {Py_tp_methods, methods},
        {Py_mp_length, reinterpret_cast<void*>(row_length)},
        {Py_mp_subscript, reinterpret_cast<void*>(row_item)},
        {Py_mp_ass_subscript, reinterpret_cast<void*>(row_set_item)},
        {Py_sq_contains, reinterpret_cast<void*>(row_contains)},
        {Py_nb_or, reinterpret_cast<void*>(row_or)},
        {Py_nb_inplace_or, reinterpret_cast<void*>(row_update)},
        {0, nullptr}};
    static PyType_Spec spec = {"tagfield._text.Probabilities", sizeof(Row), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MAPPING |
                                   Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               slots};
    return PyType_FromSpec(&spec);
}

}  // namespace tagfield::text
