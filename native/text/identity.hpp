// IdentityMemory: what is already known of a str object, found by its address.
//
// The dicts that one function of the user's makes have the very same str objects as keys, and labels repeat as objects
// too. An entry owns a reference, so its address cannot become that of another string, and strings do not change. A
// string is remembered when its address comes twice in a row at its place: those that never come back cost one store.
#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "text/hash.hpp"

namespace tagfield::text {

class IdentityMemory {
  public:
    static constexpr std::int32_t fresh = -3, seen = -2;  // not asked for yet; asked for, and not in the vocabulary
    static constexpr std::size_t head_size = 32;

    struct Entry {
        PyObject* string = nullptr;
        std::string_view text;    // of the string, in UTF-8
        std::int32_t id = fresh;  // in the vocabulary that the memory's owner thinks of
        bool has_head = false;
        char head[head_size];  // text and ':', where that fits
    };

    IdentityMemory() = default;
    IdentityMemory(const IdentityMemory&) = delete;
    ~IdentityMemory() {
        for (Place& place : places_)
            for (Entry& entry : place.entries) Py_XDECREF(entry.string);
    }

    // The entry of a string, good until the next call; text_of(string) is asked where there was none, and may throw.
    template <class TextOf>
    Entry& of(PyObject* string, TextOf text_of) {
        const auto address = reinterpret_cast<std::uintptr_t>(string);
        Place& place = places_[(address >> 4 ^ address >> 12) % places_.size()];
        for (Entry& entry : place.entries)
            if (entry.string == string) return entry;
        passing_.text = text_of(string);
        passing_.id = fresh;
        if (place.last == address && PyUnicode_CheckExact(string))  // the end of another kind may run the user's code
            return remember(place.entries[place.entries[0].string != nullptr], string);
        place.last = address;
        return passing_;
    }

  private:
    struct Place {
        std::array<Entry, 2> entries;
        std::uintptr_t last = 0;  // the address that came last and was not here: only a number, it may be gone
    };

    Entry& remember(Entry& entry, PyObject* string) {
        PyObject* const gone = entry.string;
        entry.string = Py_NewRef(string);
        entry.text = passing_.text;
        entry.id = fresh;
        entry.has_head = entry.text.size() < head_size;
        if (entry.has_head) *copy_bytes(entry.head, entry.text.data(), entry.text.size()) = ':';
        Py_XDECREF(gone);
        return entry;
    }

    std::array<Place, 128> places_;
    Entry passing_;  // of a string that is not remembered; it owns nothing
};

}  // namespace tagfield::text
