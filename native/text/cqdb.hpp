// Cqdb: strings ⇄ ids in a file of CRFsuite, looked up where they lie (tagfield/model/formats/cqdb.py has the layout).
//
//     string ─▶ lookup3 ─▶ table, slot ─▶ record: id, length, bytes, NUL          id ─▶ backward array ─▶ record
//
// The file is not trusted: every offset is compared with the size of the database before it is followed, a search ends after
// as many slots as its table has, and a record counts only if its string has the hash of its slot.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "text/errors.hpp"

namespace tagfield::text {

// Little-endian numbers at any offset of some bytes, each compared with their end.
class PackedBytes {
  public:
    explicit PackedBytes(std::string_view bytes) : bytes_(bytes) {}

    std::size_t size() const { return bytes_.size(); }

    std::string_view part(std::uint64_t at, std::uint64_t size) const {
        if (at > bytes_.size() || size > bytes_.size() - at) throw damaged("an offset lies beyond the end of the file");
        return bytes_.substr(at, size);
    }
    std::uint32_t word(std::uint64_t at) const { return load_word(part(at, 4).data()); }

    static std::uint32_t load_word(const char* p) {
        const auto byte = [&](int i) { return std::uint32_t{static_cast<unsigned char>(p[i])} << 8 * i; };
        return byte(0) | byte(1) | byte(2) | byte(3);
    }
    static InputError damaged(const std::string& what) {
        return InputError("the model is damaged: " + what + "; copy the file again, or train the model again");
    }

  private:
    std::string_view bytes_;
};

// Bob Jenkins' lookup3 of a string and its NUL: the variant for bytes, 32 bits, initial value 0.
inline std::uint32_t hash_lookup3(std::string_view text) {
    const auto rotated = [](std::uint32_t x, int k) { return x << k | x >> (32 - k); };
    std::size_t left = text.size() + 1;  // with the NUL
    const char* p = text.data();
    std::uint32_t a = 0xDEADBEEFu + static_cast<std::uint32_t>(left), b = a, c = a;
    const auto add = [&](const char* twelve) {
        a += PackedBytes::load_word(twelve), b += PackedBytes::load_word(twelve + 4), c += PackedBytes::load_word(twelve + 8);
    };
    for (; left > 12; left -= 12, p += 12) {
        add(p);
        a -= c, a ^= rotated(c, 4), c += b;
        b -= a, b ^= rotated(a, 6), a += c;
        c -= b, c ^= rotated(b, 8), b += a;
        a -= c, a ^= rotated(c, 16), c += b;
        b -= a, b ^= rotated(a, 19), a += c;
        c -= b, c ^= rotated(b, 4), b += a;
    }
    char last[12] = {};
    if (left > 1) std::memcpy(last, p, left - 1);
    add(last);
    c ^= b, c -= rotated(b, 14);
    a ^= c, a -= rotated(c, 11);
    b ^= a, b -= rotated(a, 25);
    c ^= b, c -= rotated(b, 16);
    a ^= c, a -= rotated(c, 4);
    b ^= a, b -= rotated(a, 14);
    c ^= b, c -= rotated(b, 24);
    return c;
}

class Cqdb {
  public:
    static constexpr std::int32_t absent = -1;

    // The database that begins at `start` of a file; it has to have `count` strings.
    Cqdb(const PackedBytes& file, std::uint64_t start, std::uint32_t count) : data_(opened(file, start)), count_(count) {
        if (data_.word(16) != count) throw PackedBytes::damaged("it has another number of names than its header says");
        backward_ = data_.word(20);
        data_.part(backward_, std::uint64_t{4} * count);
    }

    std::uint32_t size() const { return count_; }

    // The string of an id below `size()`.
    std::string_view operator[](std::uint32_t id) const {
        const Record found = record(data_.word(backward_ + std::uint64_t{4} * id));
        if (found.id != id) throw PackedBytes::damaged("a name has another id than its place says");
        return found.name;
    }

    // The id of a string, or `absent`.
    std::int32_t find(std::string_view name) const {
        const std::uint32_t hash = hash_lookup3(name), table = header + hash % 256 * 8;
        const std::uint64_t slots = data_.word(table + 4);
        if (!slots) return absent;
        const char* const first = data_.part(data_.word(table), slots * 8).data();
        for (std::uint64_t tried = 0, at = (hash >> 8) % slots; tried < slots; ++tried, at = at + 1 == slots ? 0 : at + 1) {
            const std::uint32_t place = PackedBytes::load_word(first + at * 8 + 4);
            if (!place) return absent;
            if (PackedBytes::load_word(first + at * 8) != hash) continue;
            const Record found = record(place);
            if (found.name == name) {
                if (found.id >= count_) throw PackedBytes::damaged("the id of a name is beyond the number of names");
                return static_cast<std::int32_t>(found.id);
            }
            if (hash_lookup3(found.name) != hash) throw PackedBytes::damaged("a name does not have the hash of its slot");
        }
        return absent;
    }

    // The first id whose string is not found, or is found with another id; `absent` if there is none.
    std::int32_t first_lost() const {
        for (std::uint32_t id = 0; id < count_; ++id)
            if (find((*this)[id]) != static_cast<std::int32_t>(id)) return static_cast<std::int32_t>(id);
        return absent;
    }

  private:
    static constexpr std::uint32_t header = 24, byte_order = 0x62445371, records = header + 256 * 8;

    struct Record {
        std::uint32_t id;
        std::string_view name;
    };

    static PackedBytes opened(const PackedBytes& file, std::uint64_t start) {
        const PackedBytes rest(file.part(start, records));
        if (rest.part(0, 4) != "CQDB" || rest.word(12) != byte_order) throw PackedBytes::damaged("a list of names is missing");
        return PackedBytes(file.part(start, rest.word(4)));
    }

    Record record(std::uint64_t at) const {
        const std::uint32_t size = data_.word(at + 4);  // with the NUL
        const std::string_view name = data_.part(at + 8, size);
        if (at < records || name.empty() || name.back()) throw PackedBytes::damaged("a name is not where it should be");
        return {data_.word(at), name.substr(0, name.size() - 1)};
    }

    PackedBytes data_;
    std::uint32_t count_, backward_ = 0;
};

}  // namespace tagfield::text
