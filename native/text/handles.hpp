// Arrays, strings and records of the bindings: what Python hands in and gets back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <utility>
#include <vector>

#include "exact_array.hpp"
#include "text/dataset_builder.hpp"
#include "text/errors.hpp"
#include "text/objects.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tagfield::text;

namespace {

template <class T>
using Array = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;  // read-only: what was checked once stays as it was
template <class T>
using View = tagfield::Exact<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

template <class T>
Array<T> as_array(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(kept->data(), {kept->size()}, owner);
}

nb::object as_object(Places&& place) {
    return place.wide ? nb::cast(as_array(std::move(place.large))) : nb::cast(as_array(std::move(place.small)));
}

// (tokens, slots, occurrences, attribute, place, value or None), the order of Dataset's fields.
nb::tuple as_arrays(DatasetBuilder&& dataset) {
    nb::object value = nb::none();
    if (dataset.has_values) value = nb::cast(as_array(std::move(dataset.value)));
    return nb::make_tuple(as_array(std::move(dataset.tokens)), as_array(std::move(dataset.slots)),
                          as_array(std::move(dataset.occurrences)), as_array(std::move(dataset.attribute)),
                          as_object(std::move(dataset.place)), value);
}

// (tokens, slots, occurrences, attribute, stop, position, value or None) of the attributes of transitions.
inline nb::tuple as_edge_arrays(DatasetBuilder&& dataset) {
    nb::object value = nb::none();
    if (dataset.has_values) value = nb::cast(as_array(std::move(dataset.value)));
    return nb::make_tuple(as_array(std::move(dataset.tokens)), as_array(std::move(dataset.slots)),
                          as_array(std::move(dataset.occurrences)), as_array(std::move(dataset.attribute)),
                          as_array(std::move(dataset.stop)), as_array(std::move(dataset.position)), value);
}

inline std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::str as_str(std::string_view text) { return nb::str(text.data(), text.size()); }

// Some of the attributes that a model does not know, for a message.
inline nb::list names_of(const UnknownAttributes& unknown) {
    nb::list some;
    for (const std::string& name : unknown.some) some.append(as_str(name));
    return some;
}

}  // namespace
