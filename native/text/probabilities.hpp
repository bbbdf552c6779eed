// Probabilities: a dict-like {label: probability, …} for one token, which is only a pointer until a dict is needed.
//
//     Probabilities ─▶ values: its object of the array [T, L] of all tokens
//                   ─▶ SharedMarginals: that array, the labels, the column of each label; one for all tokens of a call
//                   ─▶ dict: made by the first operation that needs one (items, values, ==, a change)
//
// For 47 thousand tokens and 22 labels, dicts would need a million floats and most of the time of the call, although
// most callers ask each token for one label. Operations that are not implemented here go to the dict.
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

using Marginals = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct SharedMarginals {
    Marginals node;             // [T, L]
    nb::object labels, column;  // tuple; {label: column}
    nb::object empty;           // {label: None}, the dict to copy and fill
    std::int64_t users = 0;     // Probabilities that are alive; counted under the GIL
};

inline void release(SharedMarginals* shared) {
    if (--shared->users == 0) delete shared;
}

struct ProbabilitiesObject {
    PyObject ob_base;
    SharedMarginals* shared;
    const float* values;  // [L]
    PyObject* dict;       // or null
};

inline ProbabilitiesObject* object_of(PyObject* self) { return reinterpret_cast<ProbabilitiesObject*>(self); }

inline PyObject* make_dict(const ProbabilitiesObject* object) {  // new; null with an exception set
    PyObject* labels = object->shared->labels.ptr();
    PyObject* made = PyDict_Copy(object->shared->empty.ptr());
    for (Py_ssize_t j = 0; made && j < PyTuple_GET_SIZE(labels); ++j) {
        PyObject* value = PyFloat_FromDouble(double(object->values[j]));
        if (!value || PyDict_SetItem(made, PyTuple_GET_ITEM(labels, j), value) < 0) Py_CLEAR(made);
        Py_XDECREF(value);
    }
    return made;
}

inline PyObject* ensure_dict(PyObject* self) {  // borrowed; null with an exception set
    ProbabilitiesObject* object = object_of(self);
    if (object->dict) return object->dict;
    PyObject* made = make_dict(object);
    if (object->dict) {  // a label's __hash__ or __eq__ may have made it meanwhile
        Py_XDECREF(made);
        return object->dict;
    }
    if (made) PyObject_GC_Track(self);  // without a dict, no reference can lead back here
    return object->dict = made;
}

// The value of a label, as a new reference; null without an exception if there is no such label.
inline PyObject* value_of(PyObject* self, PyObject* label) {
    ProbabilitiesObject* object = object_of(self);
    PyObject* const dict = object->dict;  // read once: the look-up may run a label's __eq__, which may make the dict
    PyObject* found = PyDict_GetItemWithError(dict ? dict : object->shared->column.ptr(), label);
    if (!found) return nullptr;
    return dict ? Py_NewRef(found) : PyFloat_FromDouble(double(object->values[PyLong_AsSsize_t(found)]));
}

inline int probabilities_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(object_of(self)->dict);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

inline int probabilities_clear(PyObject* self) {
    Py_CLEAR(object_of(self)->dict);
    return 0;
}

inline void probabilities_dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    SharedMarginals* shared = object_of(self)->shared;
    PyObject_GC_UnTrack(self);
    Py_CLEAR(object_of(self)->dict);
    PyObject_GC_Del(self);
    Py_DECREF(type);
    release(shared);
}

inline Py_ssize_t probabilities_length(PyObject* self) {
    const ProbabilitiesObject* object = object_of(self);
    return object->dict ? PyDict_Size(object->dict) : PyTuple_GET_SIZE(object->shared->labels.ptr());
}

inline PyObject* probabilities_item(PyObject* self, PyObject* label) {
    PyObject* value = value_of(self, label);
    if (value || PyErr_Occurred()) return value;
    PyObject* arguments = PyTuple_Pack(1, label);  // as dict does, because a label may be a tuple
    if (arguments) PyErr_SetObject(PyExc_KeyError, arguments);
    Py_XDECREF(arguments);
    return nullptr;
}

inline int probabilities_set_item(PyObject* self, PyObject* label, PyObject* value) {
    PyObject* dict = ensure_dict(self);
    if (!dict) return -1;
    return value ? PyDict_SetItem(dict, label, value) : PyDict_DelItem(dict, label);
}

inline int probabilities_contains(PyObject* self, PyObject* label) {
    const ProbabilitiesObject* object = object_of(self);
    return PyDict_Contains(object->dict ? object->dict : object->shared->column.ptr(), label);
}

inline PyObject* probabilities_iter(PyObject* self) {
    return PyObject_GetIter(object_of(self)->dict ? object_of(self)->dict : object_of(self)->shared->labels.ptr());
}

inline PyObject* probabilities_repr(PyObject* self) {
    PyObject* dict = ensure_dict(self);
    return dict ? PyObject_Repr(dict) : nullptr;
}

inline PyObject* as_dict(PyObject* self) {  // new
    return object_of(self)->dict ? PyDict_Copy(object_of(self)->dict) : make_dict(object_of(self));
}

inline PyObject* probabilities_get(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    if (count < 1 || count > 2) return PyErr_Format(PyExc_TypeError, "get takes a label and an optional default");
    PyObject* value = value_of(self, arguments[0]);
    if (value || PyErr_Occurred()) return value;
    return Py_NewRef(count == 2 ? arguments[1] : Py_None);
}

inline PyObject* probabilities_copy(PyObject* self, PyObject*) { return as_dict(self); }

inline PyObject* probabilities_reversed(PyObject* self, PyObject*) {
    PyObject* dict = ensure_dict(self);
    return dict ? PyObject_CallMethod(dict, "__reversed__", nullptr) : nullptr;
}

inline PyObject* probabilities_reduce(PyObject* self, PyObject*) {
    PyObject* copy = as_dict(self);
    return copy ? Py_BuildValue("(O(N))", reinterpret_cast<PyObject*>(&PyDict_Type), copy) : nullptr;
}

// All other methods come from the dict: items, keys, values, pop, update, setdefault, …
inline PyObject* probabilities_attribute(PyObject* self, PyObject* name) {
    PyObject* found = PyObject_GenericGetAttr(self, name);
    if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
    PyErr_Clear();
    PyObject* dict = ensure_dict(self);
    return dict ? PyObject_GetAttr(dict, name) : nullptr;
}

inline bool is_probabilities(PyObject* object) { return Py_TYPE(object)->tp_dealloc == probabilities_dealloc; }
inline PyObject* dict_or_self(PyObject* object) { return is_probabilities(object) ? ensure_dict(object) : object; }

inline PyObject* probabilities_compare(PyObject* self, PyObject* other, int how) {
    PyObject *one = ensure_dict(self), *two = dict_or_self(other);
    return one && two ? PyObject_RichCompare(one, two, how) : nullptr;
}

inline PyObject* probabilities_or(PyObject* one, PyObject* two) {
    one = dict_or_self(one), two = dict_or_self(two);
    return one && two ? PyNumber_Or(one, two) : nullptr;
}

inline PyObject* probabilities_update(PyObject* self, PyObject* other) {  // |=
    PyObject *dict = ensure_dict(self), *two = dict_or_self(other);
    PyObject* done = dict && two ? PyNumber_InPlaceOr(dict, two) : nullptr;
    if (!done) return nullptr;
    Py_DECREF(done);
    return Py_NewRef(self);
}

inline PyObject* make_probabilities_type() {
    static PyMethodDef methods[] = {
        {"get", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(probabilities_get)), METH_FASTCALL,
         "get(label, default=None): the probability of a label, or the default if there is no such label."},
        {"copy", probabilities_copy, METH_NOARGS, "A dict of the same labels and probabilities."},
        {"__reversed__", probabilities_reversed, METH_NOARGS, "The labels in reverse order."},
        {"__reduce__", probabilities_reduce, METH_NOARGS, "Pickle as a dict."},
        {nullptr, nullptr, 0, nullptr}};
    static PyType_Slot slots[] = {
        {Py_tp_doc, const_cast<char*>("The label probabilities of one token, as a dict-like {label: probability}.\n\n"
                                      "p[label] and p.get(label) are fastest; p.copy() returns a dict.")},
        {Py_tp_dealloc, reinterpret_cast<void*>(probabilities_dealloc)},
        {Py_tp_traverse, reinterpret_cast<void*>(probabilities_traverse)},
        {Py_tp_clear, reinterpret_cast<void*>(probabilities_clear)},
        {Py_tp_repr, reinterpret_cast<void*>(probabilities_repr)},
        {Py_tp_iter, reinterpret_cast<void*>(probabilities_iter)},
        {Py_tp_getattro, reinterpret_cast<void*>(probabilities_attribute)},
        {Py_tp_richcompare, reinterpret_cast<void*>(probabilities_compare)},
        {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
        {Py_tp_methods, methods},
        {Py_mp_length, reinterpret_cast<void*>(probabilities_length)},
        {Py_mp_subscript, reinterpret_cast<void*>(probabilities_item)},
        {Py_mp_ass_subscript, reinterpret_cast<void*>(probabilities_set_item)},
        {Py_sq_contains, reinterpret_cast<void*>(probabilities_contains)},
        {Py_nb_or, reinterpret_cast<void*>(probabilities_or)},
        {Py_nb_inplace_or, reinterpret_cast<void*>(probabilities_update)},
        {0, nullptr}};
    static PyType_Spec spec = {"tagfield._text.Probabilities", sizeof(ProbabilitiesObject), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_MAPPING |
                                   Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               slots};
    return PyType_FromSpec(&spec);
}

}  // namespace tagfield::text
