// The two sinks of ItemParser: the arrays of a Dataset, or Python lists, one sequence at a time.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/dataset_builder.hpp"
#include "text/items.hpp"
#include "text/number.hpp"
#include "text/sentence_builder.hpp"
#include "text/vocabulary.hpp"

namespace tagfield::text {

namespace nb = nanobind;

class ItemEncoder {
  public:
    ItemEncoder(Vocabulary& attributes, bool frozen, Vocabulary& labels, bool grouped)
        : builder_(attributes, frozen), labels_(labels) {
        dataset.grouped = grouped;
    }

    DatasetBuilder dataset;
    std::vector<std::int32_t> gold;    // [T]  Vocabulary::absent where the label is empty
    std::vector<std::int32_t> file;    // [S]
    std::vector<std::int64_t> line;    // [S]
    std::vector<double> weights;       // [S]

    void read(std::string_view text, const std::string& name, std::int32_t file_index) {
        file_ = file_index;
        ItemParser parser(text, name, parse_number);
        while (parser.next(*this)) continue;
    }

    char* allocate(std::size_t n) { return builder_.allocate(n); }
    void begin(long long number) {
        file.push_back(file_);
        line.push_back(number);
    }
    void label(std::string_view text) { gold.push_back(text.empty() ? Vocabulary::absent : labels_.add(text)); }
    void attribute(std::string_view text, double value) {
        builder_.add(text.data(), text.size(), static_cast<float>(value));
    }
    void end_token() { builder_.end_token(); }
    void end(double weight) {
        weights.push_back(weight);
        builder_.finish(dataset);
    }

  private:
    SentenceBuilder builder_;
    Vocabulary& labels_;
    std::int32_t file_ = 0;
};

// next() → (tokens, labels, weight, line): tokens is a list of lists of (attribute, value).
class ItemLister {
  public:
    ItemLister(nb::bytes text, const std::string& name)
        : bytes_(text), parser_({text.c_str(), text.size()}, name, parse_number) {}

    nb::object next() {
        tokens_ = nb::list();
        labels_ = nb::list();
        token_ = nb::list();
        if (!parser_.next(*this)) return nb::none();
        return nb::make_tuple(tokens_, labels_, weight_, line_);
    }

    char* allocate(std::size_t n) {
        unescaped_.reset(new char[n]);
        return unescaped_.get();
    }
    void begin(long long number) { line_ = number; }
    void label(std::string_view text) { labels_.append(nb::str(text.data(), text.size())); }
    void attribute(std::string_view text, double value) {
        token_.append(nb::make_tuple(nb::str(text.data(), text.size()), value));
    }
    void end_token() {
        tokens_.append(token_);
        token_ = nb::list();
    }
    void end(double weight) { weight_ = weight; }

  private:
    nb::bytes bytes_;  // keeps the text alive
    ItemParser parser_;
    nb::list tokens_, labels_, token_;
    std::unique_ptr<char[]> unescaped_;
    double weight_ = 1.0;
    long long line_ = 0;
};

}  // namespace tagfield::text
