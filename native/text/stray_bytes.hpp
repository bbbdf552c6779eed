// Bytes that are not UTF-8, as text and back: the rule of tagfield/data/text/stray_bytes.py, for one string at a time.
//
//     byte 0x80 + 16·i + j that belongs to no character  ⇄  U+FDD0 + i, U+FDE0 + j
//
// Each byte of a noncharacter U+FDD0 .. U+FDEF becomes such a pair as well, so two strings of bytes never share a text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "text/utf8.hpp"

namespace tagfield::text {

// The last byte of the noncharacter that begins at i, 0x90 .. 0xAF; 0 if there is none.
inline unsigned noncharacter_at(std::string_view text, std::size_t i) {
    if (i + 3 > text.size() || text[i] != '\xEF' || text[i + 1] != '\xB7') return 0;
    const auto last = static_cast<unsigned char>(text[i + 2]);
    return last >= 0x90 && last <= 0xAF ? last : 0;
}

inline std::string text_of_bytes(std::string_view raw) {
    std::string text;
    std::size_t good = utf8_flaw(raw);  // up to here it is UTF-8
    for (std::size_t i = 0, strange = 0; i < raw.size(); ++i) {
        if (i < good && noncharacter_at(raw, i)) strange = i + 3;
        if (i < good && i >= strange) {
            text.push_back(raw[i]);
            continue;
        }
        const unsigned above = static_cast<unsigned char>(raw[i]) - 0x80u;
        text.append("\xEF\xB7").push_back(static_cast<char>(0x90 + above / 16));
        text.append("\xEF\xB7").push_back(static_cast<char>(0xA0 + above % 16));
        if (i == good) good += 1 + utf8_flaw(raw.substr(i + 1));
    }
    return text;
}

// The bytes whose text this is; none if there are no such bytes.
inline std::optional<std::string> bytes_of_text(std::string_view text) {
    std::string raw;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const unsigned high = noncharacter_at(text, i), low = high ? noncharacter_at(text, i + 3) : 0;
        if (high && high < 0x98 && low >= 0xA0) {
            raw.push_back(static_cast<char>(0x80 + 16 * (high - 0x90) + low - 0xA0));
            i += 5;
        } else {
            raw.push_back(text[i]);
        }
    }
    if (text_of_bytes(raw) != text) return std::nullopt;
    return raw;
}

}  // namespace tagfield::text
