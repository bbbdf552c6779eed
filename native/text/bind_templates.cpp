// Python bindings of template_encoder.hpp, gazetteer.hpp and arrow_words.hpp; data/text/templates/plan.py makes the encoders.

#include <memory>
#include <utility>

#include "text/absolute.hpp"
#include "text/columns.hpp"
#include "text/derive.hpp"
#include "text/expand.hpp"
#include "text/gazetteer.hpp"
#include "text/handles.hpp"
#include "text/held_words.hpp"
#include "text/sequence_tagger.hpp"
#include "text/template_encoder.hpp"
#include "text/token_lists.hpp"

namespace {

using tagfield::SequenceDecoder;
using PatternParts = std::pair<std::vector<std::string>, std::vector<std::pair<std::int32_t, std::int32_t>>>;

// Arrays of the attributes of transitions, without the tokens; None if they were not asked for.
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

}  // namespace

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
                 SequenceDecoder& decoder = decoder_in(capsule);
                 if (static_cast<std::int32_t>(labels.size()) != decoder.labels)
                     throw nb::value_error("there must be one label for each label of the model");
                 DecodingSink sink;
                 sink.open(decoder, DecodingSink::Wanted::labels);
                 self.read_words(X, nb::find(attributes), sink);
                 sink.finish();
                 return label_lists(sink.labels.data(), labels, sink.tokens);
             },
             "X"_a, "attributes"_a, "decoder"_a, "labels"_a)
        .def("tag_arrow",
             [](TemplateEncoder& self, const HeldWords& words, Vocabulary& attributes, nb::capsule decoder) {
                 DecodingSink sink;
                 sink.open(decoder_in(decoder), DecodingSink::Wanted::labels);
                 self.read_arrow(words.words, nb::find(attributes), sink);
                 return nb::make_tuple(as_array(std::move(sink.labels)), as_array(std::move(sink.tokens)));
             },
             "words"_a, "attributes"_a, "decoder"_a)
        .def("__len__", &TemplateEncoder::size);
    m.def("first_line", [](nb::bytes text) { return first_line(view(text)); }, "text"_a);
}
