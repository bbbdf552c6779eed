// Python bindings of objects.hpp, sequence_tagger.hpp and token_lists.hpp: Python objects to ids, and ids back to lists.

#include <algorithm>

#include "text/handles.hpp"
#include "text/objects.hpp"
#include "text/sequence_tagger.hpp"
#include "text/token_lists.hpp"

namespace {

nb::tuple encoded_objects(ObjectReader<DatasetBuilder>& reader, nb::handle X, nb::handle y, bool gather, bool apart = false,
                          bool grouped = true) {
    reader.sink.gather = gather;
    reader.sink.apart = apart;
    reader.sink.grouped = grouped;
    std::vector<std::int32_t> gold = reader.read(X, y);
    const nb::tuple arrays = apart ? as_edge_arrays(std::move(reader.sink)) : as_arrays(std::move(reader.sink));
    return nb::make_tuple(arrays, as_array(std::move(gold)), reader.unknown().count, names_of(reader.unknown()));
}

}  // namespace

void bind_objects(nb::module_& m) {
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
