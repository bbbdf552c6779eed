// Python bindings of gradient.hpp and two_loops.hpp; tagfield/train/ checks the arguments.
#pragma once
#include "kernel/gradient.hpp"
#include "kernel/handles.hpp"
#include "kernel/two_loops.hpp"

namespace {

typedef Array<double, 1> D1;
typedef Array<double, 2> D2;

struct PackedHandle {
  const CorpusHandle& corpus;
  Packed packed;
  PackedEdges edges;

  static int64_t rows(const View<int64_t, 1>& first, const View<int32_t, 1>& label) {
    require(first.shape(0) >= 1 && first.data()[first.shape(0) - 1] == int64_t(label.shape(0)),
            "the rows do not span the features");
    for (size_t a = 0; a + 1 < first.shape(0); ++a)
      require(first.data()[a] >= 0 && first.data()[a] <= first.data()[a + 1], "the rows are not ascending");
    return int64_t(first.shape(0)) - 1;
  }
  static int64_t at_least_one(const View<int64_t, 1>& first) {
    require(first.shape(0) >= 1, "the rows do not span the features");
    return int64_t(first.shape(0)) - 1;
  }
  PackedHandle(const CorpusHandle& c, int labels, View<int64_t, 1> first, View<int32_t, 1> label, View<int64_t, 1> edge_first,
               View<int64_t, 1> edge_cell)
      : corpus(c), packed(c.view, labels, rows(first, label), first.data(), label.data()),
        edges(c.view, labels, at_least_one(edge_first), edge_first.data(), edge_cell.data(), int64_t(edge_cell.shape(0))) {}

  PointAndGradient point(const View<double, 1>& x, const View<double, 2>& trans, const View<double, 1>& edge, const D1& gradient,
                         const D2& grad_trans, const D1& grad_edge) const {
    const auto K = size_t(packed.features()), L = size_t(packed.layout().L), Lp = size_t(packed.layout().Lp());
    require(x.shape(0) == K && gradient.shape(0) == K, "the weights do not fit the features");
    require(trans.shape(0) == L && trans.shape(1) == Lp && grad_trans.shape(0) == L && grad_trans.shape(1) == Lp,
            "the transition weights do not fit the labels");
    require(int64_t(edge.shape(0)) == edges.features() && grad_edge.shape(0) == edge.shape(0),
            "the edge weights do not fit the features");
    return {x.data(), trans.data(), edge.data(), gradient.data(), grad_trans.data(), grad_edge.data()};
  }
};

void bind_gradient(nb::module_& m) {
  nb::class_<PackedHandle>(m, "Packed")
      .def(nb::init<const CorpusHandle&, int, View<int64_t, 1>, View<int32_t, 1>, View<int64_t, 1>, View<int64_t, 1>>(),
           "corpus"_a, "labels"_a, "first"_a, "label"_a, "edge_first"_a, "edge_cell"_a, nb::keep_alive<1, 2>())
      .def("nll_gradient", [](const PackedHandle& h, View<double, 1> x, View<double, 2> trans, View<double, 1> edge, D1 gradient,
                              D2 grad_trans, D1 grad_edge, int threads) {
        require(h.corpus.view.complete, "the dataset has unknown labels");
        require(threads >= 1, "at least one thread");
        const PointAndGradient at = h.point(x, trans, edge, gradient, grad_trans, grad_edge);
        nb::gil_scoped_release release;
        return nll_gradient(h.packed, h.edges, at, threads);
      }, "x"_a, "trans"_a, "edge"_a, "gradient"_a.noconvert(), "grad_trans"_a.noconvert(), "grad_edge"_a.noconvert(), "threads"_a)
      .def("partial_gradient", [](const PackedHandle& h, View<double, 1> x, View<double, 2> trans, View<double, 1> edge,
                                  const LimitsHandle* limits, D1 gradient, D2 grad_trans, D1 grad_edge, int threads) {
        require(threads >= 1, "at least one thread");
        const PointAndGradient at = h.point(x, trans, edge, gradient, grad_trans, grad_edge);
        const Limits within = LimitsHandle::of(limits, h.corpus.view, h.packed.layout());
        nb::gil_scoped_release release;
        return partial_gradient(h.packed, h.edges, at, within, threads);
      }, "x"_a, "trans"_a, "edge"_a, "limits"_a.none(), "gradient"_a.noconvert(), "grad_trans"_a.noconvert(),
         "grad_edge"_a.noconvert(), "threads"_a);

  m.def("two_loops", [](D1 q, const std::vector<std::tuple<View<double, 1>, View<double, 1>, double>>& pairs) {
    std::vector<CurvaturePair> known;
    for (const auto& [s, y, curvature] : pairs) {
      require(s.shape(0) == q.shape(0) && y.shape(0) == q.shape(0), "the pairs do not fit the vector");
      require(curvature > 0, "a pair needs a positive curvature");
      known.push_back({s.data(), y.data(), curvature});
    }
    nb::gil_scoped_release release;
    two_loops(q.data(), known, int64_t(q.shape(0)));
  }, "q"_a.noconvert(), "pairs"_a);
}

}  // namespace
