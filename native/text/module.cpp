// Bindings: tagfield._text. Nothing is computed here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "exact_array.hpp"
#include "interpreter.hpp"
#include "text/absolute.hpp"
#include "text/arrow_words.hpp"
#include "text/columns.hpp"
#include "text/dataset_builder.hpp"
#include "text/bind_corpus.hpp"
#include "text/derive.hpp"
#include "text/errors.hpp"
#include "text/expand.hpp"
#include "text/gazetteer.hpp"
#include "text/item_sinks.hpp"
#include "text/objects.hpp"
#include "text/sequence_tagger.hpp"
#include "text/template_encoder.hpp"
#include "text/token_lists.hpp"
#include "text/vocabulary.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tagfield::text;
using tagfield::SequenceDoor;

namespace {

template <class T>
using Array = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;  // read-only: what was checked once stays as it was
template <class T>
using View = tagfield::Exact<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

using PatternParts = std::pair<std::vector<std::string>, std::vector<std::pair<std::int32_t, std::int32_t>>>;

template <class T>
Array<T> as_array(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}

nb::object as_object(Places&& place) {
    return place.wide ? nb::cast(as_array(std::move(place.large))) : nb::cast(as_array(std::move(place.small)));
}

// (tokens, slots, occurrences, attribute, place, value or None), the order of Dataset's fields.
nb::tuple as_arrays(DatasetBuilder&& dataset) {
    nb::object value = nb::none();
    if (dataset.has_values) value = nb::cast(as_array(std::move(dataset.value)));
    return nb::make_tuple(as_array(std::move(dataset.tokens)), as_array(std::move(dataset.slots)),
                          as_array(std::move(dataset.occurrences)), as_array(std::move(dataset.attribute)),
                          as_object(std::move(dataset.place)), value);
}

// (tokens, slots, occurrences, attribute, stop, position, value or None) of the attributes of transitions.
nb::tuple as_edge_arrays(DatasetBuilder&& dataset) {
    nb::object value = nb::none();
    if (dataset.has_values) value = nb::cast(as_array(std::move(dataset.value)));
    return nb::make_tuple(as_array(std::move(dataset.tokens)), as_array(std::move(dataset.slots)),
                          as_array(std::move(dataset.occurrences)), as_array(std::move(dataset.attribute)),
                          as_array(std::move(dataset.stop)), as_array(std::move(dataset.position)), value);
}

// The same without the tokens; None if they were not asked for.
nb::object as_slots(const TemplateEncoder& encoder, const Vocabulary* edges, DatasetBuilder&& dataset) {
    if (!encoder.has_transitions() || !edges) return nb::none();
    const nb::tuple arrays = as_edge_arrays(std::move(dataset));
    return nb::make_tuple(arrays[1], arrays[2], arrays[3], arrays[4], arrays[5], arrays[6]);
}

// The Python object of a vocabulary, or None.
nb::object found(Vocabulary* vocabulary) { return vocabulary ? nb::find(*vocabulary) : nb::none(); }

std::vector<Pattern> as_patterns(const std::vector<PatternParts>& patterns, bool until_nul) {
    std::vector<Pattern> made;
    for (const auto& [pieces, cells] : patterns) made.push_back({pieces, cells, until_nul});
    return made;
}

// Buffers of Arrow, and the arrays that keep them alive.
struct HeldWords {
    using Buffer = tagfield::Exact<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
    using Parts = std::tuple<std::string, Buffer, Buffer, View<std::uint8_t>>;  // name, rows, words, bytes

    std::vector<Parts> kept;
    ArrowWords words;

    HeldWords(std::vector<Parts> parts, std::int64_t first) : kept(std::move(parts)), words(columns_of(kept), first) {}

  private:
    static std::vector<ArrowColumn> columns_of(const std::vector<Parts>& parts) {
        std::vector<ArrowColumn> made;
        for (const auto& [name, rows, words, bytes] : parts)
            made.push_back({name, offsets_of(rows), offsets_of(words),
                            {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
        return made;
    }
    static Offsets offsets_of(const Buffer& buffer) {
        const bool wide = buffer.dtype() == nb::dtype<std::int64_t>();
        if (!wide && buffer.dtype() != nb::dtype<std::int32_t>()) throw nb::type_error("offsets are int32 or int64");
        return {static_cast<const char*>(buffer.data()), buffer.size(), wide};
    }
};

// Sentences of words, from Python objects or from Arrow's buffers; a list is not even asked what it is.
std::pair<EncodedTokens, std::vector<std::int32_t>> encode_words(TemplateEncoder& self, nb::handle X, nb::handle y,
                                                                 nb::handle attributes, bool frozen, Vocabulary& labels,
                                                                 bool gather, nb::handle edges, bool grouped) {
    if (PyList_CheckExact(X.ptr()) || !nb::isinstance<HeldWords>(X))
        return self.encode_words(X, y, attributes, frozen, labels, gather, edges, grouped);
    if (!y.is_none() || !frozen) throw InputError("Arrow columns can be tagged, but not learned from; use lists of words");
    EncodedTokens made = self.encode_arrow(nb::inst_ptr<HeldWords>(X)->words, attributes, gather, edges);
    const auto tokens = static_cast<std::size_t>(made.tokens.tokens.back());
    return {std::move(made), std::vector<std::int32_t>(tokens, Vocabulary::absent)};
}

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::str as_str(std::string_view text) { return nb::str(text.data(), text.size()); }

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

void bind_templates(nb::module_& m) {
    nb::class_<Gazetteer>(m, "Gazetteer", "Phrases, each a list of words.")
        .def("__init__",
             [](Gazetteer* self, const std::vector<std::vector<std::string>>& phrases) {
                 Gazetteer made;
                 for (const auto& words : phrases) made.add(words);
                 new (self) Gazetteer(std::move(made));
             },
             "phrases"_a);
    nb::class_<HeldWords>(m, "ArrowWords")
        .def(nb::init<std::vector<HeldWords::Parts>, std::int64_t>(), "columns"_a, "first"_a = 0)
        .def("__len__", [](const HeldWords& self) { return self.words.size(); });
    nb::class_<TemplateEncoder>(m, "TemplateEncoder")
        .def(nb::init<const std::vector<bool>&, std::size_t, std::string>(), "wanted"_a, "capacity"_a, "expected"_a)
        .def("derive",
             [](TemplateEncoder& self, std::size_t base, nb::callable function, bool many) {
                 return self.derive(base, std::make_unique<CellFunction>(function), many);
             },
             "base"_a, "function"_a, "many"_a)
        .def("find_phrases",
             [](TemplateEncoder& self, std::size_t base, std::shared_ptr<Gazetteer> phrases, std::string name) {
                 return self.derive(base, std::make_unique<InGazetteer>(phrases, std::move(name)), false);
             },
             "base"_a, "phrases"_a, "name"_a)
        .def("compare",
             [](TemplateEncoder& self, std::size_t base, std::int64_t offset) {
                 return self.derive(base, std::make_unique<SameAs>(offset), false);
             },
             "base"_a, "offset"_a)
        .def("at_row",
             [](TemplateEncoder& self, std::size_t base, std::int64_t row, Padding::Texts padding) {
                 auto at = std::make_unique<AtRow>(row, std::move(padding.first), std::move(padding.second));
                 return self.derive(base, std::move(at), false);
             },
             "base"_a, "row"_a, "padding"_a)
        .def("set_patterns",
             [](TemplateEncoder& self, const std::vector<PatternParts>& patterns, std::vector<Padding::Texts> padding,
                bool ends, const std::vector<PatternParts>& transitions, bool until_nul) {
                 self.set_patterns(as_patterns(patterns, until_nul), std::move(padding), ends,
                                   as_patterns(transitions, until_nul));
             },
             "patterns"_a, "padding"_a, "ends"_a, "transitions"_a = nb::list(), "until_nul"_a = false)
        .def("read",
             [](TemplateEncoder& self, nb::bytes text, const std::string& file, std::int32_t index,
                const std::string& first_line) {
                 self.read(view(text), file, index, first_line);
             },
             "text"_a, "file"_a, "index"_a, "first_line"_a)
        .def("locations",
             [](const TemplateEncoder& self) {
                 return nb::make_tuple(as_array(self.places.file), as_array(self.places.line),
                                       as_array(self.places.begin), as_array(self.places.end));
             })
        .def("labels",
             [](TemplateEncoder& self, std::size_t column, Vocabulary& labels) {
                 return as_array(self.table.labels(column, labels));
             },
             "column"_a, "labels"_a)
        .def("expand",
             [](TemplateEncoder& self, Vocabulary& attributes, bool frozen, Vocabulary* edges, bool grouped) {
                 EncodedTokens made = self.expand(nb::find(attributes), frozen, found(edges), grouped);
                 const nb::object transitions = as_slots(self, edges, std::move(made.transitions));
                 return nb::make_tuple(as_arrays(std::move(made.tokens)), transitions);
             },
             "attributes"_a, "frozen"_a, "edges"_a.none() = nb::none(), "grouped"_a = true)
        .def("encode_words",
             [](TemplateEncoder& self, nb::handle X, nb::handle y, Vocabulary& attributes, bool frozen,
                Vocabulary& labels, bool gather, Vocabulary* edges, bool grouped) {
                 auto [made, gold] =
                     encode_words(self, X, y, nb::find(attributes), frozen, labels, gather, found(edges), grouped);
                 const nb::object transitions = as_slots(self, edges, std::move(made.transitions));
                 return nb::make_tuple(as_arrays(std::move(made.tokens)), as_array(std::move(gold)), transitions);
             },
             "X"_a, "y"_a.none(), "attributes"_a, "frozen"_a, "labels"_a, "gather"_a, "edges"_a.none() = nb::none(),
             "grouped"_a = true)
        .def("tag_words",
             [](TemplateEncoder& self, nb::handle X, Vocabulary& attributes, nb::capsule capsule, nb::tuple labels) {
                 SequenceDoor& door = door_in(capsule);
                 if (static_cast<std::int32_t>(labels.size()) != door.labels)
                     throw nb::value_error("there must be one label for each label of the model");
                 DoorSink sink;
                 sink.open(door, DoorSink::Wanted::labels);
                 self.read_words(X, nb::find(attributes), sink);
                 sink.finish();
                 return label_lists(sink.labels.data(), labels, sink.tokens);
             },
             "X"_a, "attributes"_a, "door"_a, "labels"_a)
        .def("tag_arrow",
             [](TemplateEncoder& self, const HeldWords& words, Vocabulary& attributes, nb::capsule door) {
                 DoorSink sink;
                 sink.open(door_in(door), DoorSink::Wanted::labels);
                 self.read_arrow(words.words, nb::find(attributes), sink);
                 return nb::make_tuple(as_array(std::move(sink.labels)), as_array(std::move(sink.tokens)));
             },
             "words"_a, "attributes"_a, "door"_a)
        .def("__len__", &TemplateEncoder::size);
    m.def("first_line", [](nb::bytes text) { return first_line(view(text)); }, "text"_a);
}

void bind_items(nb::module_& m) {
    nb::class_<ItemEncoder>(m, "ItemEncoder")
        .def(nb::init<Vocabulary&, bool, Vocabulary&, bool>(), "attributes"_a, "frozen"_a, "labels"_a,
             "grouped"_a = true, nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
        .def("read",
             [](ItemEncoder& self, nb::bytes text, const std::string& file, std::int32_t index) {
                 self.read(view(text), file, index);
             },
             "text"_a, "file"_a, "index"_a)
        .def("finish", [](ItemEncoder& self) {
            return nb::make_tuple(as_arrays(std::exchange(self.dataset, DatasetBuilder())),
                                  as_array(std::move(self.gold)), as_array(std::move(self.weights)),
                                  as_array(std::move(self.file)), as_array(std::move(self.line)));
        });
    nb::class_<ItemLister>(m, "ItemLister")
        .def(nb::init<nb::bytes, const std::string&>(), "text"_a, "file"_a)
        .def("next", &ItemLister::next);
}

nb::list names_of(const UnknownAttributes& unknown) {
    nb::list some;
    for (const std::string& name : unknown.some) some.append(as_str(name));
    return some;
}

nb::tuple encoded_objects(ObjectReader<DatasetBuilder>& reader, nb::handle X, nb::handle y, bool gather, bool apart = false,
                          bool grouped = true) {
    reader.sink.gather = gather;
    reader.sink.apart = apart;
    reader.sink.grouped = grouped;
    std::vector<std::int32_t> gold = reader.read(X, y);
    const nb::tuple arrays = apart ? as_edge_arrays(std::move(reader.sink)) : as_arrays(std::move(reader.sink));
    return nb::make_tuple(arrays, as_array(std::move(gold)), reader.unknown().count, names_of(reader.unknown()));
}

// A copy: the array itself may change after the check, for labels may run user code.
std::vector<std::int64_t> checked_offsets(View<std::int64_t> tokens, std::size_t length) {
    const std::vector<std::int64_t> at(tokens.data(), tokens.data() + tokens.size());
    if (at.empty() || at.front() != 0 || at.back() != static_cast<std::int64_t>(length))
        throw nb::value_error("the offsets must go from 0 to the number of tokens");
    if (!std::is_sorted(at.begin(), at.end())) throw nb::value_error("the offsets must not descend");
    return at;
}

template <class Real>
void bind_probability_lists(nb::module_& m) {
    m.def("probability_lists",
          [](const tagfield::Exact<nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>>& node, nb::tuple labels, View<std::int64_t> tokens) {
              if (labels.size() != node.shape(1)) throw nb::value_error("there must be one label for each column");
              return probability_lists(node.data(), labels, checked_offsets(tokens, node.shape(0)));
          },
          "node"_a, "labels"_a, "tokens"_a);
}

void bind_token_lists(nb::module_& m) {
    m.def("label_lists",
          [](View<std::int32_t> ids, nb::tuple labels, View<std::int64_t> tokens) {
              return label_lists(ids.data(), labels, checked_offsets(tokens, ids.size()));
          },
          "ids"_a, "labels"_a, "tokens"_a);
    bind_probability_lists<float>(m);
    bind_probability_lists<double>(m);
}

// (result, number of known attributes, number of unknown ones, some of those)
nb::tuple with_found(std::pair<nb::object, SequenceTagger::Found> made) {
    const auto& [result, found] = made;
    return nb::make_tuple(result, found.known, found.unknown.count, names_of(found.unknown));
}

template <class Tagger>
void check_labels(const Tagger& tagger, const nb::tuple& labels) {
    if (static_cast<std::int32_t>(labels.size()) != tagger.label_count())
        throw nb::value_error("there must be one label for each label of the model");
}

void bind_sequence_tagger(nb::module_& m) {
    using Wanted = DoorSink::Wanted;
    nb::class_<SequenceTagger>(m, "SequenceTagger", "Labels and probabilities of sequences, without a Dataset.")
        .def("__init__",
             [](SequenceTagger* self, nb::typed<nb::object, Vocabulary> attributes, nb::capsule door) {
                 new (self) SequenceTagger(attributes, door);
             },
             "attributes"_a, "door"_a)
        .def_prop_ro("door", &SequenceTagger::door)
        .def("tag",
             [](SequenceTagger& self, nb::handle X, nb::tuple labels) {
                 check_labels(self, labels);
                 return with_found(self.run(
                     Wanted::labels, [&](auto& reader) { reader.read(X); },
                     [&](DoorSink& sink) { return label_lists(sink.labels.data(), labels, sink.tokens); }));
             },
             "X"_a, "labels"_a)
        .def("tag_one",
             [](SequenceTagger& self, nb::handle x, nb::tuple labels) {
                 check_labels(self, labels);
                 return with_found(self.run(
                     Wanted::labels, [&](auto& reader) { reader.read_one(x); },
                     [&](DoorSink& sink) { return label_list(sink.labels.data(), labels, sink.tokens.back()); }));
             },
             "x"_a, "labels"_a)
        .def("probabilities",
             [](SequenceTagger& self, nb::handle X, nb::tuple labels) {
                 check_labels(self, labels);
                 return with_found(self.run(
                     Wanted::probabilities, [&](auto& reader) { reader.read(X); },
                     [&](DoorSink& sink) {
                         return probability_lists(sink.probabilities.data(), labels, sink.tokens);
                     }));
             },
             "X"_a, "labels"_a)
        .def("read",
             [](SequenceTagger& self, nb::handle x) {
                 return self.run(
                     Wanted::ids, [&](auto& reader) { reader.read_one(x); },
                     [&](DoorSink& sink) {
                         return nb::cast(new ReadSequence(std::move(sink.only()), self.door()), nb::rv_policy::take_ownership);
                     }).first;
             },
             "x"_a);
    nb::class_<ReadSequence>(m, "ReadSequence", "One sequence that SequenceTagger.read has read, for several questions.")
        .def("best",
             [](const ReadSequence& self, nb::tuple labels) {
                 check_labels(self, labels);
                 return self.best(labels);
             },
             "labels"_a)
        .def("rows", &ReadSequence::rows)
        .def("arrays",
             [](const ReadSequence& self) {
                 DatasetBuilder made;
                 made.gather = false;
                 made.add(self.sentence);
                 return as_arrays(std::move(made));
             })
        .def("__len__", &ReadSequence::size);
}

}  // namespace

NB_MODULE(TAGFIELD_MODULE, m) {
    tagfield::require_main_interpreter();
    nb::set_leak_warnings(false);  // an interpreter that exits after an error keeps objects alive: not a leak here
    m.doc() = "Text or Python objects to the arrays of a Dataset, and arrays back to Python objects.";
    const nb::object error = nb::module_::import_("tagfield.errors").attr("InputError");
    nb::register_exception_translator(
        [](const std::exception_ptr& thrown, void* kind) {
            try {
                std::rethrow_exception(thrown);
            } catch (const InputError& what) {
                const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
                    what.message.data(), static_cast<Py_ssize_t>(what.message.size()), "replace"));
                if (text.is_valid()) PyErr_SetObject(static_cast<PyObject*>(kind), text.ptr());
            }
        },
        error.inc_ref().ptr());
    bind_vocabulary(m);
    bind_templates(m);
    bind_items(m);
    bind_token_lists(m);
    bind_corpus(m);
    bind_sequence_tagger(m);
    m.def("encode_objects",
          [](nb::handle X, nb::handle y, Vocabulary& attributes, bool frozen, Vocabulary& labels, bool gather,
             bool grouped) {
              ObjectReader<DatasetBuilder> reader(attributes, frozen, labels);
              return encoded_objects(reader, X, y, gather, false, grouped);
          },
          "X"_a, "y"_a.none(), "attributes"_a, "frozen"_a, "labels"_a, "gather"_a, "grouped"_a = true);
    m.def("encode_transitions",
          [](nb::handle edges, Vocabulary& attributes, bool frozen, bool gather) {
              Vocabulary labels;
              ObjectReader<DatasetBuilder> reader(attributes, frozen, labels, "edges", 1);
              return encoded_objects(reader, edges, nb::none(), gather, true);
          },
          "edges"_a, "attributes"_a, "frozen"_a, "gather"_a);
}
