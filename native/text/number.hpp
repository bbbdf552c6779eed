// A number in a text file, as Python reads it: with a point in every locale.
#pragma once

#include <Python.h>

#include <cctype>
#include <cstring>
#include <string>
#include <string_view>

namespace tagfield::text {

// Reads all of the text as a number; false if it is not a number.
inline bool parse_number(std::string_view text, double& number) {
    const std::string copy(text);
    if (copy.size() != std::strlen(copy.c_str()) || copy.empty() || std::isspace(static_cast<unsigned char>(copy[0])))
        return false;
    char* end = nullptr;
    number = PyOS_string_to_double(copy.c_str(), &end, nullptr);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return end == copy.c_str() + copy.size();
}

}  // namespace tagfield::text
