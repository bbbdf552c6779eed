// Templates over column files: the ids of every token stand for the strings that the patterns spell.
//
//     flags, patterns such as U0:%x[-1,0]/%x[0,1] on a line each, a blank line, then the columns
//
// Column w+1 is "the same as the next cell", w+2 the phrases made of the first two cells of the file, and w+3 a row of the
// sentence. Flags: 1 padding, 2 __BOS__ and __EOS__, 4 patterns of transitions, 8 a NUL ends a string; the rest is the row.
#include "fuzz/input.hpp"
#include "text/absolute.hpp"
#include "text/columns.hpp"
#include "text/expand.hpp"
#include "text/gazetteer.hpp"

using namespace tagfield;
using namespace tagfield::text;

namespace {

constexpr std::int64_t farthest = 3;  // the last text of the padding stands for all that are farther away

Padding::Texts padding_texts() {
    Padding::Texts texts;
    for (std::int64_t k = 1; k <= farthest; ++k) {
        texts.first.push_back("_B-" + std::to_string(k));
        texts.second.push_back("_B+" + std::to_string(k));
    }
    return texts;
}

Pattern parse(std::string_view line, bool until_nul) {
    Pattern made;
    made.until_nul = until_nul;
    made.pieces.emplace_back();
    while (!line.empty()) {
        int offset = 0, column = 0, used = 0;
        if (std::sscanf(std::string(line.substr(0, 24)).c_str(), "%%x[%5d,%3d]%n", &offset, &column, &used) == 2 && used) {
            made.cells.emplace_back(offset, column);
            made.pieces.emplace_back();
            line.remove_prefix(static_cast<std::size_t>(used));
        } else {
            made.pieces.back() += line[0];
            line.remove_prefix(1);
        }
    }
    return made;
}

// What a pattern spells at position t of a sentence; false if it is left out.
bool spell(CellTable& table, const Pattern& pattern, std::int64_t first, std::int64_t T, std::int64_t t, bool padding,
           std::string& text) {
    text = pattern.pieces[0];
    for (std::size_t k = 0; k < pattern.cells.size(); ++k) {
        const auto& [offset, number] = pattern.cells[k];
        const std::int64_t at = t + offset;
        if (at < 0 || at >= T) {
            if (!padding) return false;
            const std::int64_t distance = at < 0 ? -at : at - T + 1;
            text += (at < 0 ? "_B-" : "_B+") + std::to_string(std::min(distance, farthest));
        } else {
            const Column& column = table.column(static_cast<std::size_t>(number));
            const std::int32_t id = column.ids[static_cast<std::size_t>(first + at)];
            if (id == Column::nothing) return false;
            text += column.cells[id];
        }
        text += pattern.pieces[k + 1];
    }
    if (pattern.until_nul) text = text.substr(0, text.find('\0'));
    return true;
}

void check(CellTable& table, const std::vector<Pattern>& patterns, bool padding, bool ends, std::int64_t start,
           const Vocabulary& names, const DatasetBuilder& made) {
    std::string text;
    std::size_t n = 0;
    for (std::size_t s = 0; s + 1 < table.tokens().size(); ++s) {
        const std::int64_t first = table.tokens()[s], T = table.tokens()[s + 1] - first;
        for (std::int64_t t = 0; t < T; ++t) {
            const auto next = [&](const std::string& expected) {
                const std::int32_t id = names.find(expected);
                if (id == Vocabulary::absent) return;
                fuzz::expect(n < made.attribute.size() && made.attribute[n] == id && (made.place.small[n] & 0x7FFF) == t,
                             "another attribute than the pattern spells");
                ++n;
            };
            for (const Pattern& pattern : patterns)
                if (t >= start && spell(table, pattern, first, T, t, padding, text)) next(text);
            if (ends && t == 0) next("__BOS__");
            if (ends && t == T - 1) next("__EOS__");
        }
    }
    fuzz::expect(n == made.attribute.size(), "more attributes than the patterns spell");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const unsigned flags = input.byte();
    const bool padding = flags & 1, ends = flags & 2;
    const std::int64_t start = flags & 4 ? 1 : 0, row = static_cast<std::int64_t>(flags >> 4) - 8;
    std::string_view rest = input.rest();
    std::vector<Pattern> patterns;
    for (std::string_view line = take_line(rest); !line.empty() && patterns.size() < 8; line = take_line(rest))
        patterns.push_back(parse(line, flags & 8));
    const std::size_t width = std::max<std::size_t>(1, first_line(rest).second);
    if (width > 100) return 0;
    try {
        CellTable table(std::vector<bool>(width, true));
        Gazetteer phrases;
        std::string_view some = rest;
        phrases.add({std::string(take_cell(some)), std::string(take_cell(some))});
        table.derive(0, std::make_unique<SameAs>(1), false);
        table.derive(0, std::make_unique<InGazetteer>(std::make_shared<const Gazetteer>(phrases), "g"), false);
        const Padding::Texts texts = padding_texts();
        table.derive(0, std::make_unique<AtRow>(row, texts.first, texts.second), false);
        std::vector<Padding::Texts> around(padding ? table.columns() : 0, texts);
        TemplateExpander expander(table, patterns, Padding(around, table), ends, start);
        Vocabulary names;
        for (int batch = 0; batch < 2; ++batch) {  // the second one finds its ids in the caches
            table.begin();
            ColumnReader().read(table, rest, "file", 0, "line 1");
            table.update();
            for (const bool frozen : {batch > 0, true}) {
                DatasetBuilder made;
                made.gather = false;
                const Vocabulary before = names;
                expander.run(names, frozen, made);
                fuzz::expect(!frozen || before.size() == names.size(), "a frozen vocabulary grew");
                check(table, patterns, padding, ends, start, names, made);
            }
        }
        DatasetBuilder gathered;
        expander.run(names, true, gathered);
        Vocabulary none;
        expander.forget();
        DatasetBuilder empty;
        expander.run(none, true, empty);
        fuzz::expect(empty.attribute.empty(), "ids of an empty vocabulary");
    } catch (const InputError&) {
    }
    return 0;
}
