// Binds the corpus, and what is counted in it for the feature sets.
#include "kernel/bind/handles.hpp"

namespace tagfield::bind {

void bind_corpus(nb::module_& m) {
  nb::class_<SlotsHandle>(m, "Slots")
      .def("__init__", [](SlotsHandle* into, View<int64_t, 1> slots, View<int64_t, 1> occurrences, View<int32_t, 1> attribute,
                          View<int32_t, 1> stop, View<int32_t, 1> position, std::optional<View<float, 1>> value) {
        new (into) SlotsHandle{slots, occurrences, attribute, stop, position, value};
      }, "slots"_a, "occurrences"_a, "attribute"_a, "stop"_a, "position"_a, "value"_a.none() = nb::none());

  nb::class_<CorpusHandle>(m, "Corpus")
      .def(nb::init<View<int64_t, 1>, View<int64_t, 1>, View<int64_t, 1>, View<int32_t, 1>, View<int32_t, 1>,
                    View<int32_t, 1>, std::optional<View<float, 1>>, View<int32_t, 1>, View<double, 1>,
                    std::optional<SlotsHandle>, std::optional<View<double, 1>>>(),
           "tokens"_a, "slots"_a, "occurrences"_a, "attribute"_a, "stop"_a, "position"_a, "value"_a.none(), "labels"_a,
           "weight"_a, "edges"_a.none() = nb::none(), "class_weight"_a.none() = nb::none(),
           nb::call_guard<nb::gil_scoped_release>())
      .def(nb::init<View<int64_t, 1>, View<int64_t, 1>, View<int64_t, 1>, View<int32_t, 1>, Places,
                    std::optional<View<float, 1>>, View<int32_t, 1>, View<double, 1>, std::optional<SlotsHandle>,
                    std::optional<View<double, 1>>>(),
           "tokens"_a, "slots"_a, "occurrences"_a, "attribute"_a, "place"_a, "value"_a.none(), "labels"_a, "weight"_a,
           "edges"_a.none() = nb::none(), "class_weight"_a.none() = nb::none(), nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("edge_attributes", [](const CorpusHandle& c) { return c.view.edges.attributes; })
      .def_prop_ro("sentences", [](const CorpusHandle& c) { return c.view.S; })
      .def_prop_ro("attributes", [](const CorpusHandle& c) { return c.view.attributes; })
      .def_prop_ro("classes", [](const CorpusHandle& c) { return c.view.classes; })
      .def_prop_ro("complete", [](const CorpusHandle& c) { return c.view.complete; });

  m.def("count_attributes", [](const CorpusHandle& c, int64_t attributes) {
    require(c.view.attributes <= attributes, "the dataset names more attributes than that");
    auto counts = fresh<int64_t, 1>({size_t(attributes)});
    count_attributes(c.view, counts.data());
    return counts;
  }, "corpus"_a, "attributes"_a);
  m.def("count_transitions", [](const CorpusHandle& c, int labels) {
    require(c.view.classes <= labels, "the dataset names more labels than that");
    auto counts = fresh<int64_t, 2>({size_t(labels), size_t(labels)});
    count_transitions(c.view, labels, counts.data());
    return counts;
  }, "corpus"_a, "labels"_a);
  m.def("observed_rows", [](const CorpusHandle& c, int64_t attributes, int labels, int64_t minimum) {
    require(c.view.attributes <= attributes && c.view.classes <= labels, "the dataset does not fit those sizes");
    ObservedRows rows;
    {
      nb::gil_scoped_release release;
      rows = observed_rows(c.view, attributes, labels, minimum);
    }
    const int64_t pairs = rows.pairs;
    return std::make_tuple(moved(std::move(rows.first)), moved(std::move(rows.column)), moved(std::move(rows.lanes)), pairs);
  }, "corpus"_a, "attributes"_a, "labels"_a, "minimum"_a);

  m.def("count_edges", [](const CorpusHandle& c, int64_t edges) {
    require(edges >= 0 && c.view.edges.attributes <= edges, "the dataset names more edge attributes than that");
    auto counts = fresh<int64_t, 1>({size_t(edges)});
    count_edge_attributes(c.view, counts.data());
    return counts;
  }, "corpus"_a, "edges"_a);
  m.def("observed_edges", [](const CorpusHandle& c, int64_t edges, int labels, int64_t minimum) {
    require(edges >= 0 && c.view.edges.attributes <= edges && c.view.classes <= labels, "the dataset does not fit those sizes");
    ObservedRows rows;
    {
      nb::gil_scoped_release release;
      rows = observed_edges(c.view, edges, labels, minimum);
    }
    const int64_t triples = rows.pairs;
    return std::make_tuple(moved(std::move(rows.first)), moved(std::move(rows.column)), moved(std::move(rows.lanes)), triples);
  }, "corpus"_a, "edges"_a, "labels"_a, "minimum"_a);
}

}  // namespace tagfield::bind
