// Checks UTF-8 by Unicode's table 3-7 of well-formed sequences: no surrogates, nothing overlong, at most U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/hash.hpp"

namespace tagfield::text {

// The index of the first byte that does not begin a well-formed sequence; text.size() if there is none.
inline std::size_t utf8_flaw(std::string_view text) {
    const std::size_t n = text.size();
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::size_t i = 0;
    while (i < n) {
        if (i + 8 <= n && (load64(text.data() + i) & 0x8080808080808080u) == 0) {
            i += 8;
            continue;
        }
        const unsigned lead = byte(i);
        if (lead < 0x80) {
            ++i;
            continue;
        }
        const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
        if (lead < 0xC2 || lead > 0xF4 || i + length > n) return i;
        const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        if (byte(i + 1) < low || byte(i + 1) > high) return i;
        for (std::size_t k = 2; k < length; ++k)
            if ((byte(i + k) & 0xC0) != 0x80) return i;
        i += length;
    }
    return n;
}

}  // namespace tagfield::text
