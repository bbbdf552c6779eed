// StringCache: the UTF-8 text and the id of str objects that come again, found by their address.
//
// A feature function uses the same str objects as dict keys for every token, and labels repeat as objects too. An entry
// owns a reference, so no other string can take over its address, and strings are immutable. A string is cached when
// its address is seen twice in a row in its bucket: a string that never comes back costs one store.
#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "text/hash.hpp"

namespace tagfield::text {

class StringCache {
  public:
    static constexpr std::int32_t no_id = -3;        // not looked up yet
    static constexpr std::int32_t awaiting_id = -2;  // added to a sentence, so the vocabulary may have its id by now
    static constexpr std::size_t with_colon_size = 32;

    struct Entry {
        PyObject* string = nullptr;
        std::string_view text;    // of the string, in UTF-8
        std::int32_t id = no_id;  // in the vocabulary that the owner of the cache uses
        bool has_colon = false;   // whether `with_colon` is filled
        char with_colon[with_colon_size];  // text and ':', if they fit
    };

    StringCache() = default;
    StringCache(const StringCache&) = delete;
    ~StringCache() {
        for (Bucket& bucket : buckets_)
            for (Entry& entry : bucket.entries) Py_XDECREF(entry.string);
    }

    // The entry of a string, valid until the next call. text_of reads a string that is not cached, and may throw.
    template <class TextOf>
    Entry& find(PyObject* string, TextOf text_of) {
        const auto address = reinterpret_cast<std::uintptr_t>(string);
        Bucket& bucket = buckets_[(address >> 4 ^ address >> 12) % buckets_.size()];
        for (Entry& entry : bucket.entries)
            if (entry.string == string) return entry;
        uncached_.text = text_of(string);
        uncached_.id = no_id;
        if (bucket.last == address && PyUnicode_CheckExact(string))  // freeing a subclass may run user code
            return store(bucket.entries[bucket.entries[0].string != nullptr], string);
        bucket.last = address;
        return uncached_;
    }

  private:
    struct Bucket {
        std::array<Entry, 2> entries;
        std::uintptr_t last = 0;  // the last address that was not cached; the object may be freed
    };

    Entry& store(Entry& entry, PyObject* string) {
        PyObject* const evicted = entry.string;
        entry.string = Py_NewRef(string);
        entry.text = uncached_.text;
        entry.id = no_id;
        entry.has_colon = entry.text.size() < with_colon_size;
        if (entry.has_colon) *copy_bytes(entry.with_colon, entry.text.data(), entry.text.size()) = ':';
        Py_XDECREF(evicted);
        return entry;
    }

    std::array<Bucket, 128> buckets_;
    Entry uncached_;  // for strings that are not cached; owns no reference
};

}  // namespace tagfield::text
