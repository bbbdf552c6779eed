// Binds the kernels; computes nothing. The doors are tagfield/lattice.py, features.py, model.py and train/.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "kernel/batch.hpp"
#include "kernel/counts.hpp"
#include "kernel/margin.hpp"
#include "kernel/stochastic.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tagfield;

namespace {

template <class T, int N> using Array = nb::ndarray<nb::numpy, T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <class T, int N> using View = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

void require(bool ok, const char* what) {
  if (!ok) throw std::invalid_argument(what);
}

template <class T, int N> Array<T, N> fresh(std::initializer_list<size_t> shape) {
  size_t n = 1;
  for (size_t s : shape) n *= s;
  T* data = new T[n]();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Array<T, N>(data, shape, owner);
}
template <class T> Array<T, 1> moved(std::vector<T>&& v) {
  auto* held = new std::vector<T>(std::move(v));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T, 1>(held->data(), {held->size()}, owner);
}

struct CorpusHandle {  // the arrays stay alive as long as the view
  Corpus view;
  View<int64_t, 1> tokens, slots, occurrences;
  View<int32_t, 1> attribute, stop, position, labels;
  std::optional<View<float, 1>> value;
  View<double, 1> weight;

  CorpusHandle(View<int64_t, 1> tokens_, View<int64_t, 1> slots_, View<int64_t, 1> occurrences_,
               View<int32_t, 1> attribute_, View<int32_t, 1> stop_, View<int32_t, 1> position_,
               std::optional<View<float, 1>> value_, View<int32_t, 1> labels_, View<double, 1> weight_)
      : tokens(tokens_), slots(slots_), occurrences(occurrences_), attribute(attribute_), stop(stop_),
        position(position_), labels(labels_), value(value_), weight(weight_) {
    require(tokens.shape(0) >= 1 && slots.shape(0) == tokens.shape(0) && occurrences.shape(0) == tokens.shape(0) &&
                weight.shape(0) + 1 == tokens.shape(0) && stop.shape(0) == attribute.shape(0) &&
                (!value || value->shape(0) == position.shape(0)),
            "the dataset's arrays do not fit together");
    view.S = int64_t(tokens.shape(0)) - 1, view.T = int64_t(labels.shape(0));
    view.D = int64_t(attribute.shape(0)), view.N = int64_t(position.shape(0));
    view.tokens = tokens.data(), view.slots = slots.data(), view.occurrences = occurrences.data();
    view.attribute = attribute.data(), view.stop = stop.data(), view.position = position.data();
    view.value = value ? value->data() : nullptr;
    view.labels = labels.data(), view.weight = weight.data();
    view.check();
  }
};

struct LayoutHandle {
  Layout view;
  std::optional<View<int64_t, 1>> first;
  std::optional<View<uint16_t, 1>> column;

  LayoutHandle(int64_t attributes, int labels, std::optional<View<int64_t, 1>> first_,
               std::optional<View<uint16_t, 1>> column_)
      : first(first_), column(column_) {
    require(labels >= 1 && labels <= 65536 * W, "a layout needs at least one label");
    require(attributes >= 0 && attributes < (int64_t(1) << 40), "a layout cannot have that many attributes");
    view.L = labels, view.NB = (labels + W - 1) / W, view.A = attributes;
    view.B = attributes * view.NB;
    if (first) {
      require(column && int64_t(first->shape(0)) == attributes + 1, "the rows do not fit the attributes");
      view.rows = Rows::SPARSE;
      view.first = first->data(), view.column = column->data(), view.B = int64_t(column->shape(0));
    }
    view.check();
  }
};

void fits(const CorpusHandle& c, const LayoutHandle& at, bool needs_labels) {
  require(c.view.attributes <= at.view.A, "the dataset names attributes that the layout does not have");
  require(c.view.classes <= at.view.L, "the dataset names labels that the layout does not have");
  require(!needs_labels || c.view.complete, "the dataset has unknown labels");
}
template <class A, class B> void fit_arrays(const LayoutHandle& at, const A& state, const B& trans) {
  require(int64_t(state.shape(0)) == at.view.B && int(state.shape(1)) == W, "the state weights do not fit the layout");
  require(int(trans.shape(0)) == at.view.L && int(trans.shape(1)) == at.view.Lp(), "the transition weights do not fit the layout");
}

typedef Array<float, 2> F2;
typedef Array<double, 2> D2;

std::vector<std::string> supported_levels() {
  std::vector<std::string> levels{"base"};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
    levels.push_back("avx2");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
      levels.push_back("avx512");
  }
#endif
  return levels;
}

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
    const double score = plain.lattice.best_path(plain.trans.data(), y.data());
    return std::make_tuple(score, y);
  }, "scores"_a, "trans"_a);
}

}  // namespace

#include "kernel/bind_decode.hpp"
#include "kernel/bind_gradient.hpp"
#include "kernel/bind_passes.hpp"

NB_MODULE(TAGFIELD_MODULE, m) {
  nb::set_leak_warnings(false);  // an interpreter that ends in an error keeps objects alive; that is no leak of ours
  m.def("supported_levels", &supported_levels);
  m.attr("LANES") = W;
  bind_lattice<float>(m);
  bind_lattice<double>(m);
  bind_decode(m);

  nb::class_<CorpusHandle>(m, "Corpus")
      .def(nb::init<View<int64_t, 1>, View<int64_t, 1>, View<int64_t, 1>, View<int32_t, 1>, View<int32_t, 1>,
                    View<int32_t, 1>, std::optional<View<float, 1>>, View<int32_t, 1>, View<double, 1>>(),
           "tokens"_a, "slots"_a, "occurrences"_a, "attribute"_a, "stop"_a, "position"_a, "value"_a.none(), "labels"_a,
           "weight"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("sentences", [](const CorpusHandle& c) { return c.view.S; })
      .def_prop_ro("attributes", [](const CorpusHandle& c) { return c.view.attributes; })
      .def_prop_ro("classes", [](const CorpusHandle& c) { return c.view.classes; })
      .def_prop_ro("complete", [](const CorpusHandle& c) { return c.view.complete; });

  nb::class_<LayoutHandle>(m, "Layout")
      .def(nb::init<int64_t, int, std::optional<View<int64_t, 1>>, std::optional<View<uint16_t, 1>>>(), "attributes"_a,
           "labels"_a, "first"_a.none(), "column"_a.none())
      .def_prop_ro("blocks", [](const LayoutHandle& at) { return at.view.B; });
  bind_gradient(m);

  m.def("squared_norm", [](View<float, 2> x) {
    nb::gil_scoped_release release;
    return squared_norm(x.data(), int64_t(x.shape(0) * x.shape(1)));
  }, "array"_a);
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

  bind_passes(m);

  m.def("tag", [](const CorpusHandle& c, const LayoutHandle& at, View<float, 2> state, View<float, 2> trans, int threads) {
    require(c.view.attributes <= at.view.A, "the dataset names attributes that the layout does not have");
    fit_arrays(at, state, trans);
    auto y = fresh<int32_t, 1>({size_t(c.view.T)});
    {
      nb::gil_scoped_release release;
      with_rows(at.view, [&](auto rows) {
        tag_all<decltype(rows)::value>(c.view, at.view, state.data(), trans.data(), y.data(), threads);
      });
    }
    return y;
  }, "corpus"_a, "layout"_a, "state"_a, "trans"_a, "threads"_a);

  m.def("marginals", [](const CorpusHandle& c, const LayoutHandle& at, View<float, 2> state, View<float, 2> trans, bool nodes,
                        int threads) {
    fits(c, at, false);
    fit_arrays(at, state, trans);
    auto out = fresh<float, 2>({nodes ? size_t(c.view.T) : 0, size_t(at.view.L)});
    auto log_z = fresh<double, 1>({size_t(c.view.S)}), score = fresh<double, 1>({size_t(c.view.S)});
    {
      nb::gil_scoped_release release;
      with_rows(at.view, [&](auto rows) {
        marginals_all<decltype(rows)::value>(c.view, at.view, state.data(), trans.data(), nodes ? out.data() : nullptr,
                                             log_z.data(), score.data(), threads);
      });
    }
    return std::make_tuple(out, log_z, score);
  }, "corpus"_a, "layout"_a, "state"_a, "trans"_a, "nodes"_a, "threads"_a);
}
