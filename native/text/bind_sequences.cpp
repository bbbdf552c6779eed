// Python bindings of objects.hpp, sequence_tagger.hpp, crfsuite_file.hpp and token_lists.hpp: objects to ids, and ids to lists.

#include <algorithm>

#include "text/crfsuite_file.hpp"
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

using Writable = tagfield::Exact<nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>;

// A file whose bytes are those of a Python object, which nothing can change.
struct HeldFile {
    nb::bytes bytes;
    CrfsuiteFile file;

    explicit HeldFile(nb::bytes given) : bytes(std::move(given)), file(view(bytes)) {}
};

struct HeldAttributes final : LateAttributes {
    nb::object held;
    Writable rows;

    HeldAttributes(nb::object file, Vocabulary& names, Writable given)
        : LateAttributes(nb::cast<HeldFile&>(file).file, names, given.data(), given.shape(1)), held(std::move(file)),
          rows(std::move(given)) {}
};

SequenceTagger* late_tagger(nb::object held, nb::object names, nb::capsule door, Writable rows) {
    const CrfsuiteFile& file = nb::cast<HeldFile&>(held).file;
    if (rows.shape(0) < file.attributes || rows.shape(1) < file.labels)
        throw nb::value_error("there must be a row for each attribute and a column for each label");
    Vocabulary& vocabulary = nb::cast<Vocabulary&>(names);
    if (vocabulary.size()) throw nb::value_error("the vocabulary must be empty");
    return new SequenceTagger(names, door, std::make_unique<HeldAttributes>(held, vocabulary, std::move(rows)));
}

void bind_crfsuite_file(nb::module_& m) {
    nb::class_<HeldFile>(m, "CrfsuiteFile", "A model of CRFsuite, of which only what is asked for is read.")
        .def(nb::init<nb::bytes>(), "data"_a)
        .def_prop_ro("attributes", [](const HeldFile& self) { return self.file.attributes; })
        .def_prop_ro("labels",
                     [](const HeldFile& self) {
                         nb::list names;
                         for (std::uint32_t id = 0; id < self.file.labels; ++id) {
                             const std::string_view name = self.file.label(id);
                             names.append(nb::bytes(name.data(), name.size()));
                         }
                         return names;
                     })
        .def("put_transitions",
             [](const HeldFile& self, const Writable& into) {
                 if (into.shape(0) != self.file.labels || into.shape(1) < self.file.labels)
                     throw nb::value_error("there must be a row and a column for each label");
                 for (std::uint32_t from = 0; from < self.file.labels; ++from)
                     self.file.put_transitions(from, into.data() + from * into.shape(1));
             },
             "into"_a)
        .def("tagger",
             [](nb::object self, nb::typed<nb::object, Vocabulary> names, nb::capsule door, Writable rows) {
                 return late_tagger(self, names, door, rows);
             },
             "names"_a, "door"_a, "rows"_a, nb::rv_policy::take_ownership);
    m.def("lost_name",
          [](View<std::uint8_t> data, std::uint64_t start, std::uint32_t count) {
              const PackedBytes file({reinterpret_cast<const char*>(data.data()), data.size()});
              return Cqdb(file, start, count).first_lost();
          },
          "data"_a, "start"_a, "count"_a);
}

void bind_sequence_tagger(nb::module_& m) {
    using Wanted = DecodingSink::Wanted;
    nb::class_<SequenceTagger>(m, "SequenceTagger", "Labels and probabilities of sequences, without a Dataset.")
        .def("__init__",
             [](SequenceTagger* self, nb::typed<nb::object, Vocabulary> attributes, nb::capsule decoder) {
                 new (self) SequenceTagger(attributes, decoder);
             },
             "attributes"_a, "decoder"_a)
        .def_prop_ro("decoder", &SequenceTagger::decoder)
        .def("tag",
             [](SequenceTagger& self, nb::handle X, nb::tuple labels) {
                 check_labels(self, labels);
                 return with_found(self.run(
                     Wanted::labels, [&](auto& reader) { reader.read(X); },
                     [&](DecodingSink& sink) { return label_lists(sink.labels.data(), labels, sink.tokens); }));
             },
             "X"_a, "labels"_a)
        .def("tag_one",
             [](SequenceTagger& self, nb::handle x, nb::tuple labels) {
                 check_labels(self, labels);
                 return with_found(self.run(
                     Wanted::labels, [&](auto& reader) { reader.read_one(x); },
                     [&](DecodingSink& sink) { return label_list(sink.labels.data(), labels, sink.tokens.back()); }));
             },
             "x"_a, "labels"_a)
        .def("probabilities",
             [](SequenceTagger& self, nb::handle X, nb::tuple labels) {
                 check_labels(self, labels);
                 return with_found(self.run(
                     Wanted::probabilities, [&](auto& reader) { reader.read(X); },
                     [&](DecodingSink& sink) {
                         return probability_lists(sink.probabilities.data(), labels, sink.tokens);
                     }));
             },
             "X"_a, "labels"_a)
        .def("read",
             [](SequenceTagger& self, nb::handle x) {
                 return self.run(
                     Wanted::ids, [&](auto& reader) { reader.read_one(x); },
                     [&](DecodingSink& sink) {
                         return nb::cast(new ReadSequence(std::move(sink.only()), self.decoder()), nb::rv_policy::take_ownership);
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
    bind_crfsuite_file(m);
}
