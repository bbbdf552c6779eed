// Python bindings of items.hpp: lines of CRFsuite's items.
#pragma once

#include <utility>

#include "text/handles.hpp"
#include "text/item_sinks.hpp"

namespace {

void bind_items(nb::module_& m) {
    nb::class_<ItemEncoder>(m, "ItemEncoder")
        .def(nb::init<Vocabulary&, bool, Vocabulary&, bool>(), "attributes"_a, "frozen"_a, "labels"_a,
             "grouped"_a = true, nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
        .def("read",
             [](ItemEncoder& self, nb::bytes text, const std::string& file, std::int32_t index) {
                 self.read(view(text), file, index);
             },
             "text"_a, "file"_a, "index"_a)
        .def("finish", [](ItemEncoder& self) {
            return nb::make_tuple(as_arrays(std::exchange(self.dataset, DatasetBuilder())),
                                  as_array(std::move(self.gold)), as_array(std::move(self.weights)),
                                  as_array(std::move(self.file)), as_array(std::move(self.line)));
        });
    nb::class_<ItemLister>(m, "ItemLister")
        .def(nb::init<nb::bytes, const std::string&>(), "text"_a, "file"_a)
        .def("next", &ItemLister::next);
}

}  // namespace
