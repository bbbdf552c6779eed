// Python bindings for a corpus on disk: renumber.hpp and gather.hpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/gather.hpp"
#include "text/handles.hpp"
#include "text/renumber.hpp"

namespace {

template <class T> nb::object made(std::vector<T>&& values) { return nb::cast(as_array(std::move(values))); }

nb::object made(std::unique_ptr<std::uint8_t[]>&& bytes, std::int64_t size) {
    std::uint8_t* const kept = bytes.release();
    nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
    return nb::cast(Array<std::uint8_t>(kept, {static_cast<std::size_t>(size)}, owner));
}

// (slots, occurrences, attribute, place, value or None)
template <class Word>
nb::tuple renumbered(View<std::int64_t> slots, View<std::int64_t> occurrences, View<std::int32_t> attribute,
                     View<Word> place, nb::object value, View<std::int32_t> ids) {
    if (slots.size() == 0 || slots.size() != occurrences.size())
        throw InputError("the offsets of slots and occurrences do not fit together");
    SlotArrays<Word> from{slots.size() - 1, attribute.size(),  place.size(),  slots.data(),
                          occurrences.data(), attribute.data(), place.data(), nullptr};
    std::optional<View<float>> values;
    if (!value.is_none()) {
        values = nb::cast<View<float>>(value);
        if (values->size() != place.size()) throw InputError("there must be one value for each occurrence");
        from.value = values->data();
    }
    RenumberedSlots<Word> to;
    {
        nb::gil_scoped_release release;
        to = renumber(from, ids.data(), ids.size());
    }
    const nb::object worth = values ? made(std::move(to.value)) : nb::none();
    return nb::make_tuple(made(std::move(to.slots)), made(std::move(to.occurrences)), made(std::move(to.attribute)),
                          made(std::move(to.place)), worth);
}

using ColumnParts = std::pair<std::int64_t, std::int64_t>;
using FamilyParts = std::tuple<std::int64_t, std::int64_t, std::vector<ColumnParts>>;
using FileParts = std::tuple<std::string, int, std::int64_t, std::int64_t, std::vector<FamilyParts>>;

// [(offsets, [bytes of each column])] of each family
nb::list gathered(const std::vector<FileParts>& parts, View<std::int64_t> order,
                         const std::vector<std::int64_t>& ends) {
    std::vector<RaggedFile> files;
    std::int64_t next = 0;
    for (const auto& [name, descriptor, first, sentences, families] : parts) {
        if (first != next || sentences < 0) throw InputError("the files of a corpus must follow each other");
        next = first + sentences;
        files.push_back({name, descriptor, first, sentences, {}});
        for (const auto& [at, length, columns] : families) {
            files.back().families.push_back({at, length, {}});
            for (const auto& [start, size] : columns) files.back().families.back().columns.push_back({start, size});
        }
    }
    const std::vector<std::int64_t> own(order.data(), order.data() + order.size());  // stays as it was checked
    std::vector<GatheredFamily> found;
    {
        nb::gil_scoped_release release;
        found = Gatherer(files).run(own.data(), static_cast<std::int64_t>(own.size()), ends);
    }
    nb::list result;
    for (std::size_t f = 0; f < found.size(); ++f) {
        nb::list columns;
        const std::int64_t total = found[f].offsets.back();
        for (std::size_t c = 0; c < found[f].columns.size(); ++c)
            columns.append(made(std::move(found[f].columns[c]), total * files[0].families[f].columns[c].size));
        result.append(nb::make_tuple(made(std::move(found[f].offsets)), columns));
    }
    return result;
}

void bind_corpus(nb::module_& m) {
    m.def("renumber", &renumbered<std::uint16_t>, "slots"_a, "occurrences"_a, "attribute"_a, "place"_a,
          "value"_a.none(), "ids"_a);
    m.def("renumber", &renumbered<std::uint32_t>, "slots"_a, "occurrences"_a, "attribute"_a, "place"_a,
          "value"_a.none(), "ids"_a);
    m.def("gather", &gathered, "files"_a, "order"_a, "ends"_a);
}

}  // namespace
