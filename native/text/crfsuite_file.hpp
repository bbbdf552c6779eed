// CrfsuiteFile: a model of CRFsuite, of which only what is asked for is read. formats/crfsuite.py reads and checks all of it.
//
//     open: header, labels, transitions          attribute ─▶ Cqdb ─▶ id ─▶ AFRF ─▶ numbers of records ─▶ FEAT ─▶ weights
//
// So a program that opens a model to label one sentence waits for that sentence only. The file is not trusted: what is
// followed is checked, and damage is an InputError. A file that formats/crfsuite.py accepts gives the same weights here; one
// that it refuses gives an error as soon as a damaged part is asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "text/cqdb.hpp"
#include "text/sentence_builder.hpp"
#include "text/stray_bytes.hpp"

namespace tagfield::text {

class CrfsuiteFile {
  public:
    const std::uint32_t labels, attributes;

    // The bytes must stay as they are as long as this reads them.
    explicit CrfsuiteFile(std::string_view bytes)
        : labels(checked(bytes).word(20)), attributes(PackedBytes(bytes).word(24)), file_(bytes),
          label_names_(file_, file_.word(32), labels), attribute_names_(file_, file_.word(36), attributes) {
        const std::uint64_t start = file_.word(28);
        if (file_.part(start, 4) != "FEAT") throw PackedBytes::damaged("the list of weights is missing");
        weights_ = file_.word(start + 8);
        records_ = file_.part(start + 12, std::uint64_t{record_size} * weights_).data();
        label_lists_ = lists("LFRF", 40, std::uint64_t{labels} + 2);
        attribute_lists_ = lists("AFRF", 44, attributes);
        for (std::uint32_t spare = 0; spare < 2; ++spare) {
            const std::uint32_t at = file_.word(label_lists_ + std::uint64_t{4} * (labels + spare));
            if (at && file_.word(at)) throw PackedBytes::damaged("it has weights for the first or last label");
        }
    }

    std::size_t size() const { return file_.size(); }  // bytes
    std::string_view label(std::uint32_t id) const { return label_names_[id]; }
    const Cqdb& names() const { return attribute_names_; }

    // The id of an attribute, or Cqdb::absent.
    std::int32_t find(std::string_view name) const {
        for (std::size_t i = 0; i < name.size(); ++i)
            if (noncharacter_at(name, i)) {
                const auto raw = bytes_of_text(name);
                return raw ? attribute_names_.find(*raw) : Cqdb::absent;
            }
        return attribute_names_.find(name);
    }

    // Adds the weights of an attribute to `row`, one for each label; those of a pair that is listed twice add up.
    void add_weights(std::uint32_t attribute, double* row) const {
        each_weight(attribute_lists_, attribute, state, [&](std::uint32_t label, double weight) {
            row[label] += weight;
            if (!std::isfinite(row[label])) throw PackedBytes::damaged("the sum of two weights is not a finite number");
        });
    }

    // Puts the weights of the transitions from a label into `row`; of a pair that is listed twice, the last. A weight of −0.0
    // becomes 0.0, since the kernels take −0.0 for no transition.
    void put_transitions(std::uint32_t from, double* row) const {
        each_weight(label_lists_, from, transition, [&](std::uint32_t to, double weight) { row[to] = weight + 0.0; });
    }

  private:
    static constexpr std::uint32_t state = 0, transition = 1, record_size = 20;

    static PackedBytes checked(std::string_view bytes) {
        const PackedBytes file(bytes);
        if (file.part(0, 48).substr(0, 4) != "lCRF" || bytes.substr(8, 4) != "FOMC" || file.word(12) != 100)
            throw PackedBytes::damaged("it is no CRFsuite model of version 100");
        if (file.word(4) != bytes.size()) throw PackedBytes::damaged("its header says another size");
        return file;
    }

    std::uint64_t lists(std::string_view magic, std::uint64_t place, std::uint64_t count) const {
        const std::uint64_t start = file_.word(place);
        if (file_.part(start, 4) != magic || file_.word(start + 8) != count)
            throw PackedBytes::damaged("the lists of its weights are missing");
        file_.part(start + 12, 4 * count);
        return start + 12;
    }

    template <class Take>
    void each_weight(std::uint64_t lists, std::uint32_t owner, std::uint32_t kind, Take take) const {
        const std::uint64_t list = file_.word(lists + std::uint64_t{4} * owner), count = file_.word(list);
        if (count > weights_) throw PackedBytes::damaged("a list has more weights than there are");
        const char* const numbers = file_.part(list + 4, 4 * count).data();
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint32_t number = PackedBytes::load_word(numbers + 4 * i);
            if (number >= weights_) throw PackedBytes::damaged("a list has a weight beyond their number");
            const char* const record = records_ + std::uint64_t{record_size} * number;
            const std::uint32_t label = PackedBytes::load_word(record + 8);
            if (PackedBytes::load_word(record) != kind || PackedBytes::load_word(record + 4) != owner || label >= labels)
                throw PackedBytes::damaged("a weight belongs to another attribute or label than it says");
            const double weight = number_at(record + 12);
            if (!std::isfinite(weight)) throw PackedBytes::damaged("a weight is not a finite number");
            take(label, weight);
        }
    }

    static double number_at(const char* p) {
        const std::uint64_t bits = PackedBytes::load_word(p) | std::uint64_t{PackedBytes::load_word(p + 4)} << 32;
        double number;
        std::memcpy(&number, &bits, sizeof number);
        return number;
    }

    PackedBytes file_;
    Cqdb label_names_, attribute_names_;
    std::uint32_t weights_ = 0;
    const char* records_ = nullptr;
    std::uint64_t label_lists_ = 0, attribute_lists_ = 0;
};

// The attributes of a file that were asked for, numbered in that order, with a row of weights each.
//
// A search in the file takes five times as long as one in the vocabulary, and strings that the file lacks are searched for
// again and again. So after twice as many searches as there are attributes, all others are taken as well, if there is room.
class LateAttributes : public StringSource {
  public:
    // rows: [attributes of the file, width], all 0
    LateAttributes(const CrfsuiteFile& file, Vocabulary& names, double* rows, std::size_t width)
        : file_(file), names_(names), rows_(rows), width_(width),
          all_fit_(file.attributes * width * sizeof(double) <= most_room * file.size()) {}

    std::int32_t find(const HashedString& key) override {
        const std::int32_t known = names_.find(key);
        if (known != Vocabulary::absent || complete) return known;
        if (all_fit_ && searches_++ >= most_searches * file_.attributes) {
            take_all();
            return names_.find(key);
        }
        const std::string_view name(key.data, key.size);
        const std::int32_t id = file_.find(name);
        return id == Cqdb::absent ? Vocabulary::absent : take(name, static_cast<std::uint32_t>(id));
    }

  private:
    static constexpr std::uint64_t most_searches = 2, most_room = 4;  // times the attributes, times the size of the file

    std::int32_t take(std::string_view name, std::uint32_t id) {
        const std::size_t place = names_.size();
        if (place >= file_.attributes) throw PackedBytes::damaged("an attribute has two names");
        double* const row = rows_ + place * width_;
        try {
            file_.add_weights(id, row);
        } catch (const InputError&) {
            std::fill(row, row + width_, 0.0);
            throw;
        }
        return names_.add(name);
    }

    void take_all() {
        for (std::uint32_t id = 0; id < file_.attributes; ++id) {
            const std::string_view raw = file_.names()[id];
            if (file_.names().find(raw) != static_cast<std::int32_t>(id))
                throw PackedBytes::damaged("a name is not found by its hash");
            const std::string name = text_of_bytes(raw);
            if (names_.find(name) == Vocabulary::absent) take(name, id);
        }
        complete = true;
    }

    const CrfsuiteFile& file_;
    Vocabulary& names_;
    double* rows_;
    std::size_t width_;
    bool all_fit_;
    std::uint64_t searches_ = 0;
};

}  // namespace tagfield::text
