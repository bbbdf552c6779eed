// CRFsuite's item lines:   label TAB attribute[:value] TAB attribute[:value] …
//
//     an empty line ends the sequence;  `\:` is a colon and `\\` a backslash, any other backslash is itself
//     without a value it is 1;  a line `@weight:2.5` sets the weight of the sequence;  an empty label is not known
//
// Only TAB separates fields: spaces are text. CRFsuite reads `w=a:b` as attribute `w=a` with value 0; here it is an
// error, because a value must be a finite number.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/columns.hpp"
#include "text/errors.hpp"

namespace tagfield::text {

// Reads all of the text as a number; false if it is not a number. number.hpp has Python's; without Python there is strtod.
using ParseNumber = bool (*)(std::string_view text, double& number);

class ItemParser {
  public:
    ItemParser(std::string_view text, std::string file, ParseNumber parse_number)
        : rest_(text), file_(std::move(file)), parse_number_(parse_number) {
        require_utf8(text, file_);
    }

    // Reads one sequence into the sink; false at the end of the file.
    // A sink has: allocate(n), begin(line), label(text), attribute(text, value), end_token(), end(weight).
    template <class Sink>
    bool next(Sink& sink) {
        bool open = false, weighted = false;
        double weight = 1.0;
        while (!rest_.empty()) {
            std::string_view line = take_line(rest_);
            ++line_;
            if (line.empty()) {
                if (open || weighted) break;
                continue;
            }
            if (line[0] == '@') {
                if (weighted) fail("found a second @weight for this sequence; give one");
                weight = declaration(line);
                weighted = true;
                continue;
            }
            if (!open) sink.begin(line_);
            open = true;
            item(line, sink);
        }
        if (weighted && !open) fail("@weight has no sequence; put it right above the items of its sequence");
        if (open) sink.end(weight);
        return open;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw InputError(at_line(file_, line_) + what); }

    double declaration(std::string_view line) const {
        double weight = 0;
        if (line.substr(0, 8) != "@weight:")
            fail("unknown declaration " + quote(line) + "; the only one is @weight:NUMBER");
        if (!parse_number_(line.substr(8), weight) || !std::isfinite(weight) || weight < 0)
            fail("the weight must be a finite number ≥ 0, got " + quote(line.substr(8)));
        return weight;
    }

    template <class Sink>
    void item(std::string_view line, Sink& sink) {
        bool first = true;
        while (true) {
            const std::size_t tab = line.find('\t');
            const std::string_view field = line.substr(0, tab);
            std::size_t colon = 0;
            const std::string_view name = unescape(field, colon, sink);
            if (first) {
                if (colon < field.size())
                    fail("the label " + quote(field) + " has a colon; write \\: for a colon in the text");
                sink.label(name);
            } else if (!field.empty()) {
                sink.attribute(name, value_of(field, colon));
            }
            first = false;
            if (tab == std::string_view::npos) break;
            line.remove_prefix(tab + 1);
        }
        sink.end_token();
    }

    double value_of(std::string_view field, std::size_t colon) const {
        if (colon + 1 >= field.size()) return 1.0;
        const std::string_view text = field.substr(colon + 1);
        double value = 0;
        if (!parse_number_(text, value))
            fail("the value " + quote(text) + " of " + quote(field.substr(0, colon)) +
                 " is not a number; write \\: for a colon in the text");
        if (!std::isfinite(static_cast<float>(value)))
            fail("the value " + quote(text) + " of " + quote(field.substr(0, colon)) +
                 " must be a finite 32-bit number");
        return value;
    }

    // The name before the first unescaped colon; `colon` is set to its index, or to field.size().
    template <class Sink>
    static std::string_view unescape(std::string_view field, std::size_t& colon, Sink& sink) {
        colon = field.find_first_of(":\\");
        if (colon == std::string_view::npos) colon = field.size();
        if (colon == field.size() || field[colon] == ':') return field.substr(0, colon);
        char* text = sink.allocate(field.size());
        std::size_t n = 0;
        for (colon = 0; colon < field.size() && field[colon] != ':'; ++colon) {
            const bool escape = field[colon] == '\\' && colon + 1 < field.size() &&
                                (field[colon + 1] == ':' || field[colon + 1] == '\\');
            colon += escape;
            text[n++] = field[colon];
        }
        return {text, n};
    }

    std::string_view rest_;
    std::string file_;
    ParseNumber parse_number_;
    long long line_ = 0;
};

}  // namespace tagfield::text
