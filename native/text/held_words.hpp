// Words in Arrow's buffers, and the arrays that keep them alive.
#pragma once

#include <string>
#include <tuple>

#include "text/arrow_words.hpp"
#include "text/handles.hpp"

namespace {

struct HeldWords {
    using Buffer = tagfield::Exact<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;
    using Parts = std::tuple<std::string, Buffer, Buffer, View<std::uint8_t>>;  // name, rows, words, bytes

    std::vector<Parts> kept;
    ArrowWords words;

    HeldWords(std::vector<Parts> parts, std::int64_t first) : kept(std::move(parts)), words(columns_of(kept), first) {}

  private:
    static std::vector<ArrowColumn> columns_of(const std::vector<Parts>& parts) {
        std::vector<ArrowColumn> made;
        for (const auto& [name, rows, words, bytes] : parts)
            made.push_back({name, offsets_of(rows), offsets_of(words),
                            {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
        return made;
    }
    static Offsets offsets_of(const Buffer& buffer) {
        const bool wide = buffer.dtype() == nb::dtype<std::int64_t>();
        if (!wide && buffer.dtype() != nb::dtype<std::int32_t>()) throw nb::type_error("offsets are int32 or int64");
        return {static_cast<const char*>(buffer.data()), buffer.size(), wide};
    }
};

}  // namespace
