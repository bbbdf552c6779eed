// Binds the layout of the weights, the weights (Field) and the limits of labels.
#include "kernel/bind/handles.hpp"

namespace tagfield::bind {

void bind_weights(nb::module_& m) {
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
}

}  // namespace tagfield::bind
