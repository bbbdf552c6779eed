// The Python objects of the kernels' records: each keeps its arrays alive and checks every bound on creation.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "exact_array.hpp"
#include "kernel/limits.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tagfield;

namespace {

template <class T, int N> using Array = Exact<nb::ndarray<nb::numpy, T, nb::ndim<N>, nb::c_contig, nb::device::cpu>>;
template <class T, int N> using View = Exact<nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>>;
template <class T, int N> using Shown = Exact<nb::ndarray<nb::numpy, const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>>;
typedef Array<float, 2> F2;

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

// The weights where they lie: no array is ever copied or converted on the way in. Arrays that may not be written to, such
// as those of a mapped file, are for reading.
struct FieldHandle {
  const LayoutHandle& layout;
  Shown<float, 2> state, trans;
  Field view;
  Arrays arrays;
  bool writable = false;

  FieldHandle(const LayoutHandle& layout_, Shown<float, 2> state_, Shown<float, 2> trans_)
      : layout(layout_), state(state_), trans(trans_) {
    const Layout& at = layout.view;
    require(int64_t(state.shape(0)) == at.B && int(state.shape(1)) == W, "the state weights do not fit the layout");
    require(int(trans.shape(0)) == at.L && int(trans.shape(1)) == at.Lp(), "the transition weights do not fit the layout");
    view = {at, state.data(), trans.data()};
  }
  FieldHandle(const LayoutHandle& layout_, F2 state_, F2 trans_)
      : FieldHandle(layout_, Shown<float, 2>(state_), Shown<float, 2>(trans_)) {
    arrays = {state_.data(), trans_.data()}, writable = true;
  }

  const Arrays& changeable() const {
    require(writable, "the weights are read-only, and this pass changes them; give it a copy");
    return arrays;
  }
  // The same for numbers that belong to the weights of another field, one for each.
  const Arrays& changeable_beside(const FieldHandle& weights) const {
    require(&layout == &weights.layout, "two fields of one pass have different layouts");
    return changeable();
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

void fits(const CorpusHandle& c, const FieldHandle& field) {
  require(c.view.attributes <= field.view.at.A, "the dataset names attributes that the layout does not have");
}
void fits_labelled(const CorpusHandle& c, const FieldHandle& field, bool complete) {
  fits(c, field);
  require(c.view.classes <= field.view.at.L, "the dataset names labels that the layout does not have");
  require(!complete || c.view.complete, "the dataset has unknown labels");
}

}  // namespace
