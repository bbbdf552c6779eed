// The exception of native/text; module.cpp translates it to tagfield.errors.InputError.
#pragma once

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace tagfield::text {

struct InputError : std::exception {
    std::string message;

    explicit InputError(std::string message) : message(std::move(message)) {}
    const char* what() const noexcept override { return message.c_str(); }
};

inline std::string at_line(const std::string& file, long long line) {
    return file + ", line " + std::to_string(line) + ": ";
}

// Text for a message: in quotes, on one line, shortened.
inline std::string quote(std::string_view text) {
    constexpr std::size_t limit = 60;
    std::string shown = "'";
    std::size_t i = 0;
    for (; i < text.size() && (i < limit || (text[i] & 0xC0) == 0x80); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
        shown += byte < 0x20 || byte == 0x7F ? std::string(escaped) : std::string(1, text[i]);
    }
    return shown + (i < text.size() ? "…'" : "'");
}

}  // namespace tagfield::text
