// The Python objects of the kernels' records: each keeps its arrays alive and checks every bound on creation.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "exact_array.hpp"
#include "kernel/corpus/groups.hpp"
#include "kernel/chain/limits.hpp"
#include "kernel/threads/pulse.hpp"

namespace tagfield::bind {

namespace nb = nanobind;
using namespace nb::literals;

template <class T, int N> using Array = Exact<nb::ndarray<nb::numpy, T, nb::ndim<N>, nb::c_contig, nb::device::cpu>>;
template <class T, int N> using View = Exact<nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>>;
template <class T, int N> using Shown = Exact<nb::ndarray<nb::numpy, const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>>;
typedef Array<float, 2> F2;

inline void require(bool ok, const char* what) {
  if (!ok) throw std::invalid_argument(what);
}

// For Listening: ends a call at Ctrl-C, or where another signal's handler raises. Python runs handlers in its main thread only.
inline void ask_python() {
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
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

struct SlotsHandle {  // of edge attributes; the corpus that takes them checks them
  View<int64_t, 1> slots, occurrences;
  View<int32_t, 1> attribute, stop, position;
  std::optional<View<float, 1>> value;

  EdgeSlots view(size_t sentences) const {
    require(slots.shape(0) == sentences + 1 && occurrences.shape(0) == sentences + 1 &&
                stop.shape(0) == attribute.shape(0) && (!value || value->shape(0) == position.shape(0)),
            "the arrays of the edge attributes do not fit together");
    EdgeSlots e;
    e.D = int64_t(attribute.shape(0)), e.N = int64_t(position.shape(0));
    e.slots = slots.data(), e.occurrences = occurrences.data();
    e.attribute = attribute.data(), e.stop = stop.data(), e.position = position.data();
    e.value = value ? value->data() : nullptr;
    return e;
  }
};

struct Ends {  // where attributes occur, as two arrays; Places are the same in one
  View<int32_t, 1> stop, position;
};
typedef std::variant<View<uint16_t, 1>, View<uint32_t, 1>> Places;

struct CorpusHandle {  // the arrays stay alive as long as the view
  Corpus view;
  View<int64_t, 1> tokens, slots, occurrences;
  View<int32_t, 1> attribute, labels;
  std::variant<Ends, View<uint16_t, 1>, View<uint32_t, 1>> where;
  std::optional<View<float, 1>> value;
  View<double, 1> weight;
  std::optional<SlotsHandle> edges;
  std::vector<double> class_weight;  // a copy: nothing changes it after it was checked
  mutable Grouped grouped;           // for the passes that need it

  CorpusHandle(View<int64_t, 1> tokens_, View<int64_t, 1> slots_, View<int64_t, 1> occurrences_,
               View<int32_t, 1> attribute_, View<int32_t, 1> stop_, View<int32_t, 1> position_,
               std::optional<View<float, 1>> value_, View<int32_t, 1> labels_, View<double, 1> weight_,
               std::optional<SlotsHandle> edges_, std::optional<View<double, 1>> class_weight_)
      : tokens(tokens_), slots(slots_), occurrences(occurrences_), attribute(attribute_), labels(labels_),
        where(Ends{stop_, position_}), value(value_), weight(weight_), edges(edges_) {
    view.N = int64_t(position_.shape(0));
    view.stop = stop_.data(), view.position = position_.data();
    require(stop_.shape(0) == attribute.shape(0), "the dataset's arrays do not fit together");
    open(class_weight_);
  }
  CorpusHandle(View<int64_t, 1> tokens_, View<int64_t, 1> slots_, View<int64_t, 1> occurrences_,
               View<int32_t, 1> attribute_, Places place, std::optional<View<float, 1>> value_, View<int32_t, 1> labels_,
               View<double, 1> weight_, std::optional<SlotsHandle> edges_, std::optional<View<double, 1>> class_weight_)
      : tokens(tokens_), slots(slots_), occurrences(occurrences_), attribute(attribute_), labels(labels_), value(value_),
        weight(weight_), edges(edges_) {
    if (const auto* narrow = std::get_if<0>(&place))
      where = *narrow, view.narrow = narrow->data(), view.N = int64_t(narrow->shape(0));
    else if (const auto* wide = std::get_if<1>(&place))
      where = *wide, view.wide = wide->data(), view.N = int64_t(wide->shape(0));
    open(class_weight_);
  }
  CorpusHandle(const CorpusHandle&) = delete;

 private:
  void open(const std::optional<View<double, 1>>& class_weight_) {
    require(tokens.shape(0) >= 1 && slots.shape(0) == tokens.shape(0) && occurrences.shape(0) == tokens.shape(0) &&
                weight.shape(0) + 1 == tokens.shape(0) && (!value || int64_t(value->shape(0)) == view.N),
            "the dataset's arrays do not fit together");
    view.S = int64_t(tokens.shape(0)) - 1, view.T = int64_t(labels.shape(0));
    view.D = int64_t(attribute.shape(0));
    view.tokens = tokens.data(), view.slots = slots.data(), view.occurrences = occurrences.data();
    view.attribute = attribute.data();
    view.value = value ? value->data() : nullptr;
    view.labels = labels.data(), view.weight = weight.data();
    if (edges) view.edges = edges->view(weight.shape(0));
    view.check();
    if (!class_weight_) return;
    require(!edges, "class weights do not apply to edge attributes");
    class_weight.assign(class_weight_->data(), class_weight_->data() + class_weight_->shape(0));
    require(!class_weight.empty() && int64_t(class_weight.size()) >= view.classes, "the class weights do not fit the labels");
    for (double w : class_weight) require(std::isfinite(w) && w > 0, "a class weight is not a number above 0");
    view.class_weight = class_weight.data();
  }
};

struct LayoutHandle {
  Layout view;
  std::optional<View<int64_t, 1>> first, edge_first;
  std::optional<View<uint16_t, 1>> column, edge_column;

  LayoutHandle(int64_t attributes, int labels, std::optional<View<int64_t, 1>> first_,
               std::optional<View<uint16_t, 1>> column_, int64_t edges, std::optional<View<int64_t, 1>> edge_first_,
               std::optional<View<uint16_t, 1>> edge_column_)
      : first(first_), edge_first(edge_first_), column(column_), edge_column(edge_column_) {
    require(labels >= 1 && labels <= 65536 * W, "a layout needs at least one label");
    require(attributes >= 0 && attributes < (int64_t(1) << 40), "a layout cannot have that many attributes");
    view.L = labels, view.NB = (labels + W - 1) / W, view.A = attributes;
    view.B = attributes * view.NB;
    if (first) {
      require(column && int64_t(first->shape(0)) == attributes + 1, "the rows do not fit the attributes");
      view.rows = Rows::SPARSE;
      view.first = first->data(), view.column = column->data(), view.B = int64_t(column->shape(0));
    }
    require(edges >= 0 && edges < (int64_t(1) << 40) / labels, "a layout cannot have that many edge attributes");
    view.E = edges, view.EB = edges * labels * view.NB;
    if (edge_first) {
      require(edge_column && int64_t(edge_first->shape(0)) == edges * labels + 1, "the rows do not fit the edge attributes");
      view.edge_first = edge_first->data(), view.edge_column = edge_column->data();
      view.EB = int64_t(edge_column->shape(0));
    }
    view.check();
  }
};

// The weights where they lie: no array is ever copied or converted on the way in.
template <class T> struct HeldWeights {
  Shown<T, 2> state, trans;
  std::optional<Shown<T, 2>> edge;

  FieldOf<T> view(const Layout& at) const {
    require(int64_t(state.shape(0)) == at.B && int(state.shape(1)) == W, "the state weights do not fit the layout");
    require(int(trans.shape(0)) == at.L && int(trans.shape(1)) == at.Lp(), "the transition weights do not fit the layout");
    require(edge ? int64_t(edge->shape(0)) == at.EB && int(edge->shape(1)) == W : at.E == 0,
            "the edge weights do not fit the layout");
    return {at, state.data(), trans.data(), edge ? edge->data() : nullptr};
  }
};

// Arrays that may not be written to, such as those of a mapped file, are for reading, and so are doubles.
struct FieldHandle {
  const LayoutHandle& layout;
  std::variant<HeldWeights<float>, HeldWeights<double>> held;
  Field view;                           // without weights where they are doubles
  std::optional<FieldOf<double>> wide;  // the doubles
  Arrays arrays;
  bool writable = false;
  mutable std::atomic<float> size{-1};  // of the largest state weight, once it was asked for

  // The largest state weight in size; NaN counts as the largest. Weights are final when they are decoded, so it is kept.
  float largest() const {
    float found = size;
    if (found >= 0) return found;
    found = 0;
    for (int64_t k = 0; !wide && k < view.at.B * W; ++k) {
      const float w = std::fabs(view.state[k]);
      if (!(w <= found)) found = w == w ? w : std::numeric_limits<float>::infinity();
    }
    size = found;
    return found;
  }

  FieldHandle(const LayoutHandle& layout_, Shown<float, 2> state, Shown<float, 2> trans, std::optional<Shown<float, 2>> edge)
      : layout(layout_), held(HeldWeights<float>{state, trans, edge}) {
    view = std::get<0>(held).view(layout.view);
  }
  FieldHandle(const LayoutHandle& layout_, Shown<double, 2> state, Shown<double, 2> trans,
              std::optional<Shown<double, 2>> edge)
      : layout(layout_), held(HeldWeights<double>{state, trans, edge}) {
    view.at = layout.view;
    wide = std::get<1>(held).view(layout.view);
  }
  FieldHandle(const LayoutHandle& layout_, F2 state, F2 trans, std::optional<F2> edge)
      : FieldHandle(layout_, Shown<float, 2>(state), Shown<float, 2>(trans),
                    edge ? std::optional<Shown<float, 2>>(*edge) : std::nullopt) {
    arrays = {state.data(), trans.data(), edge ? edge->data() : nullptr}, writable = true;
  }

  const Arrays& changeable() const {
    require(!wide, "the weights are float64, which is for reading, and this pass changes them; give it weights.single()");
    require(writable, "the weights are read-only, and this pass changes them; give it a copy");
    return arrays;
  }
  // The same for numbers that belong to the weights of another field, one for each.
  const Arrays& changeable_beside(const FieldHandle& weights) const {
    require(&layout == &weights.layout, "two fields of one pass have different layouts");
    return changeable();
  }
  // One of the arrays as Python sees it.
  template <class Which> nb::object shown(Which which) const {
    return std::visit([&](const auto& weights) { return nb::cast(which(weights)); }, held);
  }
};

struct LimitsHandle {
  typedef std::optional<Shown<uint8_t, 2>> Mask;
  Mask labels, follow;

  LimitsHandle(Mask labels_, Mask follow_) : labels(labels_), follow(follow_) {}

  static Limits of(const LimitsHandle* h, const Corpus& c, const Layout& at) {
    if (!h) return {};
    require(!h->labels || (int64_t(h->labels->shape(0)) == c.T && int(h->labels->shape(1)) == at.L),
            "the limits do not fit the dataset and its labels");
    require(!h->follow || (int(h->follow->shape(0)) == at.L && int(h->follow->shape(1)) == at.L),
            "the limits do not fit the dataset and its labels");
    return {h->labels ? h->labels->data() : nullptr, h->follow ? h->follow->data() : nullptr};
  }
};

inline void fits(const CorpusHandle& c, const FieldHandle& field) {
  require(c.view.attributes <= field.view.at.A, "the dataset names attributes that the layout does not have");
  require(c.view.edges.attributes <= field.view.at.E, "the dataset names edge attributes that the layout does not have");
}
inline void fits_labelled(const CorpusHandle& c, const FieldHandle& field, bool complete) {
  fits(c, field);
  require(c.view.classes <= field.view.at.L, "the dataset names labels that the layout does not have");
  require(!complete || c.view.complete, "the dataset has unknown labels");
}

}  // namespace tagfield::bind
