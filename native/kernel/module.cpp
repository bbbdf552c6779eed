// Binds the kernels; computes nothing. The doors are tagfield/inference/lattice.py, features.py, decoder.py and train/.
#include "interpreter.hpp"
#include "kernel/best_path.hpp"
#include "kernel/bind_blocks.hpp"
#include "kernel/bind_decode.hpp"
#include "kernel/bind_edges.hpp"
#include "kernel/bind_gradient.hpp"
#include "kernel/bind_passes.hpp"
#include "kernel/bind_sequence.hpp"
#include "kernel/counts.hpp"
#include "kernel/handles.hpp"
#include "kernel/lattice.hpp"
#include "kernel/processor.hpp"

namespace {

// One lattice from plain scores [n, L] and transitions [L, L].
template <class T> struct Plain {
  Layout at;
  std::vector<T> trans;
  Lattice<T> lattice;

  static Layout layout(int L) {
    Layout at;
    at.L = L, at.NB = (L + W - 1) / W;
    return at;
  }
  Plain(const View<T, 2>& s, const View<T, 2>& tau)
      : at(layout(int(s.shape(1)))), trans(size_t(at.L) * at.Lp(), T(0)), lattice(at) {
    const int64_t n = int64_t(s.shape(0));
    T* scores = lattice.room_for(n);
    blank_scores(at, scores, n);
    for (int64_t t = 0; t < n; ++t)
      for (int j = 0; j < at.L; ++j) scores[t * at.Lp() + j] = s.data()[t * at.L + j];
    for (int i = 0; i < at.L; ++i)
      for (int j = 0; j < at.L; ++j) trans[size_t(i) * at.Lp() + j] = tau.data()[size_t(i) * at.L + j];
    lattice.set_transitions(trans.data(), T(1));
  }
};

template <class T> void bind_lattice(nb::module_& m) {
  m.def("forward_backward", [](View<T, 2> scores, View<T, 2> trans, bool marginals) {
    require(scores.shape(0) >= 1 && scores.shape(1) >= 1 && trans.shape(0) == scores.shape(1) && trans.shape(1) == scores.shape(1),
            "scores [n, L] and transitions [L, L] do not fit together");
    const size_t n = scores.shape(0), L = scores.shape(1);
    FlushSubnormals flush;
    Plain<T> plain(scores, trans);
    const double log_z = plain.lattice.run(T(1), marginals);
    auto node = fresh<T, 2>({marginals ? n : 0, L}), edge = fresh<T, 2>({L, L});
    if (marginals) {
      for (size_t t = 0; t < n; ++t)
        for (size_t j = 0; j < L; ++j) node.data()[t * L + j] = plain.lattice.node[t * plain.at.Lp() + j];
      for (size_t i = 0; n > 1 && i < L; ++i)
        for (size_t j = 0; j < L; ++j) edge.data()[i * L + j] = plain.lattice.edge[i * plain.at.Lp() + j];
    }
    return std::make_tuple(log_z, node, edge, plain.lattice.fallbacks);
  }, "scores"_a, "trans"_a, "marginals"_a);
  m.def("best_path", [](View<T, 2> scores, View<T, 2> trans) {
    require(scores.shape(0) >= 1 && scores.shape(1) >= 1 && trans.shape(0) == scores.shape(1) && trans.shape(1) == scores.shape(1),
            "scores [n, L] and transitions [L, L] do not fit together");
    Plain<T> plain(scores, trans);
    auto y = fresh<int32_t, 1>({scores.shape(0)});
    BestPath<T> path(plain.at);
    path.open(plain.trans.data());
    const double score = path.find(plain.lattice.scores, int64_t(scores.shape(0)), y.data());
    return std::make_tuple(score, y);
  }, "scores"_a, "trans"_a);
}

}  // namespace

NB_MODULE(TAGFIELD_MODULE, m) {
  require_main_interpreter();
  nb::set_leak_warnings(false);  // an interpreter that ends in an error keeps objects alive; that is no leak of ours
  m.def("supported_levels", &supported_levels);
  m.attr("LANES") = W;
  m.attr("LARGEST") = LARGEST;
  m.attr("COMPILER") = __VERSION__;
  bind_lattice<float>(m);
  bind_lattice<double>(m);

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

  nb::class_<LayoutHandle>(m, "Layout")
      .def(nb::init<int64_t, int, std::optional<View<int64_t, 1>>, std::optional<View<uint16_t, 1>>, int64_t,
                    std::optional<View<int64_t, 1>>, std::optional<View<uint16_t, 1>>>(),
           "attributes"_a, "labels"_a, "first"_a.none(), "column"_a.none(), "edges"_a = 0,
           "edge_first"_a.none() = nb::none(), "edge_column"_a.none() = nb::none())
      .def_prop_ro("blocks", [](const LayoutHandle& at) { return at.view.B; })
      .def_prop_ro("edge_blocks", [](const LayoutHandle& at) { return at.view.EB; });

  nb::class_<FieldHandle>(m, "Field")
      .def(nb::init<const LayoutHandle&, F2, F2, std::optional<F2>>(), "layout"_a, "state"_a.noconvert(),
           "transitions"_a.noconvert(), "edges"_a.noconvert().none() = nb::none(), nb::keep_alive<1, 2>())
      .def(nb::init<const LayoutHandle&, Shown<float, 2>, Shown<float, 2>, std::optional<Shown<float, 2>>>(), "layout"_a,
           "state"_a.noconvert(), "transitions"_a.noconvert(), "edges"_a.noconvert().none() = nb::none(),
           nb::keep_alive<1, 2>())
      .def(nb::init<const LayoutHandle&, Shown<double, 2>, Shown<double, 2>, std::optional<Shown<double, 2>>>(), "layout"_a,
           "state"_a.noconvert(), "transitions"_a.noconvert(), "edges"_a.noconvert().none() = nb::none(),
           nb::keep_alive<1, 2>())
      .def_prop_ro("state", [](const FieldHandle& f) { return f.shown([](const auto& w) { return w.state; }); })
      .def_prop_ro("transitions", [](const FieldHandle& f) { return f.shown([](const auto& w) { return w.trans; }); })
      .def_prop_ro("edges", [](const FieldHandle& f) { return f.shown([](const auto& w) { return w.edge; }); })
      .def_ro("writable", &FieldHandle::writable);

  nb::class_<LimitsHandle>(m, "Limits")
      .def(nb::init<LimitsHandle::Mask, LimitsHandle::Mask>(), "labels"_a.none() = nb::none(), "follow"_a.none() = nb::none())
      .def_ro("labels", &LimitsHandle::labels)
      .def_ro("follow", &LimitsHandle::follow);

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

  bind_blocks(m);
  bind_decode(m);
  bind_sequence(m);
  bind_edges(m);
  bind_gradient(m);
  bind_passes(m);
}
