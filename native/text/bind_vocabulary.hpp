// Python bindings of vocabulary.hpp.
#pragma once

#include <algorithm>
#include <cstring>

#include "text/handles.hpp"
#include "text/vocabulary.hpp"

namespace {

std::string_view text_of(nb::handle string) {
    if (!PyUnicode_Check(string.ptr()))
        throw InputError("a vocabulary holds strings, but this is of type " + type_name(string.ptr()));
    return tagfield::text::text_of(string.ptr(), "a vocabulary");
}

// The string with an id. Any int may be asked for, also one beyond 64 bits.
nb::str string_of(const Vocabulary& self, nb::handle id) {
    const nb::object index = nb::steal(PyNumber_Index(id.ptr()));
    if (!index.is_valid()) {
        PyErr_Clear();
        throw InputError("the id of a string is an int, but this is of type " + type_name(id.ptr()) +
                         "; find(string) gives the id of a string");
    }
    int beyond = 0;
    const long long found = PyLong_AsLongLongAndOverflow(index.ptr(), &beyond);
    if (beyond || found < 0 || static_cast<std::size_t>(found) >= self.size())
        throw nb::index_error(("no string has the id " + std::string(nb::str(index).c_str())).c_str());
    return as_str(self[static_cast<std::int32_t>(found)]);
}

nb::list strings(const Vocabulary& self) {
    nb::list all;
    for (std::size_t id = 0; id < self.size(); ++id) all.append(as_str(self[static_cast<std::int32_t>(id)]));
    return all;
}

nb::tuple to_arrays(const Vocabulary& self) {
    return nb::make_tuple(as_array(std::vector<std::uint8_t>(self.bytes().begin(), self.bytes().end())),
                          as_array(self.offsets()));
}

Vocabulary from_arrays(View<std::uint8_t> bytes, View<std::int64_t> offsets) {
    const auto* raw = reinterpret_cast<const char*>(offsets.data());
    return Vocabulary(StringTable::from_arrays({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, offsets.size(),
                                   [raw](std::size_t i) {
                                       std::int64_t offset;  // a mapped file may be unaligned
                                       std::memcpy(&offset, raw + i * sizeof offset, sizeof offset);
                                       return offset;
                                   }));
}

Vocabulary subset(const Vocabulary& self, View<std::int64_t> ids) {
    if (self.hash_bits()) {
        bool all = ids.size() == self.size();
        for (std::size_t i = 0; all && i < ids.size(); ++i) all = ids.data()[i] == static_cast<std::int64_t>(i);
        if (!all) throw InputError("hashed attributes have no names, so none of them can be left out");
        return self;
    }
    StringTable kept;
    kept.reserve(ids.size(), 0);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::int64_t id = ids.data()[i];
        if (id < 0 || static_cast<std::size_t>(id) >= self.size())
            throw nb::index_error(("no string has the id " + std::to_string(id)).c_str());
        if (static_cast<std::size_t>(kept.add(self[static_cast<std::int32_t>(id)])) != i)
            throw InputError("the id " + std::to_string(id) + " occurs twice; each must be different");
    }
    return Vocabulary(std::move(kept));
}

Vocabulary subset_by_mask(const Vocabulary& self, View<bool> mask) {
    if (mask.size() != self.size()) throw InputError("the mask must have one entry for each string");
    if (self.hash_bits()) {
        if (!std::all_of(mask.data(), mask.data() + mask.size(), [](bool keep) { return keep; }))
            throw InputError("hashed attributes have no names, so none of them can be left out");
        return self;
    }
    StringTable kept;
    for (std::size_t id = 0; id < mask.size(); ++id)
        if (mask.data()[id]) kept.add(self[static_cast<std::int32_t>(id)]);
    return Vocabulary(std::move(kept));
}

// Adds the strings of another vocabulary, in its order; returns their ids.
Array<std::int32_t> join(Vocabulary& self, const Vocabulary& other) {
    if (other.hash_bits()) throw InputError("hashed attributes have no names, so they cannot join a vocabulary");
    std::vector<std::int32_t> ids(other.size());
    std::vector<HashedString> keys;
    constexpr std::size_t together = 256;
    const Vocabulary from = other;  // the strings stay where they are also if both are the same
    for (std::size_t first = 0; first < ids.size(); first += together) {
        keys.clear();
        for (std::size_t i = first; i < std::min(first + together, ids.size()); ++i)
            keys.emplace_back(from[static_cast<std::int32_t>(i)]);
        self.add_all(keys.data(), keys.size(), ids.data() + first);
    }
    return as_array(std::move(ids));
}

void bind_vocabulary(nb::module_& m) {
    nb::class_<Vocabulary>(m, "Vocabulary", "Strings and their ids 0, 1, 2, ... in order of first appearance.")
        .def(nb::init<>())
        .def("__init__",
             [](Vocabulary* self, nb::handle strings) {
                 StringTable made;
                 const nb::object iterator = nb::steal(PyObject_GetIter(strings.ptr()));
                 if (!iterator.is_valid()) {
                     PyErr_Clear();
                     throw InputError("a vocabulary is made of strings, but this is of type " + type_name(strings.ptr()));
                 }
                 for (nb::object string = next(iterator); string.is_valid(); string = next(iterator))
                     made.add(text_of(string));
                 new (self) Vocabulary(std::move(made));
             },
             "strings"_a.none())
        .def_static("hashed",
                    [](int bits) {
                        if (bits < 1 || bits > 30)
                            throw InputError("hash bits must be between 1 and 30, got " + std::to_string(bits));
                        return Vocabulary(bits);
                    },
                    "bits"_a)
        .def_prop_ro("hash_bits", &Vocabulary::hash_bits)
        .def("join", &join, "other"_a)
        .def("add", [](Vocabulary& self, nb::handle string) { return self.add(text_of(string)); }, "string"_a.none())
        .def("find", [](const Vocabulary& self, nb::handle string) { return self.find(text_of(string)); },
             "string"_a.none())
        .def("__contains__",
             [](const Vocabulary& self, nb::handle string) {
                 std::string_view text;
                 return PyUnicode_Check(string.ptr()) && read_text(string.ptr(), text) && self.find(text) >= 0;
             },
             "string"_a.none())
        .def("__len__", &Vocabulary::size)
        .def("__getitem__", &string_of, "id"_a.none())
        .def("__eq__",
             [](const Vocabulary& self, const Vocabulary& other) {
                 return self.hash_bits() == other.hash_bits() && self.bytes() == other.bytes() &&
                        self.offsets() == other.offsets();
             })
        .def("__eq__", [](const Vocabulary&, nb::handle) { return false; })
        .def("__iter__", [](const Vocabulary& self) { return nb::iter(strings(self)); })
        .def("__repr__",
             [](const Vocabulary& self) { return "Vocabulary of " + std::to_string(self.size()) + " strings"; })
        .def("strings", &strings)
        .def("copy", [](const Vocabulary& self) { return Vocabulary(self); })
        .def("subset", &subset_by_mask, "mask"_a)
        .def("subset", &subset, "ids"_a)
        .def("subset", [](const Vocabulary&, nb::handle) -> Vocabulary {
            throw InputError("a subset is an array of bools, one for each string, or an array of int64 ids");
        }, "ids"_a.none())
        .def("to_arrays", &to_arrays)
        .def_static("from_arrays", &from_arrays, "bytes"_a, "offsets"_a)
        .def_static("from_arrays", [](nb::handle, nb::handle) -> Vocabulary {
            throw InputError("a vocabulary is made of two arrays: its text as uint8, and offsets as int64");
        }, "bytes"_a.none(), "offsets"_a.none())
        .def("__getstate__", &to_arrays)
        .def("__setstate__", [](Vocabulary& self, const std::pair<View<std::uint8_t>, View<std::int64_t>>& state) {
            new (&self) Vocabulary(from_arrays(state.first, state.second));
        });
}

}  // namespace
