// Python bindings of gradient.hpp and vectors.hpp; tagfield/train/ checks the arguments.
#include <mutex>

#include "kernel/gradient/gradient.hpp"
#include "kernel/bind/handles.hpp"
#include "kernel/gradient/vectors.hpp"

namespace tagfield::bind {
namespace {

typedef Array<double, 1> D1;
typedef Array<double, 2> D2;
typedef View<double, 1> V1;

struct RowsHandle {  // copies: nothing changes them after they were checked
  FeatureRows rows;
  EdgeRows edges;

  static int64_t count(const View<int64_t, 1>& first) {
    require(first.shape(0) >= 1, "the rows do not span the features");
    return int64_t(first.shape(0)) - 1;
  }
  RowsHandle(int labels, View<int64_t, 1> first, View<int32_t, 1> label, View<int64_t, 1> edge_first, View<int64_t, 1> edge_cell)
      : rows(labels, count(first), first.data(), label.data(), int64_t(label.shape(0))),
        edges(labels, count(edge_first), edge_first.data(), edge_cell.data(), int64_t(edge_cell.shape(0))) {}
};

struct PackedHandle {
  const CorpusHandle& corpus;
  const RowsHandle& of;
  Packed packed;
  PackedEdges edges;
  CorpusGradient gradient;
  std::mutex alone;  // its scratch serves one call at a time

  PackedHandle(const CorpusHandle& c, const RowsHandle& rows)
      : corpus(c), of(rows), packed(c.view, rows.rows), edges(c.view, rows.edges), gradient(packed, edges) {}

  double add(const V1& x, const View<double, 2>& trans, const V1& edge, const D1& grad, const D2& grad_trans, const D1& grad_edge,
             const LimitsHandle* limits, int threads, double loss) {
    const Layout& layout = of.rows.layout();
    const auto K = size_t(of.rows.features()), L = size_t(layout.L), Lp = size_t(layout.Lp());
    require(threads >= 1, "at least one thread");
    require(x.shape(0) == K && grad.shape(0) == K, "the weights do not fit the features");
    require(trans.shape(0) == L && trans.shape(1) == Lp && grad_trans.shape(0) == L && grad_trans.shape(1) == Lp,
            "the transition weights do not fit the labels");
    require(int64_t(edge.shape(0)) == edges.features() && grad_edge.shape(0) == edge.shape(0),
            "the edge weights do not fit the features");
    const Limits within = LimitsHandle::of(limits, corpus.view, layout);
    const bool partial = limits || !corpus.view.complete;
    nb::gil_scoped_release release;
    const std::lock_guard<std::mutex> guard(alone);
    const Listening listening(ask_python);
    return gradient.add({x.data(), trans.data(), edge.data(), grad.data(), grad_trans.data(), grad_edge.data()}, within, partial,
                        threads, loss);
  }
};

struct Pairs {  // of vectors of n numbers; the arrays stay alive as long as the record
  std::vector<std::pair<V1, V1>> held;
  std::vector<CurvaturePair> view;

  Pairs(const std::vector<std::pair<V1, V1>>& pairs, size_t n) : held(pairs) {
    for (const auto& [s, y] : held) {
      require(s.shape(0) == n && y.shape(0) == n, "the pairs do not fit the vector");
      view.push_back({s.data(), y.data()});
    }
  }
};

void same_size(std::initializer_list<size_t> sizes) {
  for (size_t n : sizes) require(n == *sizes.begin(), "the vectors differ in length");
}

typedef std::vector<std::pair<V1, V1>> GivenPairs;

void bind_vectors(nb::module_& m) {
  m.def("inner", [](V1 a, V1 b, int threads) {
    same_size({a.shape(0), b.shape(0)});
    nb::gil_scoped_release release;
    return inner(a.data(), b.data(), int64_t(a.shape(0)), threads);
  }, "a"_a, "b"_a, "threads"_a = 1);
  m.def("scaled", [](V1 x, double by, D1 out, int threads) {
    same_size({x.shape(0), out.shape(0)});
    nb::gil_scoped_release release;
    return scaled(x.data(), by, out.data(), int64_t(x.shape(0)), threads);
  }, "x"_a, "by"_a, "out"_a.noconvert(), "threads"_a = 1);
  m.def("point_products", [](V1 x, V1 gradient, double c1, const GivenPairs& pairs, int threads) {
    same_size({x.shape(0), gradient.shape(0)});
    const Pairs known(pairs, x.shape(0));
    nb::gil_scoped_release release;
    return point_products(x.data(), gradient.data(), c1, known.view, int64_t(x.shape(0)), threads);
  }, "x"_a, "gradient"_a, "c1"_a, "pairs"_a, "threads"_a = 1);
  m.def("make_pair", [](D1 x, V1 x_new, D1 gradient, V1 gradient_new, double c1, const GivenPairs& pairs, int threads) {
    same_size({x.shape(0), x_new.shape(0), gradient.shape(0), gradient_new.shape(0)});
    const Pairs known(pairs, x.shape(0));
    nb::gil_scoped_release release;
    return make_pair(x.data(), x_new.data(), gradient.data(), gradient_new.data(), c1, known.view, int64_t(x.shape(0)), threads);
  }, "x"_a.noconvert(), "x_new"_a, "gradient"_a.noconvert(), "gradient_new"_a, "c1"_a, "pairs"_a, "threads"_a = 1);
  m.def("direction", [](V1 x, V1 gradient, double c1, const GivenPairs& pairs, double of_slope, V1 of_s, V1 of_y, D1 out,
                        int threads) {
    same_size({x.shape(0), gradient.shape(0), out.shape(0)});
    require(of_s.shape(0) == pairs.size() && of_y.shape(0) == pairs.size(), "the coefficients do not fit the pairs");
    const Pairs known(pairs, x.shape(0));
    nb::gil_scoped_release release;
    return direction(x.data(), gradient.data(), c1, known.view, of_slope, of_s.data(), of_y.data(), out.data(),
                     int64_t(x.shape(0)), threads);
  }, "x"_a, "gradient"_a, "c1"_a, "pairs"_a, "of_slope"_a, "of_s"_a, "of_y"_a, "out"_a.noconvert(), "threads"_a = 1);
  m.def("along", [](V1 x, V1 gradient, V1 direction, double step, double c1, D1 out, int threads) {
    same_size({x.shape(0), gradient.shape(0), direction.shape(0), out.shape(0)});
    nb::gil_scoped_release release;
    return along(x.data(), gradient.data(), direction.data(), step, c1, out.data(), int64_t(x.shape(0)), threads);
  }, "x"_a, "gradient"_a, "direction"_a, "step"_a, "c1"_a, "out"_a.noconvert(), "threads"_a = 1);
}

}  // namespace

void bind_gradient(nb::module_& m) {
  nb::class_<RowsHandle>(m, "FeatureRows")
      .def(nb::init<int, View<int64_t, 1>, View<int32_t, 1>, View<int64_t, 1>, View<int64_t, 1>>(), "labels"_a, "first"_a,
           "label"_a, "edge_first"_a, "edge_cell"_a);
  nb::class_<PackedHandle>(m, "Packed")
      .def(nb::init<const CorpusHandle&, const RowsHandle&>(), "corpus"_a, "rows"_a, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>())
      .def("add", &PackedHandle::add, "x"_a, "trans"_a, "edge"_a, "gradient"_a.noconvert(), "grad_trans"_a.noconvert(),
           "grad_edge"_a.noconvert(), "limits"_a.none() = nb::none(), "threads"_a = 1, "loss"_a = 0.0);
  m.attr("BLOCK") = BLOCK;
  bind_vectors(m);
}

}  // namespace tagfield::bind
