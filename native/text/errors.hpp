// The one exception of this room. module.cpp turns it into tagfield.errors.InputError.
#pragma once

#include <stdexcept>
#include <string>

namespace tagfield::text {

struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline std::string at_line(const std::string& file, long long line) {
    return file + ", line " + std::to_string(line) + ": ";
}

}  // namespace tagfield::text
